package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/transcripttest"
)

// A tape is a sink that keeps what it is given.
type tape struct {
	ref     session.Ref
	facts   session.StreamFacts
	records []session.Record
	lost    []string
	unknown []string
	cut     int
}

func (s *tape) Stream(ref session.Ref, facts session.StreamFacts) error {
	s.ref, s.facts = ref, facts
	return nil
}

func (s *tape) Record(ref session.Ref, r session.Record) error {
	if ref != s.ref {
		return fmt.Errorf("a record of %v in the file of %v", ref, s.ref)
	}
	r.Body = slices.Clone(r.Body)
	s.records = append(s.records, r)
	return nil
}

func (s *tape) Lost(_ int64, reason string) { s.lost = append(s.lost, reason) }
func (s *tape) Unknown(kind string)         { s.unknown = append(s.unknown, kind) }
func (s *tape) Cut(int64)                   { s.cut++ }

// write writes lines to a file of a name, and returns its path.
func write(t testing.TB, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads a whole file.
func read(t testing.TB, path string) *tape {
	t.Helper()
	s := &tape{}
	readFrom(t, path, transcript.Cursor{}, s)
	return s
}

func readFrom(t testing.TB, path string, from transcript.Cursor, to transcript.Sink) transcript.Cursor {
	t.Helper()
	next, err := New().Read(t.Context(), &transcript.File{Path: path}, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// events interprets records; those whose Origin is in earlier, up to the first
// that has another, are replayed.
func events(t testing.TB, records []session.Record, earlier map[string]bool) []session.Event {
	t.Helper()
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []session.Event
	prefix := true
	for _, r := range records {
		if r.Origin != "" {
			prefix = prefix && earlier[r.Origin]
		}
		out = append(out, in.Add(r, prefix && r.Origin != "")...)
	}
	return append(out, in.End()...)
}

func origins(records []session.Record) map[string]bool {
	set := map[string]bool{}
	for _, r := range records {
		if r.Origin != "" {
			set[r.Origin] = true
		}
	}
	return set
}

// told interprets lines of a rollout that begin with a session_meta.
func told(t testing.TB, lines ...string) []session.Event {
	t.Helper()
	return events(t, read(t, write(t, "rollout.jsonl", append([]string{meta("own", "")}, lines...)...)).records, nil)
}

// meta is a session_meta with further fields in JSON.
func meta(id, more string) string {
	return rollout(sessionMeta, `{"id":"`+id+`","timestamp":"2026-01-02T03:04:05Z","cwd":"/w"`+more+`}`)
}

func rollout(kind, payload string) string {
	return `{"timestamp":"2026-01-02T03:04:05.006Z","type":"` + kind + `","payload":` + payload + `}`
}

func item(payload string) string  { return rollout(responseItem, payload) }
func event(payload string) string { return rollout(eventMsg, payload) }

func userEvent(s string) string { return event(`{"type":"user_message","message":"` + s + `"}`) }

func message(role, s string) string {
	return item(`{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":"` + s + `"}]}`)
}

func call(id, name, arguments string) string {
	return item(`{"type":"function_call","name":"` + name + `","arguments":` + arguments + `,"call_id":"` + id + `"}`)
}

func output(id, value string) string {
	return item(`{"type":"function_call_output","call_id":"` + id + `","output":` + value + `}`)
}

// counted is a token_count with totals and the last call's tokens, each as
// input, cached, output.
func counted(total, last [3]int) string {
	usage := func(n [3]int) string {
		return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"total_tokens":%d}`, n[0], n[1], n[2], n[0]+n[2])
	}
	return event(`{"type":"token_count","info":{"total_token_usage":` + usage(total) + `,"last_token_usage":` + usage(last) + `}}`)
}

// usageOf sums up all usage, of answers with one Merge the largest.
func usageOf(events []session.Event) session.Usage {
	var sum session.Usage
	largest := map[string]session.Usage{}
	for _, a := range transcripttest.Of[*session.Answer](events) {
		if u := a.Usage; u != nil && (u.Total() >= largest[a.Merge].Total()) {
			largest[a.Merge] = *u
		}
	}
	for _, u := range largest {
		sum.Add(u)
	}
	return sum
}

// script tells prompts, answers, calls and results in a line each.
func script(events []session.Event) []string {
	var lines []string
	for _, e := range events {
		switch what := e.What.(type) {
		case *session.Prompt:
			lines = append(lines, string(what.Origin)+": "+transcripttest.Shown(what.Content))
		case *session.Answer:
			if len(what.Content) > 0 {
				lines = append(lines, "answer: "+transcripttest.Shown(what.Content))
			}
		case *session.Call:
			lines = append(lines, "call "+what.CallID+": "+what.Name+" "+string(what.Input))
		case *session.Result:
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("result %s %s: %s %s", what.CallID, what.Status, transcripttest.Shown(what.Content), what.Error)))
		case *session.Note:
			lines = append(lines, strings.TrimSpace("note "+what.Name+": "+what.Text))
		}
	}
	return lines
}

var keyInLine = regexp.MustCompile(`[0-9]+-[0-9a-f]{24}`)

// withoutKeys is a script with the keys of records replaced by KEY1, KEY2, … in
// the order in which they first stand there.
func withoutKeys(lines []string) []string {
	names := map[string]string{}
	for i, line := range lines {
		lines[i] = strings.TrimSpace(keyInLine.ReplaceAllStringFunc(line, func(key string) string {
			if names[key] == "" {
				names[key] = fmt.Sprintf("KEY%d", len(names)+1)
			}
			return names[key]
		}))
	}
	return lines
}
