package search

import (
	"fmt"
	"strings"
	"testing"
)

// Scores are compared with min_score as they are shown.
func TestScoresAreShownAsTheyAreCompared(t *testing.T) {
	f := newFakeStore()
	for i := range 40 {
		f.say("s1", "apples", strings.Repeat(fmt.Sprintf("pears%d ", i), i+1))
	}
	s := indexed(t, f, newFakeEmbedder())
	all := search(t, s, Request{Query: "apples pears7", TopK: MaxTopK})
	for i, hit := range all.Results {
		if hit.Score != rounded(hit.Score) || i > 0 && hit.Score > all.Results[i-1].Score {
			t.Errorf("hit %d has score %v", i, hit.Score)
		}
		if got := search(t, s, Request{Query: "apples pears7", TopK: MaxTopK, MinScore: hit.Score}); got.Count <= i || got.Results[got.Count-1].Score < hit.Score {
			t.Errorf("with min_score %v there are %d hits, want %d at least", hit.Score, got.Count, i+1)
		}
	}
	if all.Count < 10 {
		t.Errorf("%d hits", all.Count)
	}
}
