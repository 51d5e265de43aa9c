package search

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// A fakeStore keeps traces and an index in memory, and finds by comparing all.
type fakeStore struct {
	store.Reader // what is not faked is not called

	mu          sync.Mutex
	sessions    map[string]session.Session
	traces      map[string]fakeTrace
	changes     map[string]store.TraceChange
	seq         int64
	followed    int64
	documents   map[string]fakeDocument // by span
	generations []*fakeGeneration
	nextID      int64
	failure     error // of every method of the index
	badTrace    string
}

type fakeTrace struct {
	session.Trace
	spans []session.Span
}

type fakeDocument struct {
	store.IndexDocument
	span session.Span
}

type fakeGeneration struct {
	store.Generation
	vectors map[string][]store.ChunkVector
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		sessions: map[string]session.Session{}, traces: map[string]fakeTrace{}, changes: map[string]store.TraceChange{},
		documents: map[string]fakeDocument{},
	}
}

// say adds a trace of one llm span in which a prompt is answered, and returns the
// span's identifier. Each is a second later than the one before.
func (f *fakeStore) say(sessionID, prompt, answer string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.traces)
	trace := fmt.Sprintf("trc_%04d", n)
	span := session.Span{
		ID: fmt.Sprintf("llm_%04d", n), TraceID: trace, SessionID: sessionID, Kind: session.KindLLM, Model: "m-1", StartedAt: session.Time(1e12 + n*1000),
		Input: []session.Part{{Type: session.Text, Text: prompt}}, Output: []session.Part{{Type: session.Text, Text: answer}},
	}
	if _, there := f.sessions[sessionID]; !there {
		f.sessions[sessionID] = session.Session{ID: sessionID, Title: "title of " + sessionID, Harness: "claude-code", Project: "rover"}
	}
	f.put(trace, prompt, []session.Span{span})
	return span.ID
}

func (f *fakeStore) put(traceID, prompt string, spans []session.Span) {
	f.traces[traceID] = fakeTrace{session.Trace{ID: traceID, SessionID: spans[0].SessionID, UserPrompt: prompt}, spans}
	f.seq++
	f.changes[traceID] = store.TraceChange{Seq: f.seq, SessionID: spans[0].SessionID, TraceID: traceID}
}

func (f *fakeStore) forget(traceID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.traces[traceID].spans {
		delete(f.documents, s.ID)
	}
	delete(f.traces, traceID)
	f.seq++
	f.changes[traceID] = store.TraceChange{Seq: f.seq, TraceID: traceID, Gone: true}
}

func (f *fakeStore) Session(_ context.Context, id string) (session.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sessions[id]
	if !ok {
		return s, fmt.Errorf("session %s: %w", id, store.ErrNotFound)
	}
	return s, nil
}

func (f *fakeStore) Sessions(_ context.Context, filter store.SessionFilter, _ store.Page) (store.List[session.Session], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := store.List[session.Session]{}
	for _, s := range f.sessions {
		if (filter.Project == "" || strings.EqualFold(s.Project, filter.Project)) && (filter.Harness == "" || s.Harness == filter.Harness) && (filter.Model == "" || filter.Model == "m-1") {
			list.Total++
		}
	}
	return list, nil
}

func (f *fakeStore) Stats(_ context.Context, _ store.SessionFilter, by store.StatsBy) (store.Stats, error) {
	key := map[store.StatsBy]string{store.ByProject: "rover", store.ByHarness: "claude-code", store.ByModel: "m-1"}[by]
	return store.Stats{By: by, Groups: []store.StatsRow{{Key: key}}}, nil
}

func (f *fakeStore) Spans(_ context.Context, traceID string, _ bool, page store.Page) (store.List[session.Span], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.traces[traceID]
	switch {
	case traceID == f.badTrace:
		return store.List[session.Span]{}, fmt.Errorf("a body does not unpack")
	case !ok:
		return store.List[session.Span]{}, store.ErrNotFound
	}
	from := 0
	fmt.Sscan(page.Cursor, &from)
	list := store.List[session.Span]{Items: t.spans[from:min(len(t.spans), from+page.Limit)], Total: int64(len(t.spans))}
	if to := from + page.Limit; to < len(t.spans) {
		list.Next = fmt.Sprint(to)
	}
	return list, nil
}

func (f *fakeStore) Changes(_ context.Context, after int64, limit int) ([]store.TraceChange, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []store.TraceChange
	for _, c := range f.changes {
		if c.Seq > after {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b store.TraceChange) int { return cmp.Compare(a.Seq, b.Seq) })
	return list[:min(limit, len(list))], f.failure
}

func (f *fakeStore) PutDocuments(_ context.Context, upTo int64, traces []store.TraceDocuments) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range traces {
		maps.DeleteFunc(f.documents, func(_ string, d fakeDocument) bool { return d.span.TraceID == t.TraceID })
		for _, d := range t.Documents {
			i := slices.IndexFunc(f.traces[t.TraceID].spans, func(s session.Span) bool { return s.ID == d.SpanID })
			f.documents[d.SpanID] = fakeDocument{d, f.traces[t.TraceID].spans[i]}
		}
	}
	f.followed = max(f.followed, upTo)
	return f.failure
}

func (f *fakeStore) IndexState(context.Context) (store.IndexState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := store.IndexState{Followed: f.followed, Latest: f.seq, Documents: int64(len(f.documents))}
	for _, c := range f.changes {
		if c.Seq > f.followed {
			state.Behind++
		}
	}
	return state, f.failure
}

// SearchText counts terms that a text has.
func (f *fakeStore) SearchText(_ context.Context, q store.TextQuery) ([]store.IndexHit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var hits []store.IndexHit
	for _, d := range f.documents {
		text, score := " "+strings.Join(wordsOf(d.Text), " ")+" ", 0.0
		for _, term := range q.Terms {
			if strings.Contains(text, " "+strings.Join(wordsOf(term), " ")+" ") {
				score++
			}
		}
		if score > 0 && f.chosen(q.Filter, d) {
			hits = append(hits, hitOf(d, score-float64(len(d.Text))/1e5, 0, 0)) // shorter ones are better
		}
	}
	return best(hits, q.Limit), f.failure
}

func (f *fakeStore) chosen(filter store.IndexFilter, d fakeDocument) bool {
	return (filter.SessionID == "" || filter.SessionID == d.span.SessionID) && (filter.Model == "" || filter.Model == d.span.Model) &&
		(filter.Project == "" || filter.Project == f.sessions[d.span.SessionID].Project) && (filter.After == 0 || d.span.StartedAt >= filter.After)
}

func hitOf(d fakeDocument, score float64, start, end int) store.IndexHit {
	return store.IndexHit{SpanID: d.SpanID, TraceID: d.span.TraceID, SessionID: d.span.SessionID, Kind: d.span.Kind, Model: d.span.Model,
		StartedAt: d.span.StartedAt, Hash: d.Hash, Score: score, Start: start, End: end}
}

func best(hits []store.IndexHit, limit int) []store.IndexHit {
	slices.SortFunc(hits, func(a, b store.IndexHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.SpanID, b.SpanID))
	})
	return hits[:min(limit, len(hits))]
}

func (f *fakeStore) Texts(_ context.Context, ids []string) (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	texts := map[string]string{}
	for _, id := range ids {
		if d, ok := f.documents[id]; ok {
			texts[id] = d.Text
		}
	}
	return texts, f.failure
}

func (f *fakeStore) Labels(_ context.Context, ids []string) (map[string]store.Label, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	labels := map[string]store.Label{}
	for _, id := range ids {
		if t, ok := f.traces[id]; ok {
			s := f.sessions[t.SessionID]
			labels[id] = store.Label{UserPrompt: t.UserPrompt, Title: cmp.Or(s.DisplayName, s.Title), Harness: s.Harness, Project: s.Project}
		}
	}
	return labels, f.failure
}

func (f *fakeStore) Generation(_ context.Context, provider, model string, width int) (store.Generation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.generations {
		if g.Provider == provider && g.Model == model && g.Width == width {
			return f.counted(g), f.failure
		}
	}
	f.nextID++
	g := &fakeGeneration{store.Generation{ID: f.nextID, Provider: provider, Model: model, Width: width}, map[string][]store.ChunkVector{}}
	f.generations = append(f.generations, g)
	return f.counted(g), f.failure
}

func (f *fakeStore) counted(g *fakeGeneration) store.Generation {
	counted := g.Generation
	hashes := map[string]bool{}
	for _, d := range f.documents {
		hashes[d.Hash] = true
	}
	for hash := range hashes {
		if chunks, ok := g.vectors[hash]; ok {
			counted.Texts++
			counted.Vectors += int64(len(chunks))
		} else {
			counted.Missing++
		}
	}
	return counted
}

func (f *fakeStore) Generations(context.Context) ([]store.Generation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []store.Generation
	for _, g := range f.generations {
		list = append(list, f.counted(g))
	}
	return list, f.failure
}

func (f *fakeStore) Activate(_ context.Context, id int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.generations = slices.DeleteFunc(f.generations, func(g *fakeGeneration) bool { return g.ID != id })
	f.generations[0].Active = true
	return f.failure
}

func (f *fakeStore) generation(id int64) *fakeGeneration {
	i := slices.IndexFunc(f.generations, func(g *fakeGeneration) bool { return g.ID == id })
	return f.generations[i]
}

func (f *fakeStore) Missing(_ context.Context, id int64, skip []string, limit int) ([]store.HashedText, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	g, seen := f.generation(id), map[string]bool{}
	var list []store.HashedText
	documents := slices.SortedFunc(maps.Values(f.documents), func(a, b fakeDocument) int { return strings.Compare(b.SpanID, a.SpanID) })
	for _, d := range documents {
		if _, has := g.vectors[d.Hash]; !has && !seen[d.Hash] && !slices.Contains(skip, d.Hash) && len(list) < limit {
			list, seen[d.Hash] = append(list, store.HashedText{Hash: d.Hash, Text: d.Text}), true
		}
	}
	return list, f.failure
}

func (f *fakeStore) PutVectors(_ context.Context, id int64, texts []store.HashVectors) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range texts {
		f.generation(id).vectors[t.Hash] = t.Chunks
	}
	return f.failure
}

func (f *fakeStore) SearchVectors(_ context.Context, id int64, vector []float32, filter store.IndexFilter, limit int) ([]store.IndexHit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var hits []store.IndexHit
	for _, d := range f.documents {
		nearest := store.IndexHit{Score: -2}
		for _, c := range f.generation(id).vectors[d.Hash] {
			cosine := 0.0
			for i := range vector {
				cosine += float64(vector[i]) * float64(c.Vector[i])
			}
			if cosine > nearest.Score {
				nearest = hitOf(d, cosine, c.Start, c.End)
			}
		}
		if nearest.Score > -2 && f.chosen(filter, d) {
			hits = append(hits, nearest)
		}
	}
	return best(hits, limit), f.failure
}

// A fakeEmbedder gives each word a direction, so that texts with the same words
// are near, and words of a pair in synonyms are the same.
type fakeEmbedder struct {
	mu      sync.Mutex
	model   embed.Model
	window  int
	batch   int
	fail    func(ctx context.Context, texts []string) error // nil: never
	latency time.Duration
	calls   int
	texts   int
}

var synonyms = map[string]string{"car": "automobile", "repaired": "fixed"}

func newFakeEmbedder() *fakeEmbedder {
	return &fakeEmbedder{model: embed.Model{Provider: "fake", Name: "words", Width: 64}, window: 400, batch: 4}
}

func (e *fakeEmbedder) Model() embed.Model {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.model
}

func (e *fakeEmbedder) Window() int { return e.window }
func (e *fakeEmbedder) Batch() int  { return e.batch }

func (e *fakeEmbedder) script(fail func(ctx context.Context, texts []string) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail = fail
}

func (e *fakeEmbedder) failing(err error) {
	e.script(func(context.Context, []string) error { return err })
}

func (e *fakeEmbedder) asked() (calls, texts int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls, e.texts
}

func (e *fakeEmbedder) Embed(ctx context.Context, _ embed.Purpose, texts []string) ([][]float32, error) {
	e.mu.Lock()
	fail, latency := e.fail, e.latency
	e.calls++
	e.texts += len(texts)
	e.mu.Unlock()
	if latency > 0 {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(latency):
		}
	}
	if fail != nil {
		if err := fail(ctx, texts); err != nil {
			return nil, err
		}
	}
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, e.vector(text))
	}
	return vectors, nil
}

func (e *fakeEmbedder) vector(text string) []float32 {
	v := make([]float32, e.Model().Width)
	for _, w := range wordsOf(text) {
		h := fnv.New32a()
		h.Write([]byte(cmp.Or(synonyms[w], w)))
		v[int(h.Sum32())%len(v)]++
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(max(sum, 1e-9)))
	}
	return v
}

func open(t testing.TB, st Store, e embed.Embedder) *Service {
	t.Helper()
	s, err := Open(t.Context(), Options{Store: st, Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// indexed is a service whose index is up to date.
func indexed(t testing.TB, st Store, e embed.Embedder) *Service {
	t.Helper()
	s := open(t, st, e)
	if _, err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func search(t testing.TB, s *Service, r Request) *Answer {
	t.Helper()
	answer, err := s.Search(t.Context(), r)
	if err != nil {
		t.Fatalf("Search(%+v): %v", r, err)
	}
	return answer
}

func spansOf(a *Answer) []string {
	ids := []string{}
	for _, h := range a.Results {
		ids = append(ids, h.SpanID)
	}
	return ids
}
