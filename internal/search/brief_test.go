package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"tapedeck/internal/store"
)

func TestBriefPassagesComeLater(t *testing.T) {
	for _, tc := range []struct {
		name string
		hits []store.IndexHit
		want []string
	}{
		{"none", nil, nil},
		{"one", []store.IndexHit{{SpanID: "a", Score: .5}}, []string{"a"}},
		{"a little nearer, but two words", []store.IndexHit{
			{SpanID: "brief", Score: .8, End: 12}, {SpanID: "long", Score: .7, Start: 100, End: 900}, {SpanID: "far", Score: .3, End: 800},
		}, []string{"long", "brief", "far"}},
		{"far nearer", []store.IndexHit{
			{SpanID: "brief", Score: .9, End: 12}, {SpanID: "long", Score: .4, End: 800}, {SpanID: "far", Score: .3, End: 800},
		}, []string{"brief", "long", "far"}},
		{"of a model that finds all near", []store.IndexHit{
			{SpanID: "brief", Score: .9, End: 24}, {SpanID: "long", Score: .8, End: 800}, {SpanID: "far", Score: .7, End: 800},
		}, []string{"brief", "long", "far"}},
		{"of one length", []store.IndexHit{{SpanID: "a", Score: .8, End: 300}, {SpanID: "b", Score: .7, Start: 9, End: 309}}, []string{"a", "b"}},
		{"equal: the newer, then by span", []store.IndexHit{
			{SpanID: "b", Score: .5, End: 50}, {SpanID: "a", Score: .5, End: 50}, {SpanID: "c", Score: .5, End: 50, StartedAt: 1},
		}, []string{"c", "a", "b"}},
		{"an empty passage", []store.IndexHit{{SpanID: "empty", Score: .8}, {SpanID: "long", Score: .7, End: 900}, {SpanID: "far", Score: .3, End: 9}}, []string{"long", "empty", "far"}},
	} {
		dampBrief(tc.hits)
		var got []string
		for _, hit := range tc.hits {
			got = append(got, hit.SpanID)
		}
		if diff := gocmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// However many hits are wanted, the first ones are the same.
func TestBriefPassagesAreTheSameAmongMore(t *testing.T) {
	hits := make([]store.IndexHit, 2*fewestCandidates)
	for i := range hits {
		hits[i] = store.IndexHit{SpanID: fmt.Sprint(i), Score: 1 - float64(i)/500, End: 1 + i*37%400}
	}
	fewer := slices.Clone(hits[:fewestCandidates])
	dampBrief(fewer)
	dampBrief(hits)
	if diff := gocmp.Diff(fewer, hits[:fewestCandidates]); diff != "" {
		t.Errorf("among fewer (-), among more (+):\n%s", diff)
	}
	if !slices.IsSortedFunc(hits, func(a, b store.IndexHit) int { return int(1000 * (b.Score - a.Score)) }) {
		t.Error("scores do not fall from hit to hit")
	}
}

// nearVectors find what they are told to.
type nearVectors struct {
	brokenVectors
	hits []store.IndexHit
}

func (v nearVectors) SearchVectors(context.Context, int64, []float32, store.IndexFilter, int) ([]store.IndexHit, error) {
	return slices.Clone(v.hits), nil
}

func TestSearchesBringBriefPassagesDown(t *testing.T) {
	f := newFakeStore()
	v := nearVectors{brokenVectors: brokenVectors{fakeStore: f}}
	for text, score := range map[string]float64{"brief": .8, strings.Repeat("a long passage ", 20): .7, strings.Repeat("a far one ", 20): .3} {
		hit := store.IndexHit{SpanID: f.say("s1", text, "answer"), TraceID: fmt.Sprintf("trc_%04d", len(v.hits)), SessionID: "s1", Hash: text, Score: score, End: len(text)}
		v.hits = append(v.hits, hit)
	}
	slices.SortFunc(v.hits, func(a, b store.IndexHit) int { return cmp.Compare(b.Score, a.Score) })
	indexed(t, f, newFakeEmbedder())
	s, err := Open(t.Context(), Options{Store: f, Vectors: v, Embedder: newFakeEmbedder()})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{v.hits[1].SpanID, v.hits[0].SpanID, v.hits[2].SpanID}
	if got := spansOf(search(t, s, Request{Query: "hello", Mode: ModeSemantic})); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
