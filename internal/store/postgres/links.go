package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Links implements store.Reader.
func (s *Store) Links(ctx context.Context, sessionID, traceID string) ([]session.Link, error) {
	links := []session.Link{}
	err := s.read(ctx, func(tx pgx.Tx) error {
		condition, id := "from_trace_id = $1 OR to_trace_id = $1", session.Clean(traceID)
		if traceID == "" {
			var err error
			if id, err = resolve(ctx, tx, sessionID); err != nil {
				return err
			}
			condition = "from_session_id = $1 OR to_session_id = $1"
		}
		rows, err := tx.Query(ctx, "SELECT DISTINCT "+linkColumns+" FROM tapedeck.link WHERE "+condition+" ORDER BY "+linkColumns, id)
		if err != nil {
			return err
		}
		links, err = pgx.AppendRows(links, rows, func(row pgx.CollectableRow) (session.Link, error) {
			var l session.Link
			err := row.Scan(linkFields(&l)...)
			return l, err
		})
		return err
	})
	return links, err
}

// Rollup implements store.Reader.
func (s *Store) Rollup(ctx context.Context, sessionID string) (store.Rollup, error) {
	var sum store.Rollup
	err := s.read(ctx, func(tx pgx.Tx) error {
		id, err := resolve(ctx, tx, sessionID)
		if err != nil {
			return err
		}
		row := tx.QueryRow(ctx, `WITH RECURSIVE below (id) AS (
				SELECT id FROM tapedeck.session WHERE parent_id = $1 AND parent_relation = 'subagent'
				UNION
				SELECT child.id FROM tapedeck.session child JOIN below ON child.parent_id = below.id
				WHERE child.parent_relation = 'subagent'
			)
			SELECT count(*), `+sums(usageColumns)+", "+sums(countColumns)+`
			FROM tapedeck.session WHERE id IN (SELECT id FROM below) AND id <> $1`, id)
		return row.Scan(append(append([]any{&sum.Sessions}, usageFields(&sum.Usage)...), countFields(&sum.Counts)...)...)
	})
	return sum, err
}
