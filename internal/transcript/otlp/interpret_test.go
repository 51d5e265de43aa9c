package otlp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/transcripttest"
)

func TestConversation(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"children before their parents": {
			request(spanText(traceA, 2, 1, asked("hi", "hello")...)) + request(spanText(traceA, 1, 0,
				text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`))),
			[]string{"typed: hi", "answer: hello"},
		},
		"two turns": {
			request(spanText(traceA, 1, 0, asked("hi", "hello", inSession("s"))...), spanText(traceB, 2, 0, asked("hi", "hello again", inSession("s"))...)),
			[]string{"typed: hi", "answer: hello", "typed: hi", "answer: hello again"},
		},
		"a tool that failed": {
			strings.Replace(request(spanText(traceA, 1, 0, asked("hi", "hello")...),
				spanText(traceA, 2, 1, text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", "f"), text("gen_ai.tool.call.id", "c"))),
				`c"}}],"status":{}`, `c"}}],"status":{"code":2,"message":"no disk"}`, 1),
			[]string{"typed: hi", "answer: hello", "call c f", "result c error:  no disk"},
		},
		"an exception says why": {
			strings.Replace(request(spanText(traceA, 1, 0, asked("hi", "")...)), `"status":{}`,
				`"status":{"code":"STATUS_CODE_ERROR"},"events":[{"name":"exception","attributes":[`+text("exception.message", "overloaded")+`]}]`, 1),
			[]string{"typed: hi", "answer:  overloaded"},
		},
		"the parent that sampling took away": {
			request(spanText(traceA, 1, 0, text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", "a"),
				text("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`)),
				spanText(traceA, 2, 9, asked("Question: hi", "hello", text("virtual_parent.genai", spanID(1)))...)),
			[]string{"typed: hi", "injected: Question: hi", "answer: hello"},
		},
		"JavaScript's spans": {
			`[{"name":"ai.generateText.doGenerate","spanContext":{"traceId":"` + traceA + `","spanId":"` + spanID(2) + `"},"parentSpanContext":{"spanId":"` + spanID(1) + `"},"startTime":[2,0],"endTime":[3,0],
			"attributes":{"ai.operationId":"ai.generateText.doGenerate","ai.prompt.messages":"[{\"role\":\"user\",\"content\":\"hi\"}]","ai.response.text":"hello"}},
			{"name":"ai.generateText","spanContext":{"traceId":"` + traceA + `","spanId":"` + spanID(1) + `"},"startTime":[1,0],"endTime":[4,0],
			"attributes":{"ai.operationId":"ai.generateText","ai.prompt":"{\"prompt\":\"hi\"}","ai.response.text":"hello","ai.usage.promptTokens":9}}]`,
			[]string{"typed: hi", "answer: hello"},
		},
		"log records with the messages of a span": {
			request(spanText(traceA, 1, 0, text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "m"), count("gen_ai.usage.output_tokens", 3))) +
				`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` +
				`{"traceId":"` + traceA + `","spanId":"` + spanID(1) + `","timeUnixNano":"1700000001100000000","eventName":"gen_ai.user.message","body":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"hi"}}]}}},` +
				`{"traceId":"` + traceA + `","spanId":"` + spanID(1) + `","timeUnixNano":"1700000001200000000","attributes":[` + text("event.name", "gen_ai.choice") + `],"body":{"kvlistValue":{"values":[{"key":"message","value":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"hello"}}]}}}]}}}` +
				`]}]}]}`,
			[]string{"typed: hi", "answer: hello"},
		},
		"a log record without its span": {
			`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"` + traceA + `","spanId":"` + spanID(1) + `","timeUnixNano":"5","eventName":"gen_ai.client.inference.operation.details","attributes":[` + strings.Join(asked("hi", "hello"), ",") + `]}]}]}]}`,
			[]string{"typed: hi", "answer: hello"},
		},
		"nothing of models": {request(spanText(traceA, 1, 0, text("http.request.method", "GET"))), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, script(events(t, test.text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	es := events(t, request(spanText(traceA, 1, 0, asked("hi", "hello", text("gen_ai.response.id", "r"), text("gen_ai.response.model", "m-1"),
		text("gen_ai.provider.name", "anthropic"), count("gen_ai.usage.cache_read.input_tokens", 4),
		`{"key":"gen_ai.response.finish_reasons","value":{"arrayValue":{"values":[{"stringValue":"stop"}]}}}`)...)))
	want := &session.Answer{
		MessageID: "r", Model: "m-1", Provider: "anthropic", StopReason: "stop", Began: 1700000001000,
		Content: []session.Part{{Type: session.Text, Text: "hello"}},
		Usage:   &session.Usage{InputTokens: 6, CacheReadTokens: 4, OutputTokens: 3},
	}
	if diff := cmp.Diff([]*session.Answer{want}, transcripttest.Of[*session.Answer](es)); diff != "" {
		t.Error(diff)
	}
	if at := es[len(es)-1].At; at != 1700000001500 {
		t.Errorf("told at %d, want the end of the span", at)
	}
	if facts := transcripttest.Of[*session.Facts](es); len(facts) != 1 || facts[0].Name != "planner" {
		t.Errorf("facts %+v, want the service's name", facts)
	}
	if holds := transcripttest.Of[*session.Context](es); len(holds) != 1 || holds[0].HarnessVersion != "1.2" {
		t.Errorf("context %+v, want the service's version", holds)
	}
}

// A span that counts in another session is not told again.
func TestReplayedSpan(t *testing.T) {
	s := tapeOf(t, save(t, "t.json", request(spanText(traceA, 1, 0, asked("hi", "hello")...), spanText(traceA, 2, 0, asked("hi", "hello", inSession("s"))...))))
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.ordered("s") {
		if (r.Origin == "") != strings.HasSuffix(r.Key, spanID(2)) {
			t.Errorf("%s has the origin %q: those that name no session may be in two", r.Key, r.Origin)
		}
		in.Add(r, r.Origin != "")
	}
	if got := script(in.End()); len(got) != 2 {
		t.Errorf("%q, want one prompt and one answer", got)
	}
}
