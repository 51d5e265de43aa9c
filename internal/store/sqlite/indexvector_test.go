package sqlite

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"tapedeck/internal/store"
	"tapedeck/internal/store/storetest"
)

// Of what is nearest by exact numbers 99 of 100 are found, in clusters as in noise.
func TestNearestAreRight(t *testing.T) {
	const n, width, queries = 3000, 96, 60
	random := rand.New(rand.NewPCG(3, 4))
	centers := make([][]float32, 20)
	for i := range centers {
		centers[i] = randomUnit(random, width)
	}
	vector := func(clustered bool) []float32 {
		v := randomUnit(random, width)
		if !clustered {
			return v
		}
		for i, x := range centers[random.IntN(len(centers))] {
			v[i] += 1.5 * x
		}
		length := float32(math.Sqrt(dotExact(v, v)))
		for i := range v {
			v[i] /= length
		}
		return v
	}
	s := openStore(t, filepath.Join(t.TempDir(), "s.db"))
	var texts []string
	var vectors [][]float32
	var put []store.HashVectors
	places := map[string]int{}
	for i := range n {
		text := fmt.Sprint("text ", i)
		sum := sha256.Sum256([]byte(text))
		texts, vectors = append(texts, text), append(vectors, vector(i%2 == 0))
		put = append(put, store.HashVectors{Hash: hex.EncodeToString(sum[:]), Chunks: []store.ChunkVector{{Vector: vectors[i]}}})
		places[storetest.CollectionSpan("texts", i)] = i
	}
	storetest.Tell(t, s, "texts", texts)
	g, err := s.Generation(t.Context(), "test", "m", width)
	if err == nil {
		err = s.PutVectors(t.Context(), g.ID, put)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{1, 10, 100} {
		right, asked := 0, 0
		for i := range queries {
			query := vector(i%2 == 0)
			order := make([]int, n)
			exact := make([]float64, n)
			for i, v := range vectors {
				order[i], exact[i] = i, dotExact(query, v)
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(exact[b], exact[a]) })
			hits, err := s.SearchVectors(t.Context(), g.ID, query, store.IndexFilter{}, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range hits {
				asked++
				if place := places[hit.SpanID]; slices.Contains(order[:limit], place) {
					right++
				} else if hit.Score < exact[order[limit-1]]-0.001 {
					t.Errorf("a hit has score %.4f, the last that is right %.4f", hit.Score, exact[order[limit-1]])
				}
			}
		}
		t.Logf("limit %d: %d of %d are right", limit, right, asked)
		if asked != queries*limit || right < asked*99/100 {
			t.Errorf("limit %d: %d of %d are right, of %d", limit, right, asked, queries*limit)
		}
	}
}
