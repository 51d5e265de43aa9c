package builtin

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/embedtest"
)

func TestConformance(t *testing.T) {
	embedtest.Run(t, func(*testing.T) embed.Embedder { return New() })
}

// The data is what the recipe wrote, and not larger than a program should carry.
func TestDataIsTheRecipes(t *testing.T) {
	var manifest struct {
		Model  string
		Bytes  int
		SHA256 string
	}
	readJSON(t, "testdata/manifest.json", &manifest)
	if sum := sha256.Sum256([]byte(data)); hex.EncodeToString(sum[:]) != manifest.SHA256 {
		t.Errorf("model.bin has the hash %x; the recipe wrote %s", sum, manifest.SHA256)
	}
	if m := New().Model(); m.Name != manifest.Model || m.Provider != "builtin" {
		t.Errorf("Model() = %+v; want builtin, %s", m, manifest.Model)
	}
	if len(data) != manifest.Bytes || len(data) > 16<<20 {
		t.Errorf("model.bin has %d bytes; want %d, and 16 MiB at most", len(data), manifest.Bytes)
	}
}

// Words, tokens and vectors are those of the recipe, which uses the reference
// implementation of the tokenizer. Vectors agree in every bit.
func TestGolden(t *testing.T) {
	var golden []struct {
		Text   string
		Tokens []string
		Vector []byte
	}
	readJSON(t, "testdata/golden.json", &golden)
	m := loaded(t)
	names := namesOf(m)
	for _, g := range golden {
		if diff := cmp.Diff(g.Tokens, tokensOf(m, names, g.Text)); diff != "" {
			t.Errorf("tokens of %q (-want +got):\n%s", g.Text, diff)
		}
		got := newSummer(m).vector(g.Text)
		for i, x := range got {
			if want := binary.LittleEndian.Uint32(g.Vector[4*i:]); math.Float32bits(x) != want {
				t.Errorf("number %d of %q is %v; want %v", i, g.Text, x, math.Float32frombits(want))
				break
			}
		}
		if len(got)*4 != len(g.Vector) {
			t.Errorf("%q has %d numbers; want %d", g.Text, len(got), len(g.Vector)/4)
		}
	}
	if len(golden) < 20 {
		t.Errorf("%d golden texts; want 20 at least", len(golden))
	}
}

func TestUnknownWordsAreKnownAgain(t *testing.T) {
	vectors, err := New().Embed(t.Context(), embed.ForDocument, []string{"🤖", "🤖", "🦾", strings.Repeat("Q", 101)})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(vectors[0], vectors[1]) {
		t.Error("the same unknown word has two vectors")
	}
	if got := dot(vectors[0], vectors[2]); math.Abs(got) > .3 {
		t.Errorf("the cosine of two unknown words is %.3f; want about 0", got)
	}
}

func TestBlankTexts(t *testing.T) {
	for _, blank := range []string{"", " \t\r\n", "\x00\x01\x7f", "\xff\xfe", "\u200b\ufeff", "\ufffd", "\u2028\u3000"} {
		var none *embed.TextError
		if _, err := New().Embed(t.Context(), embed.ForQuery, []string{"a", blank, "b"}); !errors.As(err, &none) || none.Text != 1 {
			t.Errorf("Embed of %q fails with %v; want a *TextError about text 1", blank, err)
		}
	}
}

func TestMeaningsAreFound(t *testing.T) {
	for _, c := range []struct{ query, near, far string }{
		{"delete a file", "remove the document from the folder", "paint the house green"},
		{"authentication failed", "the password was wrong and login was refused", "the table has three columns of numbers"},
		{"car engine trouble", "the automobile's motor is broken", "she sings in a choir"},
		{"make it faster", "improve the speed and performance", "write the names of the authors"},
	} {
		vectors, err := New().Embed(t.Context(), embed.ForQuery, []string{c.query, c.near, c.far})
		if err != nil {
			t.Fatal(err)
		}
		near, far := dot(vectors[0], vectors[1]), dot(vectors[0], vectors[2])
		if near < far+.1 {
			t.Errorf("%q is to %q as %.3f, to %q as %.3f; want the first clearly nearer", c.query, c.near, near, c.far, far)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

// A chunk has about 200 tokens.
func BenchmarkEmbed(b *testing.B) {
	sentence := "The gripper lost the cup because pressure_sensor.go:120 saturated: expected 4095, found 4096 (see issue #17). "
	for _, c := range []struct{ name, text string }{
		{"ascii", strings.Repeat(sentence, 6)},
		{"accents", strings.Repeat(strings.ReplaceAll(sentence, "e", "é"), 6)},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := loaded(b)
			texts := slices.Repeat([]string{c.text}, batch)
			e := New()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Embed(b.Context(), embed.ForDocument, texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "chunks/s")
			b.ReportMetric(float64(len(tokensOf(m, namesOf(m), c.text))), "tokens/chunk")
		})
	}
}

// namesOf is the tokens of a model in the order of their vectors.
func namesOf(m *model) []string {
	names := make([]string, len(m.scales))
	for token, id := range m.vocabulary.first {
		names[id] = token
	}
	for token, id := range m.vocabulary.further {
		names[id] = "##" + token
	}
	return names
}

// tokensOf is the tokens of a text as the recipe writes them: a word that has none
// stands for itself behind a "?".
func tokensOf(m *model, names []string, text string) []string {
	var tokens []string
	var s splitter
	s.words(text, func(word []byte) {
		ids := m.vocabulary.tokens(word, nil)
		for _, id := range ids {
			tokens = append(tokens, names[id])
		}
		if len(ids) == 0 {
			tokens = append(tokens, "?"+string(word))
		}
	})
	return tokens
}

func loaded(tb testing.TB) *model {
	tb.Helper()
	m, err := load()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
