package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is a moment in milliseconds since 1970 UTC, the precision that harnesses
// write. 0 is an unknown moment: null in JSON.
type Time int64

const timeForm = "2006-01-02T15:04:05.000Z"

// TimeOf is t, cut to the millisecond; the zero time is unknown.
func TimeOf(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// ParseTime reads a moment as harnesses write them: RFC 3339, or a number of
// seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by
// magnitude. False when it is none of these.
func ParseTime(text string) (Time, bool) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 && n < 1e21 { // nanoseconds, at the most
		for n >= 1e11 { // later than the year 5138 in seconds: a smaller unit
			n /= 1e3
		}
		return Time(math.Round(n * 1e3)), true
	}
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || moment.Year() < 1970 {
		return 0, false
	}
	return TimeOf(moment), true
}

// Std is the moment for package time: zero when unknown.
func (t Time) Std() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// Day is the day in UTC, "2006-01-02"; "" when unknown.
func (t Time) Day() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format(time.DateOnly)
}

// String is the moment in RFC 3339; "" when unknown.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format(timeForm)
}

// MarshalJSON writes RFC 3339 or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads RFC 3339 or null.
func (t *Time) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*t = 0
		return nil
	}
	moment, err := time.Parse(time.RFC3339Nano, strings.Trim(string(text), `"`))
	if err != nil {
		return fmt.Errorf("a time: %w", err)
	}
	*t = TimeOf(moment)
	return nil
}
