package searchquality

import (
	"testing"

	"tapedeck/internal/search"
	"tapedeck/internal/store/storetest"
)

// A set is texts, and questions whose answers people judged.
type set struct {
	name      string
	fill      func(*testing.T, storetest.IndexedStore) // puts in what is searched, up to the index
	questions []question
	kinds     []string           // of the questions, if they have any
	least     map[string]float64 // what the modes must reach in nDCG@10, with the builtin embedder
}

// A question with its answers, which Right grades by number.
type question struct {
	storetest.Question
	kind, scope string
	answers     map[string]int // by span; spans of one text are one answer
}

// noAnswer is what a span is that answers nothing, or what was found already.
const noAnswer = -1

// answersOf are the answers that hits give, each once.
func (q question) answersOf(hits []search.Hit) []int {
	seen := map[int]bool{}
	answers := make([]int, len(hits))
	for i, hit := range hits {
		answer, known := q.answers[hit.SpanID]
		if !known || seen[answer] {
			answer = noAnswer
		}
		answers[i], seen[answer] = answer, true
	}
	return answers
}

func (q question) isRight(answer int) bool { return q.Right[answer] > 0 }

// spans are those of all answers.
func (q question) spans() []string {
	var spans []string
	for span := range q.answers {
		spans = append(spans, span)
	}
	return spans
}

// loadCollection makes a set of a collection of abstracts.
func loadCollection(t *testing.T, name string) *set {
	t.Helper()
	c := storetest.LoadCollection(t, name)
	s := &set{name: name, least: least[name], fill: func(t *testing.T, st storetest.IndexedStore) { storetest.Tell(t, st, name, c.Texts) }}
	for _, asked := range c.Queries {
		if len(asked.Right) == 0 {
			continue
		}
		q := question{Question: asked, answers: map[string]int{}}
		for text := range asked.Right {
			q.answers[storetest.CollectionSpan(name, text)] = text
		}
		s.questions = append(s.questions, q)
	}
	return s
}
