package postgres

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tapedeck/internal/store"
)

// Limits of what PostgreSQL indexes: a tsvector takes 1 MB, and knows places up to
// 16,383.
const (
	longestWord = 200       // bytes; of longer ones the beginning is indexed
	partWords   = 8_000     // in a part
	partBytes   = 256 << 10 // at least as many bytes begin a new part
)

// A part of a text's words.
type part struct {
	text   int64
	length int    // in words
	words  string // as the parser takes them: see wordsOf
}

// partsOf are the words of a text, in parts. Behind a part's words stand those
// inside of its identifiers: getUserName is found by "user name" too.
func partsOf(num int64, text string) []part {
	var parts []part
	var words, inner []string
	size := 0
	end := func() {
		parts = append(parts, part{num, len(words), strings.Join(append(words, inner...), " ")})
		words, inner, size = words[:0], inner[:0], 0
	}
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(withoutMarks(text), notWordRune) {
		if len(words) == partWords || size > partBytes {
			end()
			clear(seen)
		}
		word = shortened(word)
		words, size = append(words, store.Fold(word)), size+len(word)
		if !seen[word] {
			seen[word] = true
			for _, w := range innerWords(word) {
				inner, size = append(inner, store.Fold(w)), size+len(w)
			}
		}
	}
	if len(words) > 0 {
		end()
	}
	return parts
}

// wordsOf are the words of a text in the form that they are indexed in: folded,
// without diacritics and punctuation. PostgreSQL's parser, which knows addresses,
// files and signed numbers, sees nothing but words.
func wordsOf(text string) []string {
	var words []string
	for word := range strings.FieldsFuncSeq(withoutMarks(text), notWordRune) {
		words = append(words, store.Fold(shortened(word)))
	}
	return words
}

// withoutMarks is a text whose letters have no diacritics.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36F {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToValidUTF8(text, " ")))
}

func notWordRune(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// shortened is a word, or the beginning of one that is too long.
func shortened(word string) string {
	if len(word) <= longestWord {
		return word
	}
	end := longestWord
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// innerWords are the words inside of a word; none where it is but one.
func innerWords(word string) (inner []string) {
	for from := 0; from < len(word); {
		to := innerEnd(word, from)
		if to == len(word) && from == 0 {
			return nil
		}
		inner = append(inner, word[from:to])
		from = to
	}
	return inner
}

// innerEnd is where the inner word that begins at from ends: before a capital that
// follows a small letter, or that a small letter follows (HTTPRequest).
func innerEnd(word string, from int) int {
	var last, before rune
	at := from
	for i, r := range word[from:] {
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(last):
			return from + i
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			return at
		}
		before, last, at = last, r, from+i
	}
	return len(word)
}
