package otlp

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
	records map[session.Ref]map[string]session.Record
	given   int
	lost    []string
	unknown []string
	cut     []int64
}

func newTape() *tape { return &tape{records: map[session.Ref]map[string]session.Record{}} }

func (s *tape) Stream(session.Ref, session.StreamFacts) error { return nil }

func (s *tape) Record(ref session.Ref, r session.Record) error {
	s.given++
	r.Body = slices.Clone(r.Body)
	if s.records[ref] == nil {
		s.records[ref] = map[string]session.Record{}
	}
	if old, ok := s.records[ref][r.Key]; !ok || len(r.Body) > len(old.Body) {
		s.records[ref][r.Key] = r
	}
	return nil
}

func (s *tape) Lost(_ int64, reason string) { s.lost = append(s.lost, reason) }
func (s *tape) Unknown(kind string)         { s.unknown = append(s.unknown, kind) }
func (s *tape) Cut(offset int64)            { s.cut = append(s.cut, offset) }

// keys are the sessions that were given, in order.
func (s *tape) keys() []string {
	var keys []string
	for ref := range s.records {
		keys = append(keys, ref.Key)
	}
	slices.Sort(keys)
	return keys
}

// ordered are a session's records as a store gives them.
func (s *tape) ordered(key string) []session.Record {
	var list []session.Record
	for _, r := range s.records[session.Ref{Harness: harness, Key: key}] {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b session.Record) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// save writes a file and returns its path.
func save(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
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

func tapeOf(t testing.TB, paths ...string) *tape {
	t.Helper()
	s := newTape()
	for _, path := range paths {
		readFrom(t, path, transcript.Cursor{}, s)
	}
	return s
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

// events reads a file of one session and interprets it.
func events(t testing.TB, content string) []session.Event {
	t.Helper()
	s := tapeOf(t, save(t, "trace.json", content))
	if keys := s.keys(); len(keys) != 1 || len(s.lost) > 0 {
		t.Fatalf("sessions %v, lost %v; want one and nothing", keys, s.lost)
	}
	return interpret(t, s.ordered(s.keys()[0]))
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

// script tells what happened, a line each, sub-agents with their thread.
func script(events []session.Event) []string {
	var lines []string
	for _, e := range events {
		line := ""
		switch what := e.What.(type) {
		case *session.Prompt:
			line = string(what.Origin) + ": " + shown(what.Content)
		case *session.Answer:
			line = "answer: " + shown(what.Content) + " " + what.Error
		case *session.Call:
			line = "call " + what.CallID + " " + what.Name + " " + string(what.Input)
		case *session.Result:
			line = fmt.Sprintf("result %s %s: %s %s", what.CallID, what.Status, shown(what.Content), what.Error)
		case *session.Note:
			line = "note " + what.Name + ": " + what.Text
		case *session.Spawn:
			line = "spawn " + what.CallID + ": " + what.Thread + " " + what.AgentType
		default:
			continue
		}
		if e.Thread != "" {
			line = "[" + e.Thread + "] " + line
		}
		lines = append(lines, strings.TrimSpace(line))
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
