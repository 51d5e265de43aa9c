package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 40, []string{""}},
		{"one\ntwo\n\n", 0, []string{"one", "two"}},
		{"a\tb\x1b[31m\r\nc\u202e", 0, []string{`a    b\x1b[31m`, `c\u202e`}},
		{"the quick brown fox jumps over", 20, []string{"the quick brown fox", "jumps over"}},
		{"    indented text goes on so", 20, []string{"    indented text", "    goes on so"}},
		{strings.Repeat("x", 45), 20, []string{strings.Repeat("x", 20), strings.Repeat("x", 20), "xxxxx"}},
		{strings.Repeat("日", 15), 20, []string{strings.Repeat("日", 10), strings.Repeat("日", 5)}},
		{"narrow terminals show twenty cells", 3, []string{"narrow terminals", "show twenty cells"}},
		{strings.Repeat(" ", 30) + "x", 20, []string{"", "x"}},
	} {
		if diff := cmp.Diff(tc.want, wrap(tc.text, tc.width)); diff != "" {
			t.Errorf("wrap(%q, %d) (-want +got):\n%s", tc.text, tc.width, diff)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("the quick\n  brown\tfox 日本語", 20)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width %= 200
		for _, line := range wrap(text, width) {
			if width > 0 && cellsOf(line) > max(width, leastCells) {
				t.Errorf("%q takes %d cells, want at most %d", line, cellsOf(line), width)
			}
			if strings.ContainsFunc(line, steers) {
				t.Errorf("%q steers a terminal", line)
			}
		}
	})
}

func TestNarrowTablesCutTheLastColumn(t *testing.T) {
	g := &grid{columns: []column{{name: "A"}, {name: "TITLE"}}}
	g.add("12345", strings.Repeat("日", 30))
	g.narrow(40)
	if g.width() > 40 || !strings.HasSuffix(g.rows[0][1], "…") {
		t.Errorf("%d cells: %q", g.width(), g.rows[0])
	}
	g.narrow(10)
	if n := cellsOf(g.rows[0][1]); n < leastCells-1 {
		t.Errorf("the title is cut to %d cells", n)
	}
}
