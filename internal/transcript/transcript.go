// Package transcript says what an importer is: what reads one harness' own log
// files into raw records, and interprets those records. Each harness has a
// package of its own below this one, all of one shape; registry lists them.
//
// # What an importer does
//
// It cuts files into records with an identity and hands them on exactly as they
// stand; it judges nothing. Its interpreter, later and as often as wanted, says
// what the records mean, in the events that all harnesses share. So a better
// interpreter needs no file read again.
//
// # What it promises
//
// Files are streamed: memory does not grow with a file. A line that can't be
// read costs that line, never the file; a last line that is still being written
// is left for the next time. Reading a file again, a copy, a part or a longer
// version of it gives records with the same keys.
package transcript

import (
	"context"
	"io"
	"io/fs"
	"os"

	"tapedeck/internal/session"
)

// An Importer reads the files of one harness. It keeps no state and may be used
// from several goroutines.
type Importer interface {
	// Harness is the name in lower case with dashes: "claude-code".
	Harness() string
	// Title is the name as people know it: "Claude Code".
	Title() string
	// Places are the files and folders where the harness usually keeps its logs.
	// They need not exist.
	Places(Environment) []string
	// Claims reports whether a file is one that Read takes. It looks at the name
	// and at most at Head; files of other importers must be left to them.
	Claims(*File) bool
	// Read reads the file from where an earlier reading ended (the zero Cursor:
	// from the start) to its end and returns where to go on. An error means that
	// reading can't go on; what was given to the sink before counts. A file that
	// no longer continues what the cursor saw is read from its start.
	Read(ctx context.Context, f *File, from Cursor, to Sink) (Cursor, error)
	// Interpreter interprets a stream's records, beginning in a state that an
	// earlier one was in (nil: at the first record).
	Interpreter(state []byte) (Interpreter, error)
	// Replay says how records that were copied from another session are told.
	Replay() Replay
}

// A Replay says which records of a forked or resumed session are copies.
type Replay int

const (
	// ReplayByOrigin: those whose Origin an earlier session holds.
	ReplayByOrigin Replay = iota
	// ReplayPrefix: those, but only up to the first that no earlier session holds.
	ReplayPrefix
)

// An Environment is where an importer looks for its places.
type Environment struct {
	Home   string
	Getenv func(string) string
}

// A File is a file that may be read.
type File struct {
	Path string
	Info fs.FileInfo
	head []byte
}

// headBytes is what Head gives at most.
const headBytes = 64 << 10

// Head is the beginning of the file, at most 64 KiB; nil when it can't be read.
func (f *File) Head() []byte {
	if f.head == nil {
		file, err := os.Open(f.Path)
		if err != nil {
			return nil
		}
		defer file.Close()
		head := make([]byte, headBytes)
		n, _ := io.ReadFull(file, head)
		f.head = head[:n]
	}
	return f.head
}

// A Cursor is where reading ended.
type Cursor struct {
	Offset int64  // bytes that were taken
	State  []byte // the importer's own; small
}

// A Sink takes what an importer reads. Bodies are valid during the call only.
type Sink interface {
	// Stream tells what is known of a stream, before or between its records.
	Stream(session.Ref, session.StreamFacts) error
	Record(session.Ref, session.Record) error
	// Lost tells of a part of the file that can't be read, and why.
	Lost(offset int64, reason string)
	// Unknown tells of a record (kept all the same) of a type that this importer
	// does not know.
	Unknown(kind string)
	// Cut tells that the file ends inside of a record, which was not taken.
	Cut(offset int64)
}

// An Interpreter says what the records of one stream mean. Records come in the
// order of their places, those without a place first; of several with one key
// only the one that counts. It keeps what it needs from record to record.
type Interpreter interface {
	// Add interprets one record. One that is replayed was copied from an earlier
	// session: it may change the state (model, counters), but gives no events
	// that count.
	Add(r session.Record, replayed bool) []session.Event
	// End gives what waited for the last record.
	End() []session.Event
	// State is the state to go on from with further records; false when only
	// reading all records again is right.
	State() ([]byte, bool)
}
