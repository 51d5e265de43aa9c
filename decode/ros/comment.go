package ros

import "strings"

// cutComment cuts a value and the comment behind it. A "#" inside of a string
// literal is none; a quote that is never closed is no literal.
func cutComment(text string) (value, comment string) {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return strings.TrimSpace(text[:i]), text[i:]
		}
	}
	if i := strings.IndexByte(text, '#'); quote != 0 && i >= 0 {
		return strings.TrimSpace(text[:i]), text[i:]
	}
	return text, ""
}

// commentText returns what a comment says: nothing if it only draws a line.
func commentText(comment string) string {
	text := strings.TrimSpace(strings.TrimLeft(comment, "#"))
	text = strings.TrimSpace(strings.TrimRight(text, "#"))
	if strings.Trim(text, "-=*_~ ") == "" {
		return ""
	}
	return text
}
