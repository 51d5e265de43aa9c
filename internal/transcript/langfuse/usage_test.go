package langfuse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		text string
		want session.Usage
	}{
		"plain":                 {`{"usageDetails":{"input":10,"output":3,"total":13}}`, session.Usage{InputTokens: 10, OutputTokens: 3}},
		"OpenAI's names":        {`{"usageDetails":{"prompt_tokens":10,"completion_tokens":3}}`, session.Usage{InputTokens: 10, OutputTokens: 3}},
		"old names":             {`{"usage":{"promptTokens":10,"completionTokens":3,"totalTokens":13}}`, session.Usage{InputTokens: 10, OutputTokens: 3}},
		"beside everything":     {`{"usageDetails":null,"inputUsage":10,"outputUsage":3,"totalUsage":13}`, session.Usage{InputTokens: 10, OutputTokens: 3}},
		"LangChain, apart":      {`{"usageDetails":{"input":4,"input_cache_read":6,"output":3,"output_reasoning":2,"total":15}}`, session.Usage{InputTokens: 4, CacheReadTokens: 6, OutputTokens: 5, ReasoningTokens: 2}},
		"LangChain, no total":   {`{"usageDetails":{"input":14,"input_cache_read":6,"output":3}}`, session.Usage{InputTokens: 14, CacheReadTokens: 6, OutputTokens: 3}},
		"Anthropic":             {`{"usageDetails":{"input_tokens":14,"cache_read_input_tokens":6,"cache_creation_input_tokens":5,"output_tokens":3}}`, session.Usage{InputTokens: 14, CacheReadTokens: 6, CacheWriteTokens: 5, OutputTokens: 3}},
		"OpenInference, within": {`{"usageDetails":{"input":10,"prompt_details.cache_read":6,"output":3,"completion_details.reasoning":2,"total":13}}`, session.Usage{InputTokens: 4, CacheReadTokens: 6, OutputTokens: 3, ReasoningTokens: 2}},
		"audio apart":           {`{"usageDetails":{"input":10,"input_audio":5,"output":3,"output_audio":2,"total":20}}`, session.Usage{InputTokens: 15, OutputTokens: 5}},
		"audio within":          {`{"usageDetails":{"input":10,"input_audio":5,"output":3,"total":13}}`, session.Usage{InputTokens: 10, OutputTokens: 3}},
		"input alone":           {`{"usageDetails":{"input":10,"total":10}}`, session.Usage{InputTokens: 10}},
		"not counted":           {`{"usageDetails":{},"inputUsage":0,"outputUsage":0}`, session.Usage{Partial: true}},
		"stated cost":           {`{"usageDetails":{"input":1,"output":1},"costDetails":{"input":0.25,"total":0.5}}`, session.Usage{InputTokens: 1, OutputTokens: 1, Cost: 5e8}},
		"cost by kind":          {`{"usageDetails":{"input":1,"output":1},"costDetails":{"input":0.25,"output":0.5}}`, session.Usage{InputTokens: 1, OutputTokens: 1, Cost: 75e7}},
		"calculated cost":       {`{"usageDetails":{"input":1,"output":1},"calculatedTotalCost":0.5}`, session.Usage{InputTokens: 1, OutputTokens: 1, Cost: 5e8}},
		"nonsense":              {`{"usageDetails":{"input":"x","output":-1},"costDetails":{"total":1e300}}`, session.Usage{Partial: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&test.want, tokens(gjson.Parse(test.text)).Usage()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
