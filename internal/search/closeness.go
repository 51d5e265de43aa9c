package search

import (
	"context"
	"math"
)

// Words that follow each other in a question often mean one thing together (file
// handling, index out of range). Full text that counts single words does not see
// it, nor does a sum of the words' vectors, so the best candidates are looked at
// once more. Over the collections of tests/searchquality it makes little difference
// to take half or twice of any number here but the weight, which is best at .15 to .25.
const (
	// closeLooked is how many of the best candidates are looked at.
	closeLooked = 32
	// closeBytes is how much of a long text is looked at.
	closeBytes = 8 << 10
	// closeGap is how many bytes may stand between two words that are close: those of
	// some three words.
	closeGap = 20
	// closeWeight is what closeness weighs: of the distance from the best candidate to
	// the last that is looked at, so that the last never comes before the best.
	closeWeight = 0.2
)

// preferClose lifts candidates in which words are close to each other that follow
// each other in the query. The one that has most of it is lifted most.
func (s *Service) preferClose(ctx context.Context, q question, ranked *ranking) error {
	looked := ranked.different(closeLooked)
	if len(q.words) < 2 || len(looked) < 2 {
		return nil
	}
	if err := s.readTexts(ctx, looked); err != nil {
		return err
	}
	counts := make([][]int, len(looked))
	for i, c := range looked {
		counts[i] = q.closePairs(c.text[:min(closeBytes, len(c.text))])
	}
	values, most := closeness(counts)
	if most == 0 {
		return nil
	}
	lift := closeWeight * (looked[0].score - looked[len(looked)-1].score)
	for i, c := range looked {
		c.score += lift * values[i] / most
	}
	return nil
}

// closePairs counts for each two words that follow each other in the query how often
// a text has them close to each other, in either order.
func (q query) closePairs(text string) []int {
	pairs := make([]int, len(q.words)-1)
	ends := make([]int, len(q.words)) // of where each word was seen last
	for i := range ends {
		ends[i] = -closeGap - 1
	}
	for m := range q.matches(text) {
		if m.word > 0 && m.start-ends[m.word-1] <= closeGap {
			pairs[m.word-1]++
		}
		if m.word < len(pairs) && m.start-ends[m.word+1] <= closeGap {
			pairs[m.word]++
		}
		ends[m.word] = m.end
	}
	return pairs
}

// closeness weighs how often texts have pairs of words, as BM25 does for words: the
// first occurrence says most, and a pair that few of the texts have says more than
// one that all have. It also returns the greatest value.
func closeness(counts [][]int) (values []float64, most float64) {
	values = make([]float64, len(counts))
	for pair := range counts[0] {
		have := 0.0
		for _, pairs := range counts {
			if pairs[pair] > 0 {
				have++
			}
		}
		weight := math.Log1p((float64(len(counts)) - have + 0.5) / (have + 0.5))
		for i, pairs := range counts {
			n := float64(pairs[pair])
			values[i] += weight * n / (n + 1)
		}
	}
	for _, value := range values {
		most = max(most, value)
	}
	return values, most
}
