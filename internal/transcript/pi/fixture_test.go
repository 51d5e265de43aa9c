package pi

import (
	"fmt"
	"os"
	"path/filepath"
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

// events interprets records; those whose Origin is in earlier are replayed.
func events(t testing.TB, records []session.Record, earlier map[string]bool) []session.Event {
	t.Helper()
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []session.Event
	for _, r := range records {
		out = append(out, in.Add(r, earlier[r.Origin])...)
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

// told interprets the entries of a session.
func told(t testing.TB, entries ...string) []session.Event {
	t.Helper()
	return events(t, read(t, write(t, "s.jsonl", append([]string{header("own", "")}, entries...)...)).records, nil)
}

// header is a header of version 3 with further fields in JSON.
func header(id, more string) string {
	return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T03:04:09.000Z","cwd":"/w"` + more + `}`
}

// entry is an entry of the tree, written n seconds after the first.
func entry(n int, kind, id, parent, fields string) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"%s","id":"%s","parentId":%s,"timestamp":"2026-01-02T03:04:%02d.000Z",%s}`, kind, id, parent, n, fields)
}

func message(n int, id, parent, fields string) string {
	return entry(n, "message", id, parent, `"message":{`+fields+`}`)
}

func user(n int, id, parent, said string) string {
	return message(n, id, parent, `"role":"user","content":"`+said+`"`)
}

func assistant(n int, id, parent, said string) string {
	return message(n, id, parent, `"role":"assistant","content":[{"type":"text","text":"`+said+`"}],"provider":"p","model":"m","stopReason":"stop","usage":{"input":10,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.5}}`)
}

// usageOfAll sums up all usage.
func usageOfAll(events []session.Event) session.Usage {
	var sum session.Usage
	for _, a := range transcripttest.Of[*session.Answer](events) {
		if a.Usage != nil {
			sum.Add(*a.Usage)
		}
	}
	return sum
}

// script tells prompts, answers, calls, results, titles and notes in a line each.
func script(events []session.Event) []string {
	var lines []string
	for _, e := range events {
		switch what := e.What.(type) {
		case *session.Prompt:
			lines = append(lines, string(what.Origin)+": "+shown(what.Content))
		case *session.Answer:
			lines = append(lines, strings.TrimSpace("answer: "+shown(what.Content)+" "+what.Error))
		case *session.Call:
			lines = append(lines, "call: "+what.Name+" "+string(what.Input))
		case *session.Result:
			lines = append(lines, strings.TrimSpace("result "+string(what.Status)+": "+shown(what.Content)+" "+what.Error))
		case *session.Title:
			lines = append(lines, "title: "+what.Text)
		case *session.Note:
			lines = append(lines, strings.TrimSpace("note "+what.Name+": "+what.Text+what.Attributes["from"]))
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
			texts = append(texts, fmt.Sprintf("[%s %d]", p.MediaType, p.Bytes))
		case session.Thinking:
			texts = append(texts, fmt.Sprintf("(%s %d)", p.Text, p.Bytes))
		default:
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, " | ")
}
