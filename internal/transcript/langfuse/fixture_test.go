package langfuse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

// A tape keeps what it is given.
type tape struct{ *transcripttest.Tape }

func newTape() *tape { return &tape{transcripttest.NewTape()} }

// keys are the sessions that were given, in order.
func (s *tape) keys() []string {
	var keys []string
	for ref := range s.Records {
		keys = append(keys, ref.Key)
	}
	slices.Sort(keys)
	return keys
}

// ordered are a session's records as a store gives them.
func (s *tape) ordered(key string) []session.Record {
	return s.Ordered(session.Ref{Harness: harness, Key: key})
}

// save writes a file and returns its path.
func save(t testing.TB, name, content string) string {
	t.Helper()
	return transcripttest.Save(t, t.TempDir(), name, content)
}

func readFrom(t testing.TB, path string, from transcript.Cursor, to transcript.Sink) transcript.Cursor {
	t.Helper()
	return transcripttest.ReadFrom(t, New(), path, from, to)
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
	return transcripttest.Interpret(t, New(), records)
}

// events reads a file of one session and interprets it.
func events(t testing.TB, content string) []session.Event {
	t.Helper()
	s := tapeOf(t, save(t, "export.json", content))
	if keys := s.keys(); len(keys) != 1 || len(s.Reasons) > 0 {
		t.Fatalf("sessions %v, lost %v; want one and nothing", keys, s.Reasons)
	}
	return interpret(t, s.ordered(s.keys()[0]))
}

// script tells what happened, a line each, sub-agents with their thread.
func script(events []session.Event) []string {
	var lines []string
	for _, e := range events {
		line := ""
		switch what := e.What.(type) {
		case *session.Prompt:
			line = string(what.Origin) + ": " + transcripttest.Shown(what.Content)
		case *session.Answer:
			line = "answer: " + transcripttest.Shown(what.Content) + " " + what.Error
		case *session.Call:
			line = "call " + what.CallID + " " + what.Name + " " + string(what.Input)
		case *session.Result:
			line = fmt.Sprintf("result %s %s: %s %s", what.CallID, what.Status, transcripttest.Shown(what.Content), what.Error)
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
