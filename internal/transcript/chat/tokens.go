package chat

import (
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

var inputKeys = []string{
	"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "llm.usage.prompt_tokens",
	"ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens",
}

// tokens are the counts in the attributes of a span.
func (a Attributes) tokens() Tokens {
	n := func(keys ...string) int64 {
		value := a.Get(keys...)
		if value.Type != gjson.Number && value.Type != gjson.String {
			return 0
		}
		return value.Int()
	}
	output := []string{
		"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion", "llm.usage.completion_tokens",
		"ai.usage.outputTokens", "ai.usage.completionTokens",
	}
	return Tokens{
		Known: a.Get(inputKeys...).Exists() || a.Get(output...).Exists(),
		Input: n(inputKeys...), Output: n(output...),
		CacheRead: n("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.details.cache_read_tokens",
			"llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens", "gen_ai.usage.input_tokens.cached"),
		CacheWrite: n("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.details.cache_write_tokens",
			"llm.token_count.prompt_details.cache_write", "ai.usage.inputTokenDetails.cacheWriteTokens"),
		Reasoning: n("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens", "gen_ai.usage.details.reasoning_tokens",
			"llm.token_count.completion_details.reasoning", "ai.usage.reasoningTokens"),
		Total: n("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total", "ai.usage.totalTokens"),
		Cost:  session.Dollars(Money(a.Get("gen_ai.usage.cost", "llm.cost.total", "operation.cost"))),
	}
}

// Money is an amount in dollars that can be one.
func Money(value gjson.Result) float64 {
	if amount := value.Float(); amount > 0 && amount < 1e6 {
		return amount
	}
	return 0
}
