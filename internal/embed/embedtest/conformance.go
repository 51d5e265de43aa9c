package embedtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"tapedeck/internal/embed"
)

// Run checks that embedders do what package embed says. make returns a new one.
func Run(t *testing.T, make func(t *testing.T) embed.Embedder) {
	for name, test := range map[string]func(*testing.T, embed.Embedder){
		"no texts":                testNoTexts,
		"names its model":         testModel,
		"a vector a text":         testOrder,
		"more than a batch":       testManyTexts,
		"a text of a window":      testWindow,
		"near meanings are near":  testNearness,
		"strange texts":           testStrangeTexts,
		"a blank text":            testBlankText,
		"several goroutines":      testGoroutines,
		"a context that is over":  testContext,
		"vectors are the callers": testOwnership,
	} {
		t.Run(name, func(t *testing.T) { test(t, make(t)) })
	}
}

func testNoTexts(t *testing.T, e embed.Embedder) {
	vectors, err := e.Embed(t.Context(), embed.ForDocument, nil)
	if err != nil || len(vectors) != 0 {
		t.Errorf("Embed of no texts = %v, %v; want no vectors", vectors, err)
	}
}

func testModel(t *testing.T, e embed.Embedder) {
	if m := e.Model(); m.Provider == "" || m.Name == "" {
		t.Errorf("Model() = %+v; want a provider and a name", m)
	}
	vectors := must(t, e, embed.ForQuery, "how wide is it?")
	if m := e.Model(); m.Width != len(vectors[0]) {
		t.Errorf("Model().Width = %d; want %d, that of its vectors", m.Width, len(vectors[0]))
	}
	if e.Batch() < 1 {
		t.Errorf("Batch() = %d; want 1 at least", e.Batch())
	}
	if e.Window() < 256 {
		t.Errorf("Window() = %d; want room for a paragraph at least", e.Window())
	}
}

// ordinary are texts that have little to do with each other.
var ordinary = []string{
	"the gripper lost the cup because the pressure sensor saturated",
	"go test ./internal/store failed: database is locked",
	"please rename the column started_at to begun_at",
	"the migration adds an index on session and trace",
	"a battery of 48 volts drives four wheels",
}

func testOrder(t *testing.T, e embed.Embedder) {
	for _, purpose := range []embed.Purpose{embed.ForDocument, embed.ForQuery} {
		together := must(t, e, purpose, ordinary...)
		for i, text := range ordinary {
			alone := must(t, e, purpose, text)[0]
			if got := cosine(alone, together[i]); got < .999 {
				t.Errorf("vector %d of %d is not that of its text: their cosine is %.4f", i, len(ordinary), got)
			}
		}
	}
}

func testManyTexts(t *testing.T, e embed.Embedder) {
	n := min(2*e.Batch()+1, 100)
	texts := make([]string, n)
	for i := range texts {
		texts[i] = ordinary[i%len(ordinary)]
	}
	vectors := must(t, e, embed.ForDocument, texts...)
	for i, v := range vectors {
		if got := cosine(v, vectors[i%len(ordinary)]); got < .999 {
			t.Errorf("vector %d is not that of its text: the cosine is %.4f", i, got)
		}
	}
}

func testWindow(t *testing.T, e embed.Embedder) {
	text := strings.Repeat(strings.Join(ordinary, ".\n")+".\n", e.Window()/200+1)
	must(t, e, embed.ForDocument, text[:e.Window()])
}

func testNearness(t *testing.T, e embed.Embedder) {
	query := must(t, e, embed.ForQuery, "why did the gripper drop the cup?")[0]
	documents := must(t, e, embed.ForDocument, ordinary...)
	for i, d := range documents[1:] {
		if cosine(query, d) >= cosine(query, documents[0]) {
			t.Errorf("%q is as near to a question about the gripper as the answer", ordinary[i+1])
		}
	}
}

func testStrangeTexts(t *testing.T, e embed.Embedder) {
	for _, text := range []string{
		"broken \xff\xfe UTF-8", "a \x00 byte", "emoji 🤖🦾 and 日本語", `{"json": "<b>&\u2028"}`, "\u202eright to left",
		strings.Repeat("a", 200), "a\r\n\tb", "!!! ??? ...",
	} {
		vectors, err := e.Embed(t.Context(), embed.ForDocument, []string{text})
		if none := (*embed.TextError)(nil); errors.As(err, &none) {
			continue // it may have no vector, if that is said
		}
		if err != nil {
			t.Errorf("Embed(%q): %v", text, err)
			continue
		}
		check(t, e, vectors, 1)
	}
}

func testBlankText(t *testing.T, e embed.Embedder) {
	for _, blank := range []string{"", " \n\t"} {
		vectors, err := e.Embed(t.Context(), embed.ForDocument, []string{"a text", blank})
		var none *embed.TextError
		switch {
		case errors.As(err, &none):
			if none.Text != 1 {
				t.Errorf("Embed fails for text %d (%v); want 1", none.Text, err)
			}
		case err != nil:
			t.Errorf("Embed fails with %v; want a *TextError or a vector", err)
		default:
			check(t, e, vectors, 2)
		}
	}
}

func testGoroutines(t *testing.T, e embed.Embedder) {
	want := must(t, e, embed.ForDocument, ordinary...)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			vectors, err := e.Embed(t.Context(), embed.ForDocument, ordinary)
			if err != nil {
				t.Errorf("Embed: %v", err)
				return
			}
			for i, v := range vectors {
				if got := cosine(v, want[i]); got < .999 {
					t.Errorf("vector %d differs from that of another call: the cosine is %.4f", i, got)
				}
			}
		})
	}
	group.Wait()
}

func testContext(t *testing.T, e embed.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, embed.ForDocument, ordinary); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed with a cancelled context fails with %v; want context.Canceled", err)
	}
}

func testOwnership(t *testing.T, e embed.Embedder) {
	texts := slices.Clone(ordinary)
	first := must(t, e, embed.ForDocument, texts...)
	if !slices.Equal(texts, ordinary) {
		t.Error("Embed changes the texts that it is given")
	}
	want := slices.Clone(first[1])
	clear(first[0])
	if !slices.Equal(first[1], want) {
		t.Error("two vectors share memory")
	}
	check(t, e, must(t, e, embed.ForDocument, texts...), len(texts))
}

// must embeds texts and checks what comes back.
func must(t *testing.T, e embed.Embedder, purpose embed.Purpose, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), purpose, texts)
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	check(t, e, vectors, len(texts))
	return vectors
}

// check checks the number, width and length of vectors.
func check(t *testing.T, e embed.Embedder, vectors [][]float32, texts int) {
	t.Helper()
	if len(vectors) != texts {
		t.Fatalf("%d texts give %d vectors", texts, len(vectors))
	}
	for i, v := range vectors {
		if len(v) != e.Model().Width {
			t.Fatalf("vector %d has %d numbers; want %d", i, len(v), e.Model().Width)
		}
		if length := cosine(v, v); math.Abs(length-1) > 1e-3 {
			t.Errorf("vector %d has the length %v; want 1", i, math.Sqrt(length))
		}
	}
}

// cosine is the cosine between two vectors of length 1.
func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
