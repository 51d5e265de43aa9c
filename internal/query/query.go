package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrRefused: the gate lets only single statements through that read.
	ErrRefused = errors.New("statement refused")
	// ErrSQL: DuckDB can't parse, bind or run the statement.
	ErrSQL = errors.New("SQL error")
	// ErrMissingTable: the statement names a table that is not there; see MissingTableError.
	ErrMissingTable = errors.New("table not found")
	// ErrTimeout: the deadline passed.
	ErrTimeout = errors.New("query timed out")
	// ErrBusy: all workers were at work on other statements until the deadline. It
	// wraps ErrTimeout.
	ErrBusy = fmt.Errorf("%w: all workers are busy with other statements", ErrTimeout)
	// ErrMemory: the statement needs more memory than the worker has.
	ErrMemory = errors.New("query needs too much memory")
	// ErrWorker: the worker process ended under the query.
	ErrWorker = errors.New("query worker failed")
)

// MissingTableError tells which table a statement asked for. It wraps ErrMissingTable.
type MissingTableError struct {
	Table string // as the statement names it
	Text  string // DuckDB's own words
}

func (e *MissingTableError) Error() string { return e.Text }
func (e *MissingTableError) Unwrap() error { return ErrMissingTable }

// Catalog is what statements may see. A worker serves one catalog; Version
// tells two catalogs apart.
type Catalog struct {
	Version    string
	Files      []File
	Views      []View
	Recordings []Recording
}

// File is a table file, attached READ_ONLY.
type File struct {
	Name string // what Views call it
	Path string
}

// View makes a table of a file visible under a name.
type View struct {
	Name  string // as statements see it
	File  string // File.Name
	Table string // in the file's main schema
}

// Recording is a row of the table _recordings.
type Recording struct {
	Alias        string  `json:"alias"`
	FilePath     string  `json:"file_path"`
	StartTimeNS  uint64  `json:"start_time"`
	EndTimeNS    uint64  `json:"end_time"`
	DurationS    float64 `json:"duration_s"`
	MessageCount uint64  `json:"message_count"`
	ChannelCount int     `json:"channel_count"`
}

// Request is a statement with its limits. Zero limits are the pool's own, and
// no limit can pass the pool's.
type Request struct {
	SQL      string
	MaxRows  int
	MaxBytes int // of the rows' JSON
	Timeout  time.Duration
}

// Result is an answer. Rows are JSON arrays, one value a column.
type Result struct {
	Columns         []string          `json:"columns"`
	Types           []string          `json:"types"`
	Rows            []json.RawMessage `json:"rows"`
	RowCount        int               `json:"row_count"`
	Truncated       bool              `json:"truncated"`
	TruncatedReason string            `json:"truncated_reason,omitempty"` // what cut the answer and how to go on
	ExecutionTimeMS float64           `json:"execution_time_ms"`
	Tables          []string          `json:"-"` // of the catalog, that the statement names
}
