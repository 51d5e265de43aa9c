package searchquality

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/search"
)

// total is the kind that all questions are of.
const total = "all"

// measured sums up how well questions were answered.
type measured struct {
	questions float64
	ndcg      float64 // of the first ten hits
	mrr       float64 // one over the place of the first answer
	found     float64 // there is an answer among the hits of a caller who does not say how many
	recall    float64 // share of the answers that is among all hits
	ms        float64
}

// ask asks all questions in a mode; by kind.
func ask(t *testing.T, s *search.Service, questions []question, mode string) map[string]measured {
	t.Helper()
	sums := map[string]measured{}
	for _, q := range questions {
		began := time.Now()
		answer, err := s.Search(t.Context(), search.Request{Query: q.Text, TopK: search.MaxTopK, Mode: mode, Scope: q.scope})
		took := time.Since(began)
		if err != nil || answer.Mode != mode {
			t.Fatalf("%q: %+v, %v", q.Text, answer, err)
		}
		got := q.measure(answer.Results)
		got.ms = took.Seconds() * 1000
		sums[total] = sums[total].plus(got)
		if q.kind != "" {
			sums[q.kind] = sums[q.kind].plus(got)
		}
	}
	return sums
}

// measure is how well hits answer the question.
func (q question) measure(hits []search.Hit) measured {
	answers := q.answersOf(hits)
	m := measured{questions: 1, ndcg: q.NDCG(answers)}
	first := slices.IndexFunc(answers, q.isRight)
	if first >= 0 {
		m.mrr = 1 / float64(first+1)
	}
	if first >= 0 && first < search.DefaultTopK {
		m.found = 1
	}
	for _, answer := range answers {
		if q.isRight(answer) {
			m.recall += 1 / float64(len(q.Right))
		}
	}
	return m
}

func (m measured) plus(o measured) measured {
	return measured{m.questions + o.questions, m.ndcg + o.ndcg, m.mrr + o.mrr, m.found + o.found, m.recall + o.recall, m.ms + o.ms}
}

func (m measured) mean() measured {
	n := m.questions
	return measured{n, m.ndcg / n, m.mrr / n, m.found / n, m.recall / n, m.ms / n}
}

func (m measured) String() string {
	return fmt.Sprintf("nDCG@10 %.3f  MRR %.3f  found@%d %.3f  recall@%d %.3f  %6.2f ms a query  (%.0f questions)",
		m.ndcg, m.mrr, search.DefaultTopK, m.found, search.MaxTopK, m.recall, m.ms, m.questions)
}
