package derive

import (
	"math"
	"testing"

	"tapedeck/internal/session"
)

func TestModelName(t *testing.T) {
	for model, want := range map[string]string{
		"claude-sonnet-4-5-20250929":                  "claude-sonnet-4-5",
		"Claude-Sonnet-4.5":                           "claude-sonnet-4-5",
		"claude-opus-4-6[1m]":                         "claude-opus-4-6",
		"anthropic/claude-sonnet-4.5":                 "claude-sonnet-4-5",
		"openrouter/anthropic/claude-sonnet-4.5:beta": "claude-sonnet-4-5",
		"us.anthropic.claude-sonnet-4-20250514-v1:0":  "claude-sonnet-4",
		"anthropic.claude-3-5-sonnet-20241022-v2:0":   "claude-3-5-sonnet",
		"claude-opus-4-1@20250805":                    "claude-opus-4-1",
		"claude-3-5-haiku-latest":                     "claude-3-5-haiku",
		"publishers/anthropic/models/claude-opus-4-5": "claude-opus-4-5",
		"gpt-4o-2024-08-06":                           "gpt-4o",
		"models/gemini-2.5-pro-preview-05-06":         "gemini-2-5-pro",
		"gemini-3-pro-preview":                        "gemini-3-pro",
		"gpt-5.1-codex-max":                           "gpt-5-1-codex-max",
		"gpt-oss:120b":                                "gpt-oss:120b",
		"deepseek-r1:8b":                              "deepseek-r1:8b",
		"":                                            "",
	} {
		if got := modelName(model); got != want {
			t.Errorf("%q is %q, want %q", model, got, want)
		}
	}
}

func TestEveryPriceIsFound(t *testing.T) {
	table, err := parsePrices(priceTable)
	if err != nil {
		t.Fatal(err)
	}
	if len(table) < 80 {
		t.Errorf("%d prices", len(table))
	}
	for name, p := range table {
		if p.output < p.input || p.cacheRead > p.input {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestPricesThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"too few fields": "m\t1\t2\t3",
		"no number":      "m\t1\t2\t3\tx",
		"negative":       "m\t1\t2\t3\t-4",
		"twice":          "m-4.5\t1\t1\t1\t1\nM-4-5\t1\t1\t1\t1",
	} {
		if _, err := parsePrices(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPriced(t *testing.T) {
	for _, test := range []struct {
		name, model string
		usage       session.Usage
		cost        session.USD
		unpriced    bool
	}{
		{"each kind at its price", "claude-opus-4-5", session.Usage{InputTokens: 1e6, CacheReadTokens: 1e6, CacheWriteTokens: 1e6, OutputTokens: 1e6, ReasoningTokens: 5e5}, session.Dollars(36.75), false},
		{"one token, to the billionth", "gemini-1.5-flash", session.Usage{CacheReadTokens: 1}, 19, false},
		{"what the harness says", "claude-opus-4-5", session.Usage{InputTokens: 1e6, Cost: 7}, 7, false},
		{"an unknown model", "llama3:8b", session.Usage{InputTokens: 1}, 0, true},
		{"an unknown model that took nothing", "llama3:8b", session.Usage{}, 0, false},
		{"a free one", "deepseek/deepseek-r1:free", session.Usage{InputTokens: 1e6}, 0, false},
		{"counts that are none", "claude-opus-4-5", session.Usage{InputTokens: -5, OutputTokens: math.MaxInt64}, session.Dollars(25e6), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := priced(test.model, test.usage)
			if got.Cost != test.cost || got.Unpriced != test.unpriced {
				t.Errorf("%s, unpriced %t; want %s, %t", got.Cost, got.Unpriced, test.cost, test.unpriced)
			}
		})
	}
}
