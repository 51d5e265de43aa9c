package sqlite

import (
	"math"
	"math/rand/v2"
	"testing"

	"tapedeck/internal/store"
)

func randomUnit(random *rand.Rand, width int) []float32 {
	v := make([]float32, width)
	var sum float64
	for i := range v {
		v[i] = float32(random.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func dotExact(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// matrixOf has a text with one vector for each of those given.
func matrixOf(t testing.TB, width int, vectors [][]float32) *matrix {
	t.Helper()
	m := newMatrix(width)
	for i, v := range vectors {
		data, err := appendChunk(nil, store.ChunkVector{Start: i, End: i + 1, Vector: v})
		if err == nil {
			err = m.add(int64(i), int32(i), data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func allBits(n int) bits {
	b := newBits(n)
	for i := range n {
		b.set(int32(i))
	}
	return b
}

// The rough score is off by no more than rounding explains, for any width and for
// the largest numbers that there can be.
func TestRoughScores(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{1, 2, 7, 8, 9, 255, 256, 768, 3072} {
		same := make([]float32, width)
		for i := range same {
			same[i] = float32(1 / math.Sqrt(float64(width)))
		}
		opposite := make([]float32, width)
		for i := range opposite {
			opposite[i] = -same[i]
		}
		vectors := [][]float32{same, opposite, randomUnit(random, width), randomUnit(random, width), make([]float32, width)}
		m := matrixOf(t, width, vectors)
		for i, v := range vectors {
			query := newRoughQuery(v)
			for j, w := range vectors {
				want := dotExact(v, w)
				if got := query.score(m.row(j), m.rows[j]); math.Abs(float64(got)-want) > 0.04 {
					t.Errorf("width %d: %d times %d is roughly %.4f, exactly %.4f", width, i, j, got, want)
				}
			}
		}
	}
}

func TestReplacedVectorsAreNotFound(t *testing.T) {
	m := matrixOf(t, 2, [][]float32{{1, 0}, {0, 1}})
	data, err := appendChunk(nil, store.ChunkVector{Vector: []float32{-1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.add(2, 0, data); err != nil {
		t.Fatal(err)
	}
	found := m.nearest([]float32{1, 0}, allBits(2), 5)
	if len(found) != 2 || found[0].slot != 1 || found[1].slot != 0 || found[1].score > -0.99 {
		t.Errorf("%+v, want text 1 before text 0", found)
	}
}

func FuzzPackedVectors(f *testing.F) {
	data, _ := appendChunk(nil, store.ChunkVector{Start: 3, End: 9, Vector: []float32{1, 0, -1}})
	f.Add(data)
	f.Add(append(data, data...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		m := newMatrix(3)
		if err := m.add(1, 0, data); err == nil && (len(m.rows) > len(data)/12 || len(m.rows) == 0 && len(data) > 0) {
			t.Errorf("%d rows of %d bytes", len(m.rows), len(data))
		}
	})
}

func BenchmarkNearest(b *testing.B) {
	const n, width = 100_000, 256
	random := rand.New(rand.NewPCG(5, 6))
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = randomUnit(random, width)
	}
	m, chosen := matrixOf(b, width, vectors), allBits(n)
	for b.Loop() {
		if found := m.nearest(vectors[0], chosen, 10); found[0].slot != 0 {
			b.Fatalf("a vector is not nearest to itself: %+v", found)
		}
	}
}
