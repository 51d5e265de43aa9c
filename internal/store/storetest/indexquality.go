package storetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/store"
)

// A Collection is texts and questions whose right answers people have judged. Text
// i of it is found as the span CollectionSpan(i).
type Collection struct {
	Texts   []string // title and text
	Queries []Question
	ids     map[string]int
}

// A Question has its right answers: how good a text is, by its place.
type Question struct {
	Text  string
	Right map[int]float64
}

// LoadCollection reads a collection of the corpus, and skips the test where the
// corpus is absent.
func LoadCollection(t testing.TB, name string) *Collection {
	t.Helper()
	dir := corpustest.Path(t, filepath.Join("ir", name))
	c := &Collection{ids: map[string]int{}}
	type entry struct {
		ID    string `json:"_id"`
		Title string
		Text  string
	}
	eachLine(t, filepath.Join(dir, "corpus.jsonl"), func(line string) error {
		var e entry
		err := json.Unmarshal([]byte(line), &e)
		c.ids[e.ID] = len(c.Texts)
		c.Texts = append(c.Texts, e.Title+"\n"+e.Text)
		return err
	})
	queries := map[string]int{}
	eachLine(t, filepath.Join(dir, "queries.jsonl"), func(line string) error {
		var e entry
		err := json.Unmarshal([]byte(line), &e)
		queries[e.ID] = len(c.Queries)
		c.Queries = append(c.Queries, Question{e.Text, map[int]float64{}})
		return err
	})
	eachLine(t, filepath.Join(dir, "qrels.tsv"), func(line string) error {
		fields := strings.Split(line, "\t")
		query, known := queries[fields[0]]
		if !known || len(fields) != 3 {
			return nil // the head
		}
		text, known := c.ids[fields[1]]
		grade, err := strconv.ParseFloat(fields[2], 64)
		if known {
			c.Queries[query].Right[text] = grade
		}
		return err
	})
	return c
}

func eachLine(t testing.TB, path string, take func(string) error) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := take(lines.Text()); err != nil {
			t.Fatalf("%s: %.80q: %v", path, lines.Text(), err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// perTrace is how many spans a trace of a synthetic session has.
const perTrace = 50

// Tell puts texts into an index as they are, as documents of spans of a synthetic
// session with this key.
func Tell(t testing.TB, s IndexedStore, key string, texts []string) {
	t.Helper()
	documents := TellOnly(t, s, key, texts)
	state, err := s.IndexState(t.Context())
	for part := range slices.Chunk(documents, 10) {
		if err == nil {
			err = s.PutDocuments(t.Context(), state.Latest, part)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TellOnly projects a synthetic session, and returns the documents to put for it.
func TellOnly(t testing.TB, s store.Store, key string, texts []string) (documents []store.TraceDocuments) {
	t.Helper()
	r := ref(key)
	var traces [][]span
	for part := range slices.Chunk(texts, perTrace) {
		d := store.TraceDocuments{TraceID: traceID(r, len(traces))}
		for i, text := range part {
			d.Documents = append(d.Documents, document(CollectionSpan(key, len(traces)*perTrace+i), text))
		}
		traces, documents = append(traces, make([]span, len(part))), append(documents, d)
	}
	_, err := s.Append(t.Context(), batch(r, record("r", 1)))
	if err != nil {
		t.Fatal(err)
	}
	streams, err := s.Pending(t.Context(), deriver, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(streams, func(st store.Stream) bool { return st.Ref == r })
	if err := s.Project(t.Context(), streams[at], deriver, telling(r, traces...)); err != nil {
		t.Fatal(err)
	}
	return documents
}

// CollectionSpan is the identifier of the i-th text's span.
func CollectionSpan(key string, i int) string { return spanID(ref(key), i/perTrace, i%perTrace, "") }

// NDCG is how well texts, best first, answer a question: the discounted gain of the
// first ten, over the best that there could be.
func (q Question) NDCG(texts []int) float64 {
	gain := func(i int, grade float64) float64 { return grade / math.Log2(float64(i)+2) }
	var got, best float64
	for i, text := range texts[:min(len(texts), 10)] {
		got += gain(i, q.Right[text])
	}
	var grades []float64
	for _, grade := range q.Right {
		grades = append(grades, grade)
	}
	slices.Sort(grades)
	slices.Reverse(grades)
	for i, grade := range grades[:min(len(grades), 10)] {
		best += gain(i, grade)
	}
	return got / best
}

// LexicalQuality fills a store with a collection and returns the mean nDCG@10 of
// SearchText over its questions.
func LexicalQuality(t testing.TB, s IndexedStore, name string) float64 {
	t.Helper()
	c := LoadCollection(t, name)
	Tell(t, s, name, c.Texts)
	places := map[string]int{}
	for i := range c.Texts {
		places[CollectionSpan(name, i)] = i
	}
	var sum, judged float64
	for _, q := range c.Queries {
		if len(q.Right) == 0 {
			continue
		}
		hits, err := s.SearchText(t.Context(), store.TextQuery{Terms: strings.Fields(q.Text), Limit: 10})
		if err != nil {
			t.Fatal(fmt.Errorf("%q: %w", q.Text, err))
		}
		var texts []int
		for _, hit := range hits {
			texts = append(texts, places[hit.SpanID])
		}
		sum, judged = sum+q.NDCG(texts), judged+1
	}
	return sum / judged
}
