package postgres

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

const (
	// fewDocuments are compared one by one: that takes no longer than looking in the
	// index for the ones among all others that a filter keeps.
	fewDocuments = 3000
	// graphLimit is up to how many documents the index is asked for.
	graphLimit = 2000
)

// A nearSearch looks for the documents nearest to a vector, where they lie beside
// the vectors.
type nearSearch struct {
	vectorWalk
	chosen conditions
}

// SearchVectors implements store.VectorIndex.
func (s *Store) SearchVectors(ctx context.Context, id int64, vector []float32, f store.IndexFilter, limit int) ([]store.IndexHit, error) {
	hits := []store.IndexHit{}
	chosen, err := chosenDocuments(f)
	if err != nil || ctx.Err() != nil {
		return hits, cmp.Or(err, ctx.Err())
	}
	err = s.read(ctx, func(tx pgx.Tx) error {
		g, err := s.openGeneration(ctx, tx, id)
		if err != nil {
			return err
		}
		search := nearSearch{vectorWalk{generation: g, tx: tx, limit: limit, share: s.shares.of(f)}, chosen}
		search.lookUp = search.documents
		if search.vector, err = g.encode(vector); err != nil || limit < 1 {
			return err
		}
		hits, err = search.run(ctx)
		s.shares.note(f, search.share)
		return err
	})
	return hits, err
}

// run compares all vectors of documents that are chosen, where these are few or
// nearly all of them are wanted. Otherwise it goes along the index.
func (v *nearSearch) run(ctx context.Context) ([]store.IndexHit, error) {
	if err := hurry(ctx, v.tx); err != nil {
		return nil, err
	}
	if !v.graph || v.limit > graphLimit {
		return v.exact(ctx)
	}
	few, err := isFew(ctx, v.tx, v.chosen, fewDocuments)
	if err != nil {
		return nil, err
	}
	if few {
		return v.exact(ctx)
	}
	hits, err := v.alongGraph(ctx)
	if err == nil && len(hits) < v.limit {
		return v.exact(ctx)
	}
	return hits, err
}

// isFew reports whether at most so many documents are chosen.
func isFew(ctx context.Context, tx pgx.Tx, chosen conditions, most int) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM tapedeck.document d JOIN tapedeck.session s ON s.num = d.session%s LIMIT %d) chosen",
		chosen.sql(), most+1), append([]any{pgx.QueryExecModeCacheDescribe}, chosen.args...)...).Scan(&n)
	return n <= most, err
}

// exact compares all vectors.
func (v nearSearch) exact(ctx context.Context) ([]store.IndexHit, error) {
	c := v.chosen.clone()
	c.args = append(c.args, v.vector)
	rows, err := v.tx.Query(ctx, fmt.Sprintf(`SELECT %s, h.score, h.start_at, h.end_at FROM (
			SELECT * FROM (
				SELECT DISTINCT ON (d.span_id, d.trace_id) d.span_id, d.trace_id, s.id AS session_id, d.kind, d.model, d.started_at, d.text,
					v.start_at, v.end_at, -(v.embedding %s $%d) AS score
				FROM tapedeck.document d JOIN tapedeck.session s ON s.num = d.session JOIN %s v ON v.text = d.text%s
				ORDER BY d.span_id, d.trace_id, score DESC
			) nearest ORDER BY score DESC, started_at DESC, span_id%s
		) h JOIN tapedeck.document_text x ON x.num = h.text ORDER BY h.score DESC, h.started_at DESC, h.span_id`,
		hitColumns, v.operator(), len(c.args), v.table(), c.sql(), limited(v.limit)), append([]any{pgx.QueryExecModeCacheDescribe}, c.args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]store.IndexHit{}, rows, func(row pgx.CollectableRow) (store.IndexHit, error) {
		var hit store.IndexHit
		err := row.Scan(append(hitFields(&hit), &hit.Score, &hit.Start, &hit.End)...)
		return hit, err
	})
}

// documents are those of texts that are chosen.
func (v nearSearch) documents(ctx context.Context, texts []int64) ([]foundHit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	c := v.chosen.clone()
	c.add("d.text = ANY($)", texts)
	rows, err := v.tx.Query(ctx, `SELECT `+documentColumns+`, d.text FROM tapedeck.document d
		JOIN tapedeck.session s ON s.num = d.session JOIN tapedeck.document_text x ON x.num = d.text`+c.sql(),
		append([]any{pgx.QueryExecModeCacheDescribe}, c.args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (foundHit, error) {
		var hit foundHit
		err := row.Scan(append(hitFields(&hit.IndexHit), &hit.text)...)
		return hit, err
	})
}
