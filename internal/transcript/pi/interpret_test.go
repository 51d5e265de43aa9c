package pi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

// TestScript checks what is told, in the order in which it is.
func TestScript(t *testing.T) {
	for name, tc := range map[string]struct{ entries, want []string }{
		"a conversation": {
			[]string{user(0, "a", "null", "hi"), assistant(1, "b", "a", "hello"), user(2, "c", "b", "bye")},
			[]string{"typed: hi", "answer: hello", "typed: bye"},
		},
		"content of all kinds": {
			[]string{
				message(0, "a", "null", `"role":"user","content":[{"type":"text","text":"look"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"new","x":1}]`),
				message(1, "b", "a", `"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"thinking","thinking":"","thinkingSignature":"AAAA"},{"type":"thinking"},{"type":"toolCall","id":"t1","name":"read","arguments":{"path":"x"}}],"stopReason":"toolUse"`),
				message(2, "c", "b", `"role":"toolResult","toolCallId":"t1","content":[{"type":"text","text":"\n no such file"}],"isError":true`),
				message(3, "d", "c", `"role":"toolResult","toolCallId":"t2","content":[]`),
			},
			[]string{`typed: look | [image/png 3] | {"type":"new","x":1}`, `answer: (hm 0) | ( 3) | t1=read {"path":"x"}`, "result error: \n no such file no such file", "result ok:"},
		},
		"a prompt while the model works": {
			[]string{
				message(0, "a", "null", `"role":"assistant","content":[{"type":"toolCall","id":"t"}],"stopReason":"toolUse"`),
				user(1, "b", "a", "faster"), assistant(2, "c", "b", "ok"), user(3, "d", "c", "thanks"),
			},
			[]string{"answer: t=", "queued: faster", "answer: ok", "typed: thanks"},
		},
		"failures": {
			[]string{
				message(0, "a", "null", `"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"`),
				message(1, "b", "a", `"role":"assistant","content":[],"stopReason":"error"`),
				message(2, "c", "b", `"role":"assistant","content":[],"stopReason":"aborted","errorMessage":"stopped"`),
			},
			[]string{"answer:  overloaded", "answer:  the provider failed", "answer:", "note interrupted: stopped"},
		},
		"a person's shell commands": {
			[]string{
				message(0, "a", "null", `"role":"bashExecution","command":"ls","output":"a","exitCode":0`),
				message(1, "b", "a", `"role":"bashExecution","command":"false","output":"","exitCode":1`),
				message(2, "c", "b", `"role":"bashExecution","command":"sleep 9","output":"","cancelled":true`),
				message(3, "d", "c", `"role":"bashExecution"`),
			},
			[]string{
				`call: bash {"command":"ls"}`, "result ok: a", `call: bash {"command":"false"}`, "result error:  exit code 1",
				`call: bash {"command":"sleep 9"}`, "result interrupted:  cancelled", "call: bash ", "result ok:",
			},
		},
		"summaries": {
			[]string{
				entry(0, "compaction", "a", "null", `"summary":"so far","tokensBefore":5`),
				entry(1, "branch_summary", "b", "a", `"summary":"the other way"`),
				message(2, "c", "b", `"role":"compactionSummary","summary":"x"`),
				message(3, "d", "c", `"role":"branchSummary","summary":"y"`),
			},
			[]string{"note compaction:", "summary: so far", "summary: the other way", "summary: x", "summary: y"},
		},
		"what extensions tell the model": {
			[]string{
				entry(0, "custom_message", "a", "null", `"content":"x","display":true`),
				message(1, "b", "a", `"role":"hookMessage","content":"y"`),
				message(2, "c", "b", `"role":"custom","content":[{"type":"text","text":"z"}]`),
				entry(3, "custom", "d", "c", `"data":{"content":"private"}`),
			},
			[]string{"injected: x", "injected: y", "injected: z"},
		},
		"labels and names": {
			[]string{entry(0, "label", "a", "null", `"label":"here","targetId":"z"`), entry(1, "label", "b", "a", `"targetId":"z"`), entry(2, "session_info", "c", "b", `"name":"Fix it"`), entry(3, "session_info", "d", "c", `"name":7`)},
			[]string{"note label: here", "title: Fix it"},
		},
		"branches": {
			[]string{
				user(0, "a", "null", "one"), assistant(1, "b", "a", "1"), user(2, "c", "b", "two"), assistant(3, "d", "c", "2"),
				user(4, "e", "b", "two otherwise"), assistant(5, "f", "e", "2'"), user(6, "g", "null", "from the start"),
			},
			[]string{"typed: one", "answer: 1", "typed: two", "answer: 2", "note branch: b", "typed: two otherwise", "answer: 2'", "note branch:", "typed: from the start"},
		},
		"version 1 has no tree": {
			[]string{
				`{"type":"message","timestamp":"2026-01-02T03:04:01.000Z","message":{"role":"user","content":"hi"}}`,
				`{"type":"compaction","timestamp":"2026-01-02T03:04:02.000Z","summary":"s","firstKeptEntryIndex":1,"tokensBefore":9}`,
			},
			[]string{"typed: hi", "note compaction:", "summary: s"},
		},
		"wrong types": {
			[]string{
				entry(0, "message", "a", "null", `"message":"x"`), message(1, "b", "a", `"role":"user","content":7`), message(2, "c", "b", `"role":"assistant","content":{"type":"text","text":7},"usage":[],"stopReason":{}`),
				message(3, "d", "c", `"role":"toolResult","content":null,"isError":"x"`), entry(4, "new", "e", "d", `"x":1`), `{"type":7,"id":{}}`, `[1]`,
			},
			[]string{"note :", "answer:", "result ok:", "note new:", "note :", "note :"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, script(told(t, tc.entries...))); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	usage := `"usage":{"input":1,"output":5,"cacheRead":10,"cacheWrite":20,"reasoning":2,"cost":{"total":0.25}}`
	one := session.Usage{InputTokens: 1, OutputTokens: 5, CacheReadTokens: 10, CacheWriteTokens: 20, ReasoningTokens: 2, Cost: session.Dollars(0.25)}
	for name, tc := range map[string]struct {
		entry string
		want  session.Usage
	}{
		"an answer":             {message(0, "a", "null", `"role":"assistant","content":[],`+usage), one},
		"a summary":             {entry(0, "compaction", "a", "null", `"summary":"s",`+usage), one},
		"a summary of a branch": {entry(0, "branch_summary", "a", "null", usage), one},
		"a tool's own models":   {message(0, "a", "null", `"role":"toolResult","toolCallId":"t",`+usage), one},
		"other work":            {entry(0, "usage", "a", "null", usage), one},
		"nothing known":         {message(0, "a", "null", `"role":"assistant","content":"x"`), session.Usage{Partial: true}},
		"numbers that can't be": {message(0, "a", "null", `"role":"assistant","usage":{"input":-1,"output":1e300,"cost":{"total":1e300}}`), session.Usage{OutputTokens: maxTokens}},
	} {
		if diff := cmp.Diff(tc.want, usageOfAll(told(t, tc.entry))); diff != "" {
			t.Errorf("%s: used (-want +got):\n%s", name, diff)
		}
	}
}

func TestFactsAndContext(t *testing.T) {
	got := events(t, read(t, write(t, "s.jsonl",
		`{"type":"session","id":"own","timestamp":"2026-01-02T03:04:05Z","cwd":"/w","provider":"p","modelId":"m"}`,
		entry(6, "model_change", "a", "null", `"provider":"q","modelId":"n"`),
		message(8, "b", "a", `"role":"assistant","content":"x","model":"n","responseId":"r","timestamp":1767323047000`),
		header("other", ""),
	)).records, nil)
	started, _ := session.ParseTime("2026-01-02T03:04:05Z")
	began, _ := session.ParseTime("2026-01-02T03:04:07Z")
	want := []session.What{
		&session.Facts{StartedAt: started},
		&session.Context{Model: "m", Provider: "p", Cwd: "/w"},
		&session.Context{Model: "n", Provider: "q"},
		&session.Answer{MessageID: "r", Model: "n", Content: textParts("x"), Usage: &session.Usage{Partial: true}, Began: began},
	}
	var whats []session.What
	for _, e := range got {
		whats = append(whats, e.What)
	}
	if diff := cmp.Diff(want, whats); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
