package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		if diff := cmp.Diff(tc.want, got); diff != "" {
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
	if diff := cmp.Diff(fewer, hits[:fewestCandidates]); diff != "" {
		t.Errorf("among fewer (-), among more (+):\n%s", diff)
	}
	if !slices.IsSortedFunc(hits, func(a, b store.IndexHit) int { return int(1000 * (b.Score - a.Score)) }) {
		t.Error("scores do not fall from hit to hit")
	}
}
