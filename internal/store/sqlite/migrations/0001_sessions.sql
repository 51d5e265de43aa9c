-- Integers are ids of this file's own. Hashes of keys and origins (hash64) stand in
-- indices for the texts, which are compared as well. Times are milliseconds, money
-- is billionths of a dollar.

CREATE TABLE counter (
	change INTEGER NOT NULL -- number of the last change of any stream
);
INSERT INTO counter VALUES (0);

CREATE TABLE stream (
	id             INTEGER PRIMARY KEY,
	harness        TEXT NOT NULL,
	key            TEXT NOT NULL,
	sid            TEXT NOT NULL, -- of its own session
	parent_harness TEXT,
	parent_key     TEXT,
	fork_harness   TEXT,
	fork_key       TEXT,
	version        INTEGER NOT NULL,           -- the change that was its last
	records        INTEGER NOT NULL DEFAULT 0, -- keys
	derived        INTEGER NOT NULL DEFAULT 0,
	deriver        TEXT NOT NULL DEFAULT '',
	checkpoints    BLOB,
	fresh_order    INTEGER NOT NULL DEFAULT 0,
	fresh_pos      INTEGER NOT NULL DEFAULT 0,
	fresh_key      TEXT NOT NULL DEFAULT '',
	shared         INTEGER NOT NULL DEFAULT 0,
	deleted_by     INTEGER, -- a tombstone: the stream with which it was deleted
	UNIQUE (harness, key)
);
CREATE INDEX stream_sid ON stream (sid);
CREATE INDEX stream_parent ON stream (parent_harness, parent_key) WHERE parent_key IS NOT NULL;
CREATE INDEX stream_changed ON stream (version) WHERE derived <> version;
CREATE INDEX stream_deriver ON stream (deriver, version);
CREATE INDEX stream_deleted ON stream (deleted_by) WHERE deleted_by IS NOT NULL;

-- Pieces of bodies: see package body.
CREATE TABLE piece (
	id   INTEGER PRIMARY KEY,
	hash BLOB NOT NULL,
	refs INTEGER NOT NULL,
	data BLOB NOT NULL
);
CREATE UNIQUE INDEX piece_hash ON piece (hash);

CREATE TABLE record (
	id          INTEGER PRIMARY KEY,
	stream      INTEGER NOT NULL REFERENCES stream,
	key_hash    INTEGER NOT NULL,
	origin_hash INTEGER,
	about_hash  INTEGER,
	counts      INTEGER NOT NULL, -- of the records with this key
	version     INTEGER NOT NULL,
	ord         INTEGER NOT NULL,
	pos         INTEGER NOT NULL,
	at          INTEGER NOT NULL,
	size        INTEGER NOT NULL,
	piece       INTEGER NOT NULL, -- the root of its body
	sum         BLOB NOT NULL,    -- SHA-256 of its body
	key         TEXT NOT NULL,
	origin      TEXT, -- '': its key
	about       TEXT
);
CREATE INDEX record_key ON record (stream, key_hash);
CREATE INDEX record_order ON record (stream, ord, pos);
CREATE INDEX record_origin ON record (origin_hash, stream) WHERE origin_hash IS NOT NULL;
CREATE INDEX record_about ON record (about_hash) WHERE about_hash IS NOT NULL;

CREATE TABLE source (
	id       INTEGER PRIMARY KEY,
	path     TEXT NOT NULL UNIQUE,
	harness  TEXT NOT NULL,
	size     INTEGER NOT NULL,
	mod_time INTEGER NOT NULL,
	offset   INTEGER NOT NULL,
	state    BLOB,
	tail     TEXT NOT NULL,
	complete INTEGER NOT NULL,
	report   BLOB
);
CREATE TABLE source_stream (
	source INTEGER NOT NULL REFERENCES source ON DELETE CASCADE,
	stream INTEGER NOT NULL REFERENCES stream ON DELETE CASCADE,
	PRIMARY KEY (source, stream)
) WITHOUT ROWID;
CREATE INDEX source_of_stream ON source_stream (stream);

-- What people call a session; it outlives deriving.
CREATE TABLE name (
	sid  TEXT PRIMARY KEY,
	name TEXT NOT NULL
) WITHOUT ROWID;

-- What lists are filtered and ordered by; session_rest has what else there is, so
-- that lists of many sessions read little.
CREATE TABLE session (
	id           INTEGER PRIMARY KEY,
	stream       INTEGER NOT NULL REFERENCES stream,
	own          INTEGER NOT NULL, -- the stream's own, not that of a thread
	subagent     INTEGER NOT NULL,
	internal     INTEGER NOT NULL,
	harness      TEXT NOT NULL,
	status       TEXT NOT NULL,
	started      INTEGER NOT NULL,
	ended        INTEGER NOT NULL,
	duration     INTEGER NOT NULL,
	cost         INTEGER NOT NULL,
	tokens       INTEGER NOT NULL,
	traces       INTEGER NOT NULL,
	project_fold TEXT NOT NULL,
	cwd_fold     TEXT NOT NULL,
	name_fold    TEXT NOT NULL, -- of the name that a person gave
	title_fold   TEXT NOT NULL,
	sid          TEXT NOT NULL UNIQUE
);
CREATE INDEX session_stream ON session (stream);
CREATE INDEX session_active ON session (ended, sid) WHERE subagent = 0 AND internal = 0;

CREATE TABLE session_rest (
	session         INTEGER PRIMARY KEY REFERENCES session ON DELETE CASCADE,
	parent          TEXT,
	relation        TEXT,
	parent_trace    TEXT,
	parent_span     TEXT,
	native          TEXT NOT NULL, -- the harness' own identifier
	harness_version TEXT NOT NULL,
	title           TEXT NOT NULL,
	name            TEXT NOT NULL,
	cwd             TEXT NOT NULL,
	project         TEXT NOT NULL,
	branch          TEXT NOT NULL,
	agent_type      TEXT NOT NULL,
	partial_reason  TEXT NOT NULL,
	input_tokens INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
	output_tokens INTEGER NOT NULL, reasoning INTEGER NOT NULL, partial INTEGER NOT NULL, unpriced INTEGER NOT NULL,
	records INTEGER NOT NULL, prompts INTEGER NOT NULL, messages INTEGER NOT NULL, tool_calls INTEGER NOT NULL,
	tool_results INTEGER NOT NULL, tool_errors INTEGER NOT NULL, unanswered INTEGER NOT NULL,
	subagents INTEGER NOT NULL, compactions INTEGER NOT NULL, replayed INTEGER NOT NULL
);
CREATE INDEX session_native ON session_rest (native);
CREATE INDEX session_parent ON session_rest (parent) WHERE parent IS NOT NULL;

CREATE TABLE session_model (
	session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
	model   TEXT NOT NULL,
	fold    TEXT NOT NULL,
	calls   INTEGER NOT NULL,
	input_tokens INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
	output_tokens INTEGER NOT NULL, reasoning INTEGER NOT NULL, cost INTEGER NOT NULL,
	partial INTEGER NOT NULL, unpriced INTEGER NOT NULL,
	PRIMARY KEY (session, model)
) WITHOUT ROWID;
CREATE INDEX model_fold ON session_model (fold, session);

-- What a session took by day and model, packed: see share. Stats read one row a
-- session; one a day and model, summed up by SQL, takes five times as long.
CREATE TABLE daily (
	session INTEGER PRIMARY KEY REFERENCES session ON DELETE CASCADE,
	harness TEXT NOT NULL,
	project TEXT NOT NULL,
	shares  BLOB NOT NULL
);

-- Identifiers of traces and spans are packed: see ident.
CREATE TABLE trace (
	id       INTEGER PRIMARY KEY,
	session  INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
	seq      INTEGER NOT NULL,
	ident    BLOB NOT NULL UNIQUE,
	origin   TEXT NOT NULL,
	status   TEXT NOT NULL,
	started  INTEGER NOT NULL,
	ended    INTEGER NOT NULL,
	cwd      TEXT NOT NULL,
	branch   TEXT NOT NULL,
	models   TEXT, -- JSON
	spans    INTEGER NOT NULL,
	input_tokens INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
	output_tokens INTEGER NOT NULL, reasoning INTEGER NOT NULL, cost INTEGER NOT NULL,
	partial INTEGER NOT NULL, unpriced INTEGER NOT NULL,
	records INTEGER NOT NULL, traces INTEGER NOT NULL, prompts INTEGER NOT NULL, messages INTEGER NOT NULL,
	tool_calls INTEGER NOT NULL, tool_results INTEGER NOT NULL, tool_errors INTEGER NOT NULL, unanswered INTEGER NOT NULL,
	subagents INTEGER NOT NULL, compactions INTEGER NOT NULL, replayed INTEGER NOT NULL,
	prompt   TEXT NOT NULL,
	response TEXT NOT NULL,
	UNIQUE (session, seq)
);

CREATE TABLE span (
	id         INTEGER PRIMARY KEY,
	trace      INTEGER NOT NULL REFERENCES trace ON DELETE CASCADE,
	seq        INTEGER NOT NULL,
	ident      BLOB NOT NULL,
	parent     BLOB,
	kind       TEXT NOT NULL,
	name       TEXT NOT NULL,
	status     TEXT NOT NULL,
	error      TEXT NOT NULL,
	model      TEXT NOT NULL,
	provider   TEXT NOT NULL,
	stop       TEXT NOT NULL,
	call       TEXT NOT NULL,
	message    TEXT NOT NULL,
	started    INTEGER NOT NULL,
	ended      INTEGER NOT NULL,
	input_tokens INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
	output_tokens INTEGER NOT NULL, reasoning INTEGER NOT NULL, cost INTEGER NOT NULL,
	partial INTEGER NOT NULL, unpriced INTEGER NOT NULL,
	attributes TEXT, -- JSON
	records    TEXT, -- JSON
	input      BLOB, -- packed
	output     BLOB
);
CREATE UNIQUE INDEX span_order ON span (trace, seq);
CREATE INDEX span_ident ON span (ident);

-- A side is NULL where it is the session's that the link was derived with.
CREATE TABLE link (
	id           INTEGER PRIMARY KEY,
	session      INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
	seq          INTEGER NOT NULL, -- of its trace; -1: of none of the session's
	kind         TEXT NOT NULL,
	from_session BLOB,
	to_session   BLOB,
	from_trace   BLOB,
	from_span    BLOB,
	to_trace     BLOB,
	to_span      BLOB
);
CREATE INDEX link_session ON link (session, seq);
CREATE INDEX link_from ON link (from_session) WHERE from_session IS NOT NULL;
CREATE INDEX link_to ON link (to_session) WHERE to_session IS NOT NULL;
