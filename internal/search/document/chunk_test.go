package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestChunksCutAtTheBestBorder(t *testing.T) {
	tests := []struct {
		name, text string
		window     int
		want       []string
	}{
		{"nothing", "", 10, nil},
		{"blanks", " \n\t ", 10, nil},
		{"short", "one two", 10, []string{"one two"}},
		{"no window", strings.Repeat("word ", 99), 0, []string{strings.TrimSpace(strings.Repeat("word ", 99))}},
		{"blanks around", "\n  one  \n", 10, []string{"one"}},
		{"paragraph before line", "aaaa bbbb cccc\n\ndddd\neeee ffff", 24, []string{"aaaa bbbb cccc", "dddd\neeee ffff"}},
		{"line before sentence", "aaaa bbbb cccc\nDddd. Eeee ffff", 24, []string{"aaaa bbbb cccc", "Dddd. Eeee ffff"}},
		{"sentence before word", "Aaaa bbbb cccc. Dddd eeee ffff gggg", 26, []string{"Aaaa bbbb cccc.", "Dddd eeee ffff gggg"}},
		{"no sentence in a path", "see the file foo.go:12 and bar.go:7 there", 26, []string{"see the file foo.go:12", "and bar.go:7 there"}},
		{"runes", "ääääääää", 6, []string{"äää", "ää", "äää"}},
		{"a rune wider than the window", "😀😀", 1, []string{"😀", "😀"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, c := range Chunks(test.text, test.window) {
				got = append(got, c.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestSentenceBorders(t *testing.T) {
	// | is where the borders of sentences are.
	for _, marked := range []string{
		"It failed. |Why? |Nobody knows! |Then it worked.",
		"He said \"stop.\" |And (it did.) |So",
		"See e.g. Table 1, cf. Figure 2, i.e. No. 5.",
		"It is 3.14 of foo.go:12 at v1.2. |It works.",
		"1. First item",
		"by J. Doe and Dr. Who",
		"it stopped. then small letters follow",
		"第一句。|第二句！|第三句？|完",
		"终了. |Ende",
	} {
		text := strings.ReplaceAll(marked, "|", "")
		var got strings.Builder
		for i, r := range text {
			if i > 0 && borderAt(text, i) == sentenceBorder {
				got.WriteByte('|')
			}
			got.WriteRune(r)
		}
		if got.String() != marked {
			t.Errorf("got  %s\nwant %s", got.String(), marked)
		}
	}
}

// checkChunks asserts what is promised of all chunks.
func checkChunks(t *testing.T, text string, window int) []Chunk {
	t.Helper()
	chunks := Chunks(text, window)
	longest := max(window, utf8.UTFMax)
	if window <= 0 {
		longest = len(text)
	}
	covered := 0
	for i, c := range chunks {
		end := c.Start + len(c.Text)
		switch {
		case c.Text == "" || len(c.Text) > longest:
			t.Fatalf("chunk %d has %d bytes, the window %d", i, len(c.Text), window)
		case end > len(text) || text[c.Start:end] != c.Text:
			t.Fatalf("chunk %d is not what stands at %d", i, c.Start)
		case i > 0 && c.Start <= chunks[i-1].Start:
			t.Fatalf("chunk %d begins at %d, the one before at %d", i, c.Start, chunks[i-1].Start)
		case utf8.ValidString(text) && !utf8.ValidString(c.Text):
			t.Fatalf("chunk %d is cut within a rune: %q", i, c.Text)
		case c.Start > covered && strings.Trim(text[covered:c.Start], blanks) != "":
			t.Fatalf("no chunk has %q", text[covered:c.Start])
		}
		covered = max(covered, end)
	}
	if rest := strings.Trim(text[covered:], blanks); rest != "" {
		t.Fatalf("no chunk has %q", rest)
	}
	return chunks
}

func TestChunksOverlapAndAreOfALength(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text, window := madeText(random, 200+random.IntN(6000)), 100+random.IntN(900)
		chunks := checkChunks(t, text, window)
		if len(chunks) == 1 {
			continue
		}
		if last := chunks[len(chunks)-1].Text; len(last) < window/4 {
			t.Errorf("of %d bytes in windows of %d the last has %d", len(text), window, len(last))
		}
		shared := 0
		for i, c := range chunks[1:] {
			shared += max(0, chunks[i].Start+len(chunks[i].Text)-c.Start)
		}
		if share := float64(shared) / float64((len(chunks)-1)*window); share < .03 || share > .2 {
			t.Errorf("chunks of %d bytes share %.3f of a window", window, share)
		}
	}
}

// madeText is made of words, sentences, lines and paragraphs.
func madeText(random *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%c", 'A'+random.IntN(26))
		for range random.IntN(10) {
			b.WriteString([]string{"word ", "größe ", "foo_bar.go:120 ", "e.g. ", "a "}[random.IntN(5)])
		}
		b.WriteString([]string{"end. ", "end.\n", "end!\n\n", "end\n\tindented "}[random.IntN(4)])
	}
	return b.String()
}

func FuzzChunks(f *testing.F) {
	f.Add("One. Two.\n\nThree", 8)
	f.Add("第一句。第二句！", 5)
	f.Add("\xff\xfe\x80", 1)
	f.Add(strings.Repeat(" ", 50)+"x", -1)
	f.Fuzz(func(t *testing.T, text string, window int) { checkChunks(t, text, window) })
}

func BenchmarkChunks(b *testing.B) {
	for name, text := range map[string]string{
		"text":      madeText(rand.New(rand.NewPCG(1, 2)), 1<<20),
		"no blanks": strings.Repeat("x", 1<<20),
		"wide":      strings.Repeat("字", 1<<18),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Chunks(text, 1000)
			}
		})
	}
}
