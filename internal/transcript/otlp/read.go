package otlp

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// Read reads a file twice: for the sessions that its traces belong to, then for
// its spans.
func (importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	s, err := open(f.Path)
	if err != nil {
		return from, err
	}
	defer s.file.Close()
	offset, sessions := s.resume(from)
	if _, err := s.each(ctx, offset, silent{}, func(p *piece, _ int64) error {
		sessions.learn(p)
		return nil
	}); err != nil {
		return from, err
	}
	r := reading{to: to, sessions: sessions}
	end, err := s.each(ctx, offset, to, r.give)
	if err != nil {
		return from, err
	}
	return s.cursor(end, sessions)
}

// A source is a file that is open.
type source struct {
	file   *os.File
	zipped bool
}

func open(path string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a trace: %w", err)
	}
	head := make([]byte, 2)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		file.Close()
		return nil, fmt.Errorf("opening a trace: %w", err)
	}
	return &source{file: file, zipped: isGzip(head[:n])}, nil
}

// reader reads from an offset; a gzipped file only from its start.
func (s *source) reader(offset int64) (io.Reader, error) {
	if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	if !s.zipped {
		return s.file, nil
	}
	return gzip.NewReader(bufio.NewReader(s.file))
}

// silent hears nothing: the second reading tells of it.
type silent struct{}

func (silent) Lost(int64, string) {}
func (silent) Cut(int64)          {}

// each gives all pieces from an offset on, with a place for each, and returns
// where what was taken ends.
func (s *source) each(ctx context.Context, offset int64, hears jsonl.Damage, give func(*piece, int64) error) (int64, error) {
	in, err := s.reader(offset)
	if err != nil {
		hears.Lost(0, "expected gzip: "+err.Error())
		return offset, nil
	}
	end, err := jsonl.NewReader(in, offset).Each(ctx, hears, func(value []byte, start int64) error {
		place := start
		known, err := pieces(gjson.ParseBytes(value), func(p *piece) error {
			place++
			return give(p, place)
		})
		if err == nil && !known {
			hears.Lost(start, "expected resourceSpans, found a value without them")
		}
		return err
	})
	if failed := new(jsonl.ReadError); errors.As(err, &failed) && s.zipped && !isSystem(err) {
		hears.Lost(end, "broken gzip: "+err.Error())
		return end, nil
	}
	if err != nil {
		return offset, err
	}
	return end, nil
}

// isSystem tells a failure to read the file from a fault in what it holds.
func isSystem(err error) bool {
	var path *os.PathError
	return errors.As(err, &path)
}

// A reading gives the pieces of a file to a sink.
type reading struct {
	to       transcript.Sink
	sessions *sessions
}

func (r *reading) give(p *piece, place int64) error {
	key := r.sessions.of(p)
	if key == "" {
		r.to.Lost(place, "expected a traceId, found a span without one")
		return nil
	}
	if p.size() > maxAround {
		r.to.Lost(place, fmt.Sprintf("the resource and scope of a span: %d bytes, at most %d are kept", p.size(), maxAround))
		p.around = nil
	}
	if p.unknown != "" {
		r.to.Unknown(p.unknown)
	}
	record := session.Record{Key: p.key(), Order: p.order, Pos: place, At: session.Time(p.order / 1e6), Body: p.body()}
	if p.own == "" {
		record.Origin = record.Key
	}
	return r.to.Record(session.Ref{Harness: harness, Key: key}, record)
}
