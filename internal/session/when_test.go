package session

import (
	"testing"
	"time"
)

func TestWhen(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-01-31T12:00:00Z":      "2026-01-31T12:00:00.000Z",
		"2026-01-31t12:00:00+02:00": "2026-01-31T10:00:00.000Z",
		"2026-01-31T12:00":          "2026-01-31T12:00:00.000Z",
		"2026-01-31 12:00:00":       "2026-01-31T12:00:00.000Z",
		" 2026-01-31 ":              "2026-01-31T00:00:00.000Z",
		"36h":                       "2026-03-09T00:00:00.000Z",
		"1w":                        "2026-03-03T12:00:00.000Z",
		"":                          "",
		"yesterday":                 "",
		"1234567d":                  "",
		"2026-13-01":                "",
	} {
		got, ok := When(text, now)
		if got.String() != want || ok != (want != "") {
			t.Errorf("When(%q) = %q, %v; want %q", text, got, ok, want)
		}
	}
}
