package document

import (
	"strings"
	"unicode/utf8"
)

// A border says how well a text can be cut at a place.
type border int

const (
	noBorder border = iota // within a rune
	runeBorder
	wordBorder
	sentenceBorder
	lineBorder
	paragraphBorder
)

// borderAt is the border before text[i].
func borderAt(text string, i int) border {
	if i <= 0 || i >= len(text) {
		return paragraphBorder
	}
	switch c := text[i-1]; {
	case c == '\n':
		if strings.HasSuffix(strings.TrimRight(text[max(0, i-maxGap):i-1], " \t"), "\n") {
			return paragraphBorder
		}
		return lineBorder
	case c == ' ' || c == '\t':
		if endsSentence(text, i) {
			return sentenceBorder
		}
		return wordBorder
	case c >= utf8.RuneSelf:
		if !utf8.RuneStart(text[i]) {
			return noBorder
		}
		if endsWideSentence(text[:i]) {
			return sentenceBorder
		}
	case !utf8.RuneStart(text[i]):
		return noBorder
	}
	return runeBorder
}

// endsWideSentence reports whether a text ends with a full stop of Chinese or
// Japanese, which need no blank behind them.
func endsWideSentence(text string) bool {
	return strings.HasSuffix(text, "。") || strings.HasSuffix(text, "！") || strings.HasSuffix(text, "？")
}

// endsSentence reports whether a sentence ends with the blank before text[i]: a
// stop, quotes and brackets, the blank, and no small letter. `foo.go:12` and 3.14
// have no blank, e.g. has a small letter behind, "1. first" is an item of a list.
func endsSentence(text string, i int) bool {
	if c := text[i]; c == ' ' || c == '\t' || c >= 'a' && c <= 'z' {
		return false // the last of several blanks is the border
	}
	stop := i - 1
	for stop > 0 && (text[stop] == ' ' || text[stop] == '\t') && i-stop < maxGap {
		stop--
	}
	for stop > 0 && strings.IndexByte("\"')]*", text[stop]) >= 0 && i-stop < maxGap {
		stop--
	}
	switch text[stop] {
	case '!', '?':
		return true
	case '.':
		return !isAbbreviation(text[max(0, stop-maxGap):stop])
	}
	return endsWideSentence(text[:stop+1])
}

// abbreviations may stand before a capital or a number.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "cf": true, "vs": true, "etc": true, "approx": true, "ca": true, "no": true, "fig": true,
	"sec": true, "eq": true, "dr": true, "mr": true, "mrs": true, "ms": true, "prof": true, "st": true, "resp": true,
}

// isAbbreviation reports whether the stop behind a text belongs to its last word:
// an abbreviation, an initial, the number of an item.
func isAbbreviation(text string) bool {
	word := text[strings.LastIndexAny(text, " \t\n(")+1:]
	if len(word) == 1 && alnumByte[word[0]] || abbreviations[strings.ToLower(word)] {
		return true
	}
	return len(word) <= 3 && digitsEnd(word, 0) == len(word)
}
