-- The raw log and what was derived from it. Names and texts of harnesses that may
-- hold anything (NUL, invalid UTF-8) are bytea: PostgreSQL's text refuses such.
-- Other texts are compared byte by byte (COLLATE "C"), as everywhere else in
-- tapedeck; a column NAME_folded is NAME as store.Fold makes it. An index entry
-- holds at most a third of a page: a column NAME_id is the first half of NAME's
-- SHA-256, to find it by. Times are milliseconds since 1970 UTC, 0 unknown; costs
-- are billionths of a dollar.

-- Versions of streams: they grow over all streams, and never repeat.
CREATE SEQUENCE tapedeck.change;

CREATE TABLE tapedeck.stream (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id     text COLLATE "C" NOT NULL UNIQUE, -- of the ref
    harness        bytea NOT NULL,
    key            bytea NOT NULL,
    parent_harness bytea, -- NULL: not known to be a sub-agent's
    parent_key     bytea,
    parent_id      text COLLATE "C", -- session_id of the parent
    forked_harness bytea, -- NULL: not known to be a fork
    forked_key     bytea,
    version        bigint NOT NULL,
    records        bigint NOT NULL DEFAULT 0, -- keys
    derived        bigint NOT NULL DEFAULT 0,
    deriver        text COLLATE "C" NOT NULL DEFAULT '',
    checkpoints    bytea,
    fresh_order    bigint NOT NULL DEFAULT 0,
    fresh_pos      bigint NOT NULL DEFAULT 0,
    fresh_key      bytea NOT NULL DEFAULT ''
) WITH (fillfactor = 70);
CREATE INDEX stream_parent ON tapedeck.stream (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX stream_version ON tapedeck.stream (version);
CREATE INDEX stream_ref ON tapedeck.stream (harness, substring(key FROM 1 FOR 500));

CREATE TABLE tapedeck.record (
    stream    bigint NOT NULL REFERENCES tapedeck.stream,
    key       bytea NOT NULL,
    key_id    uuid NOT NULL,
    version   bigint NOT NULL,
    sum       bytea NOT NULL, -- SHA-256 of the body
    body      uuid NOT NULL, -- its first piece
    size      bigint NOT NULL,
    origin    bytea, -- NULL: none
    origin_id uuid,
    about     bytea, -- NULL: of its own stream
    about_id  uuid,
    ord       bigint NOT NULL,
    pos       bigint NOT NULL,
    at        bigint NOT NULL,
    counts    boolean NOT NULL, -- of those with its key in the stream
    PRIMARY KEY (stream, key_id, version, body)
);
CREATE INDEX record_place ON tapedeck.record (stream, (ord <> 0), ord, pos);
CREATE INDEX record_origin ON tapedeck.record (origin_id) INCLUDE (stream) WHERE origin_id IS NOT NULL;
CREATE INDEX record_about ON tapedeck.record (about_id) INCLUDE (stream) WHERE about_id IS NOT NULL;

-- Pairs of streams that share origins, in both directions.
CREATE TABLE tapedeck.sibling (
    stream    bigint NOT NULL REFERENCES tapedeck.stream,
    other     bigint NOT NULL REFERENCES tapedeck.stream,
    first_own bigint NOT NULL, -- least ord of a record that only stream holds; 0: none
    PRIMARY KEY (stream, other)
);
CREATE INDEX sibling_other ON tapedeck.sibling (other);

-- Bodies in pieces: see package body. What changes often stands apart from what
-- never does, which would be written again with it.
CREATE TABLE tapedeck.piece (
    id     uuid PRIMARY KEY,
    stored bytea NOT NULL
);
ALTER TABLE tapedeck.piece ALTER stored SET STORAGE EXTERNAL; -- it is compressed
CREATE TABLE tapedeck.piece_refs (
    id   uuid PRIMARY KEY,
    refs bigint NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE tapedeck.source (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path     bytea NOT NULL,
    path_id  uuid NOT NULL UNIQUE,
    harness  bytea NOT NULL,
    size     bigint NOT NULL,
    mod_time bigint NOT NULL, -- nanoseconds
    byte_offset bigint NOT NULL,
    state    bytea,
    tail     bytea NOT NULL,
    complete boolean NOT NULL,
    report   bytea
) WITH (fillfactor = 70);

-- Which streams, deleted ones among them, a source had records of.
CREATE TABLE tapedeck.source_stream (
    session_id text COLLATE "C" NOT NULL,
    source     bigint NOT NULL REFERENCES tapedeck.source ON DELETE CASCADE,
    PRIMARY KEY (session_id, source)
);
CREATE INDEX source_stream_source ON tapedeck.source_stream (source);

-- What was deleted.
CREATE TABLE tapedeck.tombstone (
    session_id text COLLATE "C" PRIMARY KEY,
    went_with  text COLLATE "C" -- the tombstone of its parent; NULL: deleted itself
);
CREATE INDEX tombstone_went_with ON tapedeck.tombstone (went_with) WHERE went_with IS NOT NULL;

CREATE TABLE tapedeck.display_name (
    session_id text COLLATE "C" PRIMARY KEY,
    name       text COLLATE "C" NOT NULL
);

-- First what lists are filtered and ordered by: to look at a column, those before
-- it are walked through.
CREATE TABLE tapedeck.session (
    num                bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    stream             bigint NOT NULL REFERENCES tapedeck.stream, -- that it was derived from
    started_at         bigint NOT NULL,
    ended_at           bigint NOT NULL,
    duration           bigint NOT NULL, -- see store.Duration
    cost               bigint NOT NULL,
    tokens             bigint NOT NULL, -- of all kinds
    traces             bigint NOT NULL,
    subagent           boolean NOT NULL, -- by its parent's relation
    internal           boolean NOT NULL,
    harness            text COLLATE "C" NOT NULL,
    status             text COLLATE "C" NOT NULL,
    id                 text COLLATE "C" PRIMARY KEY,
    project_folded     text COLLATE "C" NOT NULL,
    cwd_folded         text COLLATE "C" NOT NULL,
    display_folded     text COLLATE "C" NOT NULL,
    title_folded       text COLLATE "C" NOT NULL,
    shown_folded       text COLLATE "C" NOT NULL
        GENERATED ALWAYS AS (CASE WHEN display_folded <> '' THEN display_folded ELSE title_folded END) STORED,
    display_name       text COLLATE "C" NOT NULL,
    title              text COLLATE "C" NOT NULL,
    project            text COLLATE "C" NOT NULL,
    cwd                text COLLATE "C" NOT NULL,
    git_branch         text COLLATE "C" NOT NULL,
    harness_session_id text COLLATE "C" NOT NULL,
    harness_version    text COLLATE "C" NOT NULL,
    parent_id          text COLLATE "C", -- NULL: none
    parent_relation    text COLLATE "C" NOT NULL,
    parent_trace_id    text COLLATE "C" NOT NULL,
    parent_span_id     text COLLATE "C" NOT NULL,
    agent_type         text COLLATE "C" NOT NULL,
    partial_reason     text COLLATE "C" NOT NULL,
    input_tokens       bigint NOT NULL,
    cache_read_tokens  bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens      bigint NOT NULL,
    reasoning_tokens   bigint NOT NULL,
    partial            boolean NOT NULL,
    unpriced           boolean NOT NULL,
    records            bigint NOT NULL,
    prompts            bigint NOT NULL,
    messages           bigint NOT NULL,
    tool_calls         bigint NOT NULL,
    tool_results       bigint NOT NULL,
    tool_errors        bigint NOT NULL,
    unanswered_calls   bigint NOT NULL,
    subagents          bigint NOT NULL,
    compactions        bigint NOT NULL,
    replayed_records   bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX session_stream ON tapedeck.session (stream);
CREATE INDEX session_parent ON tapedeck.session (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX session_own_id ON tapedeck.session USING hash (harness_session_id);
CREATE INDEX session_project ON tapedeck.session USING hash (project_folded);
CREATE INDEX session_cwd ON tapedeck.session USING hash (cwd_folded);
CREATE INDEX session_counted ON tapedeck.session (subagent, internal, harness, status, started_at, ended_at);
CREATE INDEX session_ended ON tapedeck.session (ended_at, id);
CREATE INDEX session_started ON tapedeck.session (started_at, id);
CREATE INDEX session_duration ON tapedeck.session (duration, id);
CREATE INDEX session_cost ON tapedeck.session (cost, id);
CREATE INDEX session_tokens ON tapedeck.session (tokens, id);
CREATE INDEX session_traces ON tapedeck.session (traces, id);
CREATE INDEX session_shown ON tapedeck.session (left(shown_folded, 100), id);

CREATE TABLE tapedeck.session_model (
    session            bigint NOT NULL REFERENCES tapedeck.session (num) ON DELETE CASCADE,
    model              text COLLATE "C" NOT NULL,
    model_folded       text COLLATE "C" NOT NULL,
    calls              bigint NOT NULL,
    input_tokens       bigint NOT NULL,
    cache_read_tokens  bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens      bigint NOT NULL,
    reasoning_tokens   bigint NOT NULL,
    cost               bigint NOT NULL,
    partial            boolean NOT NULL,
    unpriced           boolean NOT NULL
);
CREATE INDEX session_model_session ON tapedeck.session_model (session);
CREATE INDEX session_model_model ON tapedeck.session_model USING hash (model_folded);

-- What sessions took on one day (UTC, "2006-01-02") of one model. The columns of
-- the session that stats are grouped and chosen by are here too: joining all of
-- both tables takes longer than the sums.
CREATE TABLE tapedeck.day (
    session            bigint NOT NULL REFERENCES tapedeck.session (num) ON DELETE CASCADE,
    harness            text COLLATE "C" NOT NULL,
    project            text COLLATE "C" NOT NULL,
    project_folded     text COLLATE "C" NOT NULL,
    cwd_folded         text COLLATE "C" NOT NULL,
    day                text COLLATE "C" NOT NULL, -- "": unknown
    model              text COLLATE "C" NOT NULL,
    model_folded       text COLLATE "C" NOT NULL,
    first              boolean NOT NULL, -- of its session's rows: counting these counts sessions
    first_of_day       boolean NOT NULL, -- of its session's with that day
    first_of_model     boolean NOT NULL, -- of its session's with that model
    prompts            bigint NOT NULL,
    messages           bigint NOT NULL,
    tool_calls         bigint NOT NULL,
    tool_errors        bigint NOT NULL,
    input_tokens       bigint NOT NULL,
    cache_read_tokens  bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens      bigint NOT NULL,
    reasoning_tokens   bigint NOT NULL,
    cost               bigint NOT NULL,
    partial            boolean NOT NULL,
    unpriced           boolean NOT NULL
);
CREATE INDEX day_session ON tapedeck.day (session);
CREATE INDEX day_day ON tapedeck.day (day);

CREATE SEQUENCE tapedeck.trace_num;
CREATE TABLE tapedeck.trace (
    num                bigint PRIMARY KEY, -- from trace_num
    id                 text COLLATE "C" NOT NULL UNIQUE,
    session            bigint NOT NULL REFERENCES tapedeck.session (num) ON DELETE CASCADE,
    session_id         text COLLATE "C" NOT NULL,
    seq                bigint NOT NULL,
    user_prompt        text COLLATE "C" NOT NULL,
    response           text COLLATE "C" NOT NULL,
    origin             text COLLATE "C" NOT NULL,
    status             text COLLATE "C" NOT NULL,
    started_at         bigint NOT NULL,
    ended_at           bigint NOT NULL,
    cwd                text COLLATE "C" NOT NULL,
    git_branch         text COLLATE "C" NOT NULL,
    models             bytea, -- JSON; NULL: none
    span_count         bigint NOT NULL,
    input_tokens       bigint NOT NULL,
    cache_read_tokens  bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens      bigint NOT NULL,
    reasoning_tokens   bigint NOT NULL,
    cost               bigint NOT NULL,
    partial            boolean NOT NULL,
    unpriced           boolean NOT NULL,
    records            bigint NOT NULL,
    traces             bigint NOT NULL,
    prompts            bigint NOT NULL,
    messages           bigint NOT NULL,
    tool_calls         bigint NOT NULL,
    tool_results       bigint NOT NULL,
    tool_errors        bigint NOT NULL,
    unanswered_calls   bigint NOT NULL,
    subagents          bigint NOT NULL,
    compactions        bigint NOT NULL,
    replayed_records   bigint NOT NULL,
    UNIQUE (session, seq)
);

CREATE TABLE tapedeck.span (
    trace              bigint NOT NULL REFERENCES tapedeck.trace ON DELETE CASCADE,
    seq                bigint NOT NULL,
    span_id            text COLLATE "C" NOT NULL,
    parent_span_id     text COLLATE "C" NOT NULL,
    kind               text COLLATE "C" NOT NULL,
    name               text COLLATE "C" NOT NULL,
    status             text COLLATE "C" NOT NULL,
    error              text COLLATE "C" NOT NULL,
    model              text COLLATE "C" NOT NULL,
    provider           text COLLATE "C" NOT NULL,
    stop_reason        text COLLATE "C" NOT NULL,
    call_id            text COLLATE "C" NOT NULL,
    message_id         text COLLATE "C" NOT NULL,
    started_at         bigint NOT NULL,
    ended_at           bigint NOT NULL,
    input_tokens       bigint NOT NULL,
    cache_read_tokens  bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens      bigint NOT NULL,
    reasoning_tokens   bigint NOT NULL,
    cost               bigint NOT NULL,
    partial            boolean NOT NULL,
    unpriced           boolean NOT NULL,
    attributes         bytea, -- JSON; NULL: none
    records            bytea, -- JSON; NULL: none
    input              bytea, -- session.Packed
    output             bytea,
    PRIMARY KEY (trace, seq)
);
ALTER TABLE tapedeck.span ALTER input SET STORAGE EXTERNAL, ALTER output SET STORAGE EXTERNAL;
CREATE INDEX span_id ON tapedeck.span (span_id);

CREATE TABLE tapedeck.link (
    session         bigint NOT NULL REFERENCES tapedeck.session (num) ON DELETE CASCADE, -- that tells of it
    seq             bigint NOT NULL, -- of the trace that it goes with
    kind            text COLLATE "C" NOT NULL,
    from_session_id text COLLATE "C" NOT NULL,
    from_trace_id   text COLLATE "C" NOT NULL,
    from_span_id    text COLLATE "C" NOT NULL,
    to_session_id   text COLLATE "C" NOT NULL,
    to_trace_id     text COLLATE "C" NOT NULL,
    to_span_id      text COLLATE "C" NOT NULL
);
CREATE INDEX link_session ON tapedeck.link (session, seq);
CREATE INDEX link_from_session ON tapedeck.link (from_session_id);
CREATE INDEX link_to_session ON tapedeck.link (to_session_id);
CREATE INDEX link_from_trace ON tapedeck.link (from_trace_id);
CREATE INDEX link_to_trace ON tapedeck.link (to_trace_id);
