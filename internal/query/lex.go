package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a piece of SQL text.
type token struct {
	kind       tokenKind
	start, end int
	word       string // words in upper case, symbols as they are
}

type tokenKind int

const (
	wordToken tokenKind = iota
	quotedToken
	textToken
	symbolToken
)

// lex splits SQL into tokens, without blanks and comments. It is close to DuckDB's
// rules, and nothing relies on it being the same: what is cut or completed by its tokens
// goes through the gate's parser again.
func lex(sql string) []token {
	var tokens []token
	for i := 0; i < len(sql); {
		if n := blankLength(sql[i:]); n > 0 {
			i += n
			continue
		}
		t := token{kind: symbolToken, start: i}
		switch b := sql[i]; {
		case b == '\'':
			t.kind, t.end = textToken, i+quotedLength(sql[i:], '\'', false)
		case (b == 'e' || b == 'E') && i+1 < len(sql) && sql[i+1] == '\'':
			t.kind, t.end = textToken, i+1+quotedLength(sql[i+1:], '\'', true)
		case b == '"':
			t.kind, t.end = quotedToken, i+quotedLength(sql[i:], '"', false)
		case b == '$' && dollarLength(sql[i:]) > 0:
			t.kind, t.end = textToken, i+dollarLength(sql[i:])
		case isWordByte(b):
			t.kind, t.end = wordToken, i+wordLength(sql[i:])
			t.word = strings.ToUpper(sql[i:t.end])
		default:
			t.end, t.word = i+1, sql[i:i+1]
		}
		tokens = append(tokens, t)
		i = t.end
	}
	return tokens
}

// blankLength is how many bytes of white space or comment s begins with.
func blankLength(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r), r == 0x200b, r == 0xfeff:
		return size
	case strings.HasPrefix(s, "--"):
		if n := strings.IndexAny(s, "\r\n"); n >= 0 {
			return n
		}
		return len(s)
	case strings.HasPrefix(s, "/*"):
		return commentLength(s)
	}
	return 0
}

// commentLength measures a /* comment */, which may hold others.
func commentLength(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(s)
}

// quotedLength measures a text in quotes, in which a doubled quote is none and, if
// escapes, neither is one after a backslash.
func quotedLength(s string, quote byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

// dollarLength measures $tag$ text $tag$; 0 when s begins with no such thing.
func dollarLength(s string) int {
	n := 1
	for n < len(s) && isWordByte(s[n]) {
		n++
	}
	if n == len(s) || s[n] != '$' || n > 1 && s[1] >= '0' && s[1] <= '9' {
		return 0
	}
	tag := s[:n+1]
	end := strings.Index(s[len(tag):], tag)
	if end < 0 {
		return len(s)
	}
	return len(tag) + end + len(tag)
}

func isWordByte(b byte) bool {
	return b == '_' || b >= utf8.RuneSelf || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func wordLength(s string) int {
	n := 0
	for n < len(s) && (isWordByte(s[n]) || s[n] == '$') && (n == 0 || blankLength(s[n:]) == 0) {
		n++
	}
	return n
}

// bare is the statement without the semicolons around it.
func bare(sql string) string {
	tokens := lex(sql)
	for len(tokens) > 0 && tokens[0].word == ";" {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].word == ";" {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return ""
	}
	return sql[tokens[0].start:tokens[len(tokens)-1].end]
}
