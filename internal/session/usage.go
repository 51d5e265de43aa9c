package session

import (
	"fmt"
	"strconv"
	"strings"
)

// Usage counts tokens by kind: the four kinds are apart and add up.
type Usage struct {
	InputTokens      int64 `json:"input_tokens"`       // neither read from nor written to a cache
	CacheReadTokens  int64 `json:"cache_read_tokens"`  // of the input
	CacheWriteTokens int64 `json:"cache_write_tokens"` // of the input
	OutputTokens     int64 `json:"output_tokens"`      // with reasoning
	ReasoningTokens  int64 `json:"reasoning_tokens"`   // of the output, where told apart
	Cost             USD   `json:"cost_usd"`           // of the tokens whose price is known
	Partial          bool  `json:"partial"`            // the log can't know all tokens: a lower bound
	Unpriced         bool  `json:"unpriced"`           // tokens of a model without a known price: cost is a lower bound
}

// Add adds o.
func (u *Usage) Add(o Usage) {
	u.InputTokens += o.InputTokens
	u.CacheReadTokens += o.CacheReadTokens
	u.CacheWriteTokens += o.CacheWriteTokens
	u.OutputTokens += o.OutputTokens
	u.ReasoningTokens += o.ReasoningTokens
	u.Cost += o.Cost
	u.Partial = u.Partial || o.Partial
	u.Unpriced = u.Unpriced || o.Unpriced
}

// Total is the number of all tokens.
func (u Usage) Total() int64 {
	return u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
}

// USD is an amount of money in billionths of a US dollar: sums are exact and do
// not depend on their order.
type USD int64

// maxDollars bounds an amount of money: what is over is this much.
const maxDollars = 9e9

// Dollars is the amount that costs n US dollars, to the billionth.
func Dollars(n float64) USD {
	if n != n { // not a number
		return 0
	}
	n = min(max(n, -maxDollars), maxDollars)
	if n < 0 {
		return USD(n*1e9 - 0.5)
	}
	return USD(n*1e9 + 0.5)
}

// MarshalJSON writes the amount in dollars, exactly.
func (u USD) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON reads an amount in dollars.
func (u *USD) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("an amount of money: %w", err)
	}
	*u = Dollars(n)
	return nil
}

// String is the amount in dollars, without a sign for them.
func (u USD) String() string {
	sign, n := "", int64(u)
	if n < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%d.%09d", n/1e9, n%1e9)
	return sign + strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
