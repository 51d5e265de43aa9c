package store

import (
	"errors"
	"testing"

	"tapedeck/internal/session"
)

func TestCursorsBelongToTheirListing(t *testing.T) {
	position := Position{Numbers: []int64{-1, 1 << 62}, Texts: []string{"é🙈"}}
	cursor := position.Cursor("traces of a")
	got, err := Page{Cursor: cursor}.After("traces of a", 2, 1)
	if err != nil || got.Numbers[0] != -1 || got.Numbers[1] != 1<<62 || got.Texts[0] != "é🙈" {
		t.Errorf("%+v, %v", got, err)
	}
	for name, page := range map[string]func() (*Position, error){
		"another listing": func() (*Position, error) { return Page{Cursor: cursor}.After("traces of b", 2, 1) },
		"fewer numbers":   func() (*Position, error) { return Page{Cursor: cursor}.After("traces of a", 1, 1) },
		"more texts":      func() (*Position, error) { return Page{Cursor: cursor}.After("traces of a", 2, 2) },
		"no base64":       func() (*Position, error) { return Page{Cursor: "%"}.After("traces of a", 2, 1) },
		"no JSON":         func() (*Position, error) { return Page{Cursor: "AAAA"}.After("traces of a", 2, 1) },
	} {
		if _, err := page(); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: %v, want ErrCursor", name, err)
		}
	}
	if first, err := (Page{}).After("anything", 1, 1); first != nil || err != nil {
		t.Errorf("the first page: %v, %v", first, err)
	}
}

func TestDaysAreThoseThatAWindowTouches(t *testing.T) {
	const day session.Time = 24 * 60 * 60 * 1000
	for _, c := range []struct {
		since, until session.Time
		first, last  string
	}{
		{0, 0, "", ""},
		{day, 0, "1970-01-02", ""},
		{2*day - 1, 3 * day, "1970-01-02", "1970-01-03"},
		{0, 3*day + 1, "", "1970-01-04"},
	} {
		if first, last := (SessionFilter{Since: c.since, Until: c.until}).Days(); first != c.first || last != c.last {
			t.Errorf("[%v, %v): %q to %q, want %q to %q", c.since, c.until, first, last, c.first, c.last)
		}
	}
}
