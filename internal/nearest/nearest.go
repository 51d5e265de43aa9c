// Package nearest finds the names that someone may have meant: files, topics,
// tables, settings.
//
// It compares letters and words, without regard to case, and knows nothing of
// meaning. The same question always gets the same answer.
package nearest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// comparedRunes bounds how much of a name is compared, and so the time for
// names of any length.
const comparedRunes = 100

// Nearest returns up to n of the candidates that are most like name, the most
// alike first. Candidates that have little in common with it are left out, and
// so are repetitions.
func Nearest(name string, candidates []string, n int) []string {
	type scored struct {
		name  string
		score float64
	}
	var near []scored
	seen := make(map[string]bool)
	for _, c := range candidates {
		if seen[c] {
			continue
		}
		seen[c] = true
		if s := likeness(name, c); s > 0 {
			near = append(near, scored{c, s})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, s := range near[:min(max(n, 0), len(near))] {
		names = append(names, s.name)
	}
	return names
}

// likeness is 1 for names that differ in case or signs only, and 0 for those
// that have little in common. A path may be meant by its last part, and the
// end that most files' names share says nothing.
func likeness(name, candidate string) float64 {
	name, candidate = withoutEnd(name), withoutEnd(candidate)
	a, b := normal(name), normal(candidate)
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	whole := compare(a, b)
	last := compare(normal(lastPart(name)), normal(lastPart(candidate)))
	return max(whole, last*0.95, sharedWords(name, candidate)*0.6)
}

// normal is a name's letters and digits in lower case.
func normal(s string) []rune {
	var out []rune
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, unicode.ToLower(r))
		}
		if len(out) == comparedRunes {
			break
		}
	}
	return out
}

func withoutEnd(s string) string {
	const end = ".mcap"
	if n := len(s) - len(end); n > 0 && strings.EqualFold(s[n:], end) {
		return s[:n]
	}
	return s
}

// lastPart is what stands behind a path's last separator.
func lastPart(s string) string {
	s = strings.TrimRight(s, `/\`)
	return s[strings.LastIndexAny(s, `/\`)+1:]
}

// compare rates two names by the changes that make one of the other, and higher
// where one is a part of the other.
func compare(a, b []rune) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	longer := float64(max(len(a), len(b)))
	score := 1 - float64(distance(a, b))/longer
	if score <= 0.5 {
		score = 0
	}
	short, long := string(a), string(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 2 && strings.Contains(long, short) {
		score = max(score, 0.5+0.4*float64(min(len(a), len(b)))/longer)
	}
	return score
}

// distance is the number of letters to insert, delete, replace, or swap with
// their neighbour.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// sharedWords is the share of name's words that candidate has too.
func sharedWords(name, candidate string) float64 {
	words := func(s string) []string {
		s = strings.ToLower(s[:min(len(s), 4*comparedRunes)])
		return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	mine, theirs := words(name), words(candidate)
	shared := 0
	for _, w := range mine {
		if len(w) > 2 && slices.Contains(theirs, w) {
			shared++
		}
	}
	return float64(shared) / float64(max(1, len(mine)))
}
