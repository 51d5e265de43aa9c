package search

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/store/storetest"
)

// benchWord is the n-th word, in letters: with digits it would be an identifier.
func benchWord(n uint64) string {
	word := []byte("w")
	for ; n > 0; n /= 20 {
		word = append(word, "bcdfghjklmnpqrtvwxzy"[n%20])
	}
	return string(word)
}

// benchTexts are texts of some 100 words, of which few are frequent.
func benchTexts(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	frequent := rand.NewZipf(random, 1.07, 3, 30_000)
	texts := make([]string, n)
	for i := range texts {
		var text strings.Builder
		for range 50 + random.IntN(100) {
			text.WriteString(benchWord(frequent.Uint64()) + " ")
		}
		texts[i] = text.String()
	}
	return texts
}

func benchStore(b *testing.B, texts int) *sqlite.Store {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "s.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	storetest.Tell(b, st, "bench", benchTexts(texts))
	return st
}

// A whole search, and the share of it that is not the index's.
func BenchmarkSearch(b *testing.B) {
	s := indexed(b, benchStore(b, 20_000), newFakeEmbedder())
	for _, mode := range modes {
		for _, k := range []int{5, 100} {
			b.Run(fmt.Sprintf("%s/top_k=%d", mode, k), func(b *testing.B) {
				for i := uint64(0); b.Loop(); i++ {
					query := strings.Join([]string{benchWord(20 + i%50), benchWord(200 + i%500), benchWord(3000 + i%900), benchWord(i % 20_000)}, " ")
					search(b, s, Request{Query: query, Mode: mode, TopK: k})
				}
			})
		}
	}
}

// Filling vectors with an embedder that costs next to nothing.
func BenchmarkFill(b *testing.B) {
	const texts = 5000
	for b.Loop() {
		b.StopTimer()
		st := benchStore(b, texts)
		e := newFakeEmbedder()
		e.batch = 64
		b.StartTimer()
		indexed(b, st, e)
	}
	b.ReportMetric(float64(texts*b.N)/b.Elapsed().Seconds(), "texts/s")
}
