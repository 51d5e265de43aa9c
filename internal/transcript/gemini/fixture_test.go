package gemini

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

// only is the one stream that was given.
func (s *tape) only(t testing.TB) session.Ref {
	t.Helper()
	if len(s.records) != 1 {
		t.Fatalf("%d streams, want 1", len(s.records))
	}
	for ref := range s.records {
		return ref
	}
	panic("unreachable")
}

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

// events reads files of one session and interprets it.
func events(t testing.TB, paths ...string) []session.Event {
	t.Helper()
	s := newTape()
	for _, path := range paths {
		readFrom(t, path, transcript.Cursor{}, s)
	}
	return interpret(t, s.ordered(s.only(t)))
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
		case *session.Result:
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("result %s %s: %s %s", what.CallID, what.Status, shown(what.Content), what.Error)))
		case *session.Note:
			lines = append(lines, strings.TrimSpace("note "+what.Name+": "+what.Text))
		case *session.Spawn:
			lines = append(lines, "spawn "+what.CallID+": "+what.Child.String()+" "+what.AgentType)
		}
	}
	return lines
}

func shown(parts []session.Part) string {
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
