package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// generation makes the generation of a model that tests use.
func generation(t *testing.T, s IndexedStore, model string, width int) int64 {
	t.Helper()
	g, err := s.Generation(t.Context(), "test", model, width)
	if err != nil {
		t.Fatalf("generation: %v", err)
	}
	return g.ID
}

func generations(t *testing.T, s IndexedStore) []store.Generation {
	t.Helper()
	list, err := s.Generations(t.Context())
	if err != nil {
		t.Fatalf("generations: %v", err)
	}
	return list
}

// putVectors gives texts a vector each, which is brought to length 1.
func putVectors(t *testing.T, s IndexedStore, generation int64, vectors map[string][]float32) {
	t.Helper()
	var list []store.HashVectors
	for text, v := range vectors {
		list = append(list, store.HashVectors{Hash: hashOf(text), Chunks: []store.ChunkVector{{End: len(text), Vector: unit(v)}}})
	}
	if err := s.PutVectors(t.Context(), generation, list); err != nil {
		t.Fatalf("put vectors: %v", err)
	}
}

// unit is a vector of length 1 in v's direction.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return u
}

func randomUnit(random *rand.Rand, width int) []float32 {
	v := make([]float32, width)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return unit(v)
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// nearest are the identifiers of the spans nearest to a vector.
func nearest(t *testing.T, s IndexedStore, generation int64, v []float32, f store.IndexFilter, limit int) []string {
	t.Helper()
	hits, err := s.SearchVectors(t.Context(), generation, v, f, limit)
	if err != nil {
		t.Fatalf("search for a vector: %v", err)
	}
	return spanIDs(t, hits)
}

// A shelf is a store with documents of random vectors, several chunks each.
type shelf struct {
	store      IndexedStore
	generation int64
	width      int
	random     *rand.Rand
	chunks     map[string][]store.ChunkVector // by span
}

func fillShelf(t *testing.T, open OpenIndex, documents, width int) *shelf {
	t.Helper()
	s, _ := open(t)
	sh := &shelf{store: s, width: width, random: rand.New(rand.NewPCG(7, 8)), chunks: map[string][]store.ChunkVector{}}
	var spans []span
	for i := range documents {
		spans = append(spans, span{text: fmt.Sprintf("document %d with some text", i)})
	}
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), spans)})
	sh.generation = generation(t, s, "m", width)
	var vectors []store.HashVectors
	for i, p := range spans {
		id := spanID(ref("a"), 0, i, "")
		for c := range 1 + i%3 {
			sh.chunks[id] = append(sh.chunks[id], store.ChunkVector{Start: c * 5, End: c*5 + 7, Vector: randomUnit(sh.random, width)})
		}
		vectors = append(vectors, store.HashVectors{Hash: hashOf(p.text), Chunks: sh.chunks[id]})
	}
	if err := s.PutVectors(t.Context(), sh.generation, vectors); err != nil {
		t.Fatal(err)
	}
	return sh
}

// exact are the hits of a vector, worked out by hand.
func (sh *shelf) exact(v []float32) (hits []store.IndexHit) {
	for id, chunks := range sh.chunks {
		best := store.IndexHit{SpanID: id, Score: -2}
		for _, c := range chunks {
			if score := cosine(v, c.Vector); score > best.Score {
				best.Score, best.Start, best.End = score, c.Start, c.End
			}
		}
		hits = append(hits, best)
	}
	slices.SortFunc(hits, func(a, b store.IndexHit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// Stores may keep less of a vector than it has, and look for the nearest with an
// index that misses some: 99 of 100 are right.
func testVectors(t *testing.T, open OpenIndex) {
	const queries, limit = 20, 10
	sh := fillShelf(t, open, 300, 64)
	right := 0
	for range queries {
		v := randomUnit(sh.random, sh.width)
		want := sh.exact(v)
		hits, err := sh.store.SearchVectors(t.Context(), sh.generation, v, everything, limit)
		if err != nil || len(hits) != limit {
			t.Fatalf("%d hits, %v; want %d", len(hits), err, limit)
		}
		spanIDs(t, hits)
		for _, hit := range hits {
			at := slices.IndexFunc(want, func(w store.IndexHit) bool { return w.SpanID == hit.SpanID })
			if math.Abs(hit.Score-want[at].Score) > 0.01 {
				t.Errorf("score %.4f, the cosine is %.4f", hit.Score, want[at].Score)
			}
			if at < limit || want[at].Score > want[limit-1].Score-0.002 {
				right++
			}
		}
	}
	if right < queries*limit*99/100 {
		t.Errorf("%d of %d nearest are right", right, queries*limit)
	}
}

func testVectorChunks(t *testing.T, open OpenIndex) {
	sh := fillShelf(t, open, 30, 48)
	for id, chunks := range sh.chunks {
		for _, c := range chunks {
			hits, err := sh.store.SearchVectors(t.Context(), sh.generation, c.Vector, everything, 1)
			if err != nil || len(hits) != 1 {
				t.Fatalf("%+v, %v; want one hit", hits, err)
			}
			if hit := hits[0]; hit.SpanID != id || hit.Start != c.Start || hit.End != c.End || hit.Score < 0.99 {
				t.Errorf("the vector of %s at %d to %d finds %+v", id, c.Start, c.End, hit)
			}
		}
	}
	id := spanID(ref("a"), 0, 7, "")
	hits, err := sh.store.SearchVectors(t.Context(), sh.generation, sh.chunks[id][0].Vector, everything, 1)
	if err != nil {
		t.Fatal(err)
	}
	hits[0].Score = 0
	same(t, "a hit", hits[0], store.IndexHit{
		SpanID: id, TraceID: traceID(ref("a"), 0), SessionID: ref("a").SessionID(), Kind: session.KindLLM, Model: "m",
		StartedAt: day0, Hash: hashOf("document 7 with some text"), Start: 0, End: 7,
	})
}

func testVectorsShared(t *testing.T, open OpenIndex) {
	s, other := open(t)
	indexed(t, s, map[session.Ref]session.Projection{
		ref("a"): telling(ref("a"), said("same", "own")...), ref("b"): telling(ref("b"), said("same")...),
	})
	g := generation(t, s, "m", 2)
	if missing, err := other.Missing(t.Context(), g, nil, 10); err != nil || len(missing) != 2 {
		t.Errorf("missing: %v, %v; want two texts", missing, err)
	}
	putVectors(t, s, g, map[string][]float32{"same": {1, 0}, "own": {0, 1}})
	both := sorted([]string{spanID(ref("a"), 0, 0, ""), spanID(ref("b"), 0, 0, "")})
	same(t, "both", sorted(nearest(t, other, g, []float32{1, 0}, everything, 2)), both)
	same(t, "both, text", sorted(found(t, other, everything, "same")), both)
	same(t, "one of them", nearest(t, other, g, []float32{1, 0}, store.IndexFilter{SessionID: ref("b").SessionID()}, 2), []string{spanID(ref("b"), 0, 0, "")})
	if _, err := s.Delete(t.Context(), ref("a").SessionID()); err != nil {
		t.Fatal(err)
	}
	same(t, "the one that stays", nearest(t, other, g, []float32{1, 0}, everything, 2), []string{spanID(ref("b"), 0, 0, "")})
}

func testVectorFilters(t *testing.T, open OpenIndex) {
	s := tellFiltered(t, open)
	g := generation(t, s, "m", 2)
	vectors := map[string][]float32{}
	for i := range 11 {
		vectors[fmt.Sprint("word ", i+1)] = []float32{1, float32(i)}
	}
	putVectors(t, s, g, vectors)
	for _, c := range filterCases() {
		same(t, c.name, sorted(nearest(t, s, g, []float32{1, 0}, c.filter, 20)), c.want)
	}
}

func testVectorLimits(t *testing.T, open OpenIndex) {
	const n = 1100
	s, _ := open(t)
	random := rand.New(rand.NewPCG(9, 10))
	projections, vectors := map[session.Ref]session.Projection{}, map[string][]float32{}
	for part := range 11 {
		var spans []span
		for i := range n / 11 {
			text := fmt.Sprintf("text %d of %d", i, part)
			spans = append(spans, span{text: text})
			vectors[text] = randomUnit(random, 16)
		}
		r := ref(fmt.Sprint("s", part))
		projections[r] = telling(r, spans)
	}
	indexed(t, s, projections)
	g := generation(t, s, "m", 16)
	putVectors(t, s, g, vectors)
	one := store.IndexFilter{SessionID: ref("s7").SessionID()}
	for _, c := range []struct {
		limit  int
		filter store.IndexFilter
		want   int
	}{
		{-1, everything, 0}, {0, everything, 0}, {1, everything, 1}, {5, everything, 5}, {100, everything, 100}, {1000, everything, 1000},
		{2000, everything, n}, {5, one, 5}, {100, one, 100}, {1000, one, 100},
	} {
		hits := nearest(t, s, g, randomUnit(random, 16), c.filter, c.limit)
		if len(hits) != c.want {
			t.Errorf("limit %d in %+v: %d hits, want %d", c.limit, c.filter, len(hits), c.want)
		}
	}
}

// What one process puts, replaces and removes, another one's searches follow.
func testVectorsFollow(t *testing.T, open OpenIndex) {
	s, other := open(t)
	first, second := spanID(ref("a"), 0, 0, ""), spanID(ref("a"), 0, 1, "")
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), []span{{text: "apple"}, {text: "pear"}})})
	g := generation(t, s, "m", 2)
	expect := func(what string, v []float32, want ...string) {
		t.Helper()
		same(t, what+", here", nearest(t, s, g, unit(v), everything, 5), want)
		same(t, what+", there", nearest(t, other, g, unit(v), everything, 5), want)
	}
	become := func(spans ...span) {
		t.Helper()
		grow(t, s, ref("a"), telling(ref("a"), spans))
		follow(t, s)
	}
	expect("without vectors", []float32{1, 0})
	putVectors(t, s, g, map[string][]float32{"apple": {1, 0}})
	expect("with one", []float32{1, 0}, first)
	putVectors(t, other, g, map[string][]float32{"pear": {1, 1}})
	expect("with two", []float32{1, 0}, first, second)

	become(span{text: "pear"}, span{text: "apple"})
	expect("exchanged", []float32{1, 0}, second, first)
	become(span{text: "pear"})
	expect("one is gone", []float32{1, 0}, first)
	become(span{text: "pear"}, span{text: "apple"})
	expect("back without its vectors", []float32{1, 0}, first)
	if missing, err := other.Missing(t.Context(), g, nil, 5); err != nil || len(missing) != 1 || missing[0] != (store.HashedText{Hash: hashOf("apple"), Text: "apple"}) {
		t.Errorf("missing: %+v, %v; want apple", missing, err)
	}
	putVectors(t, s, g, map[string][]float32{"apple": {1, 0}, "pear": {1, 0.5}, "gone": {1, 0}})
	expect("put again", []float32{1, 0}, second, first)
	hits, err := other.SearchVectors(t.Context(), g, []float32{0, 1}, everything, 1)
	if err != nil || len(hits) != 1 || hits[0].SpanID != first {
		t.Errorf("%+v, %v; want pear", hits, err)
	}
	grow(t, s, ref("a"), telling(ref("a"), []span{{text: "apple"}}))
	expect("its span is gone", []float32{1, 0}, first)
}

func testVectorsRefused(t *testing.T, open OpenIndex) {
	s, _ := open(t)
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("apple", "pear")...)})
	g := generation(t, s, "m", 2)
	apple := store.HashVectors{Hash: hashOf("apple"), Chunks: []store.ChunkVector{{Vector: []float32{1, 0}}}}
	pear := func(v ...float32) store.HashVectors {
		return store.HashVectors{Hash: hashOf("pear"), Chunks: []store.ChunkVector{{Vector: v}}}
	}
	nan := float32(math.NaN())
	for name, v := range map[string]store.HashVectors{"too wide": pear(1, 0, 0), "too narrow": pear(1), "none": pear(), "not a number": pear(nan, 1)} {
		if err := s.PutVectors(t.Context(), g, []store.HashVectors{apple, v}); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	same(t, "after refusals", nearest(t, s, g, []float32{1, 0}, everything, 5), []string{})
	if err := s.PutVectors(t.Context(), g+99, []store.HashVectors{apple}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of no generation: %v, want ErrNotFound", err)
	}
	if _, err := s.SearchVectors(t.Context(), g+99, []float32{1, 0}, everything, 5); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("search in no generation: %v, want ErrNotFound", err)
	}
	if _, err := s.SearchVectors(t.Context(), g, []float32{1, 0, 0}, everything, 5); err == nil {
		t.Error("a search for a vector of another width was answered")
	}
	if _, err := s.Missing(t.Context(), g+99, nil, 5); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("missing of no generation: %v, want ErrNotFound", err)
	}
	if err := s.Activate(t.Context(), g+99); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("activate no generation: %v, want ErrNotFound", err)
	}
}

func testMissing(t *testing.T, open OpenIndex) {
	s, other := open(t)
	indexed(t, s, map[session.Ref]session.Projection{
		ref("a"): telling(ref("a"), []span{{text: "old", at: day0}, {text: "newest", at: day0 + 9*day}, {text: "newer", at: day0 + 5*day}}),
		ref("b"): telling(ref("b"), []span{{text: "new", at: day0 + 3*day}, {text: "older", at: 1}}),
	})
	g := generation(t, s, "m", 2)
	missing := func(limit int, skip ...string) []string {
		t.Helper()
		for i := range skip {
			skip[i] = hashOf(skip[i])
		}
		list, err := other.Missing(t.Context(), g, skip, limit)
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{}
		for _, m := range list {
			if m.Hash != hashOf(m.Text) {
				t.Errorf("the hash of %q is %s", m.Text, m.Hash)
			}
			texts = append(texts, m.Text)
		}
		return texts
	}
	same(t, "the latest first", missing(10), []string{"newest", "newer", "new", "old", "older"})
	same(t, "two", missing(2), []string{"newest", "newer"})
	same(t, "none", missing(0), []string{})
	same(t, "two others", missing(2, "newest", "new", "unknown"), []string{"newer", "old"})
	putVectors(t, s, g, map[string][]float32{"newest": {1, 0}})
	if err := s.PutVectors(t.Context(), g, []store.HashVectors{{Hash: hashOf("newer")}}); err != nil {
		t.Fatal(err)
	}
	same(t, "when two are done", missing(10), []string{"new", "old", "older"})
	same(t, "nothing to embed is not found", nearest(t, s, g, []float32{1, 0}, everything, 9), []string{spanID(ref("a"), 0, 1, "")})
	indexed(t, s, map[session.Ref]session.Projection{ref("c"): telling(ref("c"), []span{{text: "latest", at: day0 + 20*day}, {text: "newest"}})})
	same(t, "with a new one", missing(1), []string{"latest"})
	same(t, "all", missing(10), []string{"latest", "new", "old", "older"})
}

func testGenerations(t *testing.T, open OpenIndex) {
	s, other := open(t)
	indexed(t, s, map[session.Ref]session.Projection{ref("a"): telling(ref("a"), said("apple", "pear")...)})
	old := generation(t, s, "old", 2)
	if again := generation(t, other, "old", 2); again != old {
		t.Errorf("the generation of a model is %d, then %d", old, again)
	}
	putVectors(t, s, old, map[string][]float32{"apple": {1, 0}, "pear": {0, 1}})
	if err := s.Activate(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	wider, newer := generation(t, s, "old", 3), generation(t, other, "newer", 3)
	if wider == old || newer == wider {
		t.Errorf("other widths and models have generations of their own: %d, %d, %d", old, wider, newer)
	}
	chunks := []store.ChunkVector{{Vector: []float32{1, 0, 0}}, {Vector: []float32{0, 1, 0}}}
	if err := other.PutVectors(t.Context(), newer, []store.HashVectors{{Hash: hashOf("pear"), Chunks: chunks}}); err != nil {
		t.Fatal(err)
	}
	want := []store.Generation{
		{ID: old, Provider: "test", Model: "old", Width: 2, Active: true, Texts: 2, Vectors: 2},
		{ID: wider, Provider: "test", Model: "old", Width: 3, Missing: 2},
		{ID: newer, Provider: "test", Model: "newer", Width: 3, Texts: 1, Missing: 1, Vectors: 2},
	}
	same(t, "generations", generations(t, s), want)
	apple, pear := spanID(ref("a"), 0, 0, ""), spanID(ref("a"), 1, 0, "")
	same(t, "in the old one", nearest(t, s, old, []float32{1, 0}, everything, 5), []string{apple, pear})
	same(t, "in the newer one", nearest(t, s, newer, []float32{1, 0, 0}, everything, 5), []string{pear})

	if err := other.Activate(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	want[2].Active = true
	same(t, "when the newer one is active", generations(t, s), want[2:])
	if _, err := s.SearchVectors(t.Context(), old, []float32{1, 0}, everything, 5); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("search in one that was dropped: %v, want ErrNotFound", err)
	}
	same(t, "in the newer one still", nearest(t, s, newer, []float32{1, 0, 0}, everything, 5), []string{pear})
	same(t, "text still", found(t, s, everything, "apple"), []string{apple})
	if back := generation(t, s, "old", 2); back == newer {
		t.Errorf("the old model has the newer one's generation")
	} else if missing, err := s.Missing(t.Context(), back, nil, 10); err != nil || len(missing) != 2 {
		t.Errorf("missing in a generation that was dropped and made again: %v, %v; want two", missing, err)
	}
}
