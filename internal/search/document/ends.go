package document

import (
	"strings"
	"unicode/utf8"
)

// ends is a text's first head and last tail bytes, with a mark between them where
// something was left out. It is cut at lines where there are some, else at blanks:
// half a line may be half a secret, which nothing knows any more.
func ends(text string, head, tail int) string {
	const mark = "\n" + leftOut + "\n"
	if len(text) <= head+tail {
		return text
	}
	return firstBytes(text, head-len(mark)) + mark + lastBytes(text, tail)
}

// firstBytes is the beginning of a text, at most n bytes, up to a border.
func firstBytes(text string, n int) string {
	n = max(n, 0)
	if n >= len(text) {
		return text
	}
	part := text[:n]
	if i := strings.LastIndexByte(part, '\n'); i >= n/2 {
		return part[:i]
	}
	if i := strings.LastIndexAny(part, " \t\n"); i >= n/2 {
		return part[:i]
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// lastBytes is the end of a text, at most n bytes, from a border on.
func lastBytes(text string, n int) string {
	n = max(n, 0)
	if n >= len(text) {
		return text
	}
	start := len(text) - n
	part := text[start:]
	if i := strings.IndexByte(part, '\n'); i >= 0 && i <= n/2 {
		return part[i+1:]
	}
	if i := strings.IndexAny(part, " \t\n"); i >= 0 && i <= n/2 {
		return part[i+1:]
	}
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[start:]
}
