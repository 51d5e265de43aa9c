package searchquality

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/embed/builtin"
	"tapedeck/internal/search"
	"tapedeck/internal/store/postgres"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/store/storetest"
)

// least is what each collection's modes must reach, in nDCG@10. Plain BM25 has .370
// and .362. Hybrid is to reach .49 on cacm; it does not yet (docs/search.md), and
// must not fall behind what it has.
var least = map[string]map[string]float64{
	"cranfield": {search.ModeLexical: .39, search.ModeHybrid: .42},
	"cacm":      {search.ModeLexical: .46, search.ModeHybrid: .48},
}

var modes = []string{search.ModeLexical, search.ModeSemantic, search.ModeHybrid}

// stores are opened empty.
var stores = map[string]func(*testing.T) storetest.IndexedStore{
	"sqlite": func(t *testing.T) storetest.IndexedStore {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	},
	"postgres": func(t *testing.T) storetest.IndexedStore {
		s, err := postgres.Open(t.Context(), postgrestest.NewDatabase(t), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return s
	},
}

func TestQuality(t *testing.T) {
	for kind, open := range stores {
		for name := range least {
			t.Run(kind+"/"+name, func(t *testing.T) {
				c := storetest.LoadCollection(t, name)
				st := open(t)
				defer st.Close()
				storetest.Tell(t, st, name, c.Texts)
				s, err := search.Open(t.Context(), search.Options{Store: st, Embedder: builtin.New()})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Index(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				got := map[string]measured{}
				for _, mode := range modes {
					got[mode] = measure(t, s, c, name, mode)
					fmt.Printf("search quality: %-8s %-9s %-8s nDCG@10 %.3f  MRR %.3f  recall@100 %.3f  %6.2f ms a query\n",
						kind, name, mode, got[mode].ndcg, got[mode].mrr, got[mode].recall, got[mode].ms)
				}
				for mode, want := range least[name] {
					if got[mode].ndcg < want {
						t.Errorf("%s: nDCG@10 %.3f, want %.3f", mode, got[mode].ndcg, want)
					}
				}
				if better := max(got[search.ModeLexical].ndcg, got[search.ModeSemantic].ndcg); got[search.ModeHybrid].ndcg < better {
					t.Errorf("hybrid: nDCG@10 %.3f, one part alone has %.3f", got[search.ModeHybrid].ndcg, better)
				}
			})
		}
	}
}

// measured are means over a collection's questions.
type measured struct{ ndcg, mrr, recall, ms float64 }

func measure(t *testing.T, s *search.Service, c *storetest.Collection, name, mode string) measured {
	t.Helper()
	places := map[string]int{}
	for i := range c.Texts {
		places[storetest.CollectionSpan(name, i)] = i
	}
	var sum measured
	judged := 0.0
	for _, question := range c.Queries {
		if len(question.Right) == 0 {
			continue
		}
		began := time.Now()
		answer, err := s.Search(t.Context(), search.Request{Query: question.Text, TopK: search.MaxTopK, Mode: mode})
		if err != nil || answer.Mode != mode {
			t.Fatalf("%q: %+v, %v", question.Text, answer, err)
		}
		sum.ms += time.Since(began).Seconds() * 1000
		var texts []int
		for _, hit := range answer.Results {
			texts = append(texts, places[hit.SpanID])
		}
		sum.ndcg += question.NDCG(texts)
		sum.mrr += reciprocal(question, texts)
		sum.recall += recall(question, texts)
		judged++
	}
	return measured{sum.ndcg / judged, sum.mrr / judged, sum.recall / judged, sum.ms / judged}
}

// reciprocal is one over the place of the first right text.
func reciprocal(q storetest.Question, texts []int) float64 {
	first := slices.IndexFunc(texts, func(text int) bool { return q.Right[text] > 0 })
	if first < 0 {
		return 0
	}
	return 1 / float64(first+1)
}

// recall is the share of the right texts that was found.
func recall(q storetest.Question, texts []int) float64 {
	found := 0.0
	for _, text := range texts {
		if q.Right[text] > 0 {
			found++
		}
	}
	return found / float64(len(q.Right))
}
