-- What tells this store from others where its vectors lie: see Vectors.
ALTER TABLE tapedeck.index_state ADD identity uuid NOT NULL DEFAULT gen_random_uuid();
