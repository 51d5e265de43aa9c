package archive

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/session"
)

// timeWords say what a time may look like.
const timeWords = "a time such as 2026-01-31T12:00:00Z, a day such as 2026-01-31 (UTC), or an age such as 36h, 7d or 2w"

var age = regexp.MustCompile(`^([0-9]{1,6})(m|h|d|w)$`)

var ageUnits = map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}

// timeLayouts are the times without a zone, which are UTC; a day is its beginning.
var timeLayouts = []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateTime, time.DateOnly}

// parseTime reads a point in time as a caller gives it; "" is none.
func parseTime(argument, text string, now time.Time) (session.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	if parts := age.FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // six digits
		return session.TimeOf(now.Add(-time.Duration(n) * ageUnits[parts[2]])), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text)); err == nil {
		return session.TimeOf(at), nil
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return session.TimeOf(at), nil
		}
	}
	return 0, badArgument(argument, text, timeWords)
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
		return 0, 0, badArgument("until", until, "a time after since, which is "+from.String())
	}
	return from, to, nil
}
