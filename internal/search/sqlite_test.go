package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/archive"
	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/transcript/registry"
)

// From an agent's log to a hit, through the real store: what is written is found,
// what grows is found, what is deleted is gone.
func TestFromALogToAHit(t *testing.T) {
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "s.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(t.Context(), archive.Options{Store: st, Importers: registry.All()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	log := filepath.Join(dir, "projects", "-work-rover", "11111111-2222-4333-8444-555555555555.jsonl")
	line := func(uuid, parent, kind, message string) string {
		return `{"type":"` + kind + `","uuid":"` + uuid + `","parentUuid":` + parent + `,"sessionId":"11111111-2222-4333-8444-555555555555","cwd":"/work/rover","version":"2.1.40","timestamp":"2026-01-02T03:04:0` + uuid[:1] + `.000Z","message":` + message + "}\n"
	}
	lines := line("1a", "null", "user", `{"role":"user","content":"Why does the upload test fail with E4711?"}`) +
		line("2b", `"1a"`, "assistant", `{"id":"msg_1","role":"assistant","model":"made-up-1","content":[{"type":"text","text":"The port was taken; I fixed the automobile."},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"go test ./upload -run TestPort"}}],"usage":{"input_tokens":1,"output_tokens":1}}`)
	take := func(lines string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(log, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Import(t.Context(), archive.ImportRequest{Paths: []string{log}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	take(lines)
	s := indexed(t, st, newFakeEmbedder())

	hit := search(t, s, Request{Query: "the car was repaired"}).Results[0]
	if hit.Kind != "llm" || hit.Harness != "claude-code" || hit.Project != "rover" || !strings.Contains(hit.Snippet, "I fixed the automobile") || !strings.Contains(hit.UserPrompt, "E4711") {
		t.Errorf("by meaning: %+v", hit)
	}
	if got := search(t, s, Request{Query: "E4711", Project: "ROVER", After: "2026-01-02", Before: "2026-01-03"}); got.Count != 1 || got.Results[0].SpanID != hit.SpanID {
		t.Errorf("by an exact word: %+v", got)
	}
	if got := search(t, s, Request{Query: "TestPort", Scope: "tools"}); got.Count != 1 || got.Results[0].Kind != "tool" {
		t.Errorf("a tool's command: %+v", got)
	}
	if got := search(t, s, Request{Query: "TestPort", Before: "2026-01-02"}); got.Count != 0 {
		t.Errorf("out of the window: %+v", got)
	}

	take(lines + line("3c", `"2b"`, "user", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok  rover/upload 0.1s"}]}`) +
		line("4d", `"3c"`, "assistant", `{"id":"msg_2","role":"assistant","model":"made-up-1","content":[{"type":"text","text":"All green: zanzibar."}],"usage":{"input_tokens":1,"output_tokens":1}}`))
	if got := status(t, s); got.Behind != 1 {
		t.Errorf("grown: %+v", got)
	}
	if _, err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, Request{Query: "zanzibar", Mode: ModeLexical}); got.Count != 1 {
		t.Errorf("grown: %+v", got)
	}
	if _, err := a.Delete(t.Context(), hit.SessionID); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, Request{Query: "zanzibar automobile E4711", Scope: "all"}); got.Count != 0 {
		t.Errorf("deleted: %+v", got)
	}
	if _, err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := status(t, s); got.Documents != 0 || got.Vectors != 0 || got.Missing != 0 {
		t.Errorf("deleted: %+v", got)
	}
}
