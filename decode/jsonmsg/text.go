package jsonmsg

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// scanString checks the string at i, which is a quote, and returns its end
// behind the closing quote and whether it has escapes.
func scanString(buf []byte, i int) (end int, escaped bool, err error) {
	i = plainEnd(buf, i+1)
	for i < len(buf) && buf[i] != '"' {
		if buf[i] != '\\' {
			return i, escaped, unexpected(buf, i, "no control character in a string")
		}
		escaped = true
		if i, err = scanEscape(buf, i); err != nil {
			return i, escaped, err
		}
		i = plainEnd(buf, i)
	}
	if i >= len(buf) {
		return i, escaped, unexpected(buf, i, "the quote that ends a string")
	}
	return i + 1, escaped, nil
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// plainEnd returns the position of the first quote, backslash or control
// character from i on, or the end. It looks at eight bytes at a time: x-n
// borrows into the high bit of a byte that is less than n and had none itself.
func plainEnd(buf []byte, i int) int {
	for ; i+8 <= len(buf); i += 8 {
		x := binary.LittleEndian.Uint64(buf[i:])
		quote, slash := x^everyByte*'"', x^everyByte*'\\'
		hit := (quote-everyByte)&^quote | (slash-everyByte)&^slash | (x-everyByte*' ')&^x
		if hit &= highBits; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(buf) && buf[i] != '"' && buf[i] != '\\' && buf[i] >= ' ' {
		i++
	}
	return i
}

// scanEscape returns the end of the escape at i.
func scanEscape(buf []byte, i int) (int, error) {
	if i+1 >= len(buf) {
		return i, unexpected(buf, i+1, "an escape")
	}
	switch buf[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, nil
	case 'u':
		for j := i + 2; j < i+6; j++ {
			if j >= len(buf) || hex(buf[j]) < 0 {
				return i, unexpected(buf, j, "a hexadecimal digit")
			}
		}
		return i + 6, nil
	}
	return i, unexpected(buf, i+1, "an escape")
}

func hex(c byte) rune {
	switch {
	case c-'0' < 10:
		return rune(c - '0')
	case (c|0x20)-'a' < 6:
		return rune((c|0x20)-'a') + 10
	}
	return -1
}

// unescape appends the content of a string that scanString has checked.
func unescape(dst, content []byte) []byte {
	for {
		i := bytes.IndexByte(content, '\\')
		if i < 0 {
			return append(dst, content...)
		}
		dst = append(dst, content[:i]...)
		if content = content[i:]; content[1] == 'u' {
			r, n := unicodeEscape(content)
			dst, content = utf8.AppendRune(dst, r), content[n:]
			continue
		}
		dst, content = append(dst, unescaped(content[1])), content[2:]
	}
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unicodeEscape returns the character that the \u at the beginning of s stands
// for, alone or with the one behind it, and the length of that. A surrogate
// without its other half is U+FFFD.
func unicodeEscape(s []byte) (rune, int) {
	r := hex4(s)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(s []byte) rune {
	return hex(s[2])<<12 | hex(s[3])<<8 | hex(s[4])<<4 | hex(s[5])
}

// hasEscape reports whether JSON text has \u in it, as a lone surrogate would be written.
func hasEscape(raw []byte) bool { return bytes.Contains(raw, []byte(`\u`)) }

// mendSurrogates appends JSON text with \ufffd for each lone surrogate, which
// readers of JSON, DuckDB's among them, refuse.
func mendSurrogates(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst, raw = append(dst, raw[:i]...), raw[i:]
		n := 2
		if raw[1] == 'u' {
			var r rune
			if r, n = unicodeEscape(raw); r == utf8.RuneError && n == 6 {
				dst, raw = append(dst, `\ufffd`...), raw[n:]
				continue
			}
		}
		dst, raw = append(dst, raw[:n]...), raw[n:]
	}
}
