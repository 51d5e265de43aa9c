package archive

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tapedeck/internal/session"
)

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestExportAsJSONLHoldsEverythingOnce(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 1, turns: 30, filler: 10})
	first := firstSession(t, a)
	var out bytes.Buffer
	if err := a.Export(t.Context(), first.ID, FormatJSONL, &out); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var line struct {
			Type    string
			Session *SessionItem
			Trace   *session.Trace
			Span    *session.Span
			Link    *session.Link
		}
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if kinds[line.Type]++; line.Session == nil && line.Trace == nil && line.Span == nil && line.Link == nil {
			t.Errorf("a line of type %q holds nothing", line.Type)
		}
		if len(kinds) == 1 && line.Type != "session" {
			t.Errorf("the first line is a %s", line.Type)
		}
	}
	// A turn is a root, two model calls and a tool.
	if kinds["session"] != 1 || kinds["trace"] != 30 || kinds["span"] != 4*30 || kinds["link"] < 30 || len(kinds) != 4 {
		t.Errorf("lines: %v", kinds)
	}
}

// TestMarkdown builds what the store would give, so that all of it is there.
func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	e := &markdownExport{w: &out, titles: map[string]string{"claude-code": "Claude Code"}}
	steps := []error{
		e.session(session.Session{
			ID: "5f0c", Harness: "claude-code", HarnessVersion: "2.1", Title: "Fix\nit", Cwd: "/work/a|b", GitBranch: "main",
			StartedAt: 1750000000000, EndedAt: 1750000090000, Status: session.StatusOK,
			Models: []session.ModelUsage{{Model: "opus", Calls: 1}},
			Usage:  session.Usage{InputTokens: 1234567, OutputTokens: 2, Cost: session.Dollars(0.5), Partial: true},
			Counts: session.Counts{Traces: 1, Messages: 1, ToolCalls: 2, ToolErrors: 1},
		}),
		e.links(nil),
		e.trace(session.Trace{Seq: 0, UserPrompt: "Fix it\nplease", Status: session.StatusOK, StartedAt: 1750000000000, Models: []string{"opus"}}),
		e.span(session.Span{Kind: session.KindAgent, Status: session.StatusOK}),
		e.span(session.Span{Kind: session.KindLLM, Status: session.StatusOK, Input: []session.Part{
			{Type: session.Text, Text: "Fix it\nplease"}, {Type: session.Text, Name: "injected", Text: "<reminder>"}, {Type: session.ToolResult, Text: "elsewhere"},
		}, Output: []session.Part{
			{Type: session.Thinking, Text: "Hm."}, {Type: session.Text, Text: "I will **look**.\n"}, {Type: session.ToolCall, Name: "Bash"},
		}}),
		e.span(session.Span{Kind: session.KindTool, Name: "Bash", Status: session.StatusOK, StartedAt: 1000, EndedAt: 2500,
			Input:  []session.Part{{Type: session.ToolCall, Name: "Bash", Input: json.RawMessage(`{"command":"cat a.md"}`)}},
			Output: []session.Part{{Type: session.ToolResult, Text: "```go\n\x1b[1;31mx\x1b[0m\x07\x1b]0;title\x07\n```\n"}},
		}),
		e.span(session.Span{Kind: session.KindTool, Name: "<Read>", Status: session.StatusError, Error: "no such file",
			Output: []session.Part{{Type: session.Blob, MediaType: "image/png", Bytes: 7}},
		}),
		e.span(session.Span{Kind: session.KindEvent, Name: session.NoteCompaction, Status: session.StatusOK}),
		e.links([]session.Link{{Kind: session.LinkSpawns, FromSessionID: "5f0c", ToSessionID: "77aa"}}),
	}
	for i, err := range steps {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if want := readFile(t, "testdata/session.md"); out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestExportStopsWhenNobodyReads(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 1, turns: 3, filler: 10_000})
	for _, format := range formats {
		if err := a.Export(t.Context(), firstSession(t, a).ID, format, failingWriter{}); err == nil || !strings.Contains(err.Error(), "nobody reads") {
			t.Errorf("%s: %v", format, err)
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) {
	return 0, os.NewSyscallError("nobody reads", os.ErrClosed)
}
