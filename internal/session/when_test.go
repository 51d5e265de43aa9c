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
		"90m":                       "2026-03-10T10:30:00.000Z",
		"7":                         "",
		"-7d":                       "",
		"7y":                        "",
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

func TestWindow(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ from, to, begin, end, err string }{
		{"", " ", "", "", ""},
		{"7d", "", "2026-03-03T12:00:00.000Z", "", ""},
		{"", "2026-01-01", "", "2026-01-01T00:00:00.000Z", ""},
		{"2026-01-01", "2026-02-01", "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", ""},
		{"2026-02-01", "2026-01-01", "", "", `until "2026-01-01": want a time later than since, which is 2026-02-01T00:00:00.000Z`},
		{"1d", "24h", "", "", `until "24h": want a time later than since, which is 2026-03-09T12:00:00.000Z`},
		{"soon", "", "", "", `since "soon": want ` + WhenWords},
		{"", "7", "", "", `until "7": want ` + WhenWords},
	} {
		begin, end, err := Window(End{"since", tt.from}, End{"until", tt.to}, now)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if begin.String() != tt.begin || end.String() != tt.end || said != tt.err {
			t.Errorf("%q to %q: %s to %s, %q", tt.from, tt.to, begin, end, said)
		}
	}
}
