-- What tells this store from others where its vectors lie elsewhere.
ALTER TABLE index_state ADD COLUMN identity BLOB;
UPDATE index_state SET identity = randomblob(16);
