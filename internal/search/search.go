// Package search finds spans of agent sessions by words and by meaning.
//
// # What it does
//
// It keeps the index in step with what is derived: a worker follows the store's
// changes, makes documents, and has their chunks embedded. It answers queries by
// full text and vectors, fused.
//
// # What it promises
//
// Text is found as soon as the worker has seen it, also while there are no
// vectors: an answer that could not use them says so, and is never silently
// empty. An embedder's failure marks no document as done or dead: when the cause
// is mended, the backlog drains. Several processes may serve one store: they give
// the same index.
//
// # Generations
//
// A query can be compared only with vectors of the model that embeds it, and after
// a change of model there is no embedder for the old one any more. So the
// generation of the model that is configured is searched from its first vector on,
// and answers tell how much of it is missing. Generations beside it are kept until
// it is full and nobody fills them any more: going back costs little, and processes
// with different embedders do not take each other's vectors away.
//
// # What it does not
//
// It does not cut or mask texts (package document), embed (package embed) or keep
// anything but how the embedder is (package store does).
package search

import (
	"context"
	"time"

	"tapedeck/internal/session"
)

// Operations are what the faces call. A Service implements them.
type Operations interface {
	Search(context.Context, Request) (*Answer, error)
	Status(context.Context) (*Status, error)
	// Index brings the index up to date and returns when there is nothing left to do,
	// or when the embedder fails for good. Progress counts documents.
	Index(ctx context.Context, p func(done, total uint64, what string)) (*Status, error)
}

// Modes of a Request.
const (
	ModeHybrid   = "hybrid"
	ModeSemantic = "semantic"
	ModeLexical  = "lexical"
)

const (
	// DefaultTopK and MaxTopK bound how many hits are asked for.
	DefaultTopK = 5
	MaxTopK     = 100
)

// A Request asks for spans. Times are as in archive.ListRequest.
type Request struct {
	Query     string
	TopK      int // 0: DefaultTopK
	Mode      string
	Scope     string // main, subagents, tools, all; "": main, or a sub-agent's when SessionID is one
	SessionID string // or the beginning of one, as in store.Reader
	Project   string
	Harness   string
	Model     string
	After     string
	Before    string
	MinScore  float64 // hits below are left out
}

// An Answer is what was found.
type Answer struct {
	Query   string `json:"query"`
	Count   int    `json:"count"`
	Results []Hit  `json:"results"` // never nil; score falls from hit to hit
	Mode    string `json:"mode"`    // that was used
	Notice  string `json:"notice"`  // what to know: vectors are missing, and why; "": nothing
}

// A Hit is a span that was found.
type Hit struct {
	SessionID  string       `json:"session_id"`
	TraceID    string       `json:"trace_id"`
	SpanID     string       `json:"span_id"`
	Score      float64      `json:"score"` // 0 to 1, to four decimals
	UserPrompt string       `json:"user_prompt"`
	Snippet    string       `json:"snippet"` // the passage that matched
	Model      string       `json:"model"`
	StartedAt  session.Time `json:"started_at"`

	Kind    session.Kind `json:"kind"` // llm or tool
	Title   string       `json:"title"`
	Harness string       `json:"harness"`
	Project string       `json:"project"`
	Similar int          `json:"similar"` // near-duplicates that this hit stands for (forks, retries), of what was looked at
	// Highlights are byte ranges of Snippet that match words of the query.
	Highlights [][2]int `json:"highlights"`
}

// Status tells how far the index is.
type Status struct {
	Embedder   string           `json:"embedder"`   // provider/model, "none" when there is none
	Healthy    bool             `json:"healthy"`    // the embedder's last answer was one, and the vectors can be read
	LastError  string           `json:"last_error"` // why not
	Failures   map[string]int64 `json:"failures"`   // of the embedder, as this process met them, by kind
	Documents  int64            `json:"documents"`
	Behind     int64            `json:"behind"`    // changed traces without documents yet
	Missing    int64            `json:"missing"`   // texts without vectors of the embedder's model
	SetAside   int64            `json:"set_aside"` // of these, texts that the embedder refuses one by one; they are tried again later
	Vectors    int64            `json:"vectors"`
	PerSecond  float64          `json:"texts_per_second"` // of late, by this process
	Generation string           `json:"generation"`       // that is searched; "" none
	Filling    string           `json:"filling"`          // the model whose generation is filled for the first time; "": that is done
	Notice     string           `json:"notice"`           // what to know: there are vectors of another model as well; "": nothing
	Retry      time.Duration    `json:"-"`                // until the embedder is tried again, while it fails
}
