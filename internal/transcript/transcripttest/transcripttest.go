// Package transcripttest has what the tests of importers share: a sink that keeps
// records as a store would, and events as lines of text.
package transcripttest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// A Tape is a sink that keeps what it is given, as a store would: of a key the
// record that counts.
type Tape struct {
	Facts   map[session.Ref]session.StreamFacts
	Records map[session.Ref]map[string]session.Record
	Given   int
	Reasons []string // of what was lost
	Kinds   []string // that are unknown
	Cuts    []int64
}

// NewTape is an empty one.
func NewTape() *Tape {
	return &Tape{Facts: map[session.Ref]session.StreamFacts{}, Records: map[session.Ref]map[string]session.Record{}}
}

// Stream, Record, Lost, Unknown and Cut make it a transcript.Sink.
func (s *Tape) Stream(ref session.Ref, facts session.StreamFacts) error {
	s.Facts[ref] = facts
	return nil
}

func (s *Tape) Record(ref session.Ref, r session.Record) error {
	s.Given++
	r.Body = slices.Clone(r.Body)
	if s.Records[ref] == nil {
		s.Records[ref] = map[string]session.Record{}
	}
	if old, ok := s.Records[ref][r.Key]; !ok || counts(r, old) {
		s.Records[ref][r.Key] = r
	}
	return nil
}

func counts(r, old session.Record) bool {
	if r.Version != old.Version {
		return r.Version > old.Version
	}
	return len(r.Body) > len(old.Body)
}

func (s *Tape) Lost(_ int64, reason string) { s.Reasons = append(s.Reasons, reason) }
func (s *Tape) Unknown(kind string)         { s.Kinds = append(s.Kinds, kind) }
func (s *Tape) Cut(offset int64)            { s.Cuts = append(s.Cuts, offset) }

// Ordered are a stream's records as a store gives them.
func (s *Tape) Ordered(ref session.Ref) []session.Record {
	var list []session.Record
	for _, r := range s.Records[ref] {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b session.Record) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// Save writes a file below a folder and returns its path.
func Save(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ReadFrom reads a file from where an earlier reading ended.
func ReadFrom(t testing.TB, importer transcript.Importer, path string, from transcript.Cursor, to transcript.Sink) transcript.Cursor {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	next, err := importer.Read(t.Context(), &transcript.File{Path: path, Info: info}, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// Interpret interprets records of which none is replayed.
func Interpret(t testing.TB, importer transcript.Importer, records []session.Record) []session.Event {
	t.Helper()
	in, err := importer.Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []session.Event
	for _, r := range records {
		out = append(out, in.Add(r, false)...)
	}
	return append(out, in.End()...)
}

// Of are the events of one kind.
func Of[T session.What](events []session.Event) []T {
	var list []T
	for _, e := range events {
		if what, ok := e.What.(T); ok {
			list = append(list, what)
		}
	}
	return list
}

// Shown are parts in one line.
func Shown(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case session.ToolCall:
			texts = append(texts, p.ID+"="+p.Name+" "+string(p.Input))
		case session.Data:
			texts = append(texts, string(p.Input))
		case session.Blob:
			texts = append(texts, fmt.Sprintf("[%s%s %d]", p.MediaType, p.URL, p.Bytes))
		case session.Thinking:
			texts = append(texts, "("+p.Text+")")
		default:
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, " | ")
}
