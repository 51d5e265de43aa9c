package sqlite

import (
	"cmp"
	"context"

	"tapedeck/internal/store"
)

const selectLabel = `SELECT t.prompt, r.name, r.title, s.harness, r.project
	FROM trace t CROSS JOIN session s ON s.id = t.session CROSS JOIN session_rest r ON r.session = s.id WHERE t.ident = ?`

// Labels are what is shown of traces.
func (s *Store) Labels(ctx context.Context, traceIDs []string) (map[string]store.Label, error) {
	labels := make(map[string]store.Label, len(traceIDs))
	err := s.read(ctx, func(c *conn) error {
		for _, id := range traceIDs {
			if _, done := labels[id]; done || id == "" {
				continue
			}
			_, err := c.one(selectLabel, []any{packIdent(id)}, func(r *row) {
				labels[id] = store.Label{UserPrompt: r.text(), Title: cmp.Or(r.text(), r.text()), Harness: r.text(), Project: r.text()}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return labels, err
}
