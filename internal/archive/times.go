package archive

import (
	"strings"
	"time"

	"tapedeck/internal/session"
)

// parseTime reads a point in time as a caller gives it; "" is none.
func parseTime(argument, text string, now time.Time) (session.Time, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	at, ok := session.When(text, now)
	if !ok {
		return 0, badArgument(argument, text, session.WhenWords)
	}
	return at, nil
}

// parseWindow reads the two ends of a span of time.
func parseWindow(since, until string) (from, to session.Time, err error) {
	now := time.Now()
	if from, err = parseTime("since", since, now); err != nil {
		return 0, 0, err
	}
	if to, err = parseTime("until", until, now); err != nil {
		return 0, 0, err
	}
	if from != 0 && to != 0 && from >= to {
		return 0, 0, badArgument("until", until, "a time later than since, which is "+from.String())
	}
	return from, to, nil
}
