package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/builtin"
	"tapedeck/internal/search/document"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// rightSessions are so many that PostgreSQL looks for vectors in a graph, which may
// miss some: leastRight is the share of the nearest that must be found.
const (
	rightSessions = 110
	leastRight    = 0.95
)

// A read document is one with what filters ask of it, and its chunks' vectors.
type readDocument struct {
	document.Document
	project, harness, model string
	started                 session.Time
	words                   map[string]bool
	chunks                  []document.Chunk
	vectors                 [][]float32
}

// library is all documents of what an author wrote, to look through one by one.
type library struct {
	byID map[string]*readDocument
}

func (l *library) take(t *testing.T, p session.ProjectedSession) {
	t.Helper()
	for _, trace := range p.Traces {
		for _, s := range trace.Spans {
			span := s.Span
			var err error
			if span.Input, err = s.Input.Unpack(); err == nil {
				span.Output, err = s.Output.Unpack()
			}
			if err != nil {
				t.Fatal(err)
			}
			d, ok := document.Of(span)
			if !ok || d.Kind != session.KindLLM {
				continue
			}
			var texts []string
			chunks := document.Chunks(d.Text, builtin.New().Window())
			for _, chunk := range chunks {
				texts = append(texts, chunk.Text)
			}
			vectors, err := builtin.New().Embed(t.Context(), embed.ForDocument, texts)
			if err != nil {
				t.Fatal(err)
			}
			words := wordSet(strings.Join(wordsOf(d.Text), " "))
			l.byID[d.SpanID] = &readDocument{d, p.Session.Project, p.Session.Harness, span.Model, span.StartedAt, words, chunks, vectors}
		}
	}
}

// chosen are the documents that a request's filters keep.
func (l *library) chosen(t *testing.T, r Request) map[string]*readDocument {
	t.Helper()
	after, before, err := parseWindow(r.After, r.Before)
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[string]*readDocument{}
	for id, d := range l.byID {
		if (r.Project == "" || r.Project == d.project) && (r.Harness == "" || r.Harness == d.harness) && (r.Model == "" || r.Model == d.model) &&
			(after == 0 || d.started >= after) && (before == 0 || d.started < before) {
			chosen[id] = d
		}
	}
	return chosen
}

// nearestOf are the documents whose nearest chunk is nearest to a vector, those that
// are near-duplicates of nearer ones left out.
func nearestOf(documents map[string]*readDocument, vector []float32, n int) (ids []string) {
	var all []store.IndexHit
	for id, d := range documents {
		nearest := store.IndexHit{SpanID: id, StartedAt: d.started, Score: -1}
		for c, v := range d.vectors {
			cosine := 0.0
			for i := range v {
				cosine += float64(v[i]) * float64(vector[i])
			}
			if cosine > nearest.Score {
				nearest.Score, nearest.End = cosine, len(d.chunks[c].Text)
			}
		}
		all = append(all, nearest)
	}
	slices.SortFunc(all, func(a, b store.IndexHit) int { return cmp.Compare(b.Score, a.Score) })
	dampBrief(all)
	var sketches []sketch
	for _, hit := range all {
		if len(ids) == n {
			break
		}
		if sketch := newSketch(documents[hit.SpanID].Text); !slices.ContainsFunc(sketches, sketch.isNear) {
			ids, sketches = append(ids, hit.SpanID), append(sketches, sketch)
		}
	}
	return ids
}

// Searches find as many as are asked for and exist, none that a filter leaves out,
// and the same that looking through everything finds.
func TestSearchesAreRight(t *testing.T) {
	trace := authorBegan + 7*authorPace + 3*60_000
	cases := []struct {
		name    string
		request Request
	}{
		{"all", Request{}},
		{"most", Request{Harness: authorHarness(10), After: (authorBegan + 10*authorPace).String()}},
		{"hundredth", Request{Project: authorProject(0), Harness: authorHarness(0), Model: authorModel(1), After: (authorBegan + 10*authorPace).String(), Before: (authorBegan + 60*authorPace).String()}},
		{"few", Request{Model: authorModel(1), After: trace.String(), Before: (trace + 60_000).String()}},
		{"none", Request{Model: authorModel(1), Before: "1999-01-01"}},
	}
	for _, kind := range storeKinds {
		t.Run(kind.name, func(t *testing.T) {
			st, err := kind.make(t)()
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			a, l := newAuthor(), &library{map[string]*readDocument{}}
			a.write(t, st, rightSessions, func(p session.ProjectedSession) { l.take(t, p) })
			s := indexed(t, st, builtin.New())
			right, wanted := 0, 0
			for _, c := range cases {
				for _, k := range []int{5, 50, 100} {
					t.Run(fmt.Sprintf("%s/top_k=%d", c.name, k), func(t *testing.T) {
						c.request.TopK = k
						chosen := l.chosen(t, c.request)
						checkHybrid(t, s, a, c.request, chosen)
						found, exist := checkNearest(t, s, a, c.request, chosen)
						right, wanted = right+found, wanted+exist
						checkIdentifiers(t, s, c.request, chosen)
					})
				}
			}
			if float64(right) < leastRight*float64(wanted) {
				t.Errorf("%d of %d nearest are found", right, wanted)
			}
			t.Logf("%d of %d nearest are found", right, wanted)
		})
	}
}

// checkHits checks that hits are chosen, in order, and of all that exist, and
// returns their spans.
func checkHits(t *testing.T, r Request, answer *Answer, exist map[string]*readDocument) []string {
	t.Helper()
	ids, stoodFor := spansOf(answer), len(answer.Results)
	var sketches []sketch
	for i, hit := range answer.Results {
		d := exist[hit.SpanID]
		if d == nil {
			t.Fatalf("%+v finds %+v, which is not chosen", r, hit)
		}
		if slices.Contains(ids[:i], hit.SpanID) || i > 0 && hit.Score > answer.Results[i-1].Score {
			t.Errorf("%+v: hit %d comes twice or is better than the one before it", r, i)
		}
		sketch := newSketch(d.Text)
		if slices.ContainsFunc(sketches, sketch.isNear) {
			t.Errorf("%+v: hit %d is a near-duplicate of another", r, i)
		}
		sketches, stoodFor = append(sketches, sketch), stoodFor+hit.Similar
	}
	switch {
	case len(ids) > r.TopK:
		t.Errorf("%+v: %d hits", r, len(ids))
	case len(ids) < r.TopK && stoodFor != len(exist):
		t.Errorf("%+v: %d hits, which stand for %d; %d exist", r, len(ids), stoodFor, len(exist))
	}
	return ids
}

func checkHybrid(t *testing.T, s *Service, a *author, r Request, chosen map[string]*readDocument) {
	for i := range 6 {
		r.Query = a.query(i * 11)
		answer := search(t, s, r)
		checkHits(t, r, answer, chosen)
		if answer.Mode != ModeHybrid || strings.Contains(answer.Notice, "vectors") {
			t.Errorf("%+v: mode %s; %s", r, answer.Mode, answer.Notice)
		}
	}
}

// checkNearest compares hits by meaning with those that brute force finds, and counts
// how many of these there are, and are found.
func checkNearest(t *testing.T, s *Service, a *author, r Request, chosen map[string]*readDocument) (right, wanted int) {
	r.Mode = ModeSemantic
	for i := range 6 {
		r.Query = a.query(i * 13)
		vectors, err := builtin.New().Embed(t.Context(), embed.ForQuery, []string{r.Query})
		if err != nil {
			t.Fatal(err)
		}
		want, got := nearestOf(chosen, vectors[0], r.TopK), checkHits(t, r, search(t, s, r), chosen)
		wanted += len(want)
		for _, id := range want {
			if slices.Contains(got, id) {
				right++
			}
		}
	}
	return right, wanted
}

// checkIdentifiers looks for error codes: what holds one is found, and nothing else.
func checkIdentifiers(t *testing.T, s *Service, r Request, chosen map[string]*readDocument) {
	r.Mode = ModeLexical
	for code := range 10 {
		r.Query = fmt.Sprintf("E%04d", code*137)
		hold := map[string]*readDocument{}
		for id, d := range chosen {
			if d.words[strings.ToLower(r.Query)] {
				hold[id] = d
			}
		}
		checkHits(t, r, search(t, s, r), hold)
	}
}
