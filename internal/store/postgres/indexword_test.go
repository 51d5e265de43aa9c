package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func TestParts(t *testing.T) {
	for text, want := range map[string][]part{
		"":                             nil,
		" -- \x00\xff 🙈":               nil,
		"See foo_bar.go:120":           {{1, 5, "see foo bar go 120"}},
		"Café ÅNGSTRÖM":                {{1, 2, "cafe angstrom"}},
		"getUserName parseHTTPRequest": {{1, 2, "getusername parsehttprequest get user name parse http request"}},
		"HTTPs ABC abC":                {{1, 3, "https abc abc htt ps ab c"}},
		strings.Repeat("é", 150):       {{1, 1, strings.Repeat("e", 150)}},
		strings.Repeat("ж", 150):       {{1, 1, strings.Repeat("ж", 100)}},
	} {
		if diff := cmp.Diff(want, partsOf(1, text), cmp.AllowUnexported(part{})); diff != "" {
			t.Errorf("parts of %.30q (-want +got):\n%s", text, diff)
		}
	}
}

// A text may have more words, and be longer, than PostgreSQL indexes at once. With
// it all that was counted goes.
func TestLongText(t *testing.T) {
	sh := fillShelf(t, 3, 2)
	var text strings.Builder
	const words = 60_000
	for i := range words {
		fmt.Fprintf(&text, "w%s%d ", strings.Repeat("x", 40), i)
	}
	put := func(texts ...string) {
		t.Helper()
		traces := []store.TraceDocuments{{TraceID: "trc_llm_0"}, {TraceID: "trc_llm_1"}, {TraceID: "trc_llm_2"}}
		var documents []*document
		for _, text := range texts {
			documents = append(documents, &document{IndexDocument: store.IndexDocument{SpanID: "llm_0", Text: text, Hash: "long"},
				traceID: "trc_llm_0", session: 1, kind: session.KindLLM})
		}
		if err := sh.write(t.Context(), func(tx pgx.Tx) error { return replaceDocuments(t.Context(), tx, traces, documents) }); err != nil {
			t.Fatal(err)
		}
	}
	put(text.String())
	for _, i := range []int{0, 1, words / 2, words - 1} {
		hits, err := sh.SearchText(t.Context(), store.TextQuery{Terms: []string{fmt.Sprintf("w%s%d", strings.Repeat("x", 40), i), "w"}, Limit: 5})
		if err != nil || len(hits) != 1 || hits[0].SpanID != "llm_0" {
			t.Errorf("word %d: %+v, %v; want the long text, once", i, hits, err)
		}
	}
	put()
	var left int
	err := sh.pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM tapedeck.lexeme) + (SELECT count(*) FROM tapedeck.words) + (SELECT count(*) FROM tapedeck.vector_1)
		+ (SELECT count(*) FROM tapedeck.unembedded) + (SELECT parts + length FROM tapedeck.index_state)`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d are left, %v; want none", left, err)
	}
}
