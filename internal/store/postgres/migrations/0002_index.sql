-- What is searched: see package postgres.

-- Traces whose derivation changed, each with its last change. Who writes does so
-- alone, so that the order of seq is that of the commits.
CREATE SEQUENCE tapedeck.trace_change_seq;
CREATE TABLE tapedeck.trace_change (
    trace_id   text COLLATE "C" PRIMARY KEY,
    session_id text COLLATE "C" NOT NULL,
    seq        bigint NOT NULL DEFAULT nextval('tapedeck.trace_change_seq'),
    digest     bytea -- of what was derived; NULL: it is gone
);
CREATE INDEX trace_change_seq_order ON tapedeck.trace_change (seq);
CREATE INDEX trace_change_session ON tapedeck.trace_change (session_id);
INSERT INTO tapedeck.trace_change (trace_id, session_id, digest) SELECT id, session_id, '' FROM tapedeck.trace ORDER BY num;

-- One row.
CREATE TABLE tapedeck.index_state (
    followed bigint NOT NULL, -- the last change whose documents were made
    parts    bigint NOT NULL, -- rows of words
    length   bigint NOT NULL  -- the sum of theirs
) WITH (fillfactor = 50);
INSERT INTO tapedeck.index_state VALUES (0, 0, 0);

-- Texts of documents, each once.
CREATE TABLE tapedeck.document_text (
    num        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash       text COLLATE "C" NOT NULL UNIQUE,
    started_at bigint NOT NULL, -- of the document that it came with
    text       text COLLATE "C" NOT NULL
);

CREATE TABLE tapedeck.document (
    trace_id     text COLLATE "C" NOT NULL,
    span_id      text COLLATE "C" NOT NULL,
    session      bigint NOT NULL REFERENCES tapedeck.session (num),
    text         bigint NOT NULL REFERENCES tapedeck.document_text,
    kind         text COLLATE "C" NOT NULL,
    model        text COLLATE "C" NOT NULL,
    model_folded text COLLATE "C" NOT NULL,
    started_at   bigint NOT NULL,
    PRIMARY KEY (trace_id, span_id)
);
CREATE INDEX document_span ON tapedeck.document (span_id);
CREATE INDEX document_text_session ON tapedeck.document (text, session);
CREATE INDEX document_session ON tapedeck.document (session, kind, started_at);
CREATE INDEX document_model ON tapedeck.document (model_folded, session, kind, started_at);
CREATE INDEX document_started ON tapedeck.document (started_at, session, kind);

-- Words are stemmed, and none is left out: how rare a word is decides.
CREATE TEXT SEARCH DICTIONARY tapedeck.stem (TEMPLATE = pg_catalog.snowball, LANGUAGE = english);
CREATE TEXT SEARCH CONFIGURATION tapedeck.words (COPY = pg_catalog.english);
ALTER TEXT SEARCH CONFIGURATION tapedeck.words ALTER MAPPING REPLACE pg_catalog.english_stem WITH tapedeck.stem;

-- The words of texts, long ones in parts. Rows stay whole and uncompressed as far
-- as a page holds them: each that matches is looked at to rank it.
CREATE TABLE tapedeck.words (
    text   bigint NOT NULL REFERENCES tapedeck.document_text ON DELETE CASCADE,
    length int NOT NULL, -- in words
    words  tsvector NOT NULL
) WITH (toast_tuple_target = 8160);
ALTER TABLE tapedeck.words ALTER words SET STORAGE EXTERNAL;
CREATE INDEX words_text ON tapedeck.words (text);
CREATE INDEX words_words ON tapedeck.words USING gin (words) WITH (gin_pending_list_limit = 1024);

-- In how many rows of words each word is.
CREATE TABLE tapedeck.lexeme (
    lexeme text COLLATE "C" PRIMARY KEY,
    parts  bigint NOT NULL
) WITH (fillfactor = 80);

-- The vectors of generation N stand in a table vector_N.
CREATE TABLE tapedeck.generation (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider text COLLATE "C" NOT NULL,
    model    text COLLATE "C" NOT NULL,
    width    int NOT NULL,
    active   boolean NOT NULL DEFAULT false,
    UNIQUE (provider, model, width)
);

-- Texts without vectors in a generation.
CREATE TABLE tapedeck.unembedded (
    generation bigint NOT NULL REFERENCES tapedeck.generation ON DELETE CASCADE,
    started_at bigint NOT NULL,
    text       bigint NOT NULL REFERENCES tapedeck.document_text ON DELETE CASCADE,
    PRIMARY KEY (generation, started_at, text)
);
CREATE INDEX unembedded_text ON tapedeck.unembedded (text);
