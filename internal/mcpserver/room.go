package mcpserver

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// size is the length of v's text.
func size(v any) int {
	text, err := compact(v)
	if err != nil {
		return 0 // the result itself will fail with this error
	}
	return len(text)
}

// mostThatFit is the largest n up to most for which fits holds, 0 if none does.
// fits must hold for all smaller numbers if it holds for one.
func mostThatFit(most int, fits func(n int) bool) int {
	return sort.Search(most, func(i int) bool { return !fits(i + 1) })
}

// keepFirst is at most the first n items.
func keepFirst[T any](items []T, n int) []T {
	return items[:min(n, len(items)):min(n, len(items))]
}

// keepThatFit is as many of the first items as fit into room.
func keepThatFit[T any](items []T, room int) []T {
	for i, item := range items {
		if room -= size(item) + 1; room < 0 {
			return items[:i:i]
		}
	}
	return items
}

// keepEntries is the entries that fit into room, in the order of their keys. One
// that is too long does not hide those behind it.
func keepEntries[V any](entries map[string]V, room int) map[string]V {
	kept := make(map[string]V, len(entries))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if need := size(key) + size(entries[key]) + 2; need <= room {
			kept[key] = entries[key]
			room -= need
		}
	}
	return kept
}

// A tally says of which lists a bounded answer shows a part.
type tally []string

// count notes a list that was cut, and reports whether it was.
func (t *tally) count(list string, shown, of int) (cut bool) {
	if shown < of {
		*t = append(*t, fmt.Sprintf("%s shows %d of %d", list, shown, of))
	}
	return shown < of
}

func (t tally) String() string { return strings.Join(t, ", ") }

// cutText is s, with an ellipsis where it was longer than most bytes.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
