package opencode

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

// A tape keeps what it is given.
type tape struct{ *transcripttest.Tape }

func newTape() *tape { return &tape{transcripttest.NewTape()} }

// only is the one stream that was given.
func (s *tape) only(t testing.TB) session.Ref {
	t.Helper()
	if len(s.Records) != 1 {
		t.Fatalf("%d streams, want 1", len(s.Records))
	}
	for ref := range s.Records {
		return ref
	}
	panic("unreachable")
}

func readFrom(t testing.TB, path string, from transcript.Cursor, to transcript.Sink) transcript.Cursor {
	t.Helper()
	return transcripttest.ReadFrom(t, New(), path, from, to)
}

// events reads files of one session and interprets it.
func events(t testing.TB, paths ...string) []session.Event {
	t.Helper()
	s := newTape()
	for _, path := range paths {
		readFrom(t, path, transcript.Cursor{}, s)
	}
	return interpret(t, s.Ordered(s.only(t)))
}

func interpret(t testing.TB, records []session.Record) []session.Event {
	t.Helper()
	return transcripttest.Interpret(t, New(), records)
}

// script tells what happened, a line each.
func script(events []session.Event) []string {
	var lines []string
	for _, e := range events {
		switch what := e.What.(type) {
		case *session.Prompt:
			lines = append(lines, string(what.Origin)+": "+transcripttest.Shown(what.Content))
		case *session.Answer:
			lines = append(lines, "answer: "+transcripttest.Shown(what.Content))
		case *session.Result:
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("result %s %s: %s %s", what.CallID, what.Status, transcripttest.Shown(what.Content), what.Error)))
		case *session.Note:
			lines = append(lines, strings.TrimSpace("note "+what.Name+": "+what.Text))
		case *session.Spawn:
			lines = append(lines, "spawn "+what.CallID+": "+what.Child.String()+" "+what.AgentType)
		}
	}
	return lines
}
