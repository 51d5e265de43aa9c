package codex

import (
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// tokens are counts as Codex writes them: input holds what was cached, output
// what was reasoning.
type tokens struct {
	Input, Cached, Written, Output, Reasoning int64
}

// maxTokens bounds a count, so that no sum overflows.
const maxTokens = 1 << 50

// tokensOf reads a usage object; nil where there is none.
func tokensOf(v gjson.Result) *tokens {
	if !v.IsObject() {
		return nil
	}
	n := func(name string) int64 { return countOf(v.Get(name)) }
	return &tokens{
		Input:     n("input_tokens"),
		Cached:    n("cached_input_tokens"),
		Written:   n("cache_write_input_tokens"),
		Output:    n("output_tokens"),
		Reasoning: n("reasoning_output_tokens"),
	}
}

func countOf(v gjson.Result) int64 { return min(max(v.Int(), 0), maxTokens) }

// usage tells the kinds apart.
func (t tokens) usage() *session.Usage {
	cached := min(t.Cached, t.Input)
	written := min(t.Written, t.Input-cached)
	return &session.Usage{
		InputTokens:      t.Input - cached - written,
		CacheReadTokens:  cached,
		CacheWriteTokens: written,
		OutputTokens:     t.Output,
		ReasoningTokens:  min(t.Reasoning, t.Output),
	}
}

func (t tokens) plus(o tokens) tokens {
	return tokens{t.Input + o.Input, t.Cached + o.Cached, t.Written + o.Written, t.Output + o.Output, t.Reasoning + o.Reasoning}
}

// since is what came to t from an earlier total.
func (t tokens) since(o tokens) tokens {
	return tokens{
		max(t.Input-o.Input, 0), max(t.Cached-o.Cached, 0), max(t.Written-o.Written, 0),
		max(t.Output-o.Output, 0), max(t.Reasoning-o.Reasoning, 0),
	}
}

// below reports whether t can't go on from an earlier total.
func (t tokens) below(o tokens) bool { return t.Input < o.Input || t.Output < o.Output }

// A counter turns cumulative totals into what each added.
type counter struct {
	Total *tokens `json:"total,omitempty"` // nil: none yet
}

// add takes a report and returns what was used since the one before. Reports are
// repeated; a fork's first may hold its parent's total with a last call of 0;
// and a count may begin anew, in a fork or where the harness reset it.
func (c *counter) add(total, last *tokens) tokens {
	if total == nil {
		if last == nil {
			return tokens{}
		}
		return *last
	}
	before := c.Total
	c.Total = total
	switch {
	case before != nil && *total == *before:
		return tokens{}
	case last != nil && *last == tokens{}:
		return tokens{}
	case before == nil, total.below(*before), last != nil && *last == *total && *total != before.plus(*last):
		if last != nil {
			return *last
		}
		return *total
	}
	return total.since(*before)
}

// reportOf reads a token_count, or the usage of a turn.
func reportOf(event gjson.Result) (total, last *tokens) {
	info := event.Get("info")
	if usage := tokensOf(event.Get("usage")); usage != nil {
		return usage, nil
	}
	if info.Get("prompt").Exists() { // 0.50: one call's tokens, no total
		return nil, &tokens{Input: countOf(info.Get("prompt")), Output: countOf(info.Get("completion"))}
	}
	return tokensOf(info.Get("total_token_usage")), tokensOf(info.Get("last_token_usage"))
}
