package search

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/embed/builtin"
	"tapedeck/internal/session"
	"tapedeck/internal/store/storetest"
)

const (
	// largeSessions hold 100,000 llm spans, the size for which issue 4 bounds times.
	largeSessions = 100_000 / authorSpans
	// largeQueries are asked one after the other.
	largeQueries = 100
)

// Searches of 100,000 spans with the model built in, and what comes before them.
func BenchmarkLarge(b *testing.B) {
	for _, kind := range storeKinds {
		b.Run(kind.name, func(b *testing.B) {
			reopen := kind.make(b)
			st := opened(b, reopen)
			defer st.Close()
			a, began := newAuthor(), time.Now()
			a.write(b, st, largeSessions, func(session.ProjectedSession) {})
			written := time.Since(began)
			s := open(b, st, builtin.New())
			reportIndexing(b, s, written)
			reportFirst(b, reopen, a)
			for _, c := range largeCases {
				for _, k := range []int{5, 50, 100} {
					c.request.TopK = k
					b.Run(fmt.Sprintf("%s/top_k=%d", c.name, k), func(b *testing.B) { reportQueries(b, s, a, c.request) })
				}
			}
		})
	}
}

func opened(b *testing.B, open func() (storetest.IndexedStore, error)) storetest.IndexedStore {
	st, err := open()
	if err != nil {
		b.Fatal(err)
	}
	return st
}

// largeCases are filters that keep all, most, and about one in a hundred spans.
var largeCases = []struct {
	name    string
	request Request
}{
	{"all", Request{}},
	{"most", Request{Harness: authorHarness(10), After: (authorBegan + largeSessions/10*authorPace).String()}},
	{"hundredth", Request{
		Project: authorProject(0), Harness: authorHarness(0), Model: authorModel(1),
		After: (authorBegan + largeSessions/4*authorPace).String(), Before: (authorBegan + largeSessions*3/4*authorPace).String(),
	}},
}

// reportIndexing makes the index, from what is stored to vectors that are searched,
// once: it takes far longer than a benchmark does. The rest, once all vectors are
// there, is PostgreSQL's graph of them. Before comes the writing of sessions.
func reportIndexing(b *testing.B, s *Service, written time.Duration) {
	var documents, vectors time.Duration
	began := time.Now()
	_, err := s.Index(b.Context(), func(done, total uint64, what string) {
		switch took := time.Since(began); {
		case what == "traces read":
			documents = took
		case done < total:
			vectors = took - documents
		}
	})
	took := time.Since(began)
	if err != nil {
		b.Fatal(err)
	}
	status, err := s.Status(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(status.Vectors), "chunks")
		b.ReportMetric(float64(status.Vectors)/took.Seconds(), "chunks/s")
		b.ReportMetric(written.Seconds(), "s/written")
		b.ReportMetric(documents.Seconds(), "s/documents")
		b.ReportMetric(vectors.Seconds(), "s/vectors")
		b.ReportMetric((took - documents - vectors).Seconds(), "s/rest")
		b.ReportMetric(took.Seconds(), "s/all")
	})
}

// reportFirst is the first query of a process: SQLite's reads all vectors.
func reportFirst(b *testing.B, reopen func() (storetest.IndexedStore, error), a *author) {
	b.Run("first", func(b *testing.B) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			st := opened(b, reopen)
			s, query := open(b, st, builtin.New()), a.query(i)
			began := time.Now()
			search(b, s, Request{Query: query})
			took = append(took, time.Since(began))
			st.Close()
		}
		reportTimes(b, took)
	})
}

func reportQueries(b *testing.B, s *Service, a *author, r Request) {
	queries := make([]string, largeQueries)
	for i := range queries {
		queries[i] = a.query(i * 7)
	}
	r.Query = queries[0]
	search(b, s, r)
	var took []time.Duration
	for b.Loop() {
		for _, r.Query = range queries {
			began := time.Now()
			answer := search(b, s, r)
			took = append(took, time.Since(began))
			if answer.Mode != ModeHybrid || answer.Count != r.TopK {
				b.Fatalf("%q in %+v: %d hits, %s; %s", r.Query, r, answer.Count, answer.Mode, answer.Notice)
			}
		}
	}
	reportTimes(b, took)
}

// reportTimes reports what one of several searches takes.
func reportTimes(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	var sum time.Duration
	for _, d := range took {
		sum += d
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(sum)/float64(len(took)), "ms/mean")
	b.ReportMetric(milliseconds(took[len(took)/2]), "ms/median")
	b.ReportMetric(milliseconds(took[len(took)*95/100]), "ms/p95")
}

// Filling vectors with an embedder that costs next to nothing.
func BenchmarkFill(b *testing.B) {
	a, texts := newAuthor(), make([]string, 5000)
	for i := range texts {
		texts[i] = a.text(a.topics[i%authorTopics], 300+a.random.IntN(1600))
	}
	for b.Loop() {
		b.StopTimer()
		st := opened(b, storeKinds[0].make(b))
		storetest.Tell(b, st, "bench", texts)
		e := newFakeEmbedder()
		e.batch = 64
		b.StartTimer()
		indexed(b, st, e)
		st.Close()
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}
