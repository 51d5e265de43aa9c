package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// A distantSearch looks for the documents nearest to a vector, where they lie in
// another database than the vectors.
type distantSearch struct {
	vectorWalk
	documents store.Documents
	filter    store.IndexFilter
}

// SearchVectors implements store.VectorIndex.
func (v *Vectors) SearchVectors(ctx context.Context, id int64, vector []float32, f store.IndexFilter, limit int) ([]store.IndexHit, error) {
	hits := []store.IndexHit{}
	if err := v.ready(ctx); err != nil {
		return hits, err
	}
	err := v.read(ctx, func(tx pgx.Tx) error {
		g, err := v.openGeneration(ctx, tx, id)
		if err != nil {
			return err
		}
		search := distantSearch{vectorWalk{generation: g, tx: tx, limit: limit, share: v.shares.of(f)}, v.documents, f}
		search.lookUp = search.chosen
		if search.vector, err = g.encode(vector); err != nil || limit < 1 {
			return err
		}
		hits, err = search.run(ctx)
		v.shares.note(f, search.share)
		return err
	})
	return hits, err
}

// run compares all vectors of documents that are chosen, where these are few or
// nearly all of them are wanted. Otherwise it goes along the index.
func (d *distantSearch) run(ctx context.Context) ([]store.IndexHit, error) {
	if err := hurry(ctx, d.tx); err != nil {
		return nil, err
	}
	hashes, many, err := d.documents.ChosenHashes(ctx, d.filter, fewDocuments)
	if err != nil {
		return nil, err
	}
	if !many {
		return d.among(ctx, hashes)
	}
	if d.graph && d.limit <= graphLimit {
		if hits, err := d.alongGraph(ctx); err != nil || len(hits) == d.limit {
			return hits, err
		}
	}
	return d.exactly(ctx, "")
}

// among compares the vectors of texts.
func (d *distantSearch) among(ctx context.Context, hashes []string) ([]store.IndexHit, error) {
	rows, err := d.tx.Query(ctx, "SELECT num FROM "+d.schema+".document_text WHERE hash = ANY($1)", hashes)
	if err != nil {
		return nil, err
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	return d.exactly(ctx, "WHERE text = ANY($2)", texts)
}

// chosen are the chosen documents of texts.
func (d distantSearch) chosen(ctx context.Context, texts []int64) ([]foundHit, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	rows, err := d.tx.Query(ctx, "SELECT num, hash FROM "+d.schema+".document_text WHERE num = ANY($1)", texts)
	if err != nil {
		return nil, err
	}
	numbers := make(map[string]int64, len(texts))
	hashes := make([]string, 0, len(texts))
	var num int64
	var hash string
	if _, err := pgx.ForEachRow(rows, []any{&num, &hash}, func() error {
		numbers[hash], hashes = num, append(hashes, hash)
		return nil
	}); err != nil {
		return nil, err
	}
	hits, err := d.documents.ChosenHits(ctx, hashes, d.filter)
	if err != nil {
		return nil, fmt.Errorf("documents of the nearest vectors: %w", err)
	}
	found := make([]foundHit, len(hits))
	for i, hit := range hits {
		found[i] = foundHit{hit, numbers[hit.Hash]}
	}
	return found, nil
}
