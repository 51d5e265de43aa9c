package store

import (
	"fmt"
	"slices"
	"strings"

	"tapedeck/internal/session"
)

// Fold is the form in which texts are compared where case is ignored. Stores
// keep folded texts beside the real ones, so that they agree on what a letter's
// other case is.
func Fold(text string) string { return strings.ToLower(text) }

// Order is Sort, or the default.
func (f SessionFilter) Order() (SessionSort, error) {
	if f.Sort == "" {
		return SortActive, nil
	}
	if !slices.Contains(SessionSorts, f.Sort) {
		return "", fmt.Errorf("no order of sessions: %q; want one of %v", f.Sort, SessionSorts)
	}
	return f.Sort, nil
}

// Listing names what the filter lists, for cursors. The window of time is no part
// of it: one that was given as an age has moved when the next page is asked for.
func (f SessionFilter) Listing() string {
	f.Since, f.Until = 0, 0
	return fmt.Sprintf("sessions %+v", f)
}

// Days are the days that [Since, Until) touches: from the first to the last,
// both with it; "" where there is no bound. The unknown day is in none that has
// one.
func (f SessionFilter) Days() (first, last string) {
	if f.Until != 0 {
		last = (f.Until - 1).Day()
	}
	return f.Since.Day(), last
}

// Duration is what SortDuration orders by, in milliseconds.
func Duration(s session.Session) int64 {
	if s.StartedAt == 0 || s.EndedAt == 0 {
		return 0
	}
	return max(int64(s.EndedAt-s.StartedAt), 0)
}
