package store

import (
	"context"

	"tapedeck/internal/session"
)

// Reader reads what was derived. Identifiers of sessions may be given as the
// session_id, as its beginning (at least 6 characters), or as the harness' own
// identifier where only one session has it.
type Reader interface {
	Sessions(context.Context, SessionFilter, Page) (List[session.Session], error)
	Session(ctx context.Context, id string) (session.Session, error)
	// Rename gives a session a display name; "" takes it away.
	Rename(ctx context.Context, id, name string) (session.Session, error)
	// Delete removes a session for good, with its raw records, its sub-agents'
	// sessions and theirs, and keeps importers from bringing them back. It returns
	// the identifiers of all sessions that are gone, in order. A session that was
	// not derived yet can be deleted by its full identifier; one whose records are
	// part of another's can't (ErrInside).
	Delete(ctx context.Context, id string) ([]string, error)
	// Children are the sessions that came from this one, sub-agents and forks, by
	// StartedAt, then by identifier.
	Children(ctx context.Context, sessionID string, page Page) (List[session.Session], error)
	// Rollup sums up a session's sub-agents and theirs, without the session itself.
	Rollup(ctx context.Context, sessionID string) (Rollup, error)
	Traces(ctx context.Context, sessionID string, page Page) (List[session.Trace], error)
	Trace(ctx context.Context, traceID string) (session.Trace, error)
	// Spans is a page of a trace's spans; without content Input and Output are nil.
	Spans(ctx context.Context, traceID string, withContent bool, page Page) (List[session.Span], error)
	Span(ctx context.Context, traceID, spanID string) (session.Span, error)
	// Links are the links from and to a trace's spans, or, without a trace, from
	// and to a session; each once, in the order of their fields.
	Links(ctx context.Context, sessionID, traceID string) ([]session.Link, error)
	Stats(context.Context, SessionFilter, StatsBy) (Stats, error)
}

// MaxLimit bounds a page.
const MaxLimit = 200

// A Page says which part of a listing is wanted.
type Page struct {
	Limit  int    // 1 to MaxLimit, what is outside is brought in; 0: 50
	Cursor string // of the part before; "": the first
}

// A List is a part of a listing.
type List[T any] struct {
	Items []T    `json:"items"` // never nil
	Total int64  `json:"total"` // of all parts
	Next  string `json:"next_cursor"`
}

// A SessionFilter chooses and orders sessions. Zero fields choose nothing out.
type SessionFilter struct {
	Since, Until session.Time   // active in [Since, Until); one without times is in none
	Project      string         // Project or Cwd, ignoring case
	Harness      string         //
	Model        string         // one of its models, ignoring case
	Status       session.Status //
	Title        string         // part of title or display name, ignoring case
	Children     bool           // with sub-agents' sessions
	Internal     bool           // with the harness' own
	Sort         SessionSort
	Ascending    bool
}

// A SessionSort is what sessions are ordered by; ties go by identifier, in the
// same direction. Titles are those that are shown (the display name, if there is
// one), folded, byte by byte.
type SessionSort string

const (
	SortActive   SessionSort = "last_active" // EndedAt; the default
	SortStarted  SessionSort = "started_at"
	SortCost     SessionSort = "cost"
	SortTokens   SessionSort = "tokens"
	SortTraces   SessionSort = "traces"
	SortDuration SessionSort = "duration"
	SortTitle    SessionSort = "title"
)

// SessionSorts are all orders.
var SessionSorts = []SessionSort{SortActive, SortStarted, SortCost, SortTokens, SortTraces, SortDuration, SortTitle}

// A Rollup sums up sub-agents.
type Rollup struct {
	Sessions int64          `json:"sessions"`
	Usage    session.Usage  `json:"usage"`
	Counts   session.Counts `json:"counts"`
}

// StatsBy says what stats are grouped by.
type StatsBy string

const (
	ByDay     StatsBy = "day"
	ByModel   StatsBy = "model"
	ByProject StatsBy = "project"
	ByHarness StatsBy = "harness"
	ByNothing StatsBy = "" // the total alone
)

// Stats are sums over sessions' days, sub-agents' and internal ones with them. Of
// the filter Since and Until (the days that they touch), Project, Harness and
// Model (of a day's share) act.
type Stats struct {
	Total  StatsRow   `json:"total"`
	By     StatsBy    `json:"by"`
	Groups []StatsRow `json:"groups"` // by day ascending, else by tokens descending, then by key
}

// A StatsRow is one sum.
type StatsRow struct {
	Key        string        `json:"key"`      // of the group; "" unknown, or the total
	Sessions   int64         `json:"sessions"` // with any share in it
	Prompts    int64         `json:"prompts"`
	Messages   int64         `json:"messages"`
	ToolCalls  int64         `json:"tool_calls"`
	ToolErrors int64         `json:"tool_errors"`
	Usage      session.Usage `json:"usage"`
}

// A RawRecord is a record as the log has it.
type RawRecord struct {
	Key     string       `json:"key"`
	Version int64        `json:"version"`
	At      session.Time `json:"at"`
	Bytes   int64        `json:"bytes"`
	SHA256  string       `json:"sha256"`
	Body    []byte       `json:"-"` // nil unless asked for
}
