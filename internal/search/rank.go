package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"tapedeck/internal/store"
)

// What vectors weigh in a hybrid score, words having the rest. Both were chosen by
// measuring over the collections of tests/searchquality: a static model, such as
// the one built in, knows less than the words do, and is of most help when it
// weighs little (.2 to .3); an encoder that knows contexts when it weighs as much (.4 to .6).
const (
	staticWeight  = 0.3
	contextWeight = 0.5
)

// A candidate is a document that may be a hit.
type candidate struct {
	store.IndexHit
	score   float64
	similar int
	text    string
}

// rank brings candidates in order. Scores lie in 0 to 1. That of the best hit says
// how good it is, by the better of two measures: the cosine, and the share of the
// query's words that the best document has. The others' are seen beside it.
func (s *Service) rank(ctx context.Context, q question, c candidates) ([]*candidate, error) {
	ranked := newRanking()
	switch q.mode {
	case ModeSemantic:
		for _, hit := range c.semantic {
			ranked.addVector(hit).score = min(max(hit.Score, 0), 1)
		}
		return ranked.sorted(), nil
	case ModeLexical:
		for _, hit := range c.lexical {
			ranked.add(hit).score = max(0, hit.Score)
		}
	default:
		s.fuse(c, ranked)
	}
	if err := s.preferClose(ctx, q, ranked); err != nil {
		return nil, err
	}
	good, err := s.goodness(ctx, q, c, ranked)
	if err != nil {
		return nil, err
	}
	ranked.scale(good)
	if err := s.preferExact(ctx, q, c, ranked); err != nil {
		return nil, err
	}
	return ranked.sorted(), nil
}

// fuse adds up what words and vectors say.
func (s *Service) fuse(c candidates, ranked *ranking) {
	weight := contextWeight
	if s.embedder.Model().Provider == "builtin" {
		weight = staticWeight
	}
	for i, score := range scaled(c.lexical) {
		ranked.add(c.lexical[i]).score += (1 - weight) * score
	}
	for i, score := range scaled(c.semantic) {
		ranked.addVector(c.semantic[i]).score += weight * score
	}
}

// scaled are the scores of hits between that of the last of the fewest candidates,
// which is 0, and the best, which is 1. Hits that are fewer are seen beside none;
// those behind have 0, so that the order is the same however many are wanted.
func scaled(hits []store.IndexHit) []float64 {
	if len(hits) == 0 {
		return nil
	}
	best, least := hits[0].Score, min(0, hits[len(hits)-1].Score)
	if len(hits) >= fewestCandidates {
		least = hits[fewestCandidates-1].Score
	}
	scores := make([]float64, len(hits))
	for i, hit := range hits[:min(len(hits), fewestCandidates)] {
		if scores[i] = 1; best > least {
			scores[i] = (hit.Score - least) / (best - least)
		}
	}
	return scores
}

// bestLooked is of how many of the best documents the words are counted.
const bestLooked = 3

// goodness is how good the best candidates are.
func (s *Service) goodness(ctx context.Context, q question, c candidates, ranked *ranking) (float64, error) {
	good := 0.0
	if len(c.semantic) > 0 {
		good = c.semantic[0].Score
	}
	var best []*candidate
	for _, hit := range c.lexical[:min(bestLooked, len(c.lexical))] {
		best = append(best, ranked.byID[hit.SpanID])
	}
	if err := s.readTexts(ctx, best); err != nil {
		return 0, err
	}
	for _, c := range best {
		good = max(good, q.coverage(c.text))
	}
	if len(best) > 0 { // full text knows more forms of words: one of them is there
		good = max(good, 1/float64(max(1, len(q.words))))
	}
	return min(max(good, 0), 1), nil
}

func (s *Service) textsOf(ctx context.Context, hits []store.IndexHit) (map[string]string, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.SpanID
	}
	return s.store.Texts(ctx, ids)
}

// coverage is the share of the query's words that a text has.
func (q query) coverage(text string) float64 {
	if len(q.words) == 0 {
		return 0
	}
	seen := map[int]bool{}
	for m := range q.matches(text) {
		seen[m.word] = true
	}
	return float64(len(seen)) / float64(len(q.words))
}

// preferExact puts documents first that hold what must be held as it is written:
// those with more of it before those with less, and all before the others.
func (s *Service) preferExact(ctx context.Context, q question, c candidates, ranked *ranking) error {
	if len(c.exact) == 0 {
		return nil
	}
	texts, err := s.textsOf(ctx, c.exact)
	if err != nil {
		return err
	}
	held := map[string]int{}
	for _, hit := range c.exact {
		if n := q.holds(texts[hit.SpanID]); n > 0 {
			ranked.add(hit)
			held[hit.SpanID] = n
		}
	}
	if len(held) == 0 {
		return nil
	}
	for id, candidate := range ranked.byID {
		candidate.score = (float64(held[id]) + candidate.score) / float64(len(q.exact)+1)
	}
	return nil
}

// holds is how much of what must be held a text has.
func (q query) holds(text string) int {
	text, n := foldASCII(text), 0
	for _, e := range q.exact {
		if start, _ := e.find(text, 0); start >= 0 {
			n++
		}
	}
	return n
}

// A ranking gathers candidates, each document once.
type ranking struct {
	byID map[string]*candidate
	list []*candidate
}

func newRanking() *ranking { return &ranking{byID: map[string]*candidate{}} }

func (r *ranking) add(hit store.IndexHit) *candidate {
	c := r.byID[hit.SpanID]
	if c == nil {
		c = &candidate{IndexHit: hit}
		r.byID[hit.SpanID] = c
		r.list = append(r.list, c)
	}
	return c
}

// addVector adds a hit that knows the nearest chunk.
func (r *ranking) addVector(hit store.IndexHit) *candidate {
	c := r.add(hit)
	c.Start, c.End = hit.Start, hit.End
	return c
}

// scale makes the best score what is given, and the others in proportion.
func (r *ranking) scale(best float64) {
	highest := 0.0
	for _, c := range r.list {
		highest = max(highest, c.score)
	}
	if highest == 0 {
		return
	}
	for _, c := range r.list {
		c.score *= best / highest
	}
}

// sorted are the candidates, the best first; of equal ones the newest.
func (r *ranking) sorted() []*candidate {
	slices.SortFunc(r.list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.StartedAt, a.StartedAt), strings.Compare(a.SpanID, b.SpanID))
	})
	return r.list
}

// different are the best candidates, of those with equal texts the first.
func (r *ranking) different(n int) []*candidate {
	var list []*candidate
	seen := map[string]bool{}
	for _, c := range r.sorted() {
		if len(list) == n {
			break
		}
		if !seen[c.Hash] {
			seen[c.Hash] = true
			list = append(list, c)
		}
	}
	return list
}
