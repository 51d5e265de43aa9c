-- Traces whose derivation changed, each with its last change. What a transaction
-- touches is open until it ends: see settle.
CREATE TABLE trace_change (
	seq    INTEGER PRIMARY KEY AUTOINCREMENT,
	ident  BLOB NOT NULL UNIQUE, -- of the trace
	sid    TEXT NOT NULL,
	digest BLOB, -- of what was derived; NULL: it is gone
	open   INTEGER NOT NULL
);
CREATE INDEX trace_open ON trace_change (ident) WHERE open;
INSERT INTO trace_change (ident, sid, digest, open)
	SELECT t.ident, s.sid, x'', 0 FROM trace t JOIN session s ON s.id = t.session ORDER BY t.id;
CREATE TRIGGER trace_goes AFTER DELETE ON trace BEGIN
	UPDATE trace_change SET open = 1 WHERE ident = old.ident;
END;

CREATE TABLE index_state (
	followed INTEGER NOT NULL -- the last change whose documents were made
);
INSERT INTO index_state VALUES (0);

-- Texts of documents, each once. Numbers of these and of documents and vectors are
-- never used again, so that whoever knows the last one knows what is new.
CREATE TABLE indexed (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	hash    BLOB NOT NULL UNIQUE,
	started INTEGER NOT NULL, -- of the document that it came with
	data    BLOB NOT NULL     -- compressed
);
-- Its rows are those of indexed. It keeps no texts; the deleted ones' words are taken
-- out of it at once.
CREATE VIRTUAL TABLE words USING fts5 (text, parts, content = '', tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);

CREATE TABLE document (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	span    BLOB NOT NULL,
	trace   BLOB NOT NULL,
	session INTEGER NOT NULL,
	text    INTEGER NOT NULL REFERENCES indexed,
	kind    TEXT NOT NULL,
	model   TEXT NOT NULL,
	fold    TEXT NOT NULL, -- of the model
	started INTEGER NOT NULL,
	UNIQUE (trace, span)
);
CREATE INDEX document_span ON document (span);
CREATE INDEX document_session ON document (session, text);
CREATE INDEX document_text ON document (text, session, kind, started, fold);

CREATE TABLE generation (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	provider TEXT NOT NULL,
	model    TEXT NOT NULL,
	width    INTEGER NOT NULL,
	active   INTEGER NOT NULL,
	UNIQUE (provider, model, width)
);
CREATE TABLE vector (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	generation INTEGER NOT NULL REFERENCES generation,
	text       INTEGER NOT NULL REFERENCES indexed ON DELETE CASCADE,
	chunks     INTEGER NOT NULL,
	data       BLOB NOT NULL, -- packed: see appendChunk
	UNIQUE (text, generation)
);
CREATE INDEX vector_generation ON vector (generation, chunks);
-- Texts without vectors in a generation.
CREATE TABLE unembedded (
	generation INTEGER NOT NULL REFERENCES generation,
	started    INTEGER NOT NULL,
	text       INTEGER NOT NULL REFERENCES indexed ON DELETE CASCADE,
	PRIMARY KEY (generation, started, text)
) WITHOUT ROWID;
CREATE INDEX unembedded_text ON unembedded (text);

-- What processes that keep documents in memory must forget: see catalog.
CREATE TABLE forgotten (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	document INTEGER,
	session  INTEGER
);
CREATE TRIGGER document_goes AFTER DELETE ON document BEGIN
	INSERT INTO forgotten (document) VALUES (old.id);
END;
CREATE TRIGGER session_goes AFTER DELETE ON session BEGIN
	INSERT INTO forgotten (session) VALUES (old.id);
END;
CREATE TRIGGER session_turns AFTER UPDATE ON session
	WHEN (new.subagent, new.internal, new.harness, new.project_fold, new.cwd_fold)
		IS NOT (old.subagent, old.internal, old.harness, old.project_fold, old.cwd_fold) BEGIN
	INSERT INTO forgotten (session) VALUES (old.id);
END;
