package claudecode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

// answerLine is a line of a model's message.
func answerLine(uuid, parent, request, message string, fields ...string) string {
	if request != "" {
		fields = append(fields, fmt.Sprintf(`"requestId":%q`, request))
	}
	return lineOf(uuid, parent, "assistant", append(fields, `"message":{"role":"assistant",`+message+`}`)...)
}

func answersOf(events []session.Event) []*session.Answer {
	var answers []*session.Answer
	for _, e := range events {
		if a, ok := e.What.(*session.Answer); ok {
			answers = append(answers, a)
		}
	}
	return answers
}

func TestAnswer(t *testing.T) {
	got := answersOf(eventsOf(t, answerLine("a1", "u1", "req_1", `"id":"msg_1","model":"claude-x","stop_reason":"tool_use","content":[
		{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"xyz"},{"type":"text","text":"I look"},
		{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls"}},{"type":"new_kind","x":1}],
		"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":50}`)))
	want := []*session.Answer{{
		Merge: "msg_1:req_1", MessageID: "msg_1", RequestID: "req_1", Model: "claude-x", Provider: "anthropic", StopReason: "tool_use",
		Usage: &session.Usage{InputTokens: 3, CacheReadTokens: 100, CacheWriteTokens: 20, OutputTokens: 50},
		Content: []session.Part{
			{Type: session.Thinking, Text: "hm"}, {Type: session.Thinking}, {Type: session.Text, Text: "I look"},
			{Type: session.ToolCall, ID: "c1", Name: "Bash", Input: []byte(`{"command":"ls"}`)},
			{Type: session.Data, Input: []byte(`{"type":"new_kind","x":1}`)},
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestAnswerOfTheHarness(t *testing.T) {
	got := answersOf(eventsOf(t, answerLine("a1", "u1", "", `"id":"x","model":"<synthetic>","content":[{"type":"text","text":"API Error: 500\nmore"}],"usage":{"input_tokens":0,"output_tokens":0}`, `"isApiErrorMessage":true`)))
	if len(got) != 1 || !got[0].Synthetic || got[0].Usage != nil || got[0].Model != "" || got[0].Error != "API Error: 500" {
		t.Errorf("answers: %+v", got[0])
	}
}

// What a tool gave that ran at the provider stands in the model's own message.
func TestServerTools(t *testing.T) {
	events := eventsOf(t, answerLine("a1", "u1", "req_1", `"id":"msg_1","content":[
		{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},
		{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","url":"u"}]}]`))
	answers := answersOf(events)
	result, ok := events[len(events)-1].What.(*session.Result)
	if len(answers) != 1 || len(answers[0].Content) != 1 || !ok || result.CallID != "s1" || len(result.Content) != 1 {
		t.Errorf("events: %+v", events)
	}
}

func TestMerge(t *testing.T) {
	usage := func(input, output int) string {
		return fmt.Sprintf(`"usage":{"input_tokens":%d,"output_tokens":%d}`, input, output)
	}
	same := func(uuid, parent string, input int) string {
		return answerLine(uuid, parent, "", `"id":"same",`+usage(input, 1))
	}
	user := func(uuid, parent string) string { return lineOf(uuid, parent, "user", `"message":{"content":"x"}`) }
	for _, test := range []struct {
		name  string
		lines []string
		want  string // merges
	}{
		{"by request", []string{answerLine("a1", "u", "r1", `"id":"m",`+usage(1, 1)), answerLine("a2", "a1", "r1", `"id":"m",`+usage(1, 9))}, "m:r1 m:r1"},
		{"requests apart", []string{answerLine("a1", "u", "r1", `"id":"m"`), answerLine("a2", "u", "r2", `"id":"m"`)}, "m:r1 m:r2"},
		{"lines that follow each other", []string{same("a1", "u1", 100), same("a2", "a1", 100), same("a3", "a2", 100)}, "same@a1 same@a1 same@a1"},
		{"with corrected usage", []string{same("a1", "u1", 43), same("a2", "a1", 61)}, "same@a1 same@a1"},
		{"with progress between", []string{same("a1", "u1", 1), lineOf("p1", "a1", "progress", `"data":{"type":"hook_progress"}`), same("a2", "p1", 1)}, "same@a1 same@a1"},
		{"a gateway's, with the same input", []string{same("a1", "u1", 101), user("u2", "a1"), same("a2", "u2", 101), user("u3", "a2"), same("a3", "u3", 101)}, "same@a1 same@a2 same@a3"},
		{"results between, parallel", []string{same("a1", "u1", 5), user("r1", "a1"), same("a2", "a1", 5)}, "same@a1 same@a1"},
		{"without parents, the same input", []string{same("a1", "", 5), same("a2", "", 5), same("a3", "", 6)}, "same@a1 same@a1 same@a3"},
		{"without identifier", []string{answerLine("a1", "u", "", usage(1, 1)), answerLine("a2", "a1", "", usage(1, 1))}, " "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var merges []string
			for _, a := range answersOf(eventsOf(t, test.lines...)) {
				merges = append(merges, a.Merge)
			}
			if got := strings.Join(merges, " "); got != test.want {
				t.Errorf("merges %q, want %q", got, test.want)
			}
		})
	}
}

func TestPartialUsage(t *testing.T) {
	long := `"content":[{"type":"text","text":"` + strings.Repeat("x", 500) + `"}]`
	line := func(version, stop, content string, output int) string {
		l := answerLine("a1", "u1", "r1", fmt.Sprintf(`"id":"m","stop_reason":%s,%s,"usage":{"input_tokens":1,"output_tokens":%d}`, stop, content, output))
		return strings.Replace(l, `"version":"2.1.40"`, fmt.Sprintf(`"version":%q`, version), 1)
	}
	for _, test := range []struct {
		name string
		line string
		want bool
	}{
		{"few tokens for much", line("2.1.40", "null", long, 3), true},
		{"enough tokens", line("2.1.40", "null", long, 300), false},
		{"few tokens for little", line("2.1.40", "null", `"content":"ok"`, 3), false},
		{"few tokens of a finished message", line("2.1.40", `"end_turn"`, long, 3), false},
		{"a version that wrote early", line("2.1.12", "null", `"content":"ok"`, 3), true},
		{"a version after those", line("2.1.26", "null", `"content":"ok"`, 3), false},
		{"a version before those", line("2.1.2", "null", `"content":"ok"`, 3), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := eventsOf(t, test.line, test.line)
			answers, told := answersOf(events), 0
			for _, e := range events {
				if f, ok := e.What.(*session.Facts); ok && f.Partial != "" {
					told++
				}
			}
			if answers[0].Usage.Partial != test.want || told > 1 || (told == 1) != test.want {
				t.Errorf("partial: %v, told %d times; want %v", answers[0].Usage.Partial, told, test.want)
			}
		})
	}
}

func TestUsageOfWrongTypes(t *testing.T) {
	got := answersOf(eventsOf(t, answerLine("a1", "u1", "r1", `"id":"m","usage":{"input_tokens":"7","output_tokens":-3,"cache_read_input_tokens":1e300,"cache_creation_input_tokens":null}`)))
	want := &session.Usage{CacheReadTokens: maxTokens}
	if diff := cmp.Diff(want, got[0].Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}
