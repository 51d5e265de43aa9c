package session

import (
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"short", 5, "short"}, {"shorter", 5, "sh…"}, {"", 0, ""},
		{"ééééé", 9, "ééé…"}, {"ééééé", 8, "éé…"},
		{"abcd", 3, "…"}, {"abcd", 2, ""}, {"abcd", 0, ""}, {"abcd", -1, ""},
	} {
		if got := Clip(test.text, test.n); got != test.want {
			t.Errorf("%q to %d: %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

func FuzzClipAndClean(f *testing.F) {
	f.Add("a\x00b\xffé", 5)
	f.Fuzz(func(t *testing.T, text string, n int) {
		got := Clip(text, n)
		if len(got) > max(n, 0) {
			t.Errorf("%q to %d: %d bytes", text, n, len(got))
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q to %d: %q is cut within a character", text, n, got)
		}
		clean := Clean(text)
		if !utf8.ValidString(clean) || Clean(clean) != clean {
			t.Errorf("%q is not clean", clean)
		}
	})
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a\x00b": "a\ufffdb", "\xff\xfea": "\ufffda", "é\xc3": "é\ufffd", "": "",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFolder(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "rover": "rover", "/home/ann/rover/": "/home/ann/rover", `E:\rover\`: `E:\rover`, "/": "/", "//": "//", "a/b": "a/b",
	} {
		if got := Folder(name); got != want {
			t.Errorf("Folder(%q) is %q, want %q", name, got, want)
		}
	}
}
