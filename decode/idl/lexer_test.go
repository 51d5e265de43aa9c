package idl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// words returns the tokens of a text, with the line of each that is not on line 1.
func words(t *testing.T, src string) []string {
	t.Helper()
	l := newLexer(src)
	var all []string
	for {
		tok, err := l.next()
		if err != nil {
			t.Fatal(err)
		}
		if tok.kind == endToken {
			return all
		}
		all = append(all, tok.text)
	}
}

func TestTokens(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want []string
	}{
		"names and scopes":   {"a::b ::c _long L_x", []string{"a", "::", "b", "::", "c", "long", "L_x"}},
		"numbers":            {"1 0x1e-3 1.5e-3 .5 2d 3E+2 1..2", []string{"1", "0x1e", "-", "3", "1.5e-3", ".5", "2d", "3E+2", "1..2"}},
		"strings":            {`"a // b" "c\"d\\" "\x41\101é\u00e9" L"w" ""`, []string{"a // b", `c"d\`, "AAéé", "w", ""}},
		"characters":         {`'a' '\'' '"' '\n' L'ß' '\0'`, []string{"a", "'", `"`, "\n", "ß", "\x00"}},
		"symbols":            {"<<>>[]:;", []string{"<", "<", ">", ">", "[", "]", ":", ";"}},
		"comments":           {"a // b\nc /* d\n * e */ f //", []string{"a", "c", "f"}},
		"preprocessor lines": {"#include \"x.idl\"\n  #define A \\\n  b\nc\n#endif", []string{"c"}},
		"sections": {
			strings.Repeat("=", 80) + "\nIDL: p/msg/A\na\n===\nIDL: p/msg/B\r\nb\r\n" + strings.Repeat("=", 80) + "\r\nIDL: p/msg/C\nc",
			[]string{"a", "b", "c"}},
		"no section line":   {"IDL::a\nx = \n==", []string{"IDL", "::", "a", "x", "=", "=", "="}},
		"a byte order mark": {"\ufeffa", []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, words(t, c.src)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLinesAreCountedThroughCommentsAndSections(t *testing.T) {
	l := newLexer("/* 1\n2 */ // 2\n#define A \\\n4\n===\nIDL: p/msg/A\n\nlast")
	tok, err := l.next()
	if err != nil || tok.text != "last" || tok.line != 8 {
		t.Errorf("got %q in line %d (%v), want last in line 8", tok.text, tok.line, err)
	}
}
