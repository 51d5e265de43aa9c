package cli

import (
	"strings"
	"unicode"
)

// emphasize breaks a text into lines of at most width cells (0: one line), with
// the words in some ranges of its bytes in bold. What could steer a terminal is
// made visible. A word that is longer than a line stays whole.
func emphasize(text string, ranges [][2]int, width int, style styles) []string {
	var lines []string
	var line strings.Builder
	cells := 0
	for at := 0; at < len(text); {
		word := text[at:]
		if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
			word = word[:end]
		}
		if word == "" {
			at++
			continue
		}
		more := cellsOf(visible(word))
		switch {
		case cells > 0 && width > 0 && cells+1+more > width:
			lines = append(lines, line.String())
			line.Reset()
			cells = 0
		case cells > 0:
			line.WriteByte(' ')
			cells++
		}
		line.WriteString(boldIn(word, at, ranges, style))
		cells += more
		at += len(word)
	}
	if cells > 0 {
		lines = append(lines, line.String())
	}
	return lines
}

// boldIn is a word, which begins at a byte of a text, with what lies in the
// text's ranges in bold.
func boldIn(word string, at int, ranges [][2]int, style styles) string {
	var b strings.Builder
	done := 0
	for _, r := range ranges {
		start, end := max(r[0]-at, done), min(r[1]-at, len(word))
		if start >= end {
			continue
		}
		b.WriteString(visible(word[done:start]) + style.bold + visible(word[start:end]) + style.reset)
		done = end
	}
	return b.String() + visible(word[done:])
}
