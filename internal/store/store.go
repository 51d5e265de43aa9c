// Package store says what a store of agent sessions is. Packages sqlite and
// postgres below it are the two there are; storetest holds the tests that both
// pass, and which define what these words leave open.
//
// # What it holds
//
// The raw log: records as they were captured, exactly, each body once however
// often it comes, long bodies in pieces so that a body that repeats another with
// a little more costs that little. What was derived from the log: sessions,
// traces, spans, links. Where importers stopped reading. Tombstones of what was
// deleted.
//
// # What it promises
//
// Every method is one transaction: it happens whole or not at all, also when the
// process is killed. Several processes may use one store at once. The same
// records give the same store, whatever order they came in, however often. Both
// stores give equal answers.
//
// # What it does not
//
// It interprets nothing: deriving is the work of package derive.
package store

import (
	"context"
	"errors"
	"iter"
	"math"

	"tapedeck/internal/session"
)

var (
	// ErrNotFound is returned for what the store does not hold.
	ErrNotFound = errors.New("not found")
	// ErrAmbiguous is returned for an identifier's beginning that several have.
	ErrAmbiguous = errors.New("ambiguous")
	// ErrCursor is returned for a cursor of another listing, or of none.
	ErrCursor = errors.New("no cursor of this listing")
	// ErrChanged is returned by Project when records came in the meantime.
	ErrChanged = errors.New("the records have changed")
	// ErrNewer is returned when a store was made by a newer program.
	ErrNewer = errors.New("the store was made by a newer version of tapedeck")
	// ErrInside is returned by Delete for a session whose records are part of
	// another's: that one can be deleted.
	ErrInside = errors.New("its records are part of another session's")
	// ErrUnavailable is returned when a database can't be reached, or is not fit.
	ErrUnavailable = errors.New("the store can't be reached")
	// ErrDamaged is the ErrUnavailable of a file that is no sound database.
	ErrDamaged error = unfit("the store is damaged, or no store of tapedeck")
	// ErrNoVectors is the ErrUnavailable of a database that holds the rest.
	ErrNoVectors error = unfit("the database can't keep vectors")
	// ErrFull is the ErrUnavailable of a disk without room.
	ErrFull error = unfit("there is no room for the store")
)

// unfit is an ErrUnavailable whose words say why.
type unfit string

func (u unfit) Error() string        { return string(u) }
func (u unfit) Is(target error) bool { return target == ErrUnavailable }

// An AmbiguousError is an ErrAmbiguous that tells which sessions it may be.
type AmbiguousError struct {
	ID         string
	Candidates []string // session_ids, the first of them
}

func (e *AmbiguousError) Error() string { return "several sessions go by " + e.ID }
func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// A Store holds agent sessions.
type Store interface {
	Log
	Derived
	Reader
	// Check reads everything and returns what is wrong: bodies whose hash differs,
	// references to nothing, sums that disagree. None: the store is sound.
	Check(context.Context) ([]Problem, error)
	// Info describes the store.
	Info(context.Context) (Info, error)
	Close() error
}

// A Problem is something wrong in a store.
type Problem struct {
	Where string `json:"where"` // what it is about: a table and a key
	What  string `json:"what"`
}

// Info describes a store.
type Info struct {
	Kind     string `json:"kind"`     // "sqlite" or "postgres"
	Location string `json:"location"` // a path, or a DSN without its password
	Server   string `json:"server"`   // version of the engine
	Schema   int    `json:"schema"`   // migrations that were run
	Bytes    int64  `json:"bytes"`    // on disk
	Streams  int64  `json:"streams"`
	Records  int64  `json:"records"`
	Sessions int64  `json:"sessions"`
	Pending  int64  `json:"pending"` // streams with records that are not derived yet
	Deleted  int64  `json:"deleted"` // tombstones
}

// Log is the raw log.
type Log interface {
	// Sources are the files that were read, by path.
	Sources(context.Context) (map[string]Source, error)
	// Append takes records, and notes how far their source was read. Records that
	// are there, and those of deleted streams, are left out and counted. Known is
	// a record with the same key, version and body; of its places the least is
	// kept. A stream is deleted if it has a tombstone, or if its parent is: then
	// it gets one too.
	Append(context.Context, Batch) (Appended, error)
	// Restore lifts the tombstones of the streams with these refs and of the
	// sub-agents' that went with them (none given: of all), and forgets the
	// sources that had records of them, so that they are read again. It returns
	// how many tombstones were lifted.
	Restore(ctx context.Context, refs ...session.Ref) (int, error)
	// Pending are streams with records that changed since they were derived, or
	// that another deriver derived; oldest change first. A limit below 1 is none,
	// here and in Streams.
	Pending(ctx context.Context, deriver string, limit int) ([]Stream, error)
	// Streams are all streams, ordered by ref, after the given one.
	Streams(ctx context.Context, after session.Ref, limit int) ([]Stream, error)
	// Records are a stream's records that count (see session.Record), in their
	// order: first all those without a place, then those not before from. With
	// them come records of other streams that are About one of its Origins; its
	// own that are About what it does not hold are left out. Of several with one
	// key, its own and others', again one counts.
	Records(ctx context.Context, ref session.Ref, from session.Place) iter.Seq2[session.Record, error]
	// Siblings are the streams that share Origins with this one, ordered by ref.
	Siblings(ctx context.Context, ref session.Ref) ([]Sibling, error)
	// Raw is a page of a session's raw records in their order, all versions: those
	// of the stream that it was, or is to be, derived from.
	Raw(ctx context.Context, sessionID string, withBodies bool, page Page) (List[RawRecord], error)
}

// A Source is a file that was read.
type Source struct {
	Path    string
	Harness string
	Size    int64
	ModTime int64  // nanoseconds since 1970
	Offset  int64  // see transcript.Cursor
	State   []byte // see transcript.Cursor
	// Tail is a hash of the bytes just before Offset: a file whose bytes there
	// differ was rewritten, not continued.
	Tail string
	// Complete is false while records of the file are still to be read.
	Complete bool
	Report   []byte // JSON of what the importer said; opaque to stores
}

// A Batch is what was read from a source at one time.
type Batch struct {
	Source  *Source // nil: not from a file
	Streams []StreamRecords
}

// StreamRecords are records of one stream.
type StreamRecords struct {
	Ref     session.Ref
	Facts   session.StreamFacts
	Records []session.Record
}

// Appended counts what became of a batch's records.
type Appended struct {
	New     int
	Known   int
	Deleted int // of streams that have a tombstone
}

// A Stream is a stream's state.
type Stream struct {
	Ref     session.Ref
	Facts   session.StreamFacts
	Version int64 // grows with each change of the records that concern it
	Records int64 // keys
	// Derived is the Version that was derived last, 0 for none; Deriver is what
	// derived it.
	Derived     int64
	Deriver     string
	Checkpoints []byte // of the last projection
	// Fresh is the place of the first record, of those that have one, that came or
	// changed since then; AfterAll when none did. The zero Place: all must be read,
	// because other streams, facts or what was said of its records changed.
	Fresh  session.Place
	Shared bool // it shares Origins with other streams
}

// AfterAll is behind every record's place.
var AfterAll = session.Place{Order: math.MaxInt64}

// A Sibling is a stream that shares Origins with another.
type Sibling struct {
	Stream Stream
	Shared map[string]bool // the Origins that both hold
	// FirstOwn and FirstOwnOther are the least Order of a record that only the one
	// and only the other holds (those without Origin among them), not counting
	// those without a place; 0: none.
	FirstOwn, FirstOwnOther int64
}

// Derived takes what was derived.
type Derived interface {
	// Project replaces what was derived from the stream, if its Version still is
	// the one in s; otherwise it changes nothing and returns ErrChanged. When
	// p.From is not 0, p's other sessions are replaced whole and those that it does
	// not name stay. A session that has a stream of its own is not derived from
	// another's: p's session of a thread whose identifier another stream has is
	// left out. Display names are those that Rename gave.
	Project(ctx context.Context, s Stream, deriver string, p session.Projection) error
	// HasSpan reports whether a trace of the session with Seq below beforeSeq holds
	// the span.
	HasSpan(ctx context.Context, sessionID, spanID string, beforeSeq int) (bool, error)
	// Rederive marks streams to be derived again: all, or those of a session.
	Rederive(ctx context.Context, sessionID string) (int, error)
}
