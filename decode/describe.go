package decode

import (
	"strings"
	"unicode/utf8"
)

// MaxDescription is how many bytes of a description are kept.
const MaxDescription = 400

// Describe returns what is known of a field in one line: its parts, such as a
// comment and a list of constants, each without line breaks and runs of space,
// with ";" between those that are not empty.
func Describe(parts ...string) string {
	var lines []string
	for _, part := range parts {
		part = Shorten(part, 4*MaxDescription) // spaces go, and a comment may be megabytes
		if line := strings.Join(strings.Fields(strings.ToValidUTF8(part, "\ufffd")), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return Shorten(strings.Join(lines, "; "), MaxDescription)
}

// Shorten cuts text to about n bytes, between characters, and marks the cut.
func Shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.TrimSpace(text[:n]) + "…"
}
