package claudecode

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

func TestNotes(t *testing.T) {
	system := func(subtype string, fields ...string) string {
		return lineOf("s1", "", "system", append(fields, `"subtype":"`+subtype+`"`)...)
	}
	attachment := func(text string) string { return lineOf("s1", "", "attachment", `"attachment":`+text) }
	for _, test := range []struct {
		name string
		line string
		want *session.Note
	}{
		{"compaction", system("compact_boundary", `"content":"Conversation compacted"`, `"compactMetadata":{"trigger":"auto","preTokens":155250}`),
			&session.Note{Name: session.NoteCompaction, Text: "Conversation compacted", Attributes: map[string]string{"trigger": "auto", "tokens_before": "155250"}}},
		{"microcompaction is none", system("microcompact_boundary", `"microcompactMetadata":{"trigger":"auto","preTokens":60888,"tokensSaved":21091}`),
			&session.Note{Name: "microcompaction", Attributes: map[string]string{"trigger": "auto", "tokens_before": "60888", "tokens_saved": "21091"}}},
		{"an error that is tried again", system("api_error", `"error":{"status":529,"error":{"error":{"type":"overloaded_error","message":"Overloaded"}}}`, `"retryAttempt":1`, `"maxRetries":10`),
			&session.Note{Name: "api_error", Text: "Overloaded", Status: session.StatusError, Attributes: map[string]string{"http_status": "529", "type": "overloaded_error", "attempt": "1", "max_attempts": "10"}}},
		{"an error without anything", system("error"), &session.Note{Name: session.NoteError, Status: session.StatusError}},
		{"a refusal", system("model_refusal_fallback", `"content":"x"`, `"originalModel":"a"`, `"fallbackModel":"b"`),
			&session.Note{Name: "model_refusal_fallback", Text: "x", Attributes: map[string]string{"original_model": "a", "fallback_model": "b"}}},
		{"the duration of a turn", system("turn_duration", `"durationMs":179913`), &session.Note{Name: "turn_duration", Attributes: map[string]string{"duration_ms": "179913"}}},
		{"hooks that went well", system("stop_hook_summary", `"hookErrors":[]`, `"preventedContinuation":false`), nil},
		{"hooks that failed", system("stop_hook_summary", `"hookErrors":["exit 1"]`), &session.Note{Name: "hook_error", Text: "exit 1", Status: session.StatusError}},
		{"a hook that failed", attachment(`{"type":"hook_non_blocking_error","hookName":"Stop","stderr":"no","exitCode":1}`),
			&session.Note{Name: "hook_error", Text: "no", Status: session.StatusError, Attributes: map[string]string{"hook": "Stop", "exit_code": "1"}}},
		{"a hook that went well", attachment(`{"type":"hook_success","content":"x"}`), nil},
		{"a change of model, in old versions", lineOf("s1", "", "system", `"level":"warning"`, `"content":"limit reached"`), &session.Note{Name: "warning", Text: "limit reached"}},
		{"chatter of old versions", lineOf("s1", "", "system", `"level":"info"`, `"content":"Running …"`), nil},
		{"a new kind", system("brand_new", `"content":"x"`), &session.Note{Name: "brand_new", Text: "x"}},
		{"a new kind without words", system("brand_new"), nil},
		{"a pull request", lineOf("s1", "", "pr-link", `"prUrl":"https://example.org/1"`, `"prNumber":1`), &session.Note{Name: "pull_request", Text: "https://example.org/1", Attributes: map[string]string{"number": "1"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got *session.Note
			for _, e := range eventsOf(t, test.line) {
				if n, ok := e.What.(*session.Note); ok {
					if len(n.Attributes) == 0 {
						n.Attributes = nil
					}
					got = n
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("note (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTitlesAndNames(t *testing.T) {
	var got []session.What
	for _, e := range eventsOf(t,
		`{"type":"summary","summary":"a summary","leafUuid":"u9"}`,
		`{"type":"ai-title","aiTitle":"by a model","sessionId":"s"}`,
		`{"type":"custom-title","customTitle":"by me","sessionId":"s"}`,
		`{"type":"custom-title","customTitle":7,"sessionId":"s"}`,
		`{"type":"agent-name","agentName":"reviewer","sessionId":"s"}`,
	) {
		got = append(got, e.What)
	}
	want := []session.What{
		&session.Title{Text: "a summary", Rank: session.TitleSummary},
		&session.Title{Text: "by a model", Rank: session.TitleModel},
		&session.Title{Text: "by me", Rank: session.TitlePerson},
		&session.Facts{Name: "reviewer"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestContextWhenItChanges(t *testing.T) {
	var got []session.What
	moved := `{"type":"user","uuid":"u2","cwd":"/elsewhere","gitBranch":"main","version":"2.1.40","message":{"content":"b"}}`
	for _, e := range eventsOf(t, userText("a"), userText("a"), moved) {
		if c, ok := e.What.(*session.Context); ok {
			got = append(got, c)
		}
	}
	want := []session.What{
		&session.Context{Cwd: "/work/app", GitBranch: "main", HarnessVersion: "2.1.40"},
		&session.Context{Cwd: "/elsewhere"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("contexts (-want +got):\n%s", diff)
	}
}

// Copies of an earlier session's records set the stage, and nothing else.
func TestReplayedRecords(t *testing.T) {
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(userText("a"))
	got := in.Add(session.Record{Key: "u1", Order: 1, Body: body}, true)
	if len(got) != 1 {
		t.Fatalf("events: %+v", got)
	}
	if _, ok := got[0].What.(*session.Context); !ok {
		t.Errorf("event: %+v", got[0].What)
	}
}
