package jsonmsg

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"tapedeck/decode"
)

var (
	// errSyntax: the message is not JSON. A message that is JSON as far as it
	// goes, but ends early, gives decode.ErrTruncated instead.
	errSyntax = errors.New("not valid JSON")
	// errDepth: objects and arrays lie more than maxDepth deep in one another.
	errDepth = errors.New("JSON lies too deep")
	// errSparse: most of what the message would become is nulls, many times its
	// size: lists of nearly empty objects, say, where other messages had
	// thousands of keys.
	errSparse = errors.New("message lacks too many keys for its size")
)

// maxDepth is how deep objects and arrays may lie in one another.
const maxDepth = 512

// begin returns where the document of a message begins, behind a byte order
// mark and white space.
func begin(msg []byte) int {
	if bytes.HasPrefix(msg, []byte("\ufeff")) {
		return skipSpace(msg, len("\ufeff"))
	}
	return skipSpace(msg, 0)
}

// validate reports why a message can't be read.
func validate(msg []byte) error {
	if err := checkUTF8(msg); err != nil {
		return err
	}
	end, err := skip(msg, begin(msg), 0)
	if err != nil {
		return err
	}
	return checkEnd(msg, end)
}

func checkUTF8(msg []byte) error {
	if utf8.Valid(msg) {
		return nil
	}
	i := 0
	for r, n := utf8.DecodeRune(msg); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(msg[i:]) {
		i += n
	}
	return fmt.Errorf("%w: byte %d: 0x%02x is not UTF-8", errSyntax, i, msg[i])
}

func checkEnd(msg []byte, i int) error {
	if i = skipSpace(msg, i); i < len(msg) {
		return unexpected(msg, i, "the end of the message")
	}
	return nil
}

// notFinite are words that are written for numbers that JSON has not: by
// Python's json module, and by C and C++ when they print a double.
var notFinite = []string{"NaN", "Infinity", "nan", "inf"}

func unexpected(buf []byte, i int, want string) error {
	if i >= len(buf) {
		return fmt.Errorf("%w: byte %d: expected %s", decode.ErrTruncated, len(buf), want)
	}
	for _, word := range notFinite {
		if bytes.HasPrefix(buf[i:], []byte(word)) {
			return fmt.Errorf("%w: byte %d: expected %s, found %s, which JSON has no number for", errSyntax, i, want, word)
		}
	}
	found, _ := utf8.DecodeRune(buf[i:])
	return fmt.Errorf("%w: byte %d: expected %s, found %q", errSyntax, i, want, found)
}

// skipSpace returns the position of the first byte from i on that is not white space.
func skipSpace(buf []byte, i int) int {
	for i < len(buf) && (buf[i] == ' ' || buf[i] == '\n' || buf[i] == '\t' || buf[i] == '\r') {
		i++
	}
	return i
}

// skip returns the end of the value at i, which lies in depth objects and arrays.
func skip(buf []byte, i, depth int) (int, error) {
	if i >= len(buf) {
		return i, unexpected(buf, i, "a value")
	}
	switch buf[i] {
	case '{':
		return skipObject(buf, i, depth+1)
	case '[':
		return skipArray(buf, i, depth+1)
	case '"':
		end, _, err := scanString(buf, i)
		return end, err
	case 't', 'f', 'n':
		return scanLiteral(buf, i)
	}
	_, end, err := scanNumber(buf, i)
	return end, err
}

func skipObject(buf []byte, i, depth int) (int, error) {
	if depth > maxDepth {
		return i, tooDeep(i)
	}
	i = skipSpace(buf, i+1)
	if i < len(buf) && buf[i] == '}' {
		return i + 1, nil
	}
	for {
		end, err := scanKey(buf, i)
		if err != nil {
			return i, err
		}
		if end, err = skip(buf, end, depth); err != nil {
			return end, err
		}
		more := false
		if i, more, err = scanNext(buf, end, '}'); err != nil || !more {
			return i, err
		}
	}
}

func skipArray(buf []byte, i, depth int) (int, error) {
	if depth > maxDepth {
		return i, tooDeep(i)
	}
	i = skipSpace(buf, i+1)
	if i < len(buf) && buf[i] == ']' {
		return i + 1, nil
	}
	for {
		end, err := skip(buf, i, depth)
		if err != nil {
			return end, err
		}
		more := false
		if i, more, err = scanNext(buf, end, ']'); err != nil || !more {
			return i, err
		}
	}
}

func tooDeep(i int) error {
	return fmt.Errorf("%w: byte %d: more than %d levels", errDepth, i, maxDepth)
}

// scanKey reads a key at i and the colon behind it, and returns where the
// value begins.
func scanKey(buf []byte, i int) (int, error) {
	if i >= len(buf) || buf[i] != '"' {
		return i, unexpected(buf, i, "a key in quotes")
	}
	end, _, err := scanString(buf, i)
	if err != nil {
		return end, err
	}
	return scanColon(buf, end)
}

// scanColon returns where the value behind a colon begins.
func scanColon(buf []byte, i int) (int, error) {
	i = skipSpace(buf, i)
	if i >= len(buf) || buf[i] != ':' {
		return i, unexpected(buf, i, "':'")
	}
	return skipSpace(buf, i+1), nil
}

// scanNext reads what stands behind a value: a comma, then more is true and i
// is where the next item begins, or the bracket that closes, then i is behind it.
func scanNext(buf []byte, i int, closing byte) (next int, more bool, err error) {
	i = skipSpace(buf, i)
	switch {
	case i < len(buf) && buf[i] == ',':
		return skipSpace(buf, i+1), true, nil
	case i < len(buf) && buf[i] == closing:
		return i + 1, false, nil
	case closing == '}':
		return i, false, unexpected(buf, i, "',' or '}'")
	}
	return i, false, unexpected(buf, i, "',' or ']'")
}

// scanLiteral returns the end of true, false or null at i.
func scanLiteral(buf []byte, i int) (int, error) {
	word := "null"
	switch buf[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	}
	if bytes.HasPrefix(buf[i:], []byte("nan")) {
		return i, unexpected(buf, i, "a value")
	}
	for j := range len(word) {
		if i+j >= len(buf) || buf[i+j] != word[j] {
			return i, unexpected(buf, i+j, word)
		}
	}
	return i + len(word), nil
}
