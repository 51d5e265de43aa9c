package search

import (
	"cmp"
	"slices"
	"strings"

	"tapedeck/internal/store"
)

// briefBytes is the length at which a passage's nearness counts half: that of two
// words. Over the sets of tests/searchquality, 8 to 40 do about as well.
const briefBytes = 12

// dampBrief brings brief passages down among the hits of vectors that are looked at,
// and these in order again. The vector of a few words (Done. Let me run the tests) has
// little in it that could set it apart from a question, and is near to nearly all of
// them. What counts is how much nearer it is than the last of the fewest candidates:
// some models put all cosines between .7 and .9.
func dampBrief(hits []store.IndexHit) {
	looked := hits[:min(len(hits), fewestCandidates)]
	if len(looked) == 0 {
		return
	}
	least := looked[len(looked)-1].Score
	for i, hit := range looked {
		length := float64(max(1, hit.End-hit.Start))
		looked[i].Score = least + (hit.Score-least)*length/(length+briefBytes)
	}
	slices.SortFunc(looked, func(a, b store.IndexHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.StartedAt, a.StartedAt), strings.Compare(a.SpanID, b.SpanID))
	})
}
