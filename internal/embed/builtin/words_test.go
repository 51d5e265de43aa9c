package builtin

import (
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\xc3\x28\xa0", []string{"("}},
		{"Foo_Bar.go:12", []string{"foo", "_", "bar", ".", "go", ":", "12"}},
		{"a\x00b\tc\x07d", []string{"ab", "cd"}},
		{"ÉCOLE e\u0301te", []string{"ecole", "ete"}},
		{"\u0301\u0302", nil},
		{"中文a日", []string{"中", "文", "a", "日"}},
		{"x\u00a0y\u2028z", []string{"x", "y", "z"}},
		{"€5—ok…", []string{"€5", "—", "ok", "…"}},
	} {
		if diff := cmp.Diff(c.want, wordsOf(c.text)); diff != "" {
			t.Errorf("words of %q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestLongestTokensFirst(t *testing.T) {
	v, err := parseVocabulary("un\nunaff\naff\n##aff\n##able\n##a\nü\n##ü\n", 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		word string
		want []int32
	}{
		{"unaffable", []int32{1, 4}},
		{"unable", []int32{0, 4}},
		{"aff", []int32{2}},
		{"üaüü", []int32{6, 5, 7, 7}},
		{"able", nil},    // begins with no token
		{"unaffx", nil},  // ends with none
		{"un\xffa", nil}, // as nothing the splitter gives, but it must hold
		{strings.Repeat("ü", maxWordRunes+1), nil},
	} {
		if diff := cmp.Diff(c.want, v.tokens([]byte(c.word), nil), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("tokens of %q (-want +got):\n%s", c.word, diff)
		}
	}
	if got := v.tokens([]byte(strings.Repeat("ü", maxWordRunes)), nil); len(got) != maxWordRunes {
		t.Errorf("a word of %d letters has %d tokens", maxWordRunes, len(got))
	}
}

// Whatever comes in: words are lower-case UTF-8 without space or accent, their tokens
// spell them, and the text has a vector of length 1 exactly if it has words.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"Foo_bar.go:120", "Ünïcödé 中文 🤖", "\xff\x00\u0301", strings.Repeat("a", 300), "ǅ İ ẞ ﬁ"} {
		f.Add(seed)
	}
	m := loaded(f)
	names := namesOf(m)
	f.Fuzz(func(t *testing.T, text string) {
		words := wordsOf(text)
		for _, word := range words {
			if word == "" || !utf8.ValidString(word) || strings.ContainsFunc(word, func(r rune) bool {
				return isSpace(r) || unicode.Is(unicode.Mn, r) || unicode.ToLower(r) != r
			}) {
				t.Errorf("%q has the word %q", text, word)
			}
			tokens := strings.Join(tokensOf(m, names, word), "")
			if spelled := strings.ReplaceAll(tokens, "##", ""); !strings.HasPrefix(tokens, "?") && !strings.Contains(word, "#") && spelled != word {
				t.Errorf("the tokens of %q spell %q", word, spelled)
			}
		}
		v := newSummer(m).vector(text)
		if (v == nil) != (len(words) == 0) {
			t.Fatalf("%q has the words %q and the vector %v", text, words, v)
		}
		if v != nil && math.Abs(dot(v, v)-1) > 1e-4 {
			t.Errorf("the vector of %q has the length %v", text, math.Sqrt(dot(v, v)))
		}
	})
}

func wordsOf(text string) []string {
	var words []string
	var s splitter
	s.words(text, func(word []byte) { words = append(words, string(word)) })
	return words
}
