package chat

import "tapedeck/internal/session"

// Tokens are the counts that an instrumentation gives of one call. Their basis
// differs: most count what was read from and written to a cache in the input,
// some beside it, and nothing says which.
type Tokens struct {
	Input, CacheRead, CacheWrite int64
	Output, Reasoning            int64
	Total                        int64 // 0: not given
	Apart                        bool  // the names of the counts say that they are apart
	Known                        bool  // there are counts at all
	Cost                         session.USD
}

// Usage are the tokens by kind, none counted twice. Where the total is given it
// tells what the input and output hold. Else the input holds the cached tokens,
// as the conventions want it, if they fit into it.
func (t Tokens) Usage() *session.Usage {
	if !t.Known {
		return &session.Usage{Partial: true, Cost: t.Cost}
	}
	for _, n := range []*int64{&t.Input, &t.CacheRead, &t.CacheWrite, &t.Output, &t.Reasoning} {
		*n = min(max(*n, 0), maxCount)
	}
	cached := t.CacheRead + t.CacheWrite
	within := !t.Apart
	switch t.Total {
	case t.Input + t.Output:
		within = true
	case t.Input + cached + t.Output, t.Input + cached + t.Output + t.Reasoning:
		within = false
	}
	u := &session.Usage{
		InputTokens: t.Input, CacheReadTokens: t.CacheRead, CacheWriteTokens: t.CacheWrite,
		OutputTokens: t.Output, ReasoningTokens: t.Reasoning, Cost: max(t.Cost, 0),
	}
	if within && cached <= t.Input {
		u.InputTokens -= cached
	}
	if t.Reasoning > t.Output || t.Reasoning > 0 && t.Total == t.Input+cached+t.Output+t.Reasoning {
		u.OutputTokens += t.Reasoning
	}
	return u
}

// maxCount is more than any call takes; sums of it do not run over.
const maxCount = 1e12
