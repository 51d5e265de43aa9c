package pi

import (
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

const (
	// maxTokens and maxDollars bound what one call takes, so that no sum overflows.
	maxTokens  = 1 << 50
	maxDollars = 1e6
)

// usageOf reads a usage object: its kinds are apart, and it knows the price.
func usageOf(v gjson.Result) *session.Usage {
	if !v.IsObject() {
		return nil
	}
	n := func(name string) int64 { return min(max(v.Get(name).Int(), 0), maxTokens) }
	u := &session.Usage{
		InputTokens:      n("input"),
		CacheReadTokens:  n("cacheRead"),
		CacheWriteTokens: n("cacheWrite"),
		OutputTokens:     n("output"),
	}
	u.ReasoningTokens = min(n("reasoning"), u.OutputTokens)
	if cost := v.Get("cost.total").Float(); cost > 0 && cost < maxDollars {
		u.Cost = session.Dollars(cost)
	}
	return u
}
