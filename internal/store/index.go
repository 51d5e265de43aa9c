package store

import (
	"context"

	"tapedeck/internal/session"
)

// Index is what is searched: documents of spans in full text, and vectors of
// their chunks. Stores keep it beside what was derived, and follow that: the
// documents of a trace that is derived anew or deleted are outdated at once (not
// found any more where the span is gone), and are made again by whoever follows
// Changes.
type Index interface {
	// Changes are traces that were derived, or went, with a Seq above after, in the
	// order of Seq. Each trace is listed once, with its last change; one that was
	// derived again as it was has none. A limit below 1 is none.
	Changes(ctx context.Context, after int64, limit int) ([]TraceChange, error)
	// PutDocuments replaces the documents of traces, and notes that all changes up to
	// upTo were followed (never fewer than before). Vectors stay with documents whose
	// Hash is the same. Left out are documents of spans that the trace does not have,
	// and traces with a later change that somebody else has followed.
	PutDocuments(ctx context.Context, upTo int64, traces []TraceDocuments) error
	// IndexState says how far Changes were followed, and what there is.
	IndexState(context.Context) (IndexState, error)
	// SearchText finds documents that have any of the words, best first. A limit below
	// 1, here and of vectors, finds none.
	SearchText(context.Context, TextQuery) ([]IndexHit, error)
	// Texts are the documents' texts, by span identifier; those that are gone are
	// left out.
	Texts(ctx context.Context, spanIDs []string) (map[string]string, error)
	// Labels are what is shown of traces beside the hits in them, by trace
	// identifier; those that are gone are left out.
	Labels(ctx context.Context, traceIDs []string) (map[string]Label, error)

	VectorIndex
}

// VectorIndex keeps vectors. It may lie in another database than the documents.
type VectorIndex interface {
	// Generation makes or finds the generation of a model: vectors of one model and
	// width, never mixed with others. One that is new is not active. The methods that
	// take a generation return ErrNotFound where there is none (any more).
	Generation(ctx context.Context, provider, model string, width int) (Generation, error)
	Generations(context.Context) ([]Generation, error)
	// Activate makes a generation the one that is searched, and drops all others.
	Activate(ctx context.Context, generation int64) error
	// Missing are hashes of documents that have no vectors in the generation, with a
	// text each, at most limit, the latest documents first; those in skip are left
	// out. Documents of equal hash are embedded once.
	Missing(ctx context.Context, generation int64, skip []string, limit int) ([]HashedText, error)
	// PutVectors stores the vectors of documents, by hash: one a chunk, in place of
	// those that were there. None at all means that the text has nothing to embed.
	// Those of hashes that no document has are left out.
	PutVectors(ctx context.Context, generation int64, vectors []HashVectors) error
	// SearchVectors finds the documents that have the chunks nearest to a vector, each
	// document once, by its nearest chunk, best first.
	SearchVectors(ctx context.Context, generation int64, vector []float32, f IndexFilter, limit int) ([]IndexHit, error)
}

// A TraceChange is a trace that was derived, or is gone.
type TraceChange struct {
	Seq       int64
	SessionID string
	TraceID   string
	Gone      bool
}

// TraceDocuments are all documents of a trace; none where it is gone.
type TraceDocuments struct {
	TraceID   string
	Documents []IndexDocument
}

// An IndexDocument is the text of a span that is searched.
type IndexDocument struct {
	SpanID string
	Text   string // valid UTF-8 without NUL, secrets masked
	Hash   string // of Text, hex
}

// A HashedText is a text to embed.
type HashedText struct {
	Hash, Text string
}

// HashVectors are the vectors of a text's chunks.
type HashVectors struct {
	Hash   string
	Chunks []ChunkVector
}

// A ChunkVector is a chunk's place in its text, and its vector of length 1.
type ChunkVector struct {
	Start, End int // bytes
	Vector     []float32
}

// A Scope says which spans are searched.
type Scope string

const (
	ScopeMain      Scope = "main"      // llm spans of sessions that are no sub-agent's
	ScopeSubagents Scope = "subagents" // llm spans of all sessions
	ScopeTools     Scope = "tools"     // tool spans of all sessions
	ScopeAll       Scope = "all"
)

// An IndexFilter chooses documents, by their span, trace and session. Zero fields
// choose nothing out. Sessions that are the harness' own are never found.
type IndexFilter struct {
	Scope         Scope // "": ScopeMain
	SessionID     string
	Project       string // as in a SessionFilter
	Harness       string
	Model         string       // of the span; of a tool span the first of its trace; ignoring case
	After, Before session.Time // started in [After, Before); one without a time is in none
}

// A TextQuery asks for words.
type TextQuery struct {
	// Terms are looked for in any form of the word; documents with more and rarer
	// ones are better. A term of several words, or with punctuation inside
	// (foo_bar.go:120), is found where its parts follow each other.
	Terms  []string
	Filter IndexFilter
	Limit  int
}

// An IndexHit is a document that was found.
type IndexHit struct {
	SpanID    string
	TraceID   string
	SessionID string
	Kind      session.Kind
	Model     string
	StartedAt session.Time
	Hash      string  // of the text
	Score     float64 // the higher the better; of vectors the cosine, of text the engine's own
	Start     int     // of the nearest chunk, in bytes; of text 0
	End       int     // 0: the whole text
}

// A Label is what a hit shows of its trace and of that one's session.
type Label struct {
	UserPrompt string // of the trace
	Title      string // of the session: the name that a person gave, or the one derived
	Harness    string
	Project    string
}

// IndexState says what an index holds.
type IndexState struct {
	Followed  int64 `json:"followed"` // Seq up to which documents were made
	Latest    int64 `json:"latest"`   // of all changes
	Behind    int64 `json:"behind"`   // changed traces above Followed
	Documents int64 `json:"documents"`
}

// A Generation is the vectors of one model.
type Generation struct {
	ID       int64  `json:"id"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Width    int    `json:"width"`
	Active   bool   `json:"active"`
	Texts    int64  `json:"texts"`   // with vectors, of those there are
	Missing  int64  `json:"missing"` // without
	Vectors  int64  `json:"vectors"`
}
