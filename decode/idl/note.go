package idl

import (
	"strings"

	"tapedeck/decode"
)

// cleanComment returns the words of a comment in one line, without the signs
// that make it one.
func cleanComment(text string) string {
	text = decode.Shorten(text, 4*decode.MaxDescription)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(strings.TrimSpace(line), "/*!")
		lines[i] = strings.TrimPrefix(line, "<") // of Doxygen's ///<
	}
	return oneLine(strings.Join(lines, " "))
}

// oneLine returns text with every run of space as one, cut to what a description holds.
func oneLine(text string) string {
	return decode.Shorten(strings.Join(strings.Fields(text), " "), decode.MaxDescription)
}

// joinNotes puts one comment behind another.
func joinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return decode.Shorten(a+" "+b, decode.MaxDescription)
}
