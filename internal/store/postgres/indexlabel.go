package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// Labels implements store.Index.
func (s *Store) Labels(ctx context.Context, traceIDs []string) (map[string]store.Label, error) {
	labels := make(map[string]store.Label, len(traceIDs))
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT t.id, t.user_prompt, coalesce(nullif(s.display_name, ''), s.title), s.harness, s.project
			FROM tapedeck.trace t JOIN tapedeck.session s ON s.num = t.session WHERE t.id = ANY($1)`, cleaned(traceIDs))
		if err != nil {
			return err
		}
		var id string
		var label store.Label
		_, err = pgx.ForEachRow(rows, []any{&id, &label.UserPrompt, &label.Title, &label.Harness, &label.Project}, func() error {
			labels[id] = label
			return nil
		})
		return err
	})
	return labels, err
}
