package langfuse

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/chat"
)

// tokens are the counts of a generation. Their names come from whoever sent them:
// Langfuse keeps any.
func tokens(observation gjson.Result) chat.Tokens {
	t := chat.Tokens{Cost: cost(observation)}
	details := observation.Get("usageDetails")
	if !details.IsObject() || len(details.Map()) == 0 {
		details = observation.Get("usage")
	}
	var sum, moreInput, moreOutput int64
	details.ForEach(func(name, value gjson.Result) bool {
		n := value.Int()
		if value.Type != gjson.Number || n < 0 {
			return true
		}
		if !isTotal(name.Str) {
			sum += n
		}
		switch kind := name.Str; {
		case isTotal(kind):
			t.Total = n
		case kind == "input" || kind == "prompt" || isCount(kind, "prompt", "input"):
			t.Input, t.Known = n, true
		case kind == "output" || kind == "completion" || isCount(kind, "completion", "output"):
			t.Output, t.Known = n, true
		case strings.Contains(kind, "cache_creation") || strings.Contains(kind, "cache_write"):
			t.CacheWrite += n
			t.Apart = t.Apart || isApart(kind)
		case strings.Contains(kind, "cache"):
			t.CacheRead += n
			t.Apart = t.Apart || isApart(kind)
		case strings.Contains(kind, "reasoning") || strings.Contains(kind, "thought"):
			t.Reasoning += n
		case strings.HasPrefix(kind, "input_"):
			moreInput += n
		case strings.HasPrefix(kind, "output_"):
			moreOutput += n
		}
		return true
	})
	if t.Total == sum { // audio and the like stand beside the text
		t.Input, t.Output = t.Input+moreInput, t.Output+moreOutput
	}
	if !t.Known {
		flat(observation, &t)
	}
	return t
}

// flat reads the counts that stand beside everything else; zeros there are none.
func flat(observation gjson.Result, t *chat.Tokens) {
	n := func(names ...string) int64 {
		for _, name := range names {
			if count := observation.Get(name).Int(); count > 0 {
				return count
			}
		}
		return 0
	}
	t.Input, t.Output = n("inputUsage", "promptTokens"), n("outputUsage", "completionTokens")
	t.Total = n("totalUsage", "totalTokens")
	t.Known = t.Input+t.Output > 0
}

func isTotal(name string) bool {
	return name == "total" || name == "totalTokens" || name == "total_tokens"
}

// isCount knows prompt_tokens, promptTokens and the like.
func isCount(name string, words ...string) bool {
	for _, word := range words {
		if name == word+"_tokens" || name == word+"Tokens" {
			return true
		}
	}
	return false
}

// isApart tells counts that Langfuse's own integrations, and Anthropic, keep
// apart from the input ("input_cache_read", "cache_read_input_tokens") from those
// that OpenInference has within it ("prompt_details.cache_read").
func isApart(name string) bool { return !strings.Contains(name, "details") }

// cost is what a generation is said to have cost.
func cost(observation gjson.Result) session.USD {
	details := observation.Get("costDetails")
	for _, name := range []gjson.Result{
		details.Get("total"), observation.Get("calculatedTotalCost"), observation.Get("totalCost"),
	} {
		if amount := chat.Money(name); amount > 0 {
			return session.Dollars(amount)
		}
	}
	sum := session.USD(0)
	details.ForEach(func(_, value gjson.Result) bool {
		sum += session.Dollars(chat.Money(value))
		return true
	})
	return sum
}
