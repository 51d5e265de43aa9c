package searchquality

import (
	_ "embed"
	"encoding/json"
	"slices"
	"testing"

	"tapedeck/internal/archive"
	"tapedeck/internal/corpustest"
	"tapedeck/internal/search"
	"tapedeck/internal/store/storetest"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/registry"
)

// questions.json tells where they come from and how they were judged.
//
//go:embed questions.json
var questionsFile []byte

var kinds = []string{"exact", "words", "paraphrase"}

// leastOfSessions is somewhat below what was measured.
var leastOfSessions = map[string]float64{search.ModeLexical: .70, search.ModeHybrid: .74}

// loadSessions makes a set of the corpus' sessions.
func loadSessions(t *testing.T) *set {
	t.Helper()
	folder := corpustest.Path(t, "agents")
	return &set{
		name: "sessions", kinds: kinds, questions: readQuestions(t), least: leastOfSessions,
		fill: func(t *testing.T, st storetest.IndexedStore) { importSessions(t, st, folder) },
	}
}

// importSessions takes in all sessions below a folder. The store stays open.
func importSessions(t *testing.T, st storetest.IndexedStore, folder string) {
	t.Helper()
	a, err := archive.Open(t.Context(), archive.Options{Store: st, Importers: registry.All(),
		Environment: transcript.Environment{Home: t.TempDir(), Getenv: func(string) string { return "" }}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Import(t.Context(), archive.ImportRequest{Paths: []string{folder}}, nil); err != nil {
		t.Fatal(err)
	}
}

// readQuestions reads questions.json and sees that it is sound.
func readQuestions(t *testing.T) []question {
	t.Helper()
	var file struct {
		Questions []struct {
			Kind, Scope, Text string
			Answers           []struct {
				Grade float64
				Spans []string
			}
		}
	}
	if err := json.Unmarshal(questionsFile, &file); err != nil {
		t.Fatal(err)
	}
	var questions []question
	for _, asked := range file.Questions {
		q := question{Question: storetest.Question{Text: asked.Text, Right: map[int]float64{}}, kind: asked.Kind, scope: asked.Scope, answers: map[string]int{}}
		if !slices.Contains(kinds, q.kind) {
			t.Errorf("%q: kind %q, want one of %v", q.Text, q.kind, kinds)
		}
		for i, answer := range asked.Answers {
			if answer.Grade != 1 && answer.Grade != 2 || len(answer.Spans) == 0 {
				t.Errorf("%q: %+v: want grade 1 or 2, and spans", q.Text, answer)
			}
			q.Right[i] = answer.Grade
			for _, span := range answer.Spans {
				if _, twice := q.answers[span]; twice {
					t.Errorf("%q: %s is judged twice", q.Text, span)
				}
				q.answers[span] = i
			}
		}
		if len(asked.Answers) == 0 || asked.Answers[0].Grade != 2 {
			t.Errorf("%q: want an answer of grade 2, and it first", q.Text)
		}
		questions = append(questions, q)
	}
	return questions
}
