package deck

import (
	"math"
	"testing"
	"time"
)

func TestTimesThatCannotBeRead(t *testing.T) {
	for text, says := range map[string]string{
		"":                          "no time that can be read",
		"yesterday":                 "ISO 8601",
		"2024-13-01":                "2024-13-01",
		"2024-02-30T00:00:00":       "no time",
		"2024-05-01T25:00:00Z":      "no time",
		"12:00":                     "no time",
		"1714564800.5":              "microseconds like",
		"2024-05-01T12:00:00+25:00": "no time",
		"-1":                        "0 to 18446744073709551",
		"18446744073709552":         "0 to 18446744073709551",
		"99999999999999999999":      "0 to 18446744073709551",
		"2554-01-01":                "where log times end",
		"9999-12-31T23:59:59Z":      "where log times end",
		"١٢٣":                       "no time",
		"2024-05-01T12:00:00ſ":      "no time",
	} {
		_, err := parseTime("start_time", text, true)
		wantError(t, text, err, CodeBadTime, "start_time", says)
	}
}

func TestTimesAreReadInUTC(t *testing.T) {
	noon := uint64(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	for text, want := range map[string]uint64{
		"2024-05-01T12:00:00Z":           noon,
		"2024-05-01T12:00:00":            noon,
		"2024-05-01t12:00:00z":           noon,
		" 2024-05-01 12:00 ":             noon,
		"2024-05-01T14:00:00+02:00":      noon,
		"2024-05-01T14:00:00+0200":       noon,
		"2024-05-01T06:30-0530":          noon,
		"2024-05-01":                     noon - 12*3600*1e9,
		"2024-05-01T12:00:00.000000001Z": noon + 1,
		"2024-05-01T12:00:00.5":          noon + 5e8,
		"2024-05-01T12:00:00.123+00:00":  noon + 123e6,
		"1714564800000000":               noon,
		"0":                              0,
		"007":                            7000,
		"18446744073709551":              math.MaxUint64 - math.MaxUint64%1000,
		"1969-12-31T23:59:59Z":           0,
		"0001-01-01":                     0,
		"2300-01-01":                     uint64(time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC).Unix()) * 1e9, // past 63 bits of nanoseconds
	} {
		if got, err := parseTime("start_time", text, true); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestTimesAreWrittenAndReadAlike(t *testing.T) {
	for _, ns := range []uint64{0, 1e6, 1714564800123e6, 1 << 63, 18e18} {
		ns -= ns % 1e6
		got, err := parseTime("after", formatTime(ns), false)
		if err != nil || got != ns {
			t.Errorf("%d: written %s, read %d, %v", ns, formatTime(ns), got, err)
		}
	}
	if s := formatTime(math.MaxUint64); s != "2554-07-21T23:34:33.709+00:00" {
		t.Errorf("the last time is %s", s)
	}
}

func TestTimeNoteIsForClocksThatWereNotSet(t *testing.T) {
	for _, test := range []struct {
		start, end, messages uint64
		note                 bool
	}{
		{0, 0, 0, false},
		{0, 0, 1, true},
		{5e9, 90e9, 10, true},
		{5e9, 1714564800e9, 10, false}, // the clock was set on the way
		{math.MaxUint64 - 1, math.MaxUint64, 2, false},
	} {
		if note := timeNote(test.start, test.end, test.messages); (note != "") != test.note {
			t.Errorf("%+v: %q", test, note)
		}
	}
}
