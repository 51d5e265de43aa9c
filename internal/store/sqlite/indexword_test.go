package sqlite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tapedeck/internal/store"
	"tapedeck/internal/store/storetest"
)

func TestInnerWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"plain words, and_others":             "",
		"Capital Letters ALL_CAPS":            "",
		"getUserName":                         "get User Name",
		"call getUserName(); getUserName":     "get User Name",
		"HTTPRequest":                         "HTTP Request",
		"parseHTTPRequest":                    "parse HTTP Request",
		"fooBar2Baz utf8String x86AsmID":      "foo Bar2Baz x86Asm ID",
		"größeÄnderung":                       "größe Änderung",
		"iOS McDonald":                        "i OS Mc Donald",
		"ABc":                                 "A Bc",
		"aB":                                  "a B",
		"\xff\xfeaB\xff":                      "a B",
		"someVariable.otherVariable/fileName": "some Variable other Variable file Name",
	} {
		if got := strings.TrimSpace(innerWords(text)); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		terms []string
		want  []string
	}{
		{[]string{"what", "is", "a", "panic"}, []string{`"panic"`}},
		{[]string{"to", "be", "To"}, []string{`"to"`, `"be"`, `"To"`}},
		{[]string{"foo_bar.go:120", `say "hi"`}, []string{`"foo bar go 120"`, `"say hi"`}},
		{[]string{"getUserName"}, []string{`("getUserName" OR "get User Name")`}},
		{[]string{"x.getUserName()"}, []string{`("x getUserName" OR "x get User Name")`}},
		{[]string{"the end"}, []string{`"the end"`}},
		{[]string{"same", "same"}, []string{`"same"`}},
		{[]string{"", "*", `""`, "\x00"}, nil},
	} {
		if got := expressions(c.terms); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.terms, got, c.want)
		}
	}
}

// No term is an error, and a text is found by its own words.
func FuzzTerms(f *testing.F) {
	s := openStore(f, filepath.Join(f.TempDir(), "s.db"))
	storetest.Tell(f, s, "texts", []string{"one text with some words"})
	for _, term := range []string{"some", `"`, "a OR b", "NEAR(", "getUserName", "text:*", "\xff", "-^+{}", "a\x00b"} {
		f.Add(term, "other")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		hits, err := s.SearchText(t.Context(), store.TextQuery{Terms: []string{first, second, "text"}, Limit: 5})
		if err != nil || len(hits) != 1 {
			t.Errorf("%d hits, %v; want the one text", len(hits), err)
		}
		if inner := innerWords(first); !utf8.ValidString(inner) {
			t.Errorf("%q has %q, which is not valid", first, inner)
		}
	})
}
