package cli

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// jsonText writes JSON so that it may be looked at in a terminal. JSON itself
// escapes the control characters of ASCII; here those are escaped that it leaves.
type jsonText struct {
	w   io.Writer
	cut []byte // beginning of a rune
}

func (j *jsonText) Write(p []byte) (int, error) {
	text := p
	if len(j.cut) > 0 {
		text = append(bytes.Clone(j.cut), p...)
	}
	whole := len(text) - cutRune(text)
	j.cut = append(j.cut[:0], text[whole:]...)
	text = text[:whole]
	for len(text) > 0 {
		at := bytes.IndexFunc(text, steersInJSON)
		if at < 0 {
			_, err := j.w.Write(text)
			return len(p), err
		}
		r, size := utf8.DecodeRune(text[at:])
		if _, err := fmt.Fprintf(j.w, `%s\u%04x`, text[:at], r); err != nil {
			return 0, err
		}
		text = text[at+size:]
	}
	return len(p), nil
}

// steersInJSON leaves the line breaks between values.
func steersInJSON(r rune) bool { return r >= 0x7f && steers(r) }

// cutRune is how many bytes at the end are the beginning of a rune.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
