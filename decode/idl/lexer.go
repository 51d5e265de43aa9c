package idl

import (
	"fmt"
	"strings"
)

// lexer cuts a text into tokens.
type lexer struct {
	src   string
	pos   int
	line  int
	fresh bool // nothing but space since the line began
}

func newLexer(src string) *lexer {
	return &lexer{src: strings.TrimPrefix(src, "\ufeff"), line: 1, fresh: true}
}

// next returns the next token; at the end of the text it returns endTokens.
func (l *lexer) next() (token, error) {
	before, after, err := l.gap()
	t := token{line: l.line, start: l.pos, before: before, after: after}
	if err != nil || l.pos == len(l.src) {
		t.end = l.pos
		return t, err
	}
	l.fresh = false
	switch c := l.src[l.pos]; {
	case isLetter(c):
		err = l.word(&t)
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		t.kind, t.text = numberToken, l.number()
	case c == '"' || c == '\'':
		err = l.literal(&t)
	case l.ahead("::"):
		t.kind, t.text = symbolToken, "::"
		l.pos += 2
	case strings.IndexByte("{}()<>[];,:=+-*/%|&^~@", c) >= 0:
		t.kind, t.text = symbolToken, l.src[l.pos:l.pos+1]
		l.pos++
	default:
		err = errorAt(l.line, "unexpected character %q", firstRune(l.src[l.pos:]))
	}
	t.end = l.pos
	return t, err
}

// gap passes over space, comments, preprocessor lines and the lines between the
// sections of ros2idl. It returns the comment that belongs to the next token
// and the one that belongs to the token before.
func (l *lexer) gap() (before, after string, err error) {
	behind := l.pos > 0 // still on the line of the token before
	newlines := 0       // since the last comment
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n':
			l.pos++
			l.line++
			l.fresh, behind = true, false
			if newlines++; newlines > 1 {
				before = "" // a blank line parts a comment from what follows
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.pos++
		case l.ahead("//"), l.ahead("/*"):
			text, err := l.comment()
			if err != nil {
				return "", "", err
			}
			if behind {
				after = joinNotes(after, text)
			} else {
				before = joinNotes(before, text)
			}
			newlines = 0
		case l.fresh && (c == '#' || l.atSectionLine()):
			l.restOfLine()
			before = ""
		default:
			return before, after, nil
		}
	}
	return before, after, nil
}

// comment passes over the comment at pos and returns its text.
func (l *lexer) comment() (string, error) {
	if l.ahead("//") {
		start := l.pos
		l.pos = l.lineEnd()
		return cleanComment(l.src[start:l.pos]), nil
	}
	n := strings.Index(l.src[l.pos+2:], "*/")
	if n < 0 {
		return "", errorAt(l.line, "a comment that begins here has no end; expected */")
	}
	text := l.src[l.pos : l.pos+2+n]
	l.line += strings.Count(text, "\n")
	l.pos += n + 4
	return cleanComment(text), nil
}

// atSectionLine reports whether a line of "=" or "IDL: pkg/msg/Type" begins at pos.
func (l *lexer) atSectionLine() bool {
	if l.ahead("IDL:") {
		return !l.ahead("IDL::")
	}
	line := strings.TrimRight(l.src[l.pos:l.lineEnd()], "\r \t")
	return len(line) >= 3 && strings.Trim(line, "=") == ""
}

// restOfLine passes over the line, and those that a "\" at its end adds to it.
func (l *lexer) restOfLine() {
	for {
		start := l.pos
		l.pos = l.lineEnd()
		continued := strings.HasSuffix(strings.TrimRight(l.src[start:l.pos], "\r"), `\`)
		if !continued || l.pos == len(l.src) {
			return
		}
		l.pos++
		l.line++
	}
}

func (l *lexer) lineEnd() int {
	if n := strings.IndexByte(l.src[l.pos:], '\n'); n >= 0 {
		return l.pos + n
	}
	return len(l.src)
}

// word reads a name, a keyword, or a literal with the prefix of wide ones.
func (l *lexer) word(t *token) error {
	start := l.pos
	for l.pos < len(l.src) && (isLetter(l.src[l.pos]) || isDigit(l.src[l.pos])) {
		l.pos++
	}
	t.kind, t.text = identToken, l.src[start:l.pos]
	if t.text == "L" && (l.peek(0) == '"' || l.peek(0) == '\'') {
		return l.literal(t)
	}
	if len(t.text) > 1 && t.text[0] == '_' {
		t.text, t.escaped = t.text[1:], true
	}
	return nil
}

// number takes all that may belong to a number; see parseNumber.
func (l *lexer) number() string {
	start := l.pos
	hex := l.ahead("0x") || l.ahead("0X")
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		sign := (c == '+' || c == '-') && !hex && (l.src[l.pos-1]|0x20) == 'e'
		if !sign && c != '.' && !isLetter(c) && !isDigit(c) {
			break
		}
		l.pos++
	}
	return l.src[start:l.pos]
}

func (l *lexer) ahead(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

// peek returns the byte n behind pos, or 0 at the end.
func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// errorAt returns an error that names a line of the text.
func errorAt(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}
