package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// PutDocuments implements store.Index.
func (s *Store) PutDocuments(ctx context.Context, upTo int64, traces []store.TraceDocuments) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		traces, err := withoutFollowed(ctx, tx, upTo, traces)
		if err != nil {
			return err
		}
		documents, err := documentsOf(ctx, tx, traces)
		if err != nil {
			return err
		}
		if err := replaceDocuments(ctx, tx, traces, documents); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE tapedeck.index_state SET followed = $1 WHERE followed < $1", upTo)
		return err
	})
}

// withoutFollowed leaves out the traces with a change after upTo that somebody
// else has followed.
func withoutFollowed(ctx context.Context, tx pgx.Tx, upTo int64, traces []store.TraceDocuments) ([]store.TraceDocuments, error) {
	ids := make([]string, len(traces))
	for i, t := range traces {
		ids[i] = session.Clean(t.TraceID)
	}
	rows, err := tx.Query(ctx, `SELECT trace_id FROM tapedeck.trace_change, tapedeck.index_state
		WHERE trace_id = ANY($1) AND seq > $2 AND seq <= followed`, ids, upTo)
	if err != nil {
		return nil, err
	}
	followed := map[string]bool{}
	var id string
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error {
		followed[id] = true
		return nil
	}); err != nil {
		return nil, err
	}
	var left []store.TraceDocuments
	for i, t := range traces {
		if !followed[ids[i]] {
			left = append(left, store.TraceDocuments{TraceID: ids[i], Documents: t.Documents})
		}
	}
	return left, nil
}

// A document is one with what it takes from its span and trace.
type document struct {
	store.IndexDocument
	traceID string
	session int64
	kind    session.Kind
	model   string
	started session.Time
}

// documentsOf are the documents of traces, without those of spans that the trace
// does not have.
func documentsOf(ctx context.Context, tx pgx.Tx, traces []store.TraceDocuments) ([]*document, error) {
	var traceIDs, spanIDs []string
	type place struct{ trace, span string }
	given := map[place]store.IndexDocument{}
	for _, t := range traces {
		for _, d := range t.Documents {
			if d.Hash == "" {
				return nil, fmt.Errorf("the document of span %s has no hash", d.SpanID)
			}
			at := place{t.TraceID, session.Clean(d.SpanID)}
			if _, twice := given[at]; !twice {
				given[at] = d
				traceIDs, spanIDs = append(traceIDs, at.trace), append(spanIDs, at.span)
			}
		}
	}
	if len(given) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `SELECT trace.id, span.span_id, trace.session, span.kind, span.model, span.started_at, trace.models
		FROM unnest($1::text[], $2::text[]) v (trace_id, span_id) JOIN tapedeck.trace ON trace.id = v.trace_id
		JOIN tapedeck.span ON span.trace = trace.num AND span.span_id = v.span_id`, traceIDs, spanIDs)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*document, error) {
		var d document
		var models []string
		var spanID string
		if err := row.Scan(&d.traceID, &spanID, &d.session, &d.kind, &d.model, &d.started, jsonList(&models)); err != nil {
			return nil, err
		}
		if d.kind == session.KindTool && len(models) > 0 {
			d.model = session.Clean(models[0])
		}
		d.IndexDocument = given[place{d.traceID, spanID}]
		d.SpanID = spanID
		return &d, nil
	})
}

// replaceDocuments replaces all documents of traces. Texts that stay keep their row,
// and so their vectors.
func replaceDocuments(ctx context.Context, tx pgx.Tx, traces []store.TraceDocuments, documents []*document) error {
	if len(traces) == 0 {
		return nil
	}
	texts, err := putTexts(ctx, tx, documents)
	if err != nil {
		return err
	}
	ids := make([]string, len(traces))
	for i, t := range traces {
		ids[i] = t.TraceID
	}
	rows, err := tx.Query(ctx, "DELETE FROM tapedeck.document WHERE trace_id = ANY($1) RETURNING text", ids)
	if err != nil {
		return err
	}
	before, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	err = copyIn(ctx, tx, "document", "trace_id, span_id, session, text, kind, model, model_folded, started_at", documents, func(d **document) []any {
		return []any{(*d).traceID, (*d).SpanID, (*d).session, texts[(*d).Hash], (*d).kind, (*d).model, folded((*d).model), (*d).started}
	})
	if err != nil {
		return err
	}
	return dropTexts(ctx, tx, before)
}

// putTexts inserts the texts that are new, with their words, and returns the
// numbers of all, by hash.
func putTexts(ctx context.Context, tx pgx.Tx, documents []*document) (map[string]int64, error) {
	numbers := make(map[string]int64, len(documents))
	texts := map[string]string{}
	var hashes, contents []string
	var started []int64
	for _, d := range documents {
		if _, twice := texts[d.Hash]; !twice {
			texts[d.Hash] = session.Clean(d.Text)
			hashes, contents, started = append(hashes, session.Clean(d.Hash)), append(contents, texts[d.Hash]), append(started, int64(d.started))
		}
	}
	if len(hashes) == 0 {
		return numbers, nil
	}
	rows, err := tx.Query(ctx, `INSERT INTO tapedeck.document_text (hash, text, started_at) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
		ON CONFLICT (hash) DO NOTHING RETURNING num, hash`, hashes, contents, started)
	if err != nil {
		return nil, err
	}
	var fresh []int64
	var parts []part
	var num int64
	var hash string
	if _, err := pgx.ForEachRow(rows, []any{&num, &hash}, func() error {
		fresh = append(fresh, num)
		parts = append(parts, partsOf(num, texts[hash])...)
		return nil
	}); err != nil {
		return nil, err
	}
	if err := putWords(ctx, tx, parts); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO tapedeck.unembedded (generation, started_at, text)
		SELECT generation.id, started_at, num FROM tapedeck.generation, tapedeck.document_text WHERE num = ANY($1)`, fresh); err != nil {
		return nil, err
	}
	rows, err = tx.Query(ctx, "SELECT num, hash FROM tapedeck.document_text WHERE hash = ANY($1)", hashes)
	if err != nil {
		return nil, err
	}
	_, err = pgx.ForEachRow(rows, []any{&num, &hash}, func() error {
		numbers[hash] = num
		return nil
	})
	return numbers, err
}

// putWords inserts the words of texts, and counts them.
func putWords(ctx context.Context, tx pgx.Tx, parts []part) error {
	if len(parts) == 0 {
		return nil
	}
	texts, lengths, words := make([]int64, len(parts)), make([]int, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		texts[i], lengths[i], words[i] = p.text, p.length, p.words
	}
	_, err := tx.Exec(ctx, `WITH fresh AS (
			INSERT INTO tapedeck.words (text, length, words) SELECT num, length, to_tsvector('tapedeck.words', words)
			FROM unnest($1::bigint[], $2::int[], $3::text[]) v (num, length, words) RETURNING length, words
		), counted AS (
			INSERT INTO tapedeck.lexeme (lexeme, parts) SELECT lexeme, count(*) FROM fresh, unnest(tsvector_to_array(words)) lexeme GROUP BY lexeme
			ON CONFLICT (lexeme) DO UPDATE SET parts = lexeme.parts + excluded.parts
		)
		UPDATE tapedeck.index_state SET parts = index_state.parts + sums.parts, length = index_state.length + sums.length
		FROM (SELECT count(*) AS parts, sum(length) AS length FROM fresh) sums`, texts, lengths, words)
	return err
}

// dropTexts deletes those of the texts that no document has, with their words and
// vectors.
func dropTexts(ctx context.Context, tx pgx.Tx, texts []int64) error {
	if len(texts) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT num FROM tapedeck.document_text x WHERE num = ANY($1)
		AND NOT EXISTS (SELECT FROM tapedeck.document d WHERE d.text = x.num)`, texts)
	if err != nil {
		return err
	}
	gone, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(gone) == 0 {
		return err
	}
	for _, statement := range []string{
		`MERGE INTO tapedeck.lexeme USING (
			SELECT lexeme, count(*) AS parts FROM tapedeck.words, unnest(tsvector_to_array(words)) lexeme WHERE text = ANY($1) GROUP BY lexeme
		) gone ON lexeme.lexeme = gone.lexeme
		WHEN MATCHED AND lexeme.parts <= gone.parts THEN DELETE
		WHEN MATCHED THEN UPDATE SET parts = lexeme.parts - gone.parts`,
		`UPDATE tapedeck.index_state SET parts = index_state.parts - sums.parts, length = index_state.length - sums.length
			FROM (SELECT count(*) AS parts, coalesce(sum(length), 0) AS length FROM tapedeck.words WHERE text = ANY($1)) sums`,
		"DELETE FROM tapedeck.document_text WHERE num = ANY($1)",
	} {
		if _, err := tx.Exec(ctx, statement, gone); err != nil {
			return err
		}
	}
	return nil
}

// Texts implements store.Index.
func (s *Store) Texts(ctx context.Context, spanIDs []string) (map[string]string, error) {
	texts := make(map[string]string, len(spanIDs))
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT d.span_id, x.text FROM tapedeck.document d JOIN tapedeck.document_text x ON x.num = d.text WHERE d.span_id = ANY($1)", cleaned(spanIDs))
		if err != nil {
			return err
		}
		var id, text string
		_, err = pgx.ForEachRow(rows, []any{&id, &text}, func() error {
			texts[id] = text
			return nil
		})
		return err
	})
	return texts, err
}
