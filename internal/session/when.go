package session

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// WhenWords say what When takes.
const WhenWords = "a time such as 2026-01-31T12:00:00Z, a day such as 2026-01-31 (UTC), or an age such as 36h, 7d or 2w"

var age = regexp.MustCompile(`^([0-9]{1,6})(m|h|d|w)$`)

var ageUnits = map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}

// whenLayouts are the times without a zone, which are UTC; a day is its beginning.
var whenLayouts = []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateTime, time.DateOnly}

// When is the moment that a person names, seen from now: a time, a day or an age.
// False when the text is none of these.
func When(text string, now time.Time) (Time, bool) {
	text = strings.TrimSpace(text)
	if parts := age.FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // six digits
		return TimeOf(now.Add(-time.Duration(n) * ageUnits[parts[2]])), true
	}
	if at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text)); err == nil {
		return TimeOf(at), true
	}
	for _, layout := range whenLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return TimeOf(at), true
		}
	}
	return 0, false
}
