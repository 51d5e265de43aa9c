-- Vectors of documents that lie in another database: see Vectors.

-- One row.
CREATE TABLE follow_state (
    followed bigint NOT NULL,  -- the last change of the documents that was taken over
    sweep    boolean NOT NULL  -- texts may be there that no document has
);
INSERT INTO follow_state VALUES (0, false);

-- Texts of documents, by their hash.
CREATE TABLE document_text (
    num        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash       text COLLATE "C" NOT NULL UNIQUE,
    started_at bigint NOT NULL -- of the document that it came with
);

-- Which traces have which texts, a row a document.
CREATE TABLE document (
    trace_id   text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    text       bigint NOT NULL REFERENCES document_text
);
CREATE INDEX document_trace ON document (trace_id);
CREATE INDEX document_session ON document (session_id);
CREATE INDEX document_of_text ON document (text);

-- The vectors of generation N stand in a table vector_N.
CREATE TABLE generation (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider text COLLATE "C" NOT NULL,
    model    text COLLATE "C" NOT NULL,
    width    int NOT NULL,
    active   boolean NOT NULL DEFAULT false,
    UNIQUE (provider, model, width)
);

-- Texts without vectors in a generation.
CREATE TABLE unembedded (
    generation bigint NOT NULL REFERENCES generation ON DELETE CASCADE,
    started_at bigint NOT NULL,
    text       bigint NOT NULL REFERENCES document_text ON DELETE CASCADE,
    PRIMARY KEY (generation, started_at, text)
);
CREATE INDEX unembedded_text ON unembedded (text);
