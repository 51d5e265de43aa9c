package sqlite

import (
	"slices"
	"strings"
	"unicode"
)

// isWordRune reports whether the tokenizer (unicode61) takes a rune for part of a
// word: letters, numbers and what is of private use.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

func notWordRune(r rune) bool { return !isWordRune(r) }

// innerWords are the words inside of a text's words: getUserName has three. Each
// word that has some is told once.
func innerWords(text string) string {
	var inner []byte
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, notWordRune) {
		if cut(word, 0) == len(word) || seen[word] {
			continue
		}
		seen[strings.Clone(word)] = true
		for from := 0; from < len(word); {
			to := cut(word, from)
			inner = append(append(inner, word[from:to]...), ' ')
			from = to
		}
	}
	return string(inner)
}

// cut is where the inner word that begins at from ends: before a capital that
// follows a small letter, or that a small letter follows (HTTPRequest).
func cut(word string, from int) int {
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

// expression is a term as FTS5 takes it: its words in quotes, where nothing is
// syntax; they must follow each other. "" when the term has no words.
func expression(term string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(term, " "), notWordRune)
	if len(words) == 0 {
		return ""
	}
	phrase := strings.Join(words, " ")
	if inner := strings.TrimSpace(innerPhrase(words)); inner != phrase {
		return `("` + phrase + `" OR "` + inner + `")`
	}
	return `"` + phrase + `"`
}

// innerPhrase is the words with those that have inner words in parts.
func innerPhrase(words []string) string {
	parts := make([]string, len(words))
	for i, word := range words {
		parts[i] = word
		if cut(word, 0) < len(word) {
			parts[i] = strings.TrimSpace(innerWords(word))
		}
	}
	return strings.Join(parts, " ")
}

// expressions are those of terms, each once. Words that are in every text are left
// out if there are others.
func expressions(terms []string) []string {
	var telling, stops []string
	for _, term := range terms {
		e := expression(term)
		switch {
		case e == "" || slices.Contains(telling, e) || slices.Contains(stops, e):
		case stopWords[strings.ToLower(strings.Trim(e, `"`))]:
			stops = append(stops, e)
		default:
			telling = append(telling, e)
		}
	}
	if len(telling) == 0 {
		return stops
	}
	return telling
}

// stopWords say nothing of what a text is about.
var stopWords = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`a about above after again all also am an and any are as at be because been before being below
		between both but by can could did do does doing down during each few for from further had has have having he her here hers him his how
		i if in into is it its itself just may me might more most must my no nor not of off on once only or other our ours out over own s same
		shall she should so some such t than that the their theirs them then there these they this those through to too under until up upon us
		very was we were what when where which while who whom why will with would you your yours`) {
		words[word] = true
	}
	return words
}()
