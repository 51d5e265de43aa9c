package search

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// snippetBytes bounds a snippet.
	snippetBytes = 320
	// leadBytes is how far before its first match a passage may begin, for the sake of
	// a whole sentence.
	leadBytes = 100
	// lookedAt is how much text a snippet is made of: blanks may go.
	lookedAt = 4 * snippetBytes
	ellipsis = "…"
)

// A match is where a text has a word of the query, or what must be held as it is
// written.
type match struct {
	start, end int
	word       int // of the query's words; those behind them are the exact ones
}

// matches are where a text has the query's words, in any form.
func (q query) matches(text string) iter.Seq[match] {
	return func(yield func(match) bool) {
		index := map[string]int{}
		var begins [256]bool // of the words, to look at few others
		for i, word := range q.words {
			index[word] = i
			begins[word[0]] = true
		}
		for start, end := range words(text) {
			first := text[start]
			if first >= 'A' && first <= 'Z' {
				first += 'a' - 'A'
			}
			if first < utf8.RuneSelf && !begins[first] {
				continue
			}
			if i, ok := index[stemOf(text[start:end])]; ok && !yield(match{start, end, i}) {
				return
			}
		}
	}
}

// allMatches are the matches of words and of what must be held, in their order.
func (q query) allMatches(text string) []match {
	all := slices.Collect(q.matches(text))
	folded := foldASCII(text)
	for i, e := range q.exact {
		for from := 0; ; {
			start, end := e.find(folded, from)
			if start < 0 {
				break
			}
			all = append(all, match{start, end, len(q.words) + i})
			from = end
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	return all
}

// snippet is the passage of a text that answers the query best, with the ranges
// of its bytes that match: where most of the query's words stand side by side,
// and of equal ones in the chunk that is nearest. Without any it is that chunk's
// beginning.
func (q query) snippet(text string, chunkStart, chunkEnd int) (string, [][2]int) {
	chunkStart, chunkEnd = inside(text, chunkStart), inside(text, chunkEnd)
	if chunkEnd <= chunkStart {
		chunkEnd = len(text)
	}
	from := chunkStart
	if best := q.densest(q.allMatches(text), chunkStart, chunkEnd); best >= 0 {
		from = passageStart(text, best)
	}
	to := inside(text, from+lookedAt)
	passage, lead := oneLine(text[from:to]), ""
	if from > 0 {
		lead = ellipsis
	}
	if room := snippetBytes - len(lead); len(passage) > room || to < len(text) {
		passage = cutPassage(passage, room-len(ellipsis)) + ellipsis
	}
	passage = lead + passage
	return passage, q.highlights(passage)
}

// inside is the nearest border of a character in a text.
func inside(text string, i int) int {
	i = min(max(i, 0), len(text))
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// densest is where the passage begins that has most of the query's words, counting
// each word once; -1: there is none.
func (q query) densest(all []match, chunkStart, chunkEnd int) int {
	const span = snippetBytes - leadBytes
	best, bestValue := -1, 0.0
	count := map[int]int{}
	value := 0.0
	for i, j := 0, 0; i < len(all); i++ {
		for j < len(all) && (j <= i || all[j].end <= all[i].start+span) {
			if count[all[j].word]++; count[all[j].word] == 1 {
				value += q.worth(all[j].word)
			}
			j++
		}
		total := value
		if all[i].start >= chunkStart && all[i].start < chunkEnd {
			total += 0.5 // the nearest chunk, but not for the price of a word
		}
		if total > bestValue {
			best, bestValue = all[i].start, total
		}
		if count[all[i].word]--; count[all[i].word] == 0 {
			value -= q.worth(all[i].word)
		}
	}
	return best
}

// worth is what a match says: what must be held says most.
func (q query) worth(word int) float64 {
	if word >= len(q.words) {
		return 4
	}
	return 1
}

// passageStart is where a passage begins whose first match is known: at the
// beginning of the sentence or line, if that is near, else at a word's.
func passageStart(text string, match int) int {
	first := max(0, match-leadBytes)
	if first == 0 {
		return 0
	}
	for i := match; i > first; i-- {
		if text[i-1] == '\n' || i > 1 && text[i-1] == ' ' && strings.IndexByte(".!?", text[i-2]) >= 0 {
			return i
		}
	}
	for i := max(first, match-leadBytes/2); i < match; i++ {
		if text[i] == ' ' || text[i] == '\n' {
			return i + 1
		}
	}
	return match
}

// cutPassage is the beginning of a passage, up to the end of a sentence if that
// costs little, else of a word.
func cutPassage(passage string, n int) string {
	part := cutAtWord(passage, n)
	for i := len(part) - 1; i > len(part)*3/4; i-- {
		if strings.IndexByte(".!?", part[i]) >= 0 && i+1 < len(passage) && passage[i+1] == ' ' {
			return part[:i+1] + " "
		}
	}
	return part
}

// cutAtWord is at most n bytes of a text, up to the end of a word if one ends near.
func cutAtWord(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if i := strings.LastIndexAny(text[:n+1], " \n\t"); i > n*3/4 {
		return text[:i]
	}
	return text[:n]
}

// oneLine is a text with single blanks between its words.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// highlights are the ranges of a snippet's bytes that match, in order, none
// overlapping another.
func (q query) highlights(snippet string) [][2]int {
	ranges := [][2]int{}
	for _, m := range q.allMatches(snippet) {
		if n := len(ranges); n > 0 && m.start < ranges[n-1][1] {
			ranges[n-1][1] = max(ranges[n-1][1], m.end)
			continue
		}
		ranges = append(ranges, [2]int{m.start, m.end})
	}
	return ranges
}
