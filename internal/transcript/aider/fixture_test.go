package aider

import (
	"cmp"
	"maps"
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

func readFrom(t testing.TB, path string, from transcript.Cursor, to transcript.Sink) transcript.Cursor {
	t.Helper()
	return transcripttest.ReadFrom(t, New(), path, from, to)
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
	refs := slices.SortedFunc(maps.Keys(s.Records), func(a, b session.Ref) int { return cmp.Compare(a.Key, b.Key) })
	var all [][]session.Event
	for _, ref := range refs {
		all = append(all, interpret(t, s.Ordered(ref)))
	}
	return all
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
