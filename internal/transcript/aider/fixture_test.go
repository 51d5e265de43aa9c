package aider

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// A tape is a sink that keeps what it is given, as a store would: of a key the
// record that counts.
type tape struct {
	facts   map[session.Ref]session.StreamFacts
	records map[session.Ref]map[string]session.Record
	given   int
	lost    []string
	unknown []string
	cut     []int64
}

func newTape() *tape {
	return &tape{facts: map[session.Ref]session.StreamFacts{}, records: map[session.Ref]map[string]session.Record{}}
}

func (s *tape) Stream(ref session.Ref, facts session.StreamFacts) error {
	s.facts[ref] = facts
	return nil
}

func (s *tape) Record(ref session.Ref, r session.Record) error {
	s.given++
	r.Body = slices.Clone(r.Body)
	if s.records[ref] == nil {
		s.records[ref] = map[string]session.Record{}
	}
	if old, ok := s.records[ref][r.Key]; !ok || counts(r, old) {
		s.records[ref][r.Key] = r
	}
	return nil
}

func counts(r, old session.Record) bool {
	if r.Version != old.Version {
		return r.Version > old.Version
	}
	return len(r.Body) > len(old.Body)
}

func (s *tape) Lost(_ int64, reason string) { s.lost = append(s.lost, reason) }
func (s *tape) Unknown(kind string)         { s.unknown = append(s.unknown, kind) }
func (s *tape) Cut(offset int64)            { s.cut = append(s.cut, offset) }

// ordered are a stream's records as a store gives them.
func (s *tape) ordered(ref session.Ref) []session.Record {
	var list []session.Record
	for _, r := range s.records[ref] {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b session.Record) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// save writes a file below a folder and returns its path.
func save(t testing.TB, dir, name, content string) string {
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

func readFrom(t testing.TB, path string, from transcript.Cursor, to transcript.Sink) transcript.Cursor {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	next, err := New().Read(t.Context(), &transcript.File{Path: path, Info: info}, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// sessions reads files and interprets all sessions, in the order of their keys.
func sessions(t testing.TB, paths ...string) [][]session.Event {
	t.Helper()
	s := newTape()
	for _, path := range paths {
		readFrom(t, path, transcript.Cursor{}, s)
	}
	return s.sessions(t)
}

func (s *tape) sessions(t testing.TB) [][]session.Event {
	t.Helper()
	refs := slices.SortedFunc(maps.Keys(s.records), func(a, b session.Ref) int { return cmp.Compare(a.Key, b.Key) })
	var all [][]session.Event
	for _, ref := range refs {
		all = append(all, interpret(t, s.ordered(ref)))
	}
	return all
}

func interpret(t testing.TB, records []session.Record) []session.Event {
	t.Helper()
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []session.Event
	for _, r := range records {
		out = append(out, in.Add(r, false)...)
	}
	return append(out, in.End()...)
}

// of are the events of one kind.
func of[T session.What](events []session.Event) []T {
	var list []T
	for _, e := range events {
		if what, ok := e.What.(T); ok {
			list = append(list, what)
		}
	}
	return list
}

// script tells what happened, a line each.
func script(events []session.Event) []string {
	var lines []string
	for _, e := range events {
		switch what := e.What.(type) {
		case *session.Prompt:
			lines = append(lines, string(what.Origin)+": "+shown(what.Content))
		case *session.Answer:
			lines = append(lines, "answer: "+shown(what.Content))
		case *session.Note:
			lines = append(lines, strings.TrimSpace("note "+what.Name+": "+what.Text))
		}
	}
	return lines
}

func shown(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, " | ")
}
