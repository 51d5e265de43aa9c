package session

import (
	"strings"
	"unicode/utf8"
)

// Clean is text that every store takes: invalid UTF-8 and NUL are U+FFFD. The
// raw record has what was there.
func Clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "�")
	}
	return strings.ReplaceAll(text, "\x00", "�")
}

// Clip is text cut to at most n bytes, with … where something was cut off.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	const mark = "…"
	if n < len(mark) {
		return ""
	}
	end := n - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// Folder is a name of a project or folder without the separator at its end, which
// shells put there when they complete it.
func Folder(name string) string {
	if short := strings.TrimRight(name, `/\`); short != "" {
		return short
	}
	return name
}
