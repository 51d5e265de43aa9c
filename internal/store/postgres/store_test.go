package postgres

import (
	"context"
	"fmt"
	"testing"

	"tapedeck/internal/store"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (first, second store.Store) {
		dsn := postgrestest.NewDatabase(t)
		return fragile{reopen(t, dsn)}, fragile{reopen(t, dsn)}
	})
}

// fragile is a store that can be broken.
type fragile struct{ *Store }

// Damage implements storetest.Damager.
func (f fragile) Damage(ctx context.Context, d storetest.Damage) error {
	statement := map[storetest.Damage]string{
		storetest.DamageBody: `UPDATE tapedeck.piece SET stored = set_byte(stored, length(stored) - 1, get_byte(stored, length(stored) - 1) # 1)
			WHERE id = (SELECT body FROM tapedeck.record WHERE size = 4096)`,
		storetest.DamagePiece:  "DELETE FROM tapedeck.piece WHERE id = (SELECT min(body::text)::uuid FROM tapedeck.record)",
		storetest.DamageSum:    "UPDATE tapedeck.session SET input_tokens = input_tokens + 1, tokens = tokens + 1",
		storetest.DamageTraces: "DELETE FROM tapedeck.trace WHERE seq = 0",
	}[d]
	tag, err := f.pool.Exec(ctx, statement)
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("nothing was damaged by %q", statement)
	}
	return err
}
