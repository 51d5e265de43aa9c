package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWordRune reports whether a character is part of a word, as full texts see it:
// an underscore parts words.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// words are the words of a text: where each begins and ends. A character of a
// script without blanks is a word of its own.
func words(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		start := -1
		for i, r := range text {
			inside := isWordRune(r)
			if start >= 0 && (!inside || isIdeograph(r)) {
				if !yield(start, i) {
					return
				}
				start = -1
			}
			if !inside {
				continue
			}
			if isIdeograph(r) {
				if !yield(i, i+utf8.RuneLen(r)) {
					return
				}
			} else if start < 0 {
				start = i
			}
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

func isIdeograph(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// wordsOf are the words of a text in lower case.
func wordsOf(text string) []string {
	var list []string
	for start, end := range words(text) {
		list = append(list, strings.ToLower(text[start:end]))
	}
	return list
}

// stemOf is what forms of a word have in common: enough to find the words of a
// query in a passage. The full text has a stemmer of its own.
func stemOf(word string) string {
	word = strings.ToLower(word)
	if len(word) < 4 || hasDigit(word) {
		return word
	}
	for _, end := range []struct{ suffix, instead string }{
		{"ies", "y"}, {"ied", "y"}, {"sses", "ss"}, {"ing", ""}, {"edly", ""}, {"ed", ""}, {"ly", ""}, {"es", ""}, {"s", ""},
	} {
		stem, found := strings.CutSuffix(word, end.suffix)
		if !found || len(stem) < 3 || end.suffix == "s" && strings.HasSuffix(stem, "s") {
			continue
		}
		word = stem + end.instead
		break
	}
	if n := len(word); n > 3 && word[n-1] == word[n-2] && strings.IndexByte("bdgmnprt", word[n-1]) >= 0 {
		word = word[:n-1] // stopped, running
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}

// isStopWord reports whether a word, in lower case, says nothing of what is
// looked for.
func isStopWord(word string) bool { return stopWords[word] }

var stopWords = wordSet(`
a about above after again against all also am an and any are aren as at be because been before being below between both
but by can cannot could couldn d did didn do does doesn doing don down during each either few for from further had hadn
has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself just
ll m may me might more most must my myself no nor not now o of off on once only or other our ours ourselves out over own
please re s same shall she should shouldn so some such t than that the their theirs them themselves then there these they
this those through to too under until up upon ve very was wasn we were weren what when where which while who whom whose
why will with within without would wouldn you your yours yourself yourselves`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
