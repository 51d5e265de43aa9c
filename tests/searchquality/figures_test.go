package searchquality

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tapedeck/internal/embed"
	"tapedeck/internal/search"
	"tapedeck/internal/store/storetest"
)

// A copy of an answer that was found already is no second answer.
func TestFigures(t *testing.T) {
	q := question{
		Question: storetest.Question{Right: map[int]float64{0: 2, 1: 1}},
		answers:  map[string]int{"answer": 0, "its copy": 0, "help": 1},
	}
	for _, tt := range []struct {
		name  string
		spans []string
		want  measured
	}{
		{"nothing", nil, measured{questions: 1}},
		{"nothing right", []string{"a", "b"}, measured{questions: 1}},
		{"all, best first", []string{"answer", "help"}, measured{questions: 1, ndcg: 1, mrr: 1, found: 1, recall: 1}},
		{"the copy is as good", []string{"its copy", "help"}, measured{questions: 1, ndcg: 1, mrr: 1, found: 1, recall: 1}},
		{"both copies", []string{"its copy", "answer"}, measured{questions: 1, ndcg: .760, mrr: 1, found: 1, recall: .5}},
		{"help only, second", []string{"a", "help"}, measured{questions: 1, ndcg: .240, mrr: .5, found: 1, recall: .5}},
		{"behind what is shown", []string{"a", "b", "c", "d", "e", "answer"}, measured{questions: 1, ndcg: .271, mrr: 1. / 6, recall: .5}},
	} {
		var hits []search.Hit
		for _, span := range tt.spans {
			hits = append(hits, search.Hit{SpanID: span})
		}
		if diff := cmp.Diff(tt.want, q.measure(hits), cmp.AllowUnexported(measured{}), cmpopts.EquateApprox(0, .0005)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// counting is an embedder that counts what it is asked, and refuses one text.
type counting struct {
	embed.Embedder
	asked []string
}

func (e *counting) Embed(_ context.Context, _ embed.Purpose, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if text == "refused" {
			return nil, &embed.TextError{Text: i}
		}
		vectors[i] = []float32{float32(len(text))}
	}
	e.asked = append(e.asked, texts...)
	return vectors, nil
}

// Documents are embedded once, queries each time; an error names the right text.
func TestTwofold(t *testing.T) {
	documents, queries := &counting{}, &counting{}
	e := &twofold{Embedder: documents, queries: queries, known: map[string][]float32{}}
	for _, texts := range [][]string{{"a", "bb"}, {"ccc", "bb"}} {
		vectors, err := e.Embed(t.Context(), embed.ForDocument, texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if got, want := vectors[i], []float32{float32(len(text))}; !cmp.Equal(got, want) {
				t.Errorf("%q has the vector %v, want %v", text, got, want)
			}
		}
	}
	for range 2 {
		if _, err := e.Embed(t.Context(), embed.ForQuery, []string{"q"}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([][]string{{"a", "bb", "ccc"}, {"q", "q"}}, [][]string{documents.asked, queries.asked}); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	_, err := e.Embed(t.Context(), embed.ForDocument, []string{"a", "refused"})
	if refused, ok := errors.AsType[*embed.TextError](err); !ok || refused.Text != 1 {
		t.Errorf("Embed fails with %v, want the second text", err)
	}
}
