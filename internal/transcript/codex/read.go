package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// execOrder is added to the order of what codex exec printed: where a stream has
// a rollout too, that comes first, and its interpreter can leave the print out.
const execOrder = 1 << 40

// Read gives each value of the file as one record.
func (importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return from, fmt.Errorf("opening a Codex log: %w", err)
	}
	defer file.Close()
	r := reader{path: f.Path, to: to}
	if err := r.resume(file, from); err != nil {
		return from, err
	}
	return r.read(ctx, jsonl.NewReader(file, r.offset))
}

// A reader reads one file. What it must know to go on is in its place.
type reader struct {
	path   string
	to     transcript.Sink
	place  place
	offset int64
}

// A place is what an earlier reading knew of the file.
type place struct {
	Key   string              `json:"key"`
	Facts session.StreamFacts `json:"facts"`
	Line  int64               `json:"line"` // values and lost parts so far
	Trail trail               `json:"trail"`
}

// resume goes to where an earlier reading ended, or to the start where the file
// can't be the one that it read.
func (r *reader) resume(file *os.File, from transcript.Cursor) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("reading a Codex log: %w", err)
	}
	if from.Offset == 0 || from.Offset > info.Size() || json.Unmarshal(from.State, &r.place) != nil {
		r.place = place{}
		return nil
	}
	r.offset = from.Offset
	if _, err := file.Seek(from.Offset, io.SeekStart); err != nil {
		return fmt.Errorf("going on in a Codex log: %w", err)
	}
	if r.place.Key == "" {
		return nil
	}
	return r.to.Stream(r.ref(), r.place.Facts)
}

func (r *reader) ref() session.Ref { return session.Ref{Harness: harness, Key: r.place.Key} }

func (r *reader) read(ctx context.Context, values *jsonl.Reader) (_ transcript.Cursor, err error) {
	r.offset, err = values.Each(ctx, r, r.record)
	if failed := new(jsonl.ReadError); errors.As(err, &failed) {
		err = fmt.Errorf("reading a Codex log: %w", err)
	}
	return r.cursor(), err
}

// Lost counts what is lost: it has a line of its own.
func (r *reader) Lost(offset int64, reason string) {
	r.place.Line++
	r.to.Lost(offset, reason)
}

// Cut tells of what is cut off.
func (r *reader) Cut(offset int64) { r.to.Cut(offset) }

func (r *reader) cursor() transcript.Cursor {
	state, err := json.Marshal(r.place)
	if err != nil {
		return transcript.Cursor{}
	}
	return transcript.Cursor{Offset: r.offset, State: state}
}

// record hands on one value.
func (r *reader) record(body []byte, pos int64) error {
	l := parseLine(body)
	if r.place.Key == "" {
		r.place.Key = keyOf(l, r.path, body)
		r.place.Facts = factsOf(l, r.place.Key)
		r.place.Trail.Root = r.place.Key
		if err := r.to.Stream(r.ref(), r.place.Facts); err != nil {
			return err
		}
	}
	if kind := l.unknownKind(); kind != "" {
		r.to.Unknown(kind)
	}
	line := r.place.Line + 1
	order := line
	if l.kind == execEvent {
		order += execOrder
	}
	err := r.to.Record(r.ref(), session.Record{
		Key:    recordKey(line, body),
		Origin: r.place.Trail.origin(l),
		Order:  order,
		Pos:    pos,
		At:     l.at,
		Body:   body,
	})
	if err == nil {
		r.place.Line = line
	}
	return err
}
