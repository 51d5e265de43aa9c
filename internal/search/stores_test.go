package search

import (
	"log/slog"
	"path/filepath"
	"testing"

	"tapedeck/internal/store/postgres"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/store/storetest"
)

// storeKinds are the stores that a service works on. Each makes an empty one, and
// returns how it is opened: each time as another process would.
var storeKinds = []struct {
	name string
	make func(testing.TB) (open func() (storetest.IndexedStore, error))
}{
	{"sqlite", func(tb testing.TB) func() (storetest.IndexedStore, error) {
		path := filepath.Join(tb.TempDir(), "s.db")
		return func() (storetest.IndexedStore, error) { return sqlite.Open(tb.Context(), path, sqlite.Options{}) }
	}},
	{"postgres", func(tb testing.TB) func() (storetest.IndexedStore, error) {
		dsn := postgrestest.NewDatabase(tb)
		return func() (storetest.IndexedStore, error) {
			return postgres.Open(tb.Context(), dsn, slog.New(slog.DiscardHandler))
		}
	}},
}
