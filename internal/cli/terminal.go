package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// styles are the escape sequences for w; all empty where colours are not
// wanted (https://no-color.org) or not understood.
type styles struct{ bold, faint, reset string }

func stylesFor(w io.Writer) styles {
	if !isTerminal(w) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return styles{}
	}
	return styles{bold: "\x1b[1m", faint: "\x1b[2m", reset: "\x1b[0m"}
}

// visible makes what could steer a terminal visible: names and texts of
// recordings are anybody's.
func visible(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, steers) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && steers(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case steers(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// steers reports whether r is a control character, or turns the direction of
// the text around it.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
