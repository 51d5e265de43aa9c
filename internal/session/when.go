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

// An End is an end of a span of time as a caller gives it: the name of its argument,
// and its text, which may be blank.
type End struct{ Argument, Text string }

// A WhenError says what an End should be.
type WhenError struct {
	End
	Want string
}

func (e *WhenError) Error() string {
	return e.Argument + " " + strconv.Quote(e.Text) + ": want " + e.Want
}

// Window is the span of time from one end to another, seen from now; a blank end is
// 0. Its error is a *WhenError.
func Window(from, to End, now time.Time) (begin, end Time, err error) {
	if begin, err = from.time(now); err != nil {
		return 0, 0, err
	}
	if end, err = to.time(now); err != nil {
		return 0, 0, err
	}
	if begin != 0 && end != 0 && begin >= end {
		return 0, 0, &WhenError{to, "a time later than " + from.Argument + ", which is " + begin.String()}
	}
	return begin, end, nil
}

func (e End) time(now time.Time) (Time, error) {
	if strings.TrimSpace(e.Text) == "" {
		return 0, nil
	}
	at, ok := When(e.Text, now)
	if !ok {
		return 0, &WhenError{e, WhenWords}
	}
	return at, nil
}
