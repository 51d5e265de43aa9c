package decode

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDescribe(t *testing.T) {
	for want, parts := range map[string][]string{
		"":                     {"", " \n"},
		"metres":               {"  metres\n"},
		"one two; unit: m":     {"one\r\n\ttwo", "", "unit: m"},
		"caf\ufffd":            {"caf\xe9"},
		"A=1, B=2; then a; b":  {"A=1, B=2", "then a; b"},
		"spaces between words": {"spaces " + strings.Repeat(" ", MaxDescription) + "between words"},
	} {
		if got := Describe(parts...); got != want {
			t.Errorf("%q became %q, want %q", parts, got, want)
		}
	}
}

func TestDescriptionsAreCutBetweenCharacters(t *testing.T) {
	for i := range 4 {
		got := Describe(strings.Repeat("x", i)+strings.Repeat("日", MaxDescription), "more")
		if !utf8.ValidString(got) || !strings.HasSuffix(got, "日…") || len(got) < MaxDescription-2 || len(got) > MaxDescription+len("…") {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
}
