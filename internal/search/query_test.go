package search

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseQuery(t *testing.T) {
	for _, tc := range []struct {
		text         string
		terms, exact []string
	}{
		{"How did we fix the flaky upload test?", []string{"fix", "flaky", "upload", "test"}, nil},
		{`why "can't find it" in logs`, []string{"can't find it", "logs"}, []string{"can't find it"}},
		{"what is it", []string{"what", "is", "it"}, nil},
		{"bd-q3fy", []string{"bd-q3fy", "bd", "q3fy"}, []string{"bd-q3fy"}},
		{"(see foo_bar.go:120).", []string{"see", "foo_bar.go:120", "foo", "bar", "go", "120"}, []string{"foo_bar.go:120"}},
		{"E0502 and ENOENT", []string{"e0502", "enoent"}, []string{"e0502"}},
		{"--vector-store-target", []string{"vector-store-target", "vector", "store", "target"}, []string{"vector-store-target"}},
		{"/v1/search", []string{"v1/search", "v1", "search"}, []string{"v1/search"}},
		{"time-sharing input/output and/or e.g. 2.5 1,000 2-dimensional", []string{
			"time-sharing", "time", "sharing", "input/output", "input", "output", "and/or", "e.g", "2.5", "1,000", "000", "2-dimensional", "dimensional",
		}, nil},
		{"version 1.26.3 of main.go", []string{"version", "1.26.3", "26", "main.go", "main", "go"}, []string{"1.26.3", "main.go"}},
		{"修复上传 bug", []string{"修复上传", "bug"}, nil},
		{"“two words” \"\" \"?\" ???", []string{"two words"}, []string{"two words"}},
		{"???", nil, nil},
	} {
		q := parseQuery(tc.text)
		if diff := cmp.Diff(tc.terms, q.terms); diff != "" {
			t.Errorf("%q: terms (-want +got):\n%s", tc.text, diff)
		}
		var exact []string
		exact = append(exact, q.exactTerms()...)
		if diff := cmp.Diff(tc.exact, exact); diff != "" {
			t.Errorf("%q: exact (-want +got):\n%s", tc.text, diff)
		}
	}
}

func TestLongQueriesAreBounded(t *testing.T) {
	q := parseQuery(strings.Repeat("a1b2 c_d x"+strings.Repeat("y", 50)+" ", 1000) + strings.Repeat(`"p q" `, 1000))
	if len(q.terms) > maxTerms || len(q.words) > maxTerms || len(q.exact) > maxExact {
		t.Errorf("%d terms, %d words, %d exact", len(q.terms), len(q.words), len(q.exact))
	}
}

func TestExactPhraseIsFoundAsItIsWritten(t *testing.T) {
	for _, tc := range []struct {
		phrase, text string
		want         bool
	}{
		{"foo.go:12", "at Foo.go:12, col 3", true},
		{"foo.go:12", "at foo.go:120", false},
		{"foo.go:12", "at foo.go:120 and foo.go:12", true},
		{"foo.go", "barfoo.go", false},
		{"two words", "these two\n  words", true},
		{"two words", "two  wordsmiths", false},
		{"two words", "twowords", false},
		{"c++", "in c++20", true},
	} {
		start, end := newExactPhrase(tc.phrase).find(foldASCII(tc.text), 0)
		if found := start >= 0; found != tc.want || found && end <= start {
			t.Errorf("%q in %q: %d, %d", tc.phrase, tc.text, start, end)
		}
	}
}

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for _, forms := range [][]string{
		{"upload", "uploads", "uploaded", "uploading", "Upload"},
		{"fix", "fixes", "fixed", "fixing"},
		{"stop", "stopped", "stopping", "stops"},
		{"query", "queries"},
		{"cache", "cached", "caches", "caching"},
		{"class", "classes"},
	} {
		for _, form := range forms {
			if got, want := stemOf(form), stemOf(forms[0]); got != want {
				t.Errorf("%s: %s, but of %s it is %s", form, got, forms[0], want)
			}
		}
	}
	if stemOf("sing") == stemOf("s") || stemOf("utf8s") != "utf8s" {
		t.Error("short words and words with digits must stay as they are")
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, text := range []string{`a "b c`, "foo_bar.go:120", "修复 \xff bug", `""`, "…“”", "--x=y", "İ.ı"} {
		f.Add(text, text+" and "+text)
	}
	f.Fuzz(func(t *testing.T, text, document string) {
		q := parseQuery(strings.ToValidUTF8(text, "�"))
		document = strings.ToValidUTF8(document, "�")
		snippet, ranges := q.snippet(document, 0, 0)
		checkSnippet(t, snippet, ranges)
		if c := q.coverage(document); c < 0 || c > 1 {
			t.Errorf("coverage %v", c)
		}
	})
}
