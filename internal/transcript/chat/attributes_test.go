package chat

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// attributesOf are those of a JSON object.
func attributesOf(text string) Attributes {
	all := Attributes{}
	gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
		all[key.Str] = value
		return true
	})
	return all
}

// A summary of a step as far as all dialects tell it.
type summary struct {
	Kind            Kind
	Name            string
	Model, Provider string
	Input, Output   []string
	Tokens          [3]int64 // input, cache read, output
	CallID          string
	Arguments       string
	Given           string
	Stop            string
}

func summaryOf(s *Step, book Book) summary {
	var input []Message
	for _, m := range s.Input {
		input = append(input, *m)
	}
	return summary{
		s.Kind, s.Name, s.Model, s.Provider, told(input), told(s.Output), [3]int64{s.Tokens.Input, s.Tokens.CacheRead, s.Tokens.Output},
		s.CallID, string(s.Arguments), shown(s.Given), s.StopReason,
	}
}

// One call of a model, in each dialect.
func TestDialectsOfACall(t *testing.T) {
	want := summary{
		Kind: Model, Name: "s", Model: "m-1", Provider: "openai", Input: []string{"system: be good", "user: hi"},
		Output: []string{`assistant: hello | c=f{"a":1}`}, Tokens: [3]int64{10, 4, 3}, Stop: "stop",
	}
	tests := map[string]struct {
		attributes string
		events     []Event
		change     func(*summary)
	}{
		"GenAI conventions": {attributes: `{"gen_ai.operation.name":"chat","gen_ai.provider.name":"openai","gen_ai.request.model":"m","gen_ai.response.model":"m-1","gen_ai.usage.input_tokens":10,"gen_ai.usage.output_tokens":3,
			"gen_ai.usage.cache_read.input_tokens":4,"gen_ai.response.finish_reasons":["stop"],"gen_ai.system_instructions":"[{\"type\":\"text\",\"content\":\"be good\"}]",
			"gen_ai.input.messages":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"hi\"}]}]",
			"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"text","content":"hello"},{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}]}]}`},
		"OpenLLMetry": {attributes: `{"llm.request.type":"chat","traceloop.span.kind":"llm","gen_ai.system":"openai","gen_ai.response.model":"m-1","gen_ai.usage.prompt_tokens":"10","gen_ai.usage.completion_tokens":"3","gen_ai.usage.cache_read_input_tokens":4,
			"gen_ai.prompt.0.role":"system","gen_ai.prompt.0.content":"be good","gen_ai.prompt.1.role":"user","gen_ai.prompt.1.content":"[{\"type\":\"text\",\"text\":\"hi\"}]",
			"gen_ai.completion.0.role":"assistant","gen_ai.completion.0.content":"hello","gen_ai.completion.0.finish_reason":"stop","gen_ai.completion.0.tool_calls.0.id":"c","gen_ai.completion.0.tool_calls.0.name":"f","gen_ai.completion.0.tool_calls.0.arguments":"{\"a\":1}"}`,
			change: func(s *summary) { s.Output[0] += " (stop)"; s.Stop = "" }},
		"OpenInference": {attributes: `{"openinference.span.kind":"LLM","llm.provider":"openai","llm.model_name":"m-1","llm.token_count.prompt":10,"llm.token_count.completion":3,"llm.token_count.total":13,"llm.token_count.prompt_details.cache_read":4,
			"llm.input_messages.0.message.role":"system","llm.input_messages.0.message.content":"be good","llm.input_messages.1.message.role":"user","llm.input_messages.1.message.contents.0.message_content.type":"text","llm.input_messages.1.message.contents.0.message_content.text":"hi",
			"llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.content":"hello","llm.output_messages.0.message.tool_calls.0.tool_call.id":"c","llm.output_messages.0.message.tool_calls.0.tool_call.function.name":"f","llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments":"{\"a\":1}",
			"input.value":"{}","output.value":"ignored"}`,
			change: func(s *summary) { s.Stop = "" }},
		"Vercel AI SDK": {attributes: `{"ai.operationId":"ai.generateText.doGenerate","ai.model.provider":"openai.responses","ai.model.id":"m","ai.response.model":"m-1","ai.usage.promptTokens":10,"ai.usage.completionTokens":3,"ai.usage.cachedInputTokens":4,"ai.response.finishReason":"stop",
			"ai.prompt.messages":"[{\"role\":\"system\",\"content\":\"be good\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}]","ai.response.text":"hello","ai.response.toolCalls":"[{\"toolCallId\":\"c\",\"toolName\":\"f\",\"args\":\"{\\\"a\\\":1}\"}]"}`},
		"a span event for each message": {attributes: `{"gen_ai.operation.name":"chat","gen_ai.system":"openai","gen_ai.response.model":"m-1","gen_ai.usage.input_tokens":10,"gen_ai.usage.output_tokens":3,"gen_ai.usage.cache_read.input_tokens":4,"gen_ai.response.finish_reasons":["stop"]}`,
			events: []Event{
				{Name: "gen_ai.system.message", Attributes: attributesOf(`{"content":"be good","gen_ai.system":"openai"}`)},
				{Name: "gen_ai.user.message", Attributes: attributesOf(`{"gen_ai.event.content":"{\"role\":\"user\",\"content\":\"hi\"}"}`)},
				{Name: "gen_ai.choice", Attributes: attributesOf(`{"index":0,"finish_reason":"stop","message":"{\"content\":\"hello\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}"}`)},
			},
			change: func(s *summary) { s.Output[0] += " (stop)" }},
		"one event for all": {attributes: `{"gen_ai.operation.name":"chat","gen_ai.provider.name":"openai","gen_ai.response.model":"m-1","gen_ai.usage.input_tokens":10,"gen_ai.usage.output_tokens":3,"gen_ai.usage.cache_read.input_tokens":4,"gen_ai.response.finish_reasons":["stop"]}`,
			events: []Event{{Name: details, Attributes: attributesOf(`{"gen_ai.system_instructions":[{"type":"text","content":"be good"}],"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"hi"}]}],
				"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"text","content":"hello"},{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}]}]}`)}}},
		"bodies of request and response": {attributes: `{"openinference.span.kind":"LLM","llm.system":"openai","llm.model_name":"m-1","llm.token_count.prompt":10,"llm.token_count.completion":3,"llm.token_count.prompt_details.cache_read":4,
			"input.value":"{\"messages\":[{\"role\":\"system\",\"content\":\"be good\"},{\"role\":\"user\",\"content\":\"hi\"}]}",
			"output.value":"{\"choices\":[{\"message\":{\"content\":\"hello\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}"}`,
			change: func(s *summary) { s.Stop = "" }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := want
			want.Output = append([]string(nil), want.Output...)
			if test.change != nil {
				test.change(&want)
			}
			s, book := &Step{Name: "s"}, Book{}
			attributesOf(test.attributes).Describe(s, test.events, book)
			if diff := cmp.Diff(want, summaryOf(s, book)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDialectsOfATool(t *testing.T) {
	want := summary{Kind: ToolUse, Name: "f", CallID: "c", Arguments: `{"a":1}`, Given: "done"}
	tests := map[string]string{
		"GenAI conventions": `{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"f","gen_ai.tool.call.id":"c","gen_ai.tool.call.arguments":"{\"a\":1}","gen_ai.tool.call.result":"\"done\""}`,
		"structured":        `{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"f","gen_ai.tool.call.id":"c","gen_ai.tool.call.arguments":{"a":1},"gen_ai.tool.call.result":[{"type":"text","text":"done"}]}`,
		"OpenInference":     `{"openinference.span.kind":"TOOL","tool.name":"f","tool_call.id":"c","input.value":"{\"a\":1}","output.value":"done"}`,
		"OpenLLMetry":       `{"traceloop.span.kind":"tool","traceloop.entity.name":"f","gen_ai.tool.call.id":"c","traceloop.entity.input":"{\"a\":1}","traceloop.entity.output":"done"}`,
		"Vercel AI SDK":     `{"ai.operationId":"ai.toolCall","ai.toolCall.name":"f","ai.toolCall.id":"c","ai.toolCall.args":"{\"a\":1}","ai.toolCall.result":"\"done\""}`,
		"Pydantic AI":       `{"gen_ai.tool.name":"f","gen_ai.tool.call.id":"c","tool_arguments":"{\"a\":1}","tool_response":"done"}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			s, book := &Step{Name: "s"}, Book{}
			attributesOf(text).Describe(s, nil, book)
			if diff := cmp.Diff(want, summaryOf(s, book)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	tests := map[string]struct {
		attributes string
		want       Kind
	}{
		"an agent":                       {`{"gen_ai.operation.name":"invoke_agent","gen_ai.usage.input_tokens":1,"gen_ai.request.model":"m"}`, Agent},
		"an agent, OpenInference":        {`{"openinference.span.kind":"AGENT"}`, Agent},
		"around calls, Vercel":           {`{"ai.operationId":"ai.streamText","ai.response.text":"x"}`, Agent},
		"an embedding":                   {`{"gen_ai.operation.name":"embeddings","gen_ai.request.model":"m"}`, Happening},
		"an embedding, Vercel":           {`{"ai.operationId":"ai.embed.doEmbed","ai.usage.tokens":3}`, Happening},
		"a retrieval":                    {`{"openinference.span.kind":"RETRIEVER"}`, Happening},
		"a chain":                        {`{"openinference.span.kind":"CHAIN","llm.model_name":"m","output.value":"x"}`, Other},
		"a model by what it took":        {`{"gen_ai.request.model":"m","gen_ai.usage.output_tokens":3}`, Model},
		"a model by what it gave":        {`{"gen_ai.request.model":"m","gen_ai.completion.0.content":"x"}`, Model},
		"a model's name alone":           {`{"gen_ai.request.model":"m"}`, Other},
		"something else":                 {`{"http.request.method":"POST"}`, Other},
		"an operation that is not known": {`{"gen_ai.operation.name":"dream","openinference.span.kind":"TOOL"}`, ToolUse},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := attributesOf(test.attributes).kind("span"); got != test.want {
				t.Errorf("kind %d, want %d", got, test.want)
			}
		})
	}
}

func TestIndexed(t *testing.T) {
	a := attributesOf(`{"p.10.x":"k","p.2.x":"c","p.0.x":"a","p.4294967295.x":"z","p.0.y.1":"n","p.0.y.0":"m","p.x":"no","p.":"no","q.0":"no"}`)
	want := `[{"x":"a","y":["m","n"]},{"x":"c"},{"x":"k"},{"x":"z"}]`
	if got := a.indexed("p.").Raw; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if a.indexed("r.").Exists() {
		t.Error("there is something where nothing was")
	}
}
