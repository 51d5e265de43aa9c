package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxQuery bounds a query, in bytes: a pasted error with its stack fits.
	maxQuery = 32 << 10
	// maxTerms bounds how many terms of a query are looked for, the first ones.
	maxTerms = 64
	// maxExact bounds how many of them must be held as they are written.
	maxExact = 8
)

// A query is what a person asked for, in the parts that are looked for.
type query struct {
	text  string        // as it was given
	terms []string      // words, phrases and identifiers for the full text
	words []string      // stems of the single words, for passages and coverage
	exact []exactPhrase // what was quoted, and identifiers: as they are written
	given []string      // the same as they were given
}

var quoted = regexp.MustCompile(`"([^"]*)"|“([^”]*)”`)

// parseQuery takes a query apart. Stop words are looked for only where they are
// quoted or where there is nothing else.
func parseQuery(text string) query {
	q := query{text: text}
	for _, part := range quoted.FindAllStringSubmatch(text, -1) {
		q.phrase(part[1] + part[2])
	}
	rest := strings.Fields(quoted.ReplaceAllString(text, " "))
	for _, field := range rest {
		q.field(field, false)
	}
	if len(q.terms) == 0 {
		for _, field := range rest {
			q.field(field, true)
		}
	}
	return q
}

// phrase takes what stands between quotes.
func (q *query) phrase(text string) {
	text = strings.Join(strings.Fields(text), " ")
	if len(wordsOf(text)) == 0 {
		return
	}
	q.term(text)
	for _, w := range wordsOf(text) {
		q.word(w)
	}
	q.mustHold(text)
}

// field takes what stands between blanks: a word with its punctuation, or an
// identifier. Of an identifier the parts are looked for as well, as a document
// that has most of them is the next best.
func (q *query) field(field string, stopWordsToo bool) {
	core := strings.TrimFunc(field, func(r rune) bool { return !isWordRune(r) })
	parts := wordsOf(core)
	switch len(parts) {
	case 0:
		return
	case 1:
		if stopWordsToo || !isStopWord(parts[0]) {
			q.term(core)
			q.word(parts[0])
		}
	default:
		q.term(core)
		for _, part := range parts {
			first, size := utf8.DecodeRuneInString(part)
			switch {
			case isIdeograph(first):
				q.word(part) // the full text has the run as a whole
			case len(part) > size && !isStopWord(part):
				q.term(part)
				q.word(part)
			}
		}
	}
	if isIdentifier(field, core, parts) {
		q.mustHold(core)
	}
}

func (q *query) term(text string) {
	text = strings.ToLower(text)
	if len(q.terms) < maxTerms && !slices.Contains(q.terms, text) {
		q.terms = append(q.terms, text)
	}
}

func (q *query) word(word string) {
	if stem := stemOf(word); len(q.words) < maxTerms && !slices.Contains(q.words, stem) {
		q.words = append(q.words, stem)
	}
}

func (q *query) mustHold(text string) {
	if len(q.exact) < maxExact {
		q.exact, q.given = append(q.exact, newExactPhrase(text)), append(q.given, text)
	}
}

// exactTerms are the terms of which the documents must come first.
func (q *query) exactTerms() []string {
	terms := make([]string, len(q.exact))
	for i, e := range q.exact {
		terms[i] = strings.Join(e, " ")
	}
	return terms
}

// isIdentifier reports whether a field is a name that means just itself: a path, a
// flag, an error code, an issue's number. A hyphen or slash alone does not make
// one of ordinary words.
func isIdentifier(field, core string, parts []string) bool {
	if len(parts) == 1 {
		return len(core) >= 4 && hasLetter(core) && hasDigit(core)
	}
	if strings.ContainsAny(core, `_:\@#=`) {
		return true
	}
	mixed := slices.ContainsFunc(parts, hasDigit) && slices.ContainsFunc(parts, hasLetter)
	switch {
	case strings.Contains(core, ",") || strings.ContainsFunc(core, unicode.IsSpace):
		return false
	case strings.HasPrefix(field, "-") || strings.HasPrefix(field, "/") || strings.HasPrefix(field, "."):
		return true // a flag, a path
	case strings.Contains(core, "."):
		return mixed || isDotted(parts)
	case strings.Contains(core, "/"):
		return mixed || len(parts) > 2
	}
	return mixed && hasLetter(parts[0]) && len(core) >= 5 // bd-q3fy, gpt-4; but not 2-dimensional
}

// isDotted reports whether parts between dots make a file's or a variable's name,
// or a version; an abbreviation (e.g.) and a number (2.5) are none.
func isDotted(parts []string) bool {
	if !slices.ContainsFunc(parts, hasLetter) {
		return len(parts) > 2
	}
	return slices.ContainsFunc(parts, func(p string) bool { return len(p) > 1 })
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }
func hasDigit(s string) bool  { return strings.ContainsFunc(s, unicode.IsDigit) }

// An exactPhrase is text that is looked for as it is written, but for case and for
// the blanks between its parts.
type exactPhrase []string

func newExactPhrase(text string) exactPhrase { return strings.Fields(foldASCII(text)) }

// find returns where the phrase stands in a folded text, from a byte on; start is
// -1 where it does not. It never stands inside of a longer word or number.
func (e exactPhrase) find(folded string, from int) (start, end int) {
	for {
		i := strings.Index(folded[from:], e[0])
		if i < 0 {
			return -1, -1
		}
		start = from + i
		if end = e.matchAt(folded, start); end >= 0 {
			return start, end
		}
		from = start + 1
	}
}

// matchAt returns where the phrase that begins at start ends, -1 when it does not
// begin there.
func (e exactPhrase) matchAt(folded string, start int) int {
	if before, _ := utf8.DecodeLastRuneInString(folded[:start]); start > 0 && isWordRune(before) && startsWithWord(e[0]) {
		return -1
	}
	at := start
	for i, part := range e {
		if i > 0 {
			next := skipSpace(folded, at)
			if next == at {
				return -1
			}
			at = next
		}
		if !strings.HasPrefix(folded[at:], part) {
			return -1
		}
		at += len(part)
	}
	last, _ := utf8.DecodeLastRuneInString(folded[:at])
	if after, _ := utf8.DecodeRuneInString(folded[at:]); at < len(folded) && isWordRune(after) && isWordRune(last) {
		return -1
	}
	return at
}

func startsWithWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isWordRune(r)
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t') {
		i++
	}
	return i
}

// foldASCII is a text in which ASCII letters are small. Unlike other foldings it
// leaves every byte in its place.
func foldASCII(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' }) < 0 {
		return s
	}
	folded := []byte(s)
	for i, c := range folded {
		if c >= 'A' && c <= 'Z' {
			folded[i] = c + 'a' - 'A'
		}
	}
	return string(folded)
}
