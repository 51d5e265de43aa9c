package langfuse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/transcripttest"
)

func TestConversation(t *testing.T) {
	call := `,"output":{"role":"assistant","tool_calls":[{"id":"c","name":"f","args":{"a":1}}]}`
	tests := map[string]struct {
		more         string // of the trace
		observations []string
		want         []string
	}{
		"a generation": {"", []string{observed(1, "a", "", "GENERATION", hi+hello)}, []string{"typed: hi", "answer: hello"}},
		"encoded, and encoded again": {"", []string{observed(1, "a", "", "GENERATION",
			`,"input":"[{\"role\":\"user\",\"content\":\"hi\"}]","output":"\"\\\"hello\\\"\""`)}, []string{"typed: hi", "answer: hello"}},
		"a generation in a generation": {"", []string{
			observed(1, "out", "", "GENERATION", `,"input":["what a program has"]`+call),
			observed(2, "in", "out", "GENERATION", `,"input":"system: be good\nuser: hi","output":"None"`),
		}, []string{"injected: be good", "typed: hi", `answer: c=f {"a":1}`}},
		"a tool by its type": {"", []string{
			observed(1, "a", "", "GENERATION", hi+call),
			observed(2, "execute_tool f", "", "TOOL", `,"input":{"a":1},"output":"done"`),
		}, []string{"typed: hi", `answer: c=f {"a":1}`, "call c", "result c ok: done"}},
		"a tool by its attributes": {"", []string{
			observed(1, "a", "", "GENERATION", hi+call),
			observed(2, "b", "", "SPAN", `,"input":{"a":1},"output":"done","metadata":{"attributes":{"gen_ai.tool.name":"f","gen_ai.tool.call.id":"c"}}`),
		}, []string{"typed: hi", `answer: c=f {"a":1}`, "call c", "result c ok: done"}},
		"a tool by what it gave": {"", []string{
			observed(1, "a", "", "GENERATION", hi+call),
			observed(2, "b", "", "SPAN", `,"input":"{'a': 1}","output":{"type":"tool","name":"f","tool_call_id":"c","content":"no","status":"error"}`),
		}, []string{"typed: hi", `answer: c=f {"a":1}`, "call c", "result c error: no"}},
		"an error": {"", []string{
			strings.Replace(observed(1, "a", "", "GENERATION", hi), `"level":"DEFAULT","statusMessage":null`, `"level":"ERROR","statusMessage":"overloaded"`, 1),
		}, []string{"typed: hi", "answer:  overloaded"}},
		"an agent and its calls": {"", []string{
			observed(1, "a", "", "AGENT", hi+`,"output":"hello"`),
			observed(2, "b", "a", "GENERATION", hi+hello),
		}, []string{"typed: hi", "answer: hello"}},
		"content that only the attributes have": {"", []string{observed(1, "a", "", "GENERATION",
			`,"input":{"own":1},"output":{"own":2},"metadata":"{\"attributes\":{\"llm.input_messages.0.message.role\":\"user\",\"llm.input_messages.0.message.content\":\"hi\",\"llm.output_messages.0.message.content\":\"hello\"}}"`)},
			[]string{"typed: hi", "answer: hello"}},
		"content of no known shape": {"", []string{observed(1, "a", "", "GENERATION", `,"input":{"topic":"x"},"output":{"joke":"y"}`)},
			[]string{`typed: {"topic":"x"}`, `answer: {"joke":"y"}`}},
		"what only the trace has": {`,"input":"\"hi\"","output":"\"hello\""`, []string{
			observed(1, "a", "", "SPAN", ""), observed(2, "b", "a", "GENERATION", `,"usageDetails":{"input":1,"output":1}`),
		}, []string{"typed: hi", "answer: hello"}},
		"what the trace has too": {`,"input":"\"hi\"","output":"\"HELLO\""`, []string{observed(1, "a", "", "GENERATION", hi+hello)},
			[]string{"typed: hi", "answer: hello"}},
		"a trace alone": {`,"input":"hi","output":"hello"`, nil, []string{"typed: hi", "answer: hello"}},
		"a sub-agent": {"", []string{
			observed(1, "a", "", "GENERATION", hi+call),
			observed(2, "f", "", "TOOL", `,"input":{"a":1},"output":"done"`),
			observed(3, "helper", "f", "AGENT", `,"input":"look"`),
			observed(4, "d", "helper", "GENERATION", `,"input":"look","output":"done"`),
		}, []string{"typed: hi", `answer: c=f {"a":1}`, "call c", "spawn c: f f", "result c ok: done", "[f] delegated: look", "[f] answer: done"}},
		"an event, a retrieval": {"", []string{observed(1, "a", "", "EVENT", `,"output":"noted"`), observed(2, "b", "", "RETRIEVER", "")},
			[]string{"note a: noted", "note b:"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, script(events(t, export("t", test.more, test.observations...)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	es := events(t, export("t", "", observed(1, "a", "", "GENERATION", hi+
		`,"output":{"id":"r","choices":[{"finish_reason":"stop","message":{"content":"hello"}}]},"model":"m","usageDetails":{"input":10,"output":3},"costDetails":{"total":0.5},"metadata":{"attributes":{"gen_ai.system":"openai"}}`)))
	const at = 1767323041000
	want := &session.Answer{
		MessageID: "r", Model: "m", Provider: "openai", StopReason: "stop", Began: at,
		Content: []session.Part{{Type: session.Text, Text: "hello"}},
		Usage:   &session.Usage{InputTokens: 10, OutputTokens: 3, Cost: 5e8},
	}
	if diff := cmp.Diff([]*session.Answer{want}, transcripttest.Of[*session.Answer](es)); diff != "" {
		t.Error(diff)
	}
	if last := es[len(es)-1]; last.At != at+500 || last.Record != "observation/a" {
		t.Errorf("told of %s at %d, want observation/a, at its end", last.Record, last.At)
	}
	if facts := transcripttest.Of[*session.Facts](es); len(facts) != 1 || facts[0].Name != "demo" {
		t.Errorf("facts %+v, want the trace's name", facts)
	}
}
