package search

import (
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
		{"a little nearer, but two words", []store.IndexHit{{SpanID: "brief", Score: .8, End: 12}, {SpanID: "long", Score: .7, Start: 100, End: 900}}, []string{"long", "brief"}},
		{"far nearer", []store.IndexHit{{SpanID: "brief", Score: .9, End: 12}, {SpanID: "long", Score: .3, End: 800}}, []string{"brief", "long"}},
		{"of one length", []store.IndexHit{{SpanID: "a", Score: .8, End: 300}, {SpanID: "b", Score: .7, Start: 9, End: 309}}, []string{"a", "b"}},
		{"equal: the newer, then by span", []store.IndexHit{{SpanID: "b", Score: .5, End: 50}, {SpanID: "a", Score: .5, End: 50}, {SpanID: "c", Score: .5, End: 50, StartedAt: 1}}, []string{"c", "a", "b"}},
		{"an empty passage", []store.IndexHit{{SpanID: "a", Score: .5}}, []string{"a"}},
	} {
		dampBrief(tc.hits)
		var got []string
		for _, hit := range tc.hits {
			got = append(got, hit.SpanID)
			if hit.Score <= 0 || hit.Score >= 1 {
				t.Errorf("%s: %s has score %g", tc.name, hit.SpanID, hit.Score)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
