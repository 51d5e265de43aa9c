// Package archive holds the operations on agent sessions that every face offers:
// importing, listing, opening, exporting, counting. The command line, MCP and
// HTTP call these functions and add nothing but their form.
//
// It does not interpret, derive or store: it brings transcript, derive and store
// together, checks what callers give, and turns failures into [Error]s that say
// what to do next.
package archive

import (
	"context"
	"io"
	"time"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Progress tells how far long work is. Total is 0 while unknown.
type Progress func(done, total uint64, what string)

// Operations are what the faces call. An Archive implements them; faces take the
// interface so that each is tested apart.
type Operations interface {
	ListSessions(context.Context, ListRequest) (*SessionList, error)
	Session(ctx context.Context, id string) (*SessionDetail, error)
	Rename(ctx context.Context, id, name string) (*SessionItem, error)
	// Delete removes sessions for good: see store.Reader.
	Delete(ctx context.Context, id string) (*Deleted, error)
	Traces(ctx context.Context, sessionID string, page PageRequest) (*TraceList, error)
	Trace(context.Context, TraceRequest) (*TraceDetail, error)
	Span(context.Context, SpanRequest) (*SpanDetail, error)
	Raw(context.Context, RawRequest) (*RawList, error)
	// Export writes a whole session in a format of Formats.
	Export(ctx context.Context, sessionID, format string, w io.Writer) error
	// Children are the sessions that came from one: its sub-agents and forks.
	Children(ctx context.Context, sessionID string, page PageRequest) (*SessionList, error)
	Stats(context.Context, StatsRequest) (*StatsList, error)

	Import(context.Context, ImportRequest, Progress) (*ImportResult, error)
	// Rederive derives again: one session, or all ("").
	Rederive(ctx context.Context, sessionID string, p Progress) (*RederiveResult, error)
	Check(context.Context) (*CheckResult, error)
	Info(context.Context) (*store.Info, error)
	// Ready tells why requests can't be served; nil: they can.
	Ready(context.Context) error
}

// Formats of Export.
const (
	FormatJSONL    = "jsonl"    // a line for the session, then one a trace, span and link
	FormatMarkdown = "markdown" // to be read by people
)

// A PageRequest chooses part of a listing; see store.Page. Limit 0 is the default.
type PageRequest struct {
	Limit  int
	Cursor string
}

// A ListRequest chooses sessions. Times are RFC 3339, dates, or ages ("36h",
// "7d"); empty fields choose nothing out.
type ListRequest struct {
	Since, Until, Project, Harness, Model, Status, Title string
	Subagents, Internal                                  bool // with them
	Sort                                                 string
	Ascending                                            bool
	PageRequest
}

// A SessionItem is a session as lists show it.
type SessionItem struct {
	session.Session
	DisplayTitle string `json:"display_title"` // what people call it: DisplayName, else Title
}

// A SessionList is part of the sessions that a request chose.
type SessionList struct {
	Sessions   []SessionItem `json:"sessions"`
	Total      int64         `json:"total"`
	NextCursor string        `json:"next_cursor"` // "": that was all
}

// A SessionDetail is a session with what came from it.
type SessionDetail struct {
	SessionItem
	DurationS     float64       `json:"duration_s"`
	Subagents     store.Rollup  `json:"subagents"` // sums of its sub-agents and theirs
	Children      []SessionItem `json:"children"`  // the first of them
	ChildrenTotal int64         `json:"children_total"`
}

// Deleted tells what is gone.
type Deleted struct {
	Sessions []string `json:"deleted_sessions"`
}

// A TraceList is part of a session's traces, in order.
type TraceList struct {
	SessionID  string          `json:"session_id"`
	Traces     []session.Trace `json:"traces"`
	Total      int64           `json:"total"`
	NextCursor string          `json:"next_cursor"`
}

// Contents that a TraceRequest can ask for.
const (
	ContentNone    = "none"    // input and output are empty lists
	ContentPreview = "preview" // texts are cut to session.MaxPreview bytes each
	ContentFull    = "full"    // up to MaxBytes of the whole answer
)

// A TraceRequest asks for a trace with a part of its spans.
type TraceRequest struct {
	TraceID string
	Content string // "": preview
	// MaxBytes bounds the content of the answer; what does not fit is cut and said
	// so. 0: 1 MB.
	MaxBytes int64
	PageRequest
}

// A TraceDetail is a trace with its spans.
type TraceDetail struct {
	Trace      session.Trace  `json:"trace"`
	Spans      []session.Span `json:"spans"`
	SpansTotal int64          `json:"spans_total"`
	NextCursor string         `json:"next_cursor"`
	Links      []session.Link `json:"links"`
	Cut        bool           `json:"cut"` // content was left out; content=full, a larger max_bytes or the span itself has it
}

// A SpanRequest asks for one span.
type SpanRequest struct {
	TraceID, SpanID string
	MaxBytes        int64 // as in a TraceRequest
}

// A SpanDetail is a span with its content and links.
type SpanDetail struct {
	Span  session.Span   `json:"span"`
	Links []session.Link `json:"links"`
	Cut   bool           `json:"cut"`
}

// A RawRequest asks for a session's raw records.
type RawRequest struct {
	SessionID string
	Bodies    bool
	MaxBytes  int64 // as in a TraceRequest: the page ends before it is passed
	PageRequest
}

// A RawItem is a raw record. Body is its text where that is UTF-8, else
// BodyBase64 has it.
type RawItem struct {
	store.RawRecord
	Body       string `json:"body,omitempty"`
	BodyBase64 string `json:"body_base64,omitempty"`
	Cut        bool   `json:"cut,omitempty"` // the body alone passes MaxBytes: its beginning
}

// A RawList is part of a session's raw records.
type RawList struct {
	SessionID  string    `json:"session_id"`
	Records    []RawItem `json:"records"`
	Total      int64     `json:"total"`
	NextCursor string    `json:"next_cursor"`
}

// A StatsRequest chooses and groups sums; By is one of day, model, project,
// harness, or empty.
// Unlike elsewhere, Limit 0 asks for all groups.
type StatsRequest struct {
	Since, Until, Project, Harness, Model, By string
	PageRequest
}

// A StatsList is sums, with a part of their groups.
type StatsList struct {
	store.Stats
	GroupsTotal int64  `json:"groups_total"`
	NextCursor  string `json:"next_cursor"`
}

// An ImportRequest says what to import.
type ImportRequest struct {
	Paths   []string // files and folders; none: the usual places of each harness
	Harness string   // only this one's files; "": all
	DryRun  bool     // read everything, store nothing
	Again   bool     // bring back what was deleted
}

// An ImportResult tells what was taken.
type ImportResult struct {
	Files    []FileResult  `json:"files"` // those with something to tell: new, damaged, refused
	Totals   ImportTotals  `json:"totals"`
	Places   []Place       `json:"places"`   // where it was looked
	Sessions int           `json:"sessions"` // that were made or changed
	Broken   []Broken      `json:"broken"`   // streams that could not be derived
	DryRun   bool          `json:"dry_run"`
	Took     time.Duration `json:"-"`
	TookS    float64       `json:"took_s"`
}

// ImportTotals are sums over all files.
type ImportTotals struct {
	Files     int   `json:"files"`
	Unchanged int   `json:"unchanged_files"`
	Skipped   int   `json:"skipped_files"` // no importer claims them
	Failed    int   `json:"failed_files"`  // can't be read, or not to their end
	Bytes     int64 `json:"bytes"`         // that were read
	Records   int   `json:"new_records"`
	Known     int   `json:"known_records"`
	Deleted   int   `json:"deleted_records"` // left out: their session was deleted
	Lost      int   `json:"lost"`
	Unknown   int   `json:"unknown"`
}

// A Place is a folder or file that was looked through.
type Place struct {
	Harness string `json:"harness"`
	Path    string `json:"path"`
	Found   bool   `json:"found"`
	Files   int    `json:"files"`
}

// A FileResult tells what was taken of one file, and why not.
type FileResult struct {
	Path      string         `json:"path"`
	Harness   string         `json:"harness"`
	Status    string         `json:"status"` // one of the File… constants
	Reason    string         `json:"reason"` // of skipped and failed
	Bytes     int64          `json:"bytes"`
	Records   int            `json:"new_records"`
	Known     int            `json:"known_records"`
	Deleted   int            `json:"deleted_records"`
	Lost      []Loss         `json:"lost"` // at most 20
	LostTotal int            `json:"lost_total"`
	Unknown   map[string]int `json:"unknown"` // types that the importer does not know, kept all the same
	CutAt     *int64         `json:"cut_at"`  // the file ends inside of a record, at this offset
}

// What became of a file.
const (
	FileNew     = "new"     // not seen before
	FileGrown   = "grown"   // seen before, and changed since
	FileDamaged = "damaged" // taken, but for parts that can't be read
	FileSkipped = "skipped" // no importer claims it
	FileFailed  = "failed"  // it can't be read, or not to its end
)

// A Loss is a part of a file that can't be read.
type Loss struct {
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
}

// Lossy reports whether something was left out that can't be read.
func (r *ImportResult) Lossy() bool {
	return r.Totals.Lost > 0 || r.Totals.Failed > 0 || len(r.Broken) > 0
}

// A RederiveResult tells what was derived again.
type RederiveResult struct {
	Streams  int      `json:"streams"`
	Sessions int      `json:"sessions"`
	Broken   []Broken `json:"broken"`
	TookS    float64  `json:"took_s"`
}

// A Broken stream could not be derived; its records are kept. It is tried again
// when it changes or is derived again on demand.
type Broken struct {
	session.Ref
	SessionID string `json:"session_id"`
	Reason    string `json:"reason"`
}

// A CheckResult tells what is wrong in the store.
type CheckResult struct {
	Sound    bool            `json:"sound"`
	Problems []store.Problem `json:"problems"`
	Info     store.Info      `json:"store"`
}
