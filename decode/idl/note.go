package idl

import (
	"strings"
	"unicode/utf8"
)

// maxNote is how long a comment or a description may become, in bytes.
const maxNote = 400

// cleanComment returns the words of a comment in one line, without the signs
// that make it one.
func cleanComment(text string) string {
	text = shorten(text, 4*maxNote)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(strings.TrimSpace(line), "/*!")
		lines[i] = strings.TrimPrefix(line, "<") // of Doxygen's ///<
	}
	return oneLine(strings.Join(lines, " "))
}

// oneLine returns text with every run of space as one, cut to maxNote.
func oneLine(text string) string {
	return shorten(strings.Join(strings.Fields(text), " "), maxNote)
}

// joinNotes puts one comment behind another.
func joinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return shorten(a+" "+b, maxNote)
}

// shorten cuts text to about n bytes, between characters.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.TrimSpace(text[:n]) + "…"
}
