// Package mcap reads recordings in the MCAP container format, version 0
// (https://mcap.dev/spec).
//
// # What it does
//
// It summarises a file by its summary section when every statement in there
// holds against the rest of the file, and by a scan of all records when not. It
// hands out the messages in blocks: a chunk each, or a run of records outside of
// chunks, which can be read in parallel. Plain, zstd and LZ4 chunks are read,
// and their checksums verified.
//
// # What it does not
//
// It does not decode messages, does not give attachments' data, does not verify
// the checksum over the whole data section, and does not watch a file grow: it
// reads the bytes that were there when it was opened.
//
// # What it promises
//
// Every whole message of a damaged or unfinished file is given, and every loss
// is told with its place. No declared size is believed before the file is seen
// to back it, so no input makes it allocate, loop or panic. Reading is by
// ReadAt: a file that shrinks meanwhile costs the missing part, not the process.
package mcap

import (
	"context"
	"fmt"
	"io"
	"sync"

	"tapedeck/internal/recording"
)

// Container is MCAP for the list of containers.
var Container = recording.Container{Name: "mcap", Claims: claims, Open: openFile}

// Limits on what a file may make us hold in memory at once. Each is far beyond
// what recorders write.
const (
	maxRecord       = 512 << 20 // one record, and one chunk when decompressed
	maxSummary      = 512 << 20 // the summary section
	maxMetadata     = 16 << 20  // one metadata record
	maxName         = 64 << 10  // names of attachments and compressions
	maxCompressions = 16        // names of compressions that a summary lists
	looseRun        = 4 << 20   // records outside of chunks that make one block
	suspectSize     = 64 << 20  // a chunk that decompresses to more than this ...
	suspectRatio    = 1024      // ... and to this many times its size is refused as a bomb
	backedRatio     = 64        // decompressed bytes that a compressed byte may claim beforehand
	backedMinimum   = 1 << 20   // decompressed bytes that anything may claim beforehand
)

// smallFile is a size of files that are read in full as fast as their index is
// checked. Then nothing in them needs to be believed, and their summaries tell of
// all damage.
const smallFile = 64 << 10

// file is an open MCAP file.
type file struct {
	r         io.ReaderAt
	size      int64
	header    header
	dataStart int64 // first byte after the header record
	scanUpTo  int64 // files up to this size are read in full to summarise them

	mu      sync.Mutex
	summary *section // read once; nil until then
}

// openFile is open for callers that know recordings of any container.
func openFile(r io.ReaderAt, size int64) (recording.File, error) { return open(r, size) }

func open(r io.ReaderAt, size int64) (*file, error) {
	f := &file{r: r, size: size, scanUpTo: smallFile}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	return f, nil
}

// readHeader reads the magic and the header record behind it.
func (f *file) readHeader() error {
	w := window{r: f.r, size: f.size}
	start, err := w.peek(0, int64(len(magic)+recordHead))
	if err != nil {
		return err
	}
	if len(start) < len(magic)+recordHead {
		return fmt.Errorf("%w: the file ends in its header record, at byte %d", recording.ErrDamaged, f.size)
	}
	if string(start[:len(magic)]) != magic {
		return fmt.Errorf("%w: it does not begin with the MCAP magic", recording.ErrNotRecording)
	}
	op, n := recordAt(start[len(magic):])
	if op != opHeader {
		// The header says nothing that is needed to read the rest.
		f.dataStart = int64(len(magic))
		return nil
	}
	body := int64(len(magic) + recordHead)
	if n > uint64(f.size-body) {
		return fmt.Errorf("%w: the header record at byte %d should have %d bytes, the file has %d more", recording.ErrDamaged, len(magic), n, f.size-body)
	}
	f.dataStart = body + int64(n)
	b, err := w.peek(body, min(int64(n), maxName))
	if err != nil {
		return err
	}
	f.header, _ = parseHeader(b)
	return nil
}

// Summary implements recording.File.
func (f *file) Summary(ctx context.Context) (*recording.Summary, error) {
	sec, err := f.section()
	if err != nil {
		return nil, err
	}
	if sec.usable && f.size > f.scanUpTo {
		sum, err := f.summariseByIndex(ctx, sec)
		if sum != nil || err != nil {
			return sum, err
		}
	}
	return f.summariseByScan(ctx, sec)
}

// Close implements recording.File.
func (f *file) Close() error {
	if c, ok := f.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
