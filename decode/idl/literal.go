package idl

import (
	"go/constant"
	gotoken "go/token"
	"strconv"
	"strings"
	"unicode/utf8"

	"tapedeck/decode"
)

// maxDigits is how long a number may be: more than a float64 or a fixed needs.
const maxDigits = 400

// literal reads the string or character at pos.
func (l *lexer) literal(t *token) error {
	quote := l.src[l.pos]
	l.pos++
	var b strings.Builder
	for {
		c := l.peek(0)
		switch {
		case l.pos == len(l.src) || c == '\n':
			return errorAt(t.line, "a literal has no end; expected %c before the line ends", quote)
		case c == quote:
			l.pos++
			return finishLiteral(t, quote, b.String())
		case c == '\\':
			l.pos++
			if err := l.escape(&b); err != nil {
				return err
			}
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
}

func finishLiteral(t *token, quote byte, text string) error {
	t.kind, t.text = stringToken, text
	if quote == '"' {
		return nil
	}
	t.kind = charToken
	if len(text) != 1 && utf8.RuneCountInString(text) != 1 {
		return errorAt(t.line, "expected one character between ' and ', found %q", decode.Shorten(text, 40))
	}
	return nil
}

var simpleEscapes = map[byte]byte{
	'n': '\n', 't': '\t', 'v': '\v', 'b': '\b', 'r': '\r', 'f': '\f', 'a': '\a',
	'\\': '\\', '?': '?', '\'': '\'', '"': '"',
}

// escape reads what follows a "\" (IDL 4.2, table 7-9).
func (l *lexer) escape(b *strings.Builder) error {
	c := l.peek(0)
	if simple, ok := simpleEscapes[c]; ok {
		l.pos++
		return b.WriteByte(simple)
	}
	switch {
	case '0' <= c && c <= '7':
		return b.WriteByte(byte(l.code(8, 3)))
	case c == 'x' && isHex(l.peek(1)):
		l.pos++
		return b.WriteByte(byte(l.code(16, 2)))
	case c == 'u' && isHex(l.peek(1)):
		l.pos++
		b.WriteRune(rune(l.code(16, 4)))
		return nil
	}
	return errorAt(l.line, `unknown escape \%c in a literal`, firstRune(l.src[l.pos:]))
}

// code reads a number of at most n digits.
func (l *lexer) code(base, n int) uint64 {
	end := l.pos
	for end < len(l.src) && end < l.pos+n && isHex(l.src[end]) && (base == 16 || l.src[end] < '8') {
		end++
	}
	v, _ := strconv.ParseUint(l.src[l.pos:end], base, 32) // the digits were looked at
	l.pos = end
	return v
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// charCode returns the number of a character: its code point, or its byte when
// it was written as one.
func charCode(text string) int64 {
	if r, n := utf8.DecodeRuneInString(text); n == len(text) && r != utf8.RuneError {
		return int64(r)
	}
	return int64(text[0])
}

// parseNumber returns the value of an integer (decimal, octal, hexadecimal),
// a floating-point or a fixed-point literal.
func parseNumber(t token) (constant.Value, error) {
	text := strings.ToLower(t.text)
	if len(text) > maxDigits {
		return nil, errorAt(t.line, "expected a number of at most %d digits, found %s", maxDigits, t)
	}
	if strings.HasPrefix(text, "0x") || !strings.ContainsAny(text, ".ed") {
		v := constant.MakeFromLiteral(text, gotoken.INT, 0)
		if v.Kind() != constant.Int || constant.BitLen(v) > 64 {
			return nil, errorAt(t.line, "expected an integer of at most 64 bits, found %s", t)
		}
		return v, nil
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(text, "d"), 64)
	if err != nil {
		return nil, errorAt(t.line, "expected a number, found %s", t)
	}
	return constant.MakeFloat64(f), nil
}
