package postgres

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// Constants of BM25: how soon more occurrences of a word stop to matter, and how
// much the length of a text does. These do best on cranfield and cacm together.
const (
	saturation = 1.5
	lengthBias = 0.6
)

const (
	// mostTerms bounds how many terms are ranked by, the rarest.
	mostTerms = 64
	// reach is about how many texts are looked at because they have a term. Those that
	// have only more frequent ones are looked at where these don't do.
	reach = 2000
)

// SearchText implements store.Index. PostgreSQL's own ranking knows nothing of how
// rare a word is, and takes longer than all else. So the texts that have one of the
// rarer terms are ranked by BM25: the numbers of occurrences come from ts_rank.
func (s *Store) SearchText(ctx context.Context, q store.TextQuery) ([]store.IndexHit, error) {
	hits := []store.IndexHit{}
	chosen, err := chosenDocuments(q.Filter)
	phrases := phrasesOf(q.Terms)
	if err != nil || q.Limit < 1 || len(phrases) == 0 {
		return hits, cmp.Or(err, ctx.Err())
	}
	err = s.read(ctx, func(tx pgx.Tx) error {
		if err := hurry(ctx, tx); err != nil {
			return err
		}
		terms, mean, err := weigh(ctx, tx, phrases)
		if err != nil || len(terms) == 0 {
			return err
		}
		search := textSearch{terms: terms, mean: mean, chosen: chosen, limit: q.Limit}
		hits, err = search.widen(ctx, tx)
		return err
	})
	return hits, err
}

// hurry has the server begin at once: to compile a query, or start helpers for it,
// takes longer than a search. What is searched is mostly in memory, where the places
// of rows make no difference.
func hurry(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL random_page_cost = 1")
	return err
}

// phrasesOf are terms in the form that they are indexed in, each once.
func phrasesOf(terms []string) []string {
	var phrases []string
	seen := map[string]bool{"": true}
	for _, term := range terms {
		phrase := strings.Join(wordsOf(term), " ")
		if !seen[phrase] {
			seen[phrase] = true
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// A term is a word, or words that follow each other.
type term struct {
	phrase  string
	single  bool
	stop    bool
	parts   int64 // how many parts of texts have it, at most
	inverse float64
}

// weigh looks up in how many parts of texts each word is, and leaves out the terms
// with a word that is in none, and stop words beside others. The rarest come first.
// It also returns how long a part is in the mean.
func weigh(ctx context.Context, tx pgx.Tx, phrases []string) ([]term, float64, error) {
	var all, length int64
	if err := tx.QueryRow(ctx, "SELECT parts, length FROM tapedeck.index_state").Scan(&all, &length); err != nil || all == 0 {
		return nil, 0, err
	}
	// The dictionary english_stem makes nothing of a stop word.
	rows, err := tx.Query(ctx, `SELECT place - 1, coalesce(l.parts, 0), coalesce(ts_lexize('pg_catalog.english_stem', phrase) = '{}', false)
		FROM unnest($1::text[]) WITH ORDINALITY v (phrase, place), unnest(tsvector_to_array(to_tsvector('tapedeck.words', phrase))) word
		LEFT JOIN tapedeck.lexeme l ON l.lexeme = word`, phrases)
	if err != nil {
		return nil, 0, err
	}
	terms := make([]term, len(phrases))
	most, telling := inverse(all, 1), 0
	var place int
	var parts int64
	var stop bool
	_, err = pgx.ForEachRow(rows, []any{&place, &parts, &stop}, func() error {
		t := &terms[place]
		if t.phrase == "" {
			*t = term{phrase: phrases[place], single: !strings.Contains(phrases[place], " "), stop: stop, parts: parts, inverse: inverse(all, parts)}
			if !stop {
				telling++
			}
			return nil
		}
		// Words that follow each other are rarer than any of them.
		t.parts, t.inverse = min(t.parts, parts), min(most, t.inverse+inverse(all, parts))
		return nil
	})
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.parts == 0 || t.stop && telling > 0 })
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(a.parts, b.parts) })
	return terms[:min(len(terms), mostTerms)], max(1, float64(length)/float64(all)), err
}

// inverse is BM25's weight of a word that is in some of all parts.
func inverse(all, some int64) float64 {
	return math.Log1p((float64(all-some) + 0.5) / (float64(some) + 0.5))
}

// A textSearch looks for terms.
type textSearch struct {
	terms  []term
	mean   float64 // length of a part
	chosen conditions
	limit  int
}

// widen looks for the rarest terms, and takes in more frequent ones until enough is
// found.
func (ts textSearch) widen(ctx context.Context, tx pgx.Tx) ([]store.IndexHit, error) {
	for n := ts.telling(); ; n++ {
		hits, err := ts.run(ctx, tx, n)
		if err != nil || len(hits) >= ts.limit || n == len(ts.terms) {
			return hits, err
		}
		if few, err := isFew(ctx, tx, ts.chosen, fewDocuments); err != nil || few {
			if err == nil {
				hits, err = ts.run(ctx, tx, len(ts.terms))
			}
			return hits, err
		}
	}
}

// telling is how many of the terms, the rarest first, are in about as many texts as
// are to be looked at.
func (ts textSearch) telling() int {
	sum := int64(0)
	for i, t := range ts.terms {
		if i > 0 && sum >= int64(ts.limit) && sum+t.parts > int64(max(reach, ts.limit)) {
			return i
		}
		sum += t.parts
	}
	return len(ts.terms)
}

const hitColumns = "h.span_id, h.trace_id, h.session_id, h.kind, h.model, h.started_at, x.hash"

// documentColumns are the same of a document d, its session s and its text x.
const documentColumns = "d.span_id, d.trace_id, s.id, d.kind, d.model, d.started_at, x.hash"

// run ranks the texts that have one of the first terms, by all of them.
func (ts textSearch) run(ctx context.Context, tx pgx.Tx, first int) ([]store.IndexHit, error) {
	c := ts.chosen.clone()
	queries := make([]string, len(ts.terms))
	for i, t := range ts.terms {
		c.args = append(c.args, t.phrase)
		queries[i] = fmt.Sprintf("phraseto_tsquery('tapedeck.words', $%d)", len(c.args))
	}
	c.all = append(c.all, "w.words @@ ("+strings.Join(queries[:first], " || ")+")")
	// OFFSET 0 has the scores worked out where the words are read, which are not
	// carried along.
	rows, err := tx.Query(ctx, `SELECT `+hitColumns+`, h.score FROM (
			SELECT span_id, trace_id, session_id, kind, model, started_at, text, max(score) AS score FROM (
				SELECT d.span_id, d.trace_id, s.id AS session_id, d.kind, d.model, d.started_at, d.text, `+ts.score(queries)+` AS score
				FROM tapedeck.words w JOIN tapedeck.document d ON d.text = w.text JOIN tapedeck.session s ON s.num = d.session`+c.sql()+` OFFSET 0
			) scored
			GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY score DESC, started_at DESC, span_id`+limited(ts.limit)+`
		) h JOIN tapedeck.document_text x ON x.num = h.text ORDER BY h.score DESC, h.started_at DESC, h.span_id`,
		append([]any{pgx.QueryExecModeCacheDescribe}, c.args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]store.IndexHit{}, rows, func(row pgx.CollectableRow) (store.IndexHit, error) {
		var hit store.IndexHit
		err := row.Scan(append(hitFields(&hit), &hit.Score)...)
		return hit, err
	})
}

func hitFields(h *store.IndexHit) []any {
	return []any{&h.SpanID, &h.TraceID, &h.SessionID, &h.Kind, &h.Model, &h.StartedAt, &h.Hash}
}

// score is BM25 in SQL. ts_rank of one word that occurs n times is the sum of
// 1/i² for i from 1 to n, by ten times π²/6; what is missing of the whole sum is
// about 1/(n+½). So n is told by it, less than a tenth too small.
func (ts textSearch) score(queries []string) string {
	damping := fmt.Sprintf("(%g + %g * w.length)", saturation*(1-lengthBias), saturation*lengthBias/ts.mean)
	terms := make([]string, len(ts.terms))
	for i, t := range ts.terms {
		weight := t.inverse * (saturation + 1)
		if t.single {
			terms[i] = fmt.Sprintf("%g * (1 - %s / (%s + 0.6079 / (1 - 10 * ts_rank(w.words, %s)::float8) - 0.6079))", weight, damping, damping, queries[i])
		} else {
			terms[i] = fmt.Sprintf("CASE WHEN w.words @@ %s THEN %g / (1 + %s) ELSE 0 END", queries[i], weight, damping)
		}
	}
	return strings.Join(terms, " + ")
}
