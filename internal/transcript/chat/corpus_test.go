package chat

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
)

// One call of a model in three dialects, and in an older one: the attributes
// alone, as OpenInference's own tests have them.
func TestCorpusOfAttributes(t *testing.T) {
	input := []string{
		"user: Weather in Paris?", "assistant:", "tool: →1234 rainy, 57°F",
	}
	call := summary{
		Kind: Model, Name: "s", Model: "gpt-4-0613", Provider: "openai", Input: input, Tokens: [3]int64{97, 0, 52},
		Output: []string{"assistant: The weather in Paris is currently rainy with a temperature of 57°F."},
	}
	stopped := func(s summary, output, own string) summary {
		s.Output, s.Stop = []string{s.Output[0] + output}, own
		return s
	}
	tests := map[string]summary{
		"openinference_client_span_input_output_only.json":  stopped(call, " (stop)", ""),
		"openinference_client_span_tool_calls.json":         call,
		"otel_genai_client_span_tool_calls.json":            stopped(call, " (stop)", "stop"),
		"otel_genai_deprecated_client_span_tool_calls.json": stopped(call, " (stop)", "stop"),
		"otel_genai_tool_execution_span.json": {
			Kind: ToolUse, Name: "get_weather", CallID: "1234", Arguments: `{"city":"New York"}`,
			Given: `{"status": "success", "report": "The weather in New York is sunny with a temperature of 25 degrees Celsius (77 degrees Fahrenheit)."}`,
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(corpustest.Path(t, "agents/otlp/openinference-genai/"+name))
			if err != nil {
				t.Fatal(err)
			}
			s, book := &Step{Name: "s"}, Book{}
			attributesOf(string(text)).Describe(s, nil, book)
			if diff := cmp.Diff(want, summaryOf(s, book)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
