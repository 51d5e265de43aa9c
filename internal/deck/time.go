package deck

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	isoHint     = "write ISO 8601 like 2024-05-01T12:00:00Z (UTC when no zone is given)"
	integerHint = " or epoch microseconds like 1714564800000000"
)

// maxMicroseconds is the last log time, which is counted in 64 bits of nanoseconds.
const maxMicroseconds = (1<<64 - 1) / 1000

var (
	integer = regexp.MustCompile(`^[+-]?[0-9]+$`)
	isoZone = regexp.MustCompile(`([+-][0-9]{2})([0-9]{2})$`)
)

var isoLayouts = []string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
}

// parseTime reads a point in time as a caller gives it, in nanoseconds since
// the epoch; integers of microseconds only where a caller may give them. Times
// before 1970 are 0, since log times are unsigned.
func parseTime(argument, text string, integers bool) (uint64, error) {
	text = strings.TrimSpace(text)
	if integers && integer.MatchString(text) {
		return parseMicroseconds(argument, text)
	}
	at, err := parseISO(text)
	if err != nil {
		hint := isoHint
		if integers {
			hint += integerHint
		}
		return 0, &Error{Code: CodeBadTime, Message: fmt.Sprintf("%s %q is no time that can be read", argument, text), Hint: hint}
	}
	if at.Unix() < 0 {
		return 0, nil
	}
	if at.Year() > 2553 {
		return 0, &Error{Code: CodeBadTime, Message: fmt.Sprintf("%s %q is past 2553, where log times end", argument, text)}
	}
	return uint64(at.Unix())*1e9 + uint64(at.Nanosecond()), nil
}

func parseMicroseconds(argument, text string) (uint64, error) {
	us, err := strconv.ParseUint(text, 10, 64)
	if err != nil || us > maxMicroseconds {
		return 0, &Error{Code: CodeBadTime, Message: fmt.Sprintf("%s %s is not within the epoch microseconds that log times can have", argument, text),
			Hint: fmt.Sprintf("0 to %d", maxMicroseconds)}
	}
	return us * 1000, nil
}

func parseISO(text string) (time.Time, error) {
	text = strings.ToUpper(text)
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	if len(text) > 10 {
		text = isoZone.ReplaceAllString(text, "$1:$2")
	}
	var first error
	for _, layout := range isoLayouts {
		at, err := time.Parse(layout, text)
		if err == nil {
			return at, nil
		}
		if first == nil {
			first = err
		}
	}
	return time.Time{}, first
}

// formatTime writes nanoseconds since the epoch in ISO 8601 with milliseconds.
func formatTime(ns uint64) string {
	return time.Unix(int64(ns/1e9), int64(ns%1e9)).UTC().Format("2006-01-02T15:04:05.000+00:00")
}

// timeNote warns of clocks that do not tell the date. Robots without a set
// clock count from their start, and their times read as dates in 1970.
func timeNote(start, end uint64, messages uint64) string {
	const aYear = 365 * 24 * 3600 * 1e9
	if messages == 0 || end >= aYear {
		return ""
	}
	return fmt.Sprintf("times are near the epoch: they are probably counted from the robot's start (%.3f s to %.3f s), not dates",
		float64(start)/1e9, float64(end)/1e9)
}
