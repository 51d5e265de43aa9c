package claudecode

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// Read gives each JSON value of the file as a record.
func (importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return from, fmt.Errorf("opening a Claude Code session: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return from, fmt.Errorf("opening a Claude Code session: %w", err)
	}
	if from.Offset < 0 || from.Offset > info.Size() {
		from = transcript.Cursor{}
	}
	if _, err := file.Seek(from.Offset, io.SeekStart); err != nil {
		return from, fmt.Errorf("reading a Claude Code session from offset %d: %w", from.Offset, err)
	}
	r := reading{
		source: sourceOf(f.Path),
		meta:   isMeta(filepath.Base(f.Path)),
		told:   map[session.Ref]bool{},
		to:     to,
	}
	offset, err := jsonl.NewReader(file, from.Offset).Each(ctx, to, r.take)
	return transcript.Cursor{Offset: offset}, err
}

// A reading is the reading of one file.
type reading struct {
	source source
	meta   bool
	told   map[session.Ref]bool // streams whose facts were given
	to     transcript.Sink
}

// take gives the record, or the records, that a value is.
func (r *reading) take(body []byte, pos int64) error {
	e := readEnvelope(body)
	record := e.record(body, pos)
	if r.meta {
		record.Key, record.Origin, record.Order, record.About = metaKey, "", 0, ""
	} else if !knownKinds[e.kind] {
		r.to.Unknown(nameOf(e.kind))
	}
	ref := e.ref(&r.source)
	if err := r.give(ref, record); err != nil {
		return err
	}
	if ref, record, ok := e.relayed(&r.source, record); ok {
		return r.give(ref, record)
	}
	return nil
}

// nameOf is a type as the sink is told: short, and never empty.
func nameOf(kind string) string {
	if kind == "" {
		return "without type"
	}
	return strings.Clone(session.Clip(session.Clean(kind), 64))
}

func (r *reading) give(ref session.Ref, record session.Record) error {
	if !r.told[ref] {
		r.told[ref] = true
		if err := r.to.Stream(ref, factsOf(ref)); err != nil {
			return err
		}
	}
	return r.to.Record(ref, record)
}
