package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/storetest"
)

const (
	benchDocuments = 100_000
	benchWidth     = 256
	perSession     = 50 // documents; each hundredth session is in project "one"
)

// benchIndex is a store with 100,000 documents of about 120 words and their vectors,
// made once.
var benchIndex = sync.OnceValues(func() (*indexBench, error) {
	s, err := Open(context.Background(), filepath.Join(tempDir, "index", "s.db"), Options{})
	if err != nil {
		return nil, err
	}
	b := &indexBench{Store: s, random: rand.New(rand.NewPCG(1, 2))}
	b.makeVocabulary()
	return b, b.fill()
})

type indexBench struct {
	*Store
	random     *rand.Rand
	vocabulary []string
	zipf       *rand.Zipf
	texts      []string // some of them
	generation int64
}

// makeVocabulary makes 60,000 words, of which few are frequent and many rare.
func (b *indexBench) makeVocabulary() {
	syllables := strings.Fields("ta ri mo ne lu sa ko vi der en st ing al or pre con fil er func test over read write ed un able ge th wa ho")
	for range 60_000 {
		word := ""
		for range 2 + b.random.IntN(3) {
			word += syllables[b.random.IntN(len(syllables))]
		}
		b.vocabulary = append(b.vocabulary, word)
	}
	copy(b.vocabulary, strings.Fields("the of to and a in is it for that with"))
	b.zipf = rand.NewZipf(b.random, 1.07, 3, uint64(len(b.vocabulary)-1))
}

func (b *indexBench) word() string { return b.vocabulary[b.zipf.Uint64()] }

func (b *indexBench) text() string {
	var words []string
	for range 40 + b.random.IntN(160) {
		words = append(words, b.word())
	}
	return strings.Join(words, " ")
}

// fill projects sessions straight into the tables, and puts documents and vectors.
func (b *indexBench) fill() error {
	ctx := context.Background()
	g, err := b.Generation(ctx, "bench", "m", benchWidth)
	if err != nil {
		return err
	}
	b.generation = g.ID
	for from := 0; from < benchDocuments/perSession; from += 20 {
		var documents []store.TraceDocuments
		err := b.write(ctx, func(c *conn) error {
			for i := from; i < from+20; i++ {
				ref := session.Ref{Harness: "claude-code", Key: fmt.Sprint("i", i)}
				ps, d := b.session(ref, i)
				documents = append(documents, d)
				stream, err := c.number("INSERT INTO stream (harness, key, sid, version, derived, records, deriver) VALUES (?, ?, ?, 1, 1, 1, 'd') RETURNING id",
					ref.Harness, ref.Key, ref.SessionID())
				if err != nil {
					return err
				}
				pr := projector{conn: c, ref: ref, stream: stream}
				if err := pr.session(ps, 0); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := b.PutDocuments(ctx, int64(from+20), documents); err != nil {
			return err
		}
		if err := b.PutVectors(ctx, g.ID, b.vectors(documents)); err != nil {
			return err
		}
	}
	return nil
}

func (b *indexBench) session(ref session.Ref, i int) (session.ProjectedSession, store.TraceDocuments) {
	ps := benchSession(b.random, ref, i)
	ps.Session.Parent, ps.Session.Project = nil, "most"
	switch {
	case i%100 == 0:
		ps.Session.Project = "one"
	case i%10 == 0:
		ps.Session.Project = "ten"
	}
	t := &ps.Traces[0]
	d := store.TraceDocuments{TraceID: t.Trace.ID}
	for n := range perSession {
		id := session.LLMID(ref.SessionID(), fmt.Sprint(n))
		t.Spans = append(t.Spans, session.ProjectedSpan{Span: session.Span{
			ID: id, Seq: n, Kind: session.KindLLM, Model: "m", StartedAt: t.Trace.StartedAt + session.Time(n),
		}})
		text := b.text()
		if n == 0 && len(b.texts) < 500 {
			b.texts = append(b.texts, text)
		}
		sum := sha256.Sum256([]byte(text))
		d.Documents = append(d.Documents, store.IndexDocument{SpanID: id, Text: text, Hash: hex.EncodeToString(sum[:])})
	}
	return ps, d
}

func (b *indexBench) vectors(traces []store.TraceDocuments) (list []store.HashVectors) {
	for _, t := range traces {
		for _, d := range t.Documents {
			list = append(list, store.HashVectors{Hash: d.Hash, Chunks: []store.ChunkVector{{End: len(d.Text), Vector: b.vector()}}})
		}
	}
	return list
}

func (b *indexBench) vector() []float32 {
	v := make([]float32, benchWidth)
	var sum float64
	for i := range v {
		v[i] = float32(b.random.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// query is 3 to 8 words of a text.
func (b *indexBench) query() []string {
	words := strings.Fields(b.texts[b.random.IntN(len(b.texts))])
	var query []string
	for range 3 + b.random.IntN(6) {
		query = append(query, words[b.random.IntN(len(words))])
	}
	return query
}

// benchFilters keep all, a tenth and a hundredth of the documents.
var benchFilters = []struct {
	name   string
	filter store.IndexFilter
}{{"100%", store.IndexFilter{}}, {"10%", store.IndexFilter{Project: "ten"}}, {"1%", store.IndexFilter{Project: "one"}}}

// medians runs a search for each filter and limit, and reports the median.
func medians(b *testing.B, search func(f store.IndexFilter, limit int) (int, error)) {
	for _, f := range benchFilters {
		for _, limit := range []int{5, 100} {
			b.Run(fmt.Sprintf("%s/%d", f.name, limit), func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					start := time.Now()
					n, err := search(f.filter, limit)
					took = append(took, time.Since(start))
					if err != nil {
						b.Fatal(err)
					}
					if n > limit {
						b.Fatalf("%d hits, want at most %d", n, limit)
					}
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
				b.ReportMetric(float64(took[len(took)*9/10].Microseconds())/1000, "p90-ms")
			})
		}
	}
}

func BenchmarkSearchText(b *testing.B) {
	s, err := benchIndex()
	if err != nil {
		b.Fatal(err)
	}
	medians(b, func(f store.IndexFilter, limit int) (int, error) {
		hits, err := s.SearchText(b.Context(), store.TextQuery{Terms: s.query(), Filter: f, Limit: limit})
		return len(hits), err
	})
}

func BenchmarkSearchVectors(b *testing.B) {
	s, err := benchIndex()
	if err != nil {
		b.Fatal(err)
	}
	medians(b, func(f store.IndexFilter, limit int) (int, error) {
		hits, err := s.SearchVectors(b.Context(), s.generation, s.vector(), f, limit)
		if err == nil && len(hits) != limit {
			err = fmt.Errorf("%d hits, want %d", len(hits), limit)
		}
		return len(hits), err
	})
}

func BenchmarkPutDocuments(b *testing.B) {
	const batch = 500
	s := &indexBench{Store: openStore(b, filepath.Join(b.TempDir(), "s.db")), random: rand.New(rand.NewPCG(3, 4))}
	s.makeVocabulary()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		texts := make([]string, batch)
		for n := range texts {
			texts[n] = s.text()
		}
		documents := storetest.TellOnly(b, s, fmt.Sprint(i), texts)
		b.StartTimer()
		if err := s.PutDocuments(b.Context(), int64(i), documents); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "documents/s")
}

// The first search for a vector reads all documents and vectors.
func BenchmarkFirstSearch(b *testing.B) {
	s, err := benchIndex()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.catalog.mu.Lock()
		s.catalog.loaded = false
		s.catalog.mu.Unlock()
		if _, err := s.SearchVectors(b.Context(), s.generation, s.vector(), store.IndexFilter{}, 5); err != nil {
			b.Fatal(err)
		}
	}
}
