package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

var _ store.Documents = (*Store)(nil)

// Identity implements store.Documents.
func (s *Store) Identity(ctx context.Context) (identity string, err error) {
	err = s.read(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT replace(identity::text, '-', '') FROM tapedeck.index_state").Scan(&identity)
	})
	return identity, err
}

// Followed implements store.Documents.
func (s *Store) Followed(ctx context.Context) (seq int64, err error) {
	err = s.read(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT followed FROM tapedeck.index_state").Scan(&seq)
	})
	return seq, err
}

// TraceTexts implements store.Documents.
func (s *Store) TraceTexts(ctx context.Context, traceIDs []string) ([]store.TraceText, error) {
	list := []store.TraceText{}
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT d.trace_id, s.id, x.hash, d.started_at FROM tapedeck.document d
			JOIN tapedeck.session s ON s.num = d.session JOIN tapedeck.document_text x ON x.num = d.text WHERE d.trace_id = ANY($1)`, cleaned(traceIDs))
		if err != nil {
			return err
		}
		list, err = pgx.AppendRows(list, rows, pgx.RowToStructByPos[store.TraceText])
		return err
	})
	return list, err
}

// TextsByHash implements store.Documents.
func (s *Store) TextsByHash(ctx context.Context, hashes []string) (map[string]string, error) {
	texts := make(map[string]string, len(hashes))
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT hash, text FROM tapedeck.document_text WHERE hash = ANY($1)", cleaned(hashes))
		if err != nil {
			return err
		}
		var hash, text string
		_, err = pgx.ForEachRow(rows, []any{&hash, &text}, func() error {
			texts[hash] = text
			return nil
		})
		return err
	})
	return texts, err
}

// ChosenHashes implements store.Documents.
func (s *Store) ChosenHashes(ctx context.Context, f store.IndexFilter, limit int) (hashes []string, many bool, err error) {
	hashes = []string{}
	chosen, err := chosenDocuments(f)
	if err != nil {
		return hashes, false, err
	}
	err = s.read(ctx, func(tx pgx.Tx) error {
		if err := hurry(ctx, tx); err != nil {
			return err
		}
		few, err := isFew(ctx, tx, chosen, limit)
		if many = !few; many || err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT DISTINCT x.hash FROM tapedeck.document d JOIN tapedeck.session s ON s.num = d.session
			JOIN tapedeck.document_text x ON x.num = d.text`+chosen.sql(), append([]any{pgx.QueryExecModeCacheDescribe}, chosen.args...)...)
		if err != nil {
			return err
		}
		hashes, err = pgx.AppendRows(hashes, rows, pgx.RowTo[string])
		return err
	})
	return hashes, many, err
}

// ChosenHits implements store.Documents.
func (s *Store) ChosenHits(ctx context.Context, hashes []string, f store.IndexFilter) ([]store.IndexHit, error) {
	hits := []store.IndexHit{}
	chosen, err := chosenDocuments(f)
	if err != nil || len(hashes) == 0 {
		return hits, err
	}
	chosen.add("x.hash = ANY($)", cleaned(hashes))
	err = s.read(ctx, func(tx pgx.Tx) error {
		if err := hurry(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT `+documentColumns+` FROM tapedeck.document_text x JOIN tapedeck.document d ON d.text = x.num
			JOIN tapedeck.session s ON s.num = d.session`+chosen.sql(), append([]any{pgx.QueryExecModeCacheDescribe}, chosen.args...)...)
		if err != nil {
			return err
		}
		hits, err = pgx.AppendRows(hits, rows, func(row pgx.CollectableRow) (store.IndexHit, error) {
			var hit store.IndexHit
			err := row.Scan(hitFields(&hit)...)
			return hit, err
		})
		return err
	})
	return hits, err
}

// DropGenerations implements store.Documents.
func (s *Store) DropGenerations(ctx context.Context) error {
	return s.write(ctx, func(tx pgx.Tx) error { return s.drop(ctx, tx, "true") })
}
