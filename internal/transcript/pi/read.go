package pi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// Read gives each value of the file as one record.
func (importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return from, fmt.Errorf("opening a Pi session: %w", err)
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
	Key     string              `json:"key"`
	Facts   session.StreamFacts `json:"facts"`
	Version int64               `json:"version"` // of the file's form
	Order   int64               `json:"order"`   // of the last entry
}

// resume goes to where an earlier reading ended, or to the start where the file
// can't be the one that it read.
func (r *reader) resume(file *os.File, from transcript.Cursor) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("reading a Pi session: %w", err)
	}
	if from.Offset == 0 || from.Offset > info.Size() || json.Unmarshal(from.State, &r.place) != nil {
		r.place = place{}
		return nil
	}
	r.offset = from.Offset
	if _, err := file.Seek(from.Offset, io.SeekStart); err != nil {
		return fmt.Errorf("going on in a Pi session: %w", err)
	}
	if r.place.Key == "" {
		return nil
	}
	return r.to.Stream(r.ref(), r.place.Facts)
}

func (r *reader) ref() session.Ref { return session.Ref{Harness: harness, Key: r.place.Key} }

func (r *reader) read(ctx context.Context, values *jsonl.Reader) (_ transcript.Cursor, err error) {
	r.offset, err = values.Each(ctx, r.to, r.record)
	if failed := new(jsonl.ReadError); errors.As(err, &failed) {
		err = fmt.Errorf("reading a Pi session: %w", err)
	}
	return r.cursor(), err
}

func (r *reader) cursor() transcript.Cursor {
	state, err := json.Marshal(r.place)
	if err != nil {
		return transcript.Cursor{}
	}
	return transcript.Cursor{Offset: r.offset, State: state}
}

// record hands on one value.
func (r *reader) record(body []byte, pos int64) error {
	entry := gjson.ParseBytes(body)
	isHeader := isHeader(entry)
	if r.place.Key == "" {
		r.place.Key = keyOf(entry, r.path, body)
		r.place.Facts = factsOf(entry, r.place.Key)
		if err := r.to.Stream(r.ref(), r.place.Facts); err != nil {
			return err
		}
	}
	if isHeader {
		r.place.Version = min(max(entry.Get("version").Int(), 1), maxVersion)
	}
	if kind := text(entry.Get("type")); !isHeader && !slices.Contains(entryTypes, kind) {
		r.to.Unknown(kind)
	}
	rec := session.Record{Pos: pos, At: timeOf(entry), Body: body, Version: r.place.Version}
	if isHeader {
		rec.Key = headerKey(entry, r.place.Key)
	} else {
		r.place.Order = max(r.place.Order, int64(rec.At), 1)
		rec.Key, rec.Order = contentHash(entry), r.place.Order
		rec.Origin = rec.Key + "-" + text(entry.Get("id"))
	}
	return r.to.Record(r.ref(), rec)
}

// maxVersion is far above any version of the form.
const maxVersion = 1000

func isHeader(entry gjson.Result) bool { return text(entry.Get("type")) == "session" }

func timeOf(entry gjson.Result) session.Time {
	at, _ := session.ParseTime(entry.Get("timestamp").String())
	return at
}
