package postgres

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// A shelf is a store with many documents, made without deriving them: that would
// take longer than all that is looked at.
type shelf struct {
	*Store
	generation store.Generation
	random     *rand.Rand
	vectors    map[string][]float32 // by span
}

const (
	shelfSessions   = 100 // one in a hundred documents is of each
	shelfVocabulary = 50_000
)

// fillShelf fills a store with documents, each of a hundred words and of one chunk.
func fillShelf(tb testing.TB, documents, width int) *shelf {
	tb.Helper()
	sh := &shelf{Store: openStore(tb), random: rand.New(rand.NewPCG(1, 2)), vectors: map[string][]float32{}}
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	ctx := tb.Context()
	_, err := sh.pool.Exec(ctx, `INSERT INTO tapedeck.stream (session_id, harness, key, version) VALUES ('s', 'h', 'k', 1)`)
	must(err)
	sessions := make([]int64, shelfSessions)
	for i := range sessions {
		must(sh.write(ctx, func(tx pgx.Tx) (err error) {
			sessions[i], err = putSession(ctx, tx, 1, session.Session{
				ID: fmt.Sprint("session ", i), Project: fmt.Sprint("project ", i), Harness: fmt.Sprint("harness ", i%2), Status: session.StatusOK,
			})
			return err
		}))
	}
	sh.generation, err = sh.Generation(ctx, "test", "m", width)
	must(err)
	words := rand.NewZipf(sh.random, 1.1, 4, shelfVocabulary)
	const portion = 500
	for from := 0; from < documents; from += portion {
		var traces []store.TraceDocuments
		var list []*document
		var vectors []store.HashVectors
		for i := from; i < min(documents, from+portion); i++ {
			text := make([]string, 100)
			for w := range text {
				text[w] = fmt.Sprint("w", words.Uint64(), "x")
			}
			id := fmt.Sprint("llm_", i)
			d := store.IndexDocument{SpanID: id, Text: strings.Join(text, " "), Hash: id}
			traces = append(traces, store.TraceDocuments{TraceID: "trc_" + id})
			list = append(list, &document{IndexDocument: d, traceID: "trc_" + id, session: sessions[i%shelfSessions],
				kind: session.KindLLM, model: fmt.Sprint("model ", i%3), started: session.Time(1_700_000_000_000 + i)})
			sh.vectors[id] = randomUnit(sh.random, width)
			vectors = append(vectors, store.HashVectors{Hash: id, Chunks: []store.ChunkVector{{End: 10, Vector: sh.vectors[id]}}})
		}
		must(sh.write(ctx, func(tx pgx.Tx) error { return replaceDocuments(ctx, tx, traces, list) }))
		must(sh.PutVectors(ctx, sh.generation.ID, vectors))
	}
	_, err = sh.Missing(ctx, sh.generation.ID, nil, 1) // makes the index of vectors
	must(err)
	_, err = sh.pool.Exec(ctx, "VACUUM ANALYZE")
	must(err)
	return sh
}

// randomUnit is a vector of length 1, with few dimensions that tell much, as those
// of texts have.
func randomUnit(random *rand.Rand, width int) []float32 {
	v := make([]float32, width)
	sum := 0.0
	for i := range v {
		v[i] = float32(random.NormFloat64() * math.Exp(-float64(i)/16))
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// nearest are the spans nearest to a vector, worked out by hand.
func (sh *shelf) nearest(v []float32, limit int) []string {
	type scored struct {
		id    string
		score float64
	}
	var all []scored
	for id, w := range sh.vectors {
		score := 0.0
		for i := range v {
			score += float64(v[i]) * float64(w[i])
		}
		all = append(all, scored{id, score})
	}
	slices.SortFunc(all, func(a, b scored) int { return int(math.Copysign(1, b.score-a.score)) })
	ids := make([]string, limit)
	for i := range ids {
		ids[i] = all[i].id
	}
	return ids
}

// shelfFilters keep all, half, and one in a hundred documents.
var shelfFilters = map[string]store.IndexFilter{
	"all":     {},
	"half":    {Harness: "harness 1"},
	"project": {Project: "Project 7"},
	"time":    {After: 1_700_000_002_000, Before: 1_700_000_003_000},
}

// BenchmarkIndex is the two parts of a hybrid search of 100,000 documents; at most
// 15 ms each (issue 4).
func BenchmarkIndex(b *testing.B) {
	const width = 256
	sh := fillShelf(b, many, width)
	// Of the words that people ask for, few are in every third document.
	word := func() string {
		return fmt.Sprint("w", int(math.Exp(sh.random.Float64()*math.Log(shelfVocabulary/50)))*50, "x")
	}
	for name, f := range shelfFilters {
		for _, limit := range []int{5, 50, 200, 1000} {
			b.Run(fmt.Sprintf("vectors/%s/%d", name, limit), func(b *testing.B) {
				for b.Loop() {
					hits, err := sh.SearchVectors(b.Context(), sh.generation.ID, randomUnit(sh.random, width), f, limit)
					if err != nil || len(hits) != limit {
						b.Fatalf("%d hits, %v; want %d", len(hits), err, limit)
					}
				}
			})
			b.Run(fmt.Sprintf("text/%s/%d", name, limit), func(b *testing.B) {
				for b.Loop() {
					var terms []string
					for range 5 {
						terms = append(terms, word())
					}
					if _, err := sh.SearchText(b.Context(), store.TextQuery{Terms: terms, Filter: f, Limit: limit}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
