package claudecode

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

// eventsOf interprets lines in the order in which they stand.
func eventsOf(t *testing.T, lines ...string) []session.Event {
	t.Helper()
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var events []session.Event
	for i, l := range lines {
		e := readEnvelope([]byte(l))
		events = append(events, add(in, e.record([]byte(strings.TrimSpace(l)), int64(i)))...)
	}
	return append(events, in.End()...)
}

// promptsOf says what events say in the user's role: "origin: text | text".
func promptsOf(events []session.Event) []string {
	var prompts []string
	for _, e := range events {
		switch what := e.What.(type) {
		case *session.Prompt:
			var texts []string
			for _, p := range what.Content {
				texts = append(texts, p.Text)
			}
			prompts = append(prompts, fmt.Sprintf("%s: %s", what.Origin, strings.Join(texts, " | ")))
		case *session.Note:
			prompts = append(prompts, what.Name+": "+what.Text)
		}
	}
	return prompts
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

func userText(text string, fields ...string) string {
	return lineOf("u1", "", "user", append(fields, `"message":{"role":"user","content":`+quote(text)+`}`)...)
}

func userBlocks(blocks string, fields ...string) string {
	return lineOf("u1", "", "user", append(fields, `"message":{"role":"user","content":[`+blocks+`]}`)...)
}

func TestPrompts(t *testing.T) {
	reminder := "<system-reminder>\nbe brief\n</system-reminder>"
	for _, test := range []struct {
		name string
		line string
		want []string
	}{
		{"typed", userText("fix it"), []string{"typed: fix it"}},
		{"typed, as a block", userBlocks(`{"type":"text","text":"fix it"}`), []string{"typed: fix it"}},
		{"blanks are kept", userText("  fix it\n\n"), []string{"typed:   fix it\n\n"}},
		{"tags inside of a text", userText("why is <summary>x</summary> in <system-reminder> here?"), []string{"typed: why is <summary>x</summary> in <system-reminder> here?"}},
		{"a text in tags of its own", userText("<summary>\nwhat I did\n</summary>"), []string{"typed: <summary>\nwhat I did\n</summary>"}},
		{"a reminder in the midst", userText("a\n" + reminder + "\nb"), []string{"typed: a\n" + reminder + "\nb"}},
		{"a reminder quoted at the end of a line", userText("what is <system-reminder>x</system-reminder>"), []string{"typed: what is <system-reminder>x</system-reminder>"}},
		{"a reminder before", userText(reminder + "\n\nfix it"), []string{"typed: fix it", "injected: " + reminder}},
		{"reminders around", userText(reminder + "\nfix <summary>it</summary>\n" + reminder), []string{"typed: fix <summary>it</summary>", "injected: " + reminder + " | " + reminder}},
		{"a reminder that does not end", userText("<system-reminder> what is that?"), []string{"typed: <system-reminder> what is that?"}},
		{"a reminder alone", userText(reminder), []string{"injected: " + reminder}},
		{"a file opened in the editor", userBlocks(`{"type":"text","text":"<ide_opened_file>a.go</ide_opened_file>"},{"type":"text","text":"fix it"}`), []string{"typed: fix it", "injected: <ide_opened_file>a.go</ide_opened_file>"}},
		{"added by the harness", userText("read the skill", `"isMeta":true`), []string{"injected: read the skill"}},
		{"by the system", userText("go on", `"promptSource":"system"`), []string{"injected: go on"}},
		{"by a task", userText("done", `"origin":{"kind":"task-notification"}`), []string{"injected: done"}},
		{"queued", userText("and this", `"promptSource":"queued"`), []string{"queued: and this"}},
		{"a summary of compacted history", userText("This session is …", `"isCompactSummary":true`), []string{"summary: This session is …"}},
		{"a command", userText("<command-name>/review</command-name>\n <command-message>review</command-message>\n<command-args>the tests</command-args>"), []string{"command: /review the tests"}},
		{"a command, message first", userText("<command-message>init is running</command-message>\n<command-name>init</command-name>"), []string{"command: /init"}},
		{"what a command printed", userText("<local-command-stdout>Bye!</local-command-stdout>"), []string{"injected: <local-command-stdout>Bye!</local-command-stdout>"}},
		{"a shell command", userText("<bash-input>ls -l</bash-input>"), []string{"command: ! ls -l"}},
		{"what a shell command printed", userText("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"), []string{"injected: <bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"}},
		{"the caveat of old versions", userText(caveat + " DO NOT"), []string{"injected: " + caveat + " DO NOT"}},
		{"a notification with more behind it", userText("<task-notification><task-id>b1</task-id></task-notification>\nFull transcript at x"), []string{"injected: <task-notification><task-id>b1</task-id></task-notification>\nFull transcript at x"}},
		{"interrupted", userBlocks(`{"type":"text","text":"[Request interrupted by user for tool use]"}`), []string{"interrupted: [Request interrupted by user for tool use]"}},
		{"text beside a result", userBlocks(`{"type":"tool_result","tool_use_id":"c","content":"x"},{"type":"text","text":"note"}`), []string{"injected: note"}},
		{"to a sub-agent", userText("look for x", `"agentId":"a1"`), []string{"delegated: look for x"}},
		{"to a teammate", userText("<teammate-message teammate_id=\"lead\">look for x</teammate-message>", `"agentId":"a1"`), []string{"delegated: <teammate-message teammate_id=\"lead\">look for x</teammate-message>"}},
		{"from a teammate", userText("<teammate-message teammate_id=\"a\">found x</teammate-message>"), []string{"injected: <teammate-message teammate_id=\"a\">found x</teammate-message>"}},
		{"attached while the model was at work", lineOf("u1", "", "attachment", `"attachment":{"type":"queued_command","commandMode":"prompt","prompt":"and this"}`), []string{"queued: and this"}},
		{"attached as blocks", lineOf("u1", "", "attachment", `"attachment":{"type":"queued_command","prompt":[{"type":"text","text":"and this"}]}`), []string{"queued: and this"}},
		{"attached by a task", lineOf("u1", "", "attachment", `"attachment":{"type":"queued_command","commandMode":"prompt","prompt":"<task-notification></task-notification>"}`), []string{"injected: <task-notification></task-notification>"}},
		{"attached by another agent", lineOf("u1", "", "attachment", `"attachment":{"type":"queued_command","prompt":"hi","origin":{"kind":"peer"}}`), []string{"injected: hi"}},
		{"attached shell command", lineOf("u1", "", "attachment", `"attachment":{"type":"queued_command","commandMode":"bash","prompt":"ls"}`), []string{"command: ! ls"}},
		{"a command among the harness' lines", lineOf("u1", "", "system", `"subtype":"local_command"`, `"content":"<command-name>/model</command-name>"`), []string{"command: /model"}},
		{"what such a command printed", lineOf("u1", "", "system", `"subtype":"local_command"`, `"content":"Set model to x"`), []string{"injected: Set model to x"}},
		{"blanks alone", userText(" \n"), nil},
		{"an empty block", userBlocks(`{"type":"text","text":""}`), nil},
		{"an image without a word", userBlocks(`{"type":"text","text":""},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}`), []string{"typed:  | "}},
		{"other attachments", lineOf("u1", "", "attachment", `"attachment":{"type":"skill_listing","content":"x"}`), nil},
		{"nothing", userBlocks(``), nil},
		{"wrong types", lineOf("u1", "", "user", `"message":{"content":[1,null,[2],{"type":7}]}`), []string{"typed:  |  |  | "}},
		{"no message", lineOf("u1", "", "user", `"message":"x"`), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, promptsOf(eventsOf(t, test.line))); diff != "" {
				t.Errorf("prompts (-want +got):\n%s", diff)
			}
		})
	}
}

// The key of what a line says does not depend on the lines before it.
func TestKeysOfEvents(t *testing.T) {
	first := userText("<system-reminder>a</system-reminder> hello")
	alone := eventsOf(t, first)
	later := eventsOf(t, lineOf("u0", "", "user", `"message":{"content":"before"}`), first)[2:]
	keys := func(events []session.Event) map[string]string {
		m := map[string]string{}
		for _, e := range events {
			if p, ok := e.What.(*session.Prompt); ok {
				m[string(p.Origin)] = e.Key
			}
		}
		return m
	}
	want := map[string]string{"typed": "u1", "injected": "u1#2"}
	if diff := cmp.Diff(want, keys(alone)); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, keys(later)); diff != "" {
		t.Errorf("keys behind another line (-want +got):\n%s", diff)
	}
}
