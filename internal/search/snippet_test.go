package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// checkSnippet checks what holds of every snippet.
func checkSnippet(t *testing.T, snippet string, ranges [][2]int) {
	t.Helper()
	if len(snippet) > snippetBytes || !utf8.ValidString(snippet) || strings.Contains(snippet, "\n") {
		t.Errorf("a snippet of %d bytes: %q", len(snippet), snippet)
	}
	last := 0
	for _, r := range ranges {
		if r[0] < last || r[1] <= r[0] || r[1] > len(snippet) || !utf8.ValidString(snippet[r[0]:r[1]]) {
			t.Fatalf("highlights %v of %q", ranges, snippet)
		}
		last = r[1]
	}
}

func highlighted(snippet string, ranges [][2]int) string {
	var parts []string
	for _, r := range ranges {
		parts = append(parts, snippet[r[0]:r[1]])
	}
	return strings.Join(parts, "|")
}

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("Nothing of interest happens here. ", 40)
	for name, tc := range map[string]struct {
		query, text       string
		start, end        int
		want, highlighted string
	}{
		"the densest passage": {
			query: "retry failed uploads", text: "An upload. " + filler + "The upload failed, so we retried it. " + filler,
			want: "…The upload failed, so we retried it. ", highlighted: "upload|failed|retried",
		},
		"a short text as a whole": {
			query: "two", text: "one\n  two\tthree", want: "one two three", highlighted: "two",
		},
		"the nearest chunk where no word is": {
			query: "automobile", text: filler + "A car stood there. " + filler, start: len(filler), end: len(filler) + 18,
			want: "…A car stood there. ", highlighted: "",
		},
		"the nearest chunk where a word is in many": {
			query: "interest", text: filler + "It is of interest to us. " + filler, start: len(filler), end: len(filler) + 25,
			want: "…It is of interest to us. ", highlighted: strings.Repeat("interest|", 8) + "interest",
		},
		"what must be held before words": {
			query: "error in main_test.go:12", text: "error error in main test go. " + filler + "see main_test.go:12 now. " + filler,
			want: "…see main_test.go:12 now. ", highlighted: "main_test.go:12",
		},
		"ideographs": {
			query: "上传", text: "修复上传测试", want: "修复上传测试", highlighted: "上|传",
		},
		"offsets that are none": {query: "x", text: "x", start: -5, end: 99, want: "x", highlighted: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			q := parseQuery(tc.query)
			snippet, ranges := q.snippet(tc.text, tc.start, tc.end)
			checkSnippet(t, snippet, ranges)
			if !strings.HasPrefix(snippet, tc.want) {
				t.Errorf("snippet %q, want %q", snippet, tc.want)
			}
			if got := highlighted(snippet, ranges); got != tc.highlighted {
				t.Errorf("highlighted %q, want %q", got, tc.highlighted)
			}
		})
	}
}

func TestSnippetSaysWhereItWasCut(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	snippet, _ := parseQuery("nothing").snippet(long, 0, 0)
	if !strings.HasSuffix(snippet, "word…") {
		t.Errorf("the end: %q", snippet)
	}
	snippet, _ = parseQuery("needle").snippet(long+"needle", 0, 0)
	if !strings.HasPrefix(snippet, "…word") || !strings.HasSuffix(snippet, "needle") {
		t.Errorf("the beginning: %q", snippet)
	}
	blanks := "a" + strings.Repeat(" ", 5000) + "b"
	if snippet, _ = parseQuery("a").snippet(blanks, 0, 0); snippet != "a…" {
		t.Errorf("blanks: %q", snippet)
	}
}
