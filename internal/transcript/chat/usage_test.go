package chat

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		tokens Tokens
		want   session.Usage
	}{
		"the input holds the cached": {
			Tokens{Known: true, Input: 100, CacheRead: 60, CacheWrite: 30, Output: 5},
			session.Usage{InputTokens: 10, CacheReadTokens: 60, CacheWriteTokens: 30, OutputTokens: 5},
		},
		"they do not fit, so they are beside it": {
			Tokens{Known: true, Input: 10, CacheRead: 60, Output: 5},
			session.Usage{InputTokens: 10, CacheReadTokens: 60, OutputTokens: 5},
		},
		"the names say that they are beside it": {
			Tokens{Known: true, Apart: true, Input: 100, CacheRead: 60, Output: 5},
			session.Usage{InputTokens: 100, CacheReadTokens: 60, OutputTokens: 5},
		},
		"the total says that they are beside it": {
			Tokens{Known: true, Input: 100, CacheRead: 60, Output: 5, Total: 165},
			session.Usage{InputTokens: 100, CacheReadTokens: 60, OutputTokens: 5},
		},
		"the total says that they are within": {
			Tokens{Known: true, Apart: true, Input: 100, CacheRead: 60, Output: 5, Total: 105},
			session.Usage{InputTokens: 40, CacheReadTokens: 60, OutputTokens: 5},
		},
		"reasoning within the output": {
			Tokens{Known: true, Input: 6, Output: 20, Reasoning: 11, Total: 26},
			session.Usage{InputTokens: 6, OutputTokens: 20, ReasoningTokens: 11},
		},
		"reasoning beside the output": {
			Tokens{Known: true, Input: 6, Output: 20, Reasoning: 11, Total: 37},
			session.Usage{InputTokens: 6, OutputTokens: 31, ReasoningTokens: 11},
		},
		"nonsense":    {Tokens{Known: true, Input: -5, Output: 1 << 62}, session.Usage{OutputTokens: maxCount}},
		"not counted": {Tokens{Cost: 7}, session.Usage{Partial: true, Cost: 7}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&test.want, test.tokens.Usage()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
