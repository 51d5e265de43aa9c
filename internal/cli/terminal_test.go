package cli

import (
	"bytes"
	"os"
	"testing"
)

func TestVisible(t *testing.T) {
	tests := map[string]string{
		"plain é 漢 \U0001F916": "plain é 漢 \U0001F916",
		"a\nb\tc\rd":           `a\nb\tc\x0dd`,
		"\x1b]0;title\x07":     `\x1b]0;title\x07`,
		"\u009b31m":            `\u009b31m`,
		"bad \xff byte":        `bad \xff byte`,
		"\uFFFD stays":         "\uFFFD stays",
		"abc\u202Etxt":         `abc\u202etxt`,
	}
	for text, want := range tests {
		if got := visible(text); got != want {
			t.Errorf("visible(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNoStylesOffTheTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := stylesFor(file); got != (styles{}) {
		t.Errorf("a file gets %q", got)
	}
	if got := stylesFor(&bytes.Buffer{}); got != (styles{}) {
		t.Errorf("a buffer gets %q", got)
	}
}
