package gemini

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/transcripttest"
)

const logStart = `{"sessionId":"s1","projectHash":"h","startTime":"2026-01-02T03:04:05Z","lastUpdated":"2026-01-02T03:04:05Z","kind":"main"}`

func user(id, text string) string {
	return `{"id":"` + id + `","timestamp":"2026-01-02T03:04:06Z","type":"user","content":"` + text + `"}`
}

func model(id, text, more string) string {
	return `{"id":"` + id + `","timestamp":"2026-01-02T03:04:07Z","type":"gemini","content":"` + text + `","model":"gemini-x"` + more + `}`
}

func snapshot(updated string, messages ...string) string {
	return `{"sessionId":"s1","projectHash":"h","startTime":"2026-01-02T03:04:05Z","lastUpdated":"2026-01-02T` + updated +
		`Z","summary":"Greets","messages":[` + strings.Join(messages, ",") + `]}`
}

// logged interprets a log that begins with its first line.
func logged(t *testing.T, lines ...string) []session.Event {
	t.Helper()
	text := strings.Join(append([]string{logStart}, lines...), "\n") + "\n"
	return events(t, transcripttest.Save(t, t.TempDir(), "chats/session-1.jsonl", text))
}

func TestLogEdits(t *testing.T) {
	compressed := user("c", `<state_snapshot>said before</state_snapshot>`)
	tests := map[string]struct {
		lines []string
		want  []string
	}{
		"a message again stands in the place of the earlier one": {
			[]string{user("u", "hi"), model("g", "he", ""), user("v", "more"), model("g", "hello", "")},
			[]string{"typed: hi", "answer: hello", "typed: more"},
		},
		"a rewind takes away the message and all behind it": {
			[]string{user("u", "hi"), model("g", "hello", ""), user("v", "wrong"), model("h", "oops", ""), `{"$rewindTo":"v"}`, user("w", "right")},
			[]string{"typed: hi", "answer: hello", "typed: right"},
		},
		"a rewind acts again when it comes again": {
			[]string{user("u", "hi"), `{"$rewindTo":"u"}`, user("u", "hi"), model("g", "hello", ""), `{"$rewindTo":"u"}`},
			nil,
		},
		"a rewind to what is not there takes away all": {
			[]string{user("u", "hi"), `{"$rewindTo":"x"}`, user("v", "again")},
			[]string{"typed: again"},
		},
		"messages in a $set are the history": {
			[]string{user("u", "hi"), model("g", "hello", ""), `{"$set":{"messages":[` + user("v", "new") + `]}}`, model("h", "yes", "")},
			[]string{"typed: new", "answer: yes"},
		},
		"what was compressed is kept": {
			[]string{user("u", "hi"), model("g", "hello", ""), `{"$set":{"messages":[` + compressed + `,` + model("h", "got it", "") + `]}}`, user("v", "on")},
			[]string{"typed: hi", "answer: hello", "note compaction:", "summary: <state_snapshot>said before</state_snapshot>", "answer: got it", "typed: on"},
		},
		"other metadata changes no message": {
			[]string{user("u", "hi"), `{"$set":{"lastUpdated":"2026-01-02T03:04:09Z"}}`, `{"something":"new"}`},
			[]string{"typed: hi"},
		},
		"types that are wrong are no messages": {
			[]string{`{"id":7,"type":"user","content":"no"}`, `{"$set":"x"}`, `{"$rewindTo":3}`, `[1]`, user("u", "hi"), `{"id":"w","type":4,"content":{"a":1},"toolCalls":9,"tokens":[]}`},
			[]string{"typed: hi", "note 4:"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, script(logged(t, test.lines...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMessageForms(t *testing.T) {
	tests := map[string]struct {
		line string
		want []string
	}{
		"parts": {
			`{"id":"u","type":"user","content":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"fileData":{"mimeType":"text/plain","fileUri":"gs://x"}},{"new":1}]}`,
			[]string{`typed: see | [image/png 3] | [text/plaings://x 0] | {"new":1}`},
		},
		"what was shown, and what the harness put behind it": {
			`{"id":"u","type":"user","content":[{"text":"read @a"},{"text":"\n--- Content from referenced files ---"},{"text":"A"}],"displayContent":"read @a"}`,
			[]string{"typed: read @a", "injected: \n--- Content from referenced files --- | A"},
		},
		"files behind a prompt, without what was shown": {
			`{"id":"u","type":"user","content":[{"text":"read @a"},{"text":"\n--- Content from referenced files ---"},{"text":"A"}]}`,
			[]string{"typed: read @a", "injected: \n--- Content from referenced files --- | A"},
		},
		"results that stand with their calls are no prompt": {
			`{"id":"u","type":"user","content":[{"functionResponse":{"id":"c","response":{"output":"x"}}}]}`, nil,
		},
		"the harness going on": {
			`{"id":"u","type":"user","content":"System: Please continue."}`, []string{"injected: System: Please continue."},
		},
		"the harness' context": {
			`{"id":"u","type":"user","content":"<session_context>\nToday</session_context>"}`, []string{"injected: <session_context>\nToday</session_context>"},
		},
		"a command": {`{"id":"u","type":"user","content":"/chat save"}`, []string{"command: /chat save"}},
		"a path":    {`{"id":"u","type":"user","content":"/etc/hosts is what?"}`, []string{"typed: /etc/hosts is what?"}},
		"tags within what a person wrote": {
			`{"id":"u","type":"user","content":"why <state_snapshot> here?"}`, []string{"typed: why <state_snapshot> here?"},
		},
		"a failure":  {`{"id":"e","type":"error","content":"quota"}`, []string{"note error: quota"}},
		"a stop":     {`{"id":"e","type":"info","content":"Request cancelled."}`, []string{"note interrupted: Request cancelled."}},
		"thoughts":   {model("g", "done", `,"thoughts":[{"subject":"S","description":"D"}]`), []string{"answer: (S\nD) | done"}},
		"no content": {`{"id":"g","type":"gemini"}`, []string{"answer:"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := script(logged(t, test.line))
			for i := range got {
				got[i] = strings.TrimRight(got[i], " ")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestToolCalls(t *testing.T) {
	const shell = `"name":"run_shell_command","args":{"command":"ls"},"result":[{"functionResponse":{"response":{"output":"`
	tests := map[string]struct {
		call string
		want []string // behind the answer
	}{
		"success":            {`{"id":"c","name":"read","status":"success","result":[{"functionResponse":{"response":{"output":"x"}}}]}`, []string{"result c ok: x"}},
		"error":              {`{"id":"c","name":"read","status":"error","result":[{"functionResponse":{"response":{"error":"no file\nhere"}}}]}`, []string{"result c error: no file\nhere no file"}},
		"cancelled":          {`{"id":"c","name":"read","status":"cancelled","resultDisplay":"by the user"}`, []string{"result c interrupted: by the user by the user"}},
		"waiting":            {`{"id":"c","name":"read","status":"awaiting_approval"}`, nil},
		"no id":              {`{"name":"read","status":"success"}`, []string{"result g#1 ok:"}},
		"failed command":     {`{"id":"c","status":"success",` + shell + `Output: x\nExit Code: 2\nSignal: 0"}}}]}`, []string{"result c error: Output: x\nExit Code: 2\nSignal: 0 exit code 2"}},
		"good command":       {`{"id":"c","status":"success",` + shell + `Output: x\nExit Code: 0"}}}]}`, []string{"result c ok: Output: x\nExit Code: 0"}},
		"talk of exit codes": {`{"id":"c","status":"success",` + shell + `Exit Code: 2\nis what it said"}}}]}`, []string{"result c ok: Exit Code: 2\nis what it said"}},
		"structured":         {`{"id":"c","name":"x","status":"success","result":[{"functionResponse":{"response":{"rows":[1]}}}]}`, []string{`result c ok: {"rows":[1]}`}},
		"sub-agent": {
			`{"id":"c","name":"invoke_agent","args":{"agent_name":"finder"},"agentId":"finder-1","status":"success","result":"found"}`,
			[]string{"spawn c: gemini:finder-1 finder", "result c ok: found"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := script(logged(t, model("g", "", `,"toolCalls":[`+test.call+`]`)))
			if diff := cmp.Diff(test.want, append([]string(nil), got[1:]...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		tokens string
		want   session.Usage
	}{
		"cached are of the input, thoughts of the output": {
			`{"input":100,"output":7,"cached":60,"thoughts":3,"tool":5,"total":115}`,
			session.Usage{InputTokens: 45, CacheReadTokens: 60, OutputTokens: 10, ReasoningTokens: 3},
		},
		"more cached than input": {`{"input":10,"cached":60}`, session.Usage{CacheReadTokens: 10}},
		"not counted":            {`null`, session.Usage{Partial: true}},
		"nonsense":               {`{"input":-5,"output":"x","cached":1e400}`, session.Usage{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			answers := transcripttest.Of[*session.Answer](logged(t, model("g", "x", `,"tokens":`+test.tokens)))
			if diff := cmp.Diff(&test.want, answers[0].Usage); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSession(t *testing.T) {
	es := events(t, transcripttest.Save(t, t.TempDir(), "chats/session-1.json", snapshot("04:00:00", user("u", "hi"))))
	if got := transcripttest.Of[*session.Title](es); len(got) != 1 || got[0].Text != "Greets" {
		t.Errorf("titles %v", got)
	}
	if got := transcripttest.Of[*session.Facts](es)[0].StartedAt.String(); got != "2026-01-02T03:04:05.000Z" {
		t.Errorf("started at %s", got)
	}
	if got := transcripttest.Of[*session.Context](es); got != nil {
		t.Errorf("contexts %v, want none: only a hash of the folder is known", got)
	}
}
