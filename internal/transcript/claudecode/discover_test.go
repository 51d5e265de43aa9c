package claudecode

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/transcript"
)

func TestPlaces(t *testing.T) {
	env := map[string]string{}
	places := func() []string {
		return New().Places(transcript.Environment{Home: "/home/me", Getenv: func(name string) string { return env[name] }})
	}
	want := []string{"/home/me/.claude/projects", "/home/me/.config/claude/projects"}
	if diff := cmp.Diff(want, places()); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	env["CLAUDE_CONFIG_DIR"] = "/a, /b"
	env["XDG_CONFIG_HOME"] = "/c"
	want = []string{"/a/projects", "/b/projects", "/home/me/.claude/projects", "/c/claude/projects"}
	if diff := cmp.Diff(want, places()); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestClaims(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for _, test := range []struct {
		name string
		path string
		text string
		want bool
	}{
		{"a session", "a.jsonl", userText("a"), true},
		{"part of one", "full.jsonl.001", userText("a"), true},
		{"part that begins inside of a line", "full.jsonl.002", `x":1}}` + "\n" + userText("a"), true},
		{"a first line longer than what is looked at", "a.jsonl", userText(long), true},
		{"an old line", "a.jsonl", `{"sessionId":"s","message":{"role":"assistant","usage":{"input_tokens":1}}}`, true},
		{"only a summary", "a.jsonl", `{"type":"summary","summary":"x","leafUuid":"u"}`, true},
		{"only a snapshot", "a.jsonl", `{"type":"file-history-snapshot","messageId":"u","snapshot":{}}`, true},
		{"a line that is still being written", "a.jsonl", `{"parentUuid":null,"sessionId":"s","type":"user","message":{"role":"us`, true},
		{"a journal", "journal.jsonl", `{"type":"started","key":"v2:x","agentId":"a"}`, true},
		{"what is known of a sub-agent", testSession + "/subagents/agent-a1.meta.json", `{"agentType":"x"}`, true},
		{"such a file anywhere", "agent-a1.meta.json", `{}`, false},
		{"empty", testSession + ".jsonl", "", true},
		{"empty, of a sub-agent", "agent-a1.jsonl", "\n", true},
		{"empty, in its place", ".claude/projects/-work/x.jsonl", "", true},
		{"empty, anywhere", "x.jsonl", "", false},
		{"another extension", "a.json", userText("a"), false},
		{"Codex", "rollout.jsonl", `{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"x"}}`, false},
		{"Codex events", "rollout.jsonl", `{"timestamp":"2026-01-02T03:04:05Z","type":"event_msg","payload":{"type":"user_message"}}`, false},
		{"Gemini CLI", "session-1.jsonl", `{"sessionId":"s","projectHash":"h","startTime":"x"}` + "\n" + `{"id":"1","type":"user","content":"x"}`, false},
		{"a descendant of Gemini CLI", "x.jsonl", `{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}`, false},
		{"Pi", "x.jsonl", `{"type":"session","id":"s","version":3}` + "\n" + `{"type":"message","id":"m","message":{"role":"user","content":"x"}}`, false},
		{"OTLP", "x.jsonl", `{"resourceSpans":[{"scopeSpans":[]}]}`, false},
		{"text", "x.jsonl", "hello\nworld\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), filepath.FromSlash(test.path)), test.text)
			if got := New().Claims(fileAt(t, path)); got != test.want {
				t.Errorf("claimed: %v, want %v", got, test.want)
			}
		})
	}
}

func TestImporterDescribesItself(t *testing.T) {
	i := New()
	if i.Harness() != "claude-code" || i.Title() != "Claude Code" || i.Replay() != transcript.ReplayByOrigin {
		t.Errorf("%s, %s, %d", i.Harness(), i.Title(), i.Replay())
	}
}
