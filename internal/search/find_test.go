package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func TestWordsAndMeaningsAreFound(t *testing.T) {
	f := newFakeStore()
	f.say("s1", "why is the sky blue", "because light is scattered")
	car := f.say("s1", "the car was repaired", "good")
	f.say("s2", "bake a cake", "with flour")
	s := indexed(t, f, newFakeEmbedder())

	answer := search(t, s, Request{Query: "automobile fixed", TopK: 2})
	if answer.Mode != ModeHybrid || answer.Notice != "" || len(answer.Results) != 2 || answer.Results[0].SpanID != car {
		t.Fatalf("by meaning: %+v", answer)
	}
	if got := spansOf(search(t, s, Request{Query: "automobile fixed", Mode: ModeLexical})); len(got) != 0 {
		t.Errorf("by words: %v", got)
	}
	got := search(t, s, Request{Query: "sky", Mode: ModeLexical}).Results
	want := []Hit{{
		SessionID: "s1", TraceID: "trc_0000", SpanID: "llm_0000", Score: 1, UserPrompt: "why is the sky blue",
		Snippet: "why is the sky blue because light is scattered", Model: "m-1", StartedAt: 1e12, Kind: session.KindLLM,
		Title: "title of s1", Harness: "claude-code", Project: "rover", Highlights: [][2]int{{11, 14}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a hit (-want +got):\n%s", diff)
	}
}

func TestScoresFallAndLieBetween0And1(t *testing.T) {
	f := newFakeStore()
	for i := range 300 {
		f.say("s1", fmt.Sprintf("step %d of the plan %s", i, strings.Repeat("alpha beta ", i%7)), fmt.Sprint("answer ", i*i))
	}
	s := indexed(t, f, newFakeEmbedder())
	for _, mode := range modes {
		for _, query := range []string{"alpha plan", "beta step 17 omega", "nothing like this", `"plan alpha" 49`} {
			all := search(t, s, Request{Query: query, Mode: mode, TopK: 100})
			last := 1.0
			for _, h := range all.Results {
				if h.Score > last || h.Score < 0 {
					t.Fatalf("%s %q: score %v after %v", mode, query, h.Score, last)
				}
				last = h.Score
			}
			few := search(t, s, Request{Query: query, Mode: mode, TopK: 5})
			if diff := cmp.Diff(all.Results[:min(5, all.Count)], few.Results, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Similar" }, cmp.Ignore())); diff != "" {
				t.Errorf("%s %q: the first 5 of 100 are others (-100 +5):\n%s", mode, query, diff)
			}
		}
	}
	best := search(t, s, Request{Query: "alpha plan"}).Results[0].Score
	if got := search(t, s, Request{Query: "alpha plan", TopK: 100, MinScore: best}); got.Count == 0 || got.Results[got.Count-1].Score < best {
		t.Errorf("min_score %v: %+v", best, got)
	}
}

func TestWhatMustBeHeldComesFirst(t *testing.T) {
	f := newFakeStore()
	for i := range 250 {
		f.say("s1", fmt.Sprintf("foo bar go %d foo bar go test fails fails", i), "the test fails again, test fails")
	}
	both := f.say("s2", "nothing else", "foo_bar.go:120 "+strings.Repeat("other matter ", 200)+"bd-q3fy")
	one := f.say("s2", "nothing", "bd-q3fy "+strings.Repeat("much more of it ", 200))
	near := f.say("s2", "nothing", "foo_bar.go:1200 and bd-q3fyx")
	s := indexed(t, f, newFakeEmbedder())
	answer := search(t, s, Request{Query: "the test fails in foo_bar.go:120 (bd-q3fy)", TopK: 100})
	if got := spansOf(answer); !slices.Equal(got[:2], []string{both, one}) {
		t.Errorf("the first are %v", got[:4])
	}
	if i := slices.Index(spansOf(answer), near); i >= 0 && answer.Results[i].Score > answer.Results[1].Score/2 {
		t.Errorf("what only looks alike has %v", answer.Results[i].Score)
	}
}

func TestNearDuplicatesAreOneHit(t *testing.T) {
	f := newFakeStore()
	long := strings.Repeat("the upload test is flaky because the port is taken, ", 3) + "so we wait until the server listens before the client connects to it and then all of it works"
	for i := range 900 { // retries
		f.say(fmt.Sprint("s", i), "upload test", long)
	}
	f.say("x", "upload test", long+" again")
	others := []string{}
	for _, word := range []string{"one", "two", "three", "four"} {
		others = append(others, f.say("x", "upload test "+word, strings.Repeat("quite another "+word+" ", 30)))
	}
	s := indexed(t, f, newFakeEmbedder())
	for _, mode := range modes {
		answer := search(t, s, Request{Query: "upload test", TopK: 5, Mode: mode})
		if answer.Count != 5 {
			t.Fatalf("%s: %d hits, want 5", mode, answer.Count)
		}
		similar := 0
		for _, h := range answer.Results {
			if !slices.Contains(others, h.SpanID) {
				similar += h.Similar + 1
			}
		}
		if similar != 901 {
			t.Errorf("%s: one hit stands for %d, want 901", mode, similar)
		}
	}
}

func TestNearDuplicate(t *testing.T) {
	words := func(from, to int) string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprint("w", i))
		}
		return strings.Join(list, " ")
	}
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{words(0, 1000), words(0, 1000), true},
		{words(0, 1000), "W0 " + words(1, 1000), true},
		{words(0, 1000), words(20, 1020), true},
		{words(0, 1000), words(100, 1100), false},
		{words(0, 1000), words(0, 500), false},
		{"run 17 failed", "run 17 failed!", true},
		{"run 17 failed", "run 18 failed", false},
		{"{}", "[]", false},
	} {
		if got := newSketch(tc.a).isNear(newSketch(tc.b)); got != tc.want {
			t.Errorf("%.40q and %.40q: %v", tc.a, tc.b, got)
		}
	}
}

func TestFiltersActInsideOfTheSearch(t *testing.T) {
	f := newFakeStore()
	for i := range 400 {
		f.say("many", fmt.Sprint("upload test ", i), "fails")
	}
	want := []string{f.say("few", "an upload", "worked"), f.say("few", "upload tests", "are slow today")}
	f.sessions["few"] = session.Session{ID: "few", Project: "other", Harness: "codex"}
	s := indexed(t, f, newFakeEmbedder())
	for _, r := range []Request{{SessionID: "few"}, {Project: "other"}, {After: session.Time(1e12 + 400*1000).String()}} {
		r.Query = "upload test"
		got := spansOf(search(t, s, r))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %v", r, got)
		}
	}
}

func TestBadRequestsSayWhatIsWrong(t *testing.T) {
	f := newFakeStore()
	f.say("s1", "hello", "world")
	s := indexed(t, f, newFakeEmbedder())
	for _, tc := range []struct {
		r          Request
		code, says string
	}{
		{Request{Query: " \n"}, CodeArgument, "query is blank"},
		{Request{Query: strings.Repeat("x", maxQuery+1)}, CodeArgument, "at most 32768"},
		{Request{Query: "x", TopK: 101}, CodeArgument, `top_k "101": want a number from 1 to 100`},
		{Request{Query: "x", TopK: -1}, CodeArgument, "from 1 to 100"},
		{Request{Query: "x", Mode: "semantik"}, CodeArgument, `mode "semantik": want one of hybrid, semantic, lexical`},
		{Request{Query: "x", Scope: "tool"}, CodeArgument, "one of main, subagents, tools, all"},
		{Request{Query: "x", After: "yesterday"}, CodeArgument, "an age such as 36h"},
		{Request{Query: "x", After: "2026-01-02", Before: "2026-01-01"}, CodeArgument, "a time later than after"},
		{Request{Query: "x", MinScore: 1.5}, CodeArgument, "from 0 to 1"},
		{Request{Query: "x", SessionID: "nope"}, CodeSessionNotFound, `there is no session "nope"`},
		{Request{Query: "hello", Project: "rovr"}, CodeArgument, `project "rovr": no recorded session has it`},
	} {
		_, err := s.Search(t.Context(), tc.r)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Code != tc.code || !strings.Contains(e.Message, tc.says) {
			t.Errorf("%.60v: %v", tc.r, err)
		}
	}
	_, err := s.Search(t.Context(), Request{Query: "hello", Project: "rovr"})
	if e, _ := errors.AsType[*Error](err); !slices.Equal(e.Nearest, []string{"rover"}) {
		t.Errorf("nearest: %v", e.Nearest)
	}
	f.failure = store.ErrUnavailable
	_, err = s.Search(t.Context(), Request{Query: "x", Mode: ModeLexical})
	if e, _ := errors.AsType[*Error](err); e == nil || e.Code != CodeStore {
		t.Errorf("the store is down: %v", err)
	}
}

func TestASubagentThatIsNamedIsSearched(t *testing.T) {
	f := newFakeStore()
	f.say("sub", "hello", "world")
	f.sessions["sub"] = session.Session{ID: "sub", Parent: &session.Origin{Relation: session.Subagent}}
	s := open(t, f, nil)
	for scope, want := range map[string]store.Scope{"": store.ScopeSubagents, "main": store.ScopeMain, "tools": store.ScopeTools} {
		filter, err := s.filter(t.Context(), Request{SessionID: "sub", Scope: scope})
		if err != nil || filter.Scope != want {
			t.Errorf("scope %q: %q, %v", scope, filter.Scope, err)
		}
	}
}

func TestWithoutAnEmbedderWordsAreSearched(t *testing.T) {
	f := newFakeStore()
	f.say("s1", "hello", "world")
	s := indexed(t, f, nil)
	answer := search(t, s, Request{Query: "hello", Mode: ModeSemantic})
	if answer.Count != 1 || answer.Mode != ModeLexical || !strings.Contains(answer.Notice, "no embedder is configured") {
		t.Errorf("%+v", answer)
	}
	status, err := s.Status(t.Context())
	want := &Status{Embedder: "none", Healthy: true, Failures: (&health{}).counted(), Documents: 1}
	if diff := cmp.Diff(want, status); diff != "" || err != nil {
		t.Errorf("status (-want +got): %v\n%s", err, diff)
	}
}

func TestAnEmptyIndexSaysSo(t *testing.T) {
	s := open(t, newFakeStore(), newFakeEmbedder())
	if got := search(t, s, Request{Query: "hello"}); got.Count != 0 || got.Results == nil || got.Notice != "there are no sessions yet: tapedeck import takes them in" {
		t.Errorf("%+v", got)
	}
}

// brokenVectors are vectors in a database that is down, or whose generation another
// process dropped.
type brokenVectors struct {
	*fakeStore
	generations, search error
}

func (b brokenVectors) Generations(ctx context.Context) ([]store.Generation, error) {
	list, _ := b.fakeStore.Generations(ctx)
	return list, b.generations
}

func (b brokenVectors) SearchVectors(context.Context, int64, []float32, store.IndexFilter, int) ([]store.IndexHit, error) {
	return nil, b.search
}

func (b brokenVectors) Follow(context.Context) error           { return b.generations }
func (b brokenVectors) Forget(context.Context, []string) error { return b.generations }
func (b brokenVectors) Location() string                       { return "postgres://ann@host/vectors" }
func (b brokenVectors) Close() error                           { return nil }

func TestWithoutTheVectorsWordsAreSearched(t *testing.T) {
	f := newFakeStore()
	f.say("s1", "hello", "world")
	indexed(t, f, newFakeEmbedder())
	for _, broken := range []brokenVectors{{f, store.ErrUnavailable, nil}, {f, nil, store.ErrNotFound}} {
		s, err := Open(t.Context(), Options{Store: f, Vectors: broken, Embedder: newFakeEmbedder()})
		if err != nil {
			t.Fatal(err)
		}
		answer := search(t, s, Request{Query: "hello", Mode: ModeSemantic})
		if answer.Count != 1 || answer.Mode != ModeLexical || !strings.Contains(answer.Notice, "the vectors can't be read") {
			t.Errorf("%+v", answer)
		}
		status, err := s.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if down := broken.generations != nil; status.Documents != 1 || status.Healthy == down || strings.Contains(status.LastError, "the vectors can't be read") != down {
			t.Errorf("%+v", status)
		}
	}
}
