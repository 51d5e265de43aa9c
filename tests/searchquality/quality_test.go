package searchquality

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/search"
	"tapedeck/internal/store/postgres"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/store/storetest"
)

// least is what each collection's modes must reach, in nDCG@10. Plain BM25 has .370
// and .362.
var least = map[string]map[string]float64{
	"cranfield": {search.ModeLexical: .39, search.ModeHybrid: .42},
	"cacm":      {search.ModeLexical: .46, search.ModeHybrid: .49},
}

var modes = []string{search.ModeLexical, search.ModeSemantic, search.ModeHybrid}

// stores are opened empty.
var stores = []struct {
	name string
	open func(*testing.T) storetest.IndexedStore
}{
	{"sqlite", func(t *testing.T) storetest.IndexedStore {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}},
	{"postgres", func(t *testing.T) storetest.IndexedStore {
		s, err := postgres.Open(t.Context(), postgrestest.NewDatabase(t), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}},
}

// sets are what is measured on.
var sets = []struct {
	name string
	load func(*testing.T) *set
}{
	{"cranfield", func(t *testing.T) *set { return loadCollection(t, "cranfield") }},
	{"cacm", func(t *testing.T) *set { return loadCollection(t, "cacm") }},
	{"sessions", loadSessions},
}

func TestQuality(t *testing.T) {
	for _, e := range embedders() {
		t.Run(e.name, func(t *testing.T) {
			embedder := e.open(t)
			for _, s := range sets {
				t.Run(s.name, func(t *testing.T) {
					set := s.load(t)
					for _, st := range stores {
						t.Run(st.name, func(t *testing.T) {
							store := st.open(t)
							defer store.Close()
							r := run{store: st.name, embedder: e.name, set: set}
							r.service = r.index(t, store, embedder)
							r.check(t, r.measure(t))
						})
					}
				})
			}
		})
	}
}

// A run is one set in one store with one embedder.
type run struct {
	store, embedder string
	set             *set
	service         *search.Service
}

// index fills the store and indexes it, and sees that the answers are there.
func (r run) index(t *testing.T, st storetest.IndexedStore, e embed.Embedder) *search.Service {
	t.Helper()
	r.set.fill(t, st)
	service, err := search.Open(t.Context(), search.Options{Store: st, Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	status, err := service.Index(t.Context(), nil)
	if err != nil || status.Missing > 0 {
		t.Fatalf("not all was indexed: %+v, %v", status, err)
	}
	r.print("indexed", "", fmt.Sprintf("%d documents, %d vectors in %.1f s", status.Documents, status.Vectors, time.Since(began).Seconds()))
	for _, q := range r.set.questions {
		spans := q.spans()
		texts, err := st.Texts(t.Context(), spans)
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range spans {
			if texts[span] == "" {
				t.Errorf("%q: the answer %s is not among the documents; if the sessions are derived in another way now, judge the question again", q.Text, span)
			}
		}
	}
	return service
}

// measure asks all questions in each mode, and prints how well they were answered.
func (r run) measure(t *testing.T) map[string]measured {
	t.Helper()
	got := map[string]measured{}
	for _, mode := range modes {
		byKind := ask(t, r.service, r.set.questions, mode)
		for _, kind := range r.set.kinds {
			r.print(mode, kind, byKind[kind].mean().String())
		}
		got[mode] = byKind[total].mean()
		r.print(mode, total, got[mode].String())
	}
	return got
}

// check holds what was measured against what must be reached.
func (r run) check(t *testing.T, got map[string]measured) {
	t.Helper()
	if r.embedder == builtinName {
		for mode, want := range r.set.least {
			if got[mode].ndcg < want {
				t.Errorf("%s: nDCG@10 %.3f, want %.3f", mode, got[mode].ndcg, want)
			}
		}
	}
	if better := max(got[search.ModeLexical].ndcg, got[search.ModeSemantic].ndcg); got[search.ModeHybrid].ndcg < better {
		t.Errorf("hybrid: nDCG@10 %.3f, one part alone has %.3f", got[search.ModeHybrid].ndcg, better)
	}
}

func (r run) print(what, kind, text string) {
	fmt.Printf("search quality: %-9s %-8s %-8s %-8s %-10s %s\n", r.set.name, r.embedder, r.store, what, kind, text)
}
