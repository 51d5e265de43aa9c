package cli

import (
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/session"
)

// atLeast stands before a number that may be more.
const atLeast = "≥"

// tokens is all that a usage counts.
func tokens(u session.Usage) string {
	if u.Partial {
		return atLeast + short(u.Total())
	}
	return short(u.Total())
}

// short writes a large number with three digits.
func short(n int64) string {
	units := []string{"", "k", "M", "G", "T"}
	value, i := float64(n), 0
	for value >= 999.5 && i < len(units)-1 {
		value /= 1000
		i++
	}
	decimals := 0
	if i > 0 && value < 99.95 {
		decimals = 1
	}
	return strconv.FormatFloat(value, 'f', decimals, 64) + units[i]
}

// cost is a usage's cost in US dollars.
func cost(u session.Usage) string {
	switch {
	case u.Unpriced && u.Cost == 0:
		return "?" // nothing that was used has a price
	case u.Partial || u.Unpriced:
		return atLeast + dollars(u.Cost)
	}
	return dollars(u.Cost)
}

// dollars is an amount to the cent, or to a hundredth of one where it is less.
func dollars(amount session.USD) string {
	value, decimals := float64(amount)/1e9, 2
	if value > 0 && value < 0.01 {
		decimals = 4
	}
	return "$" + groupDigits(strconv.FormatFloat(value, 'f', decimals, 64))
}

// usageWords is a usage in one line, without the kinds that are nothing.
func usageWords(u session.Usage) string {
	words := []string{tokens(u) + " tokens"}
	var kinds []string
	for _, kind := range []struct {
		n    int64
		what string
	}{
		{u.InputTokens, "in"}, {u.CacheReadTokens, "cache read"}, {u.CacheWriteTokens, "cache write"}, {u.OutputTokens, "out"},
	} {
		if kind.n > 0 {
			kinds = append(kinds, short(kind.n)+" "+kind.what)
		}
	}
	if len(kinds) > 1 {
		words[0] += " (" + strings.Join(kinds, ", ") + ")"
	}
	if u.Total() == 0 && !u.Partial {
		return "no tokens counted"
	}
	return strings.Join(append(words, cost(u)), " · ")
}

// took is the time between two moments; "" where one is not known, or the log
// tells no difference.
func took(began, ended session.Time) string {
	if began == 0 || ended <= began {
		return ""
	}
	d := time.Duration(ended-began) * time.Millisecond
	switch {
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// minute is a moment as people read it, in UTC.
func minute(at session.Time) string {
	if at == 0 {
		return "at an unknown time"
	}
	return at.Std().Format("2006-01-02 15:04")
}
