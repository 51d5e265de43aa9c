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

// dampBrief lowers the scores of brief passages and brings hits of vectors in order
// again. The vector of a few words (Done. Let me run the tests) has little in it that
// could set it apart from a question, and is near to nearly all of them. Hits behind
// the fewest candidates stay behind them, so that the order is the same however many
// are wanted.
func dampBrief(hits []store.IndexHit) {
	for i := range hits {
		hits[i].Score = damped(hits[i])
	}
	head := hits[:min(len(hits), fewestCandidates)]
	tail := hits[len(head):]
	byScore(head)
	for i := range tail {
		tail[i].Score = min(tail[i].Score, head[len(head)-1].Score)
	}
	byScore(tail)
}

func damped(hit store.IndexHit) float64 {
	length := float64(max(1, hit.End-hit.Start))
	return hit.Score * length / (length + briefBytes)
}

func byScore(hits []store.IndexHit) {
	slices.SortFunc(hits, func(a, b store.IndexHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.StartedAt, a.StartedAt), strings.Compare(a.SpanID, b.SpanID))
	})
}
