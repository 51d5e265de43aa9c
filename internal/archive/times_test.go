package archive

import (
	"testing"
	"time"
)

func TestTimesAsCallersGiveThem(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"2026-01-31", "2026-01-31T00:00:00.000Z"},
		{" 2026-01-31T10:00:00+02:00 ", "2026-01-31T08:00:00.000Z"},
		{"2026-01-31t10:00:00z", "2026-01-31T10:00:00.000Z"},
		{"2026-01-31T10:00", "2026-01-31T10:00:00.000Z"},
		{"2026-01-31 10:00:00", "2026-01-31T10:00:00.000Z"},
		{"90m", "2026-03-01T10:30:00.000Z"},
		{"36h", "2026-02-28T00:00:00.000Z"},
		{"7d", "2026-02-22T12:00:00.000Z"},
		{"2w", "2026-02-15T12:00:00.000Z"},
	} {
		got, err := parseTime("since", tt.text, now)
		if err != nil || got.String() != tt.want {
			t.Errorf("%q is %s (%v), want %s", tt.text, got, err, tt.want)
		}
	}
	for _, text := range []string{"yesterday", "7", "-7d", "7y", "2026-13-01", "99999999999d"} {
		_, err := parseTime("since", text, now)
		wantCode(t, text, err, CodeArgument)
	}
}

func TestAWindowBeginsBeforeItEnds(t *testing.T) {
	_, _, err := parseWindow("2026-02-01", "2026-01-01")
	wantCode(t, "a window that ends first", err, CodeArgument)
	if _, _, err := parseWindow("", "2026-01-01"); err != nil {
		t.Error(err)
	}
}
