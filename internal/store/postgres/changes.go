package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
)

// A change is what a transaction does to a stream's derivation.
type change struct {
	restart bool           // from its start
	fresh   *session.Place // the first record that came or changed, nil: none that has a place
}

// changes are those of all streams, by their numbers.
type changes struct{ of map[int64]*change }

func newChanges() *changes { return &changes{of: map[int64]*change{}} }

// bump has a stream derived again.
func (c *changes) bump(stream int64) *change {
	ch := c.of[stream]
	if ch == nil {
		ch = &change{}
		c.of[stream] = ch
	}
	return ch
}

// restart has a stream derived again from its start.
func (c *changes) restart(stream int64) { c.bump(stream).restart = true }

// touch has a stream derived again from a place, if it is one.
func (c *changes) touch(stream int64, at session.Place) {
	ch := c.bump(stream)
	if at.Order != 0 && (ch.fresh == nil || at.Before(*ch.fresh)) {
		ch.fresh = &at
	}
}

// apply gives the streams a new version, one for all.
func (c *changes) apply(ctx context.Context, tx pgx.Tx) error {
	if len(c.of) == 0 {
		return nil
	}
	var version int64
	if err := tx.QueryRow(ctx, "SELECT nextval('tapedeck.change')").Scan(&version); err != nil {
		return err
	}
	var batch pgx.Batch
	for stream, ch := range c.of {
		batch.Queue("UPDATE tapedeck.stream SET version = $2 WHERE id = $1", stream, version)
		switch {
		case ch.restart:
			batch.Queue("UPDATE tapedeck.stream SET fresh_order = 0, fresh_pos = 0, fresh_key = '' WHERE id = $1", stream)
		case ch.fresh != nil: // the zero place stays: everything is read anyway
			batch.Queue(`UPDATE tapedeck.stream SET fresh_order = $2, fresh_pos = $3, fresh_key = $4
				WHERE id = $1 AND (fresh_order, fresh_pos, fresh_key) > ($2, $3, $4) AND (fresh_order, fresh_pos, fresh_key) <> (0, 0, '')`,
				stream, ch.fresh.Order, ch.fresh.Pos, []byte(ch.fresh.Key))
		}
	}
	return tx.SendBatch(ctx, &batch).Close()
}
