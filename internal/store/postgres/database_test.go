package postgres

import (
	"context"
	"log/slog"
	"testing"

	"tapedeck/internal/store/postgres/postgrestest"
)

// openStore opens a store in a database of its own.
func openStore(t testing.TB) *Store { return reopen(t, postgrestest.NewDatabase(t)) }

// reopen opens a store for the time of a test.
func reopen(t testing.TB, dsn string) *Store {
	t.Helper()
	s, err := Open(context.Background(), dsn, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
