package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"tapedeck/internal/store"
	"tapedeck/internal/store/storetest"
)

// openStore opens the store in a file.
func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (first, second store.Store) {
		path := filepath.Join(t.TempDir(), "tapedeck", "sessions.db")
		return breakable{openStore(t, path)}, openStore(t, path)
	})
}

// breakable can damage itself.
type breakable struct{ *Store }

func (b breakable) Damage(ctx context.Context, d storetest.Damage) error {
	statement, ok := map[storetest.Damage]string{
		storetest.DamageBody:   "UPDATE piece SET data = CAST(x'00' || data AS BLOB) WHERE id = (SELECT max(piece) FROM record)",
		storetest.DamagePiece:  "DELETE FROM piece WHERE id = (SELECT max(id) FROM piece)",
		storetest.DamageSum:    "UPDATE session SET tokens = tokens + 1",
		storetest.DamageTraces: "DELETE FROM trace WHERE seq = 1",
	}[d]
	if !ok {
		return fmt.Errorf("no way to make %q", d)
	}
	return b.write(ctx, func(c *conn) error { return c.script(statement) })
}
