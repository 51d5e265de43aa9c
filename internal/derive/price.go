package derive

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"tapedeck/internal/session"
)

// Bounds of what one answer can have taken: larger counts are no counts, and sums
// of them must not run over.
const (
	maxTokens = 1e12
	maxCost   = session.USD(1e15)
)

//go:embed prices.tsv
var priceTable string

// A price is what tokens of a model cost, each kind in millionths of a millionth
// of a US dollar, so that sums are exact.
type price struct{ input, cacheRead, cacheWrite, output int64 }

var prices = sync.OnceValue(func() map[string]price {
	table, err := parsePrices(priceTable)
	if err != nil {
		panic(err) // the table is part of the program; a test reads it
	}
	return table
})

func parsePrices(text string) (map[string]price, error) {
	table := map[string]price{}
	for n, row := range strings.Split(text, "\n") {
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		fields := strings.Split(row, "\t")
		if len(fields) != 5 {
			return nil, fmt.Errorf("prices, line %d: %d fields, expected model, input, cache read, cache write, output", n+1, len(fields))
		}
		var p price
		for i, to := range []*int64{&p.input, &p.cacheRead, &p.cacheWrite, &p.output} {
			dollars, err := strconv.ParseFloat(fields[i+1], 64) // for a million tokens
			if err != nil || dollars < 0 {
				return nil, fmt.Errorf("prices, line %d: %q is no price", n+1, fields[i+1])
			}
			*to = int64(dollars*1e6 + 0.5)
		}
		name := modelName(fields[0])
		if _, twice := table[name]; twice {
			return nil, fmt.Errorf("prices, line %d: %s has a price already", n+1, name)
		}
		table[name] = p
	}
	return table, nil
}

// cost is what the tokens cost; false when nobody says.
func cost(model string, u session.Usage) (session.USD, bool) {
	if strings.HasSuffix(strings.ToLower(model), ":free") { // OpenRouter
		return 0, true
	}
	p, known := prices()[modelName(model)]
	if !known {
		return 0, false
	}
	var whole, rest int64 // thousands of tokens, and what is over
	for _, kind := range []struct{ tokens, price int64 }{
		{u.InputTokens, p.input}, {u.CacheReadTokens, p.cacheRead},
		{u.CacheWriteTokens, p.cacheWrite}, {u.OutputTokens, p.output},
	} {
		whole += kind.tokens / 1000 * kind.price
		rest += kind.tokens % 1000 * kind.price
	}
	return session.USD(whole + (rest+500)/1000), true
}

// priced is the usage of a model with its cost, and counts that can be counts.
func priced(model string, u session.Usage) session.Usage {
	for _, n := range []*int64{&u.InputTokens, &u.CacheReadTokens, &u.CacheWriteTokens, &u.OutputTokens, &u.ReasoningTokens} {
		*n = min(max(*n, 0), maxTokens)
	}
	if u.Cost > 0 { // the harness knows what it paid
		u.Cost = min(u.Cost, maxCost)
		return u
	}
	amount, known := cost(model, u)
	u.Cost, u.Unpriced = amount, !known && u.Total() > 0
	return u
}

// What providers and gateways write around the name of a model.
var (
	modelRegion  = regexp.MustCompile(`^(?:[a-z-]+\.)*(?:anthropic|openai|google|meta|mistral|deepseek|amazon)\.`) // Bedrock: "us.anthropic."
	modelAround  = regexp.MustCompile(`\[[^\]]*\]|:(?:\d|[a-z]+)$|@.*$`)                                           // "[1m]", "v1:0", ":beta", "@20250514"
	modelVersion = regexp.MustCompile(`-v\d+$`)                                                                    // Bedrock: "-v1:0"
	modelDate    = regexp.MustCompile(`-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|exp|preview(?:-\d{2}-\d{2}|-\d{2}-\d{4})?)$`)
)

// modelName is the name of a model as in the price table: lower case, without
// provider, region, date and window, dots as dashes.
func modelName(model string) string {
	if len(model) > maxName {
		return ""
	}
	name := strings.ToLower(strings.TrimSpace(model))
	name = modelAround.ReplaceAllString(name, "")
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 {
		name = name[slash+1:]
	}
	name = modelRegion.ReplaceAllString(name, "")
	name = modelVersion.ReplaceAllString(name, "")
	for short := modelDate.ReplaceAllString(name, ""); short != name; short = modelDate.ReplaceAllString(name, "") {
		name = short
	}
	return strings.ReplaceAll(name, ".", "-")
}
