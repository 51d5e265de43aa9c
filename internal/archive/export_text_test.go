package archive

import (
	"strings"
	"testing"
)

func TestTextsStayInTheirPlace(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"plain":                     {"a **b**\n\n- c < d", "a **b**\n\n- c < d"},
		"a code block":              {"```go\na<b>c\n```\nd", "```go\na<b>c\n```\nd"},
		"a cut code block":          {"so:\n```go\nx := 1", "so:\n```go\nx := 1\n```"},
		"cut inside of tildes":      {"~~~~\n```\n~~~", "~~~~\n```\n~~~\n~~~~"},
		"a longer fence closes":     {"```\na\n`````", "```\na\n`````"},
		"no fence in a line":        {"```a``` b", "```a``` b"},
		"a fence with a word":       {"```\n``` no\n```", "```\n``` no\n```"},
		"HTML":                      {"<script>a</script>\n<!-- b\n<?c", "\\<script>a\\</script>\n\\<!-- b\n\\<?c"},
		"HTML over lines":           {"<img\nsrc=a>", "\\<img\nsrc=a>"},
		"the end of what is folded": {"</details>", "\\</details>"},
		"HTML in code":              {"`<a>` <b> ``<c>` <d>`` `<e>", "`<a>` \\<b> ``<c>` <d>`` `\\<e>"},
		"an address":                {"<https://example.com>", "<https://example.com>"},
	} {
		if got := contained(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestInlineTextShowsWhatStandsThere(t *testing.T) {
	const want = "\\<b> \\[x\\](javascript:y) \\`\\`\\` \\| a\\*b\\* c_d \\\\"
	if got := inline("<b> [x](javascript:y)\n```\t| a*b* c_d \\"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFencesAreLongerThanWhatTheyHold(t *testing.T) {
	for text, want := range map[string]int{"": 3, "``": 3, "```": 4, "` ````` ``": 6, strings.Repeat("`", 1<<20): 1<<20 + 1} {
		if got := fenceFor(text); len(got) != want {
			t.Errorf("a fence of %d for one of %d", len(got), len(text))
		}
	}
}
