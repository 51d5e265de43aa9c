package postgres

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"tapedeck/internal/store"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/store/storetest"
)

// apart is a store whose vectors lie in another database. They follow before each
// use, where the program does so within a second.
type apart struct {
	storetest.IndexedStore
	vectors *Vectors
}

func (a apart) Generation(ctx context.Context, provider, model string, width int) (store.Generation, error) {
	return a.vectors.Generation(ctx, provider, model, width)
}

func (a apart) Generations(ctx context.Context) ([]store.Generation, error) {
	if err := a.vectors.Follow(ctx); err != nil {
		return nil, err
	}
	return a.vectors.Generations(ctx)
}

func (a apart) Activate(ctx context.Context, id int64) error { return a.vectors.Activate(ctx, id) }

func (a apart) Missing(ctx context.Context, id int64, skip []string, limit int) ([]store.HashedText, error) {
	return a.vectors.Missing(ctx, id, skip, limit)
}

func (a apart) PutVectors(ctx context.Context, id int64, vectors []store.HashVectors) error {
	if err := a.vectors.Follow(ctx); err != nil {
		return err
	}
	return a.vectors.PutVectors(ctx, id, vectors)
}

func (a apart) SearchVectors(ctx context.Context, id int64, vector []float32, f store.IndexFilter, limit int) ([]store.IndexHit, error) {
	if err := a.vectors.Follow(ctx); err != nil {
		return nil, err
	}
	return a.vectors.SearchVectors(ctx, id, vector, f, limit)
}

// Delete does what the program does when a session is deleted.
func (a apart) Delete(ctx context.Context, sessionID string) ([]string, error) {
	gone, err := a.IndexedStore.Delete(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	return gone, a.vectors.Forget(ctx, gone)
}

// separate gives a store vectors in the database of a DSN.
func separate(t testing.TB, documents storetest.IndexedStore, dsn string) apart {
	return apart{documents, openVectors(t, dsn, documents)}
}

// openVectors opens vectors for the time of a test.
func openVectors(t testing.TB, dsn string, documents store.Documents) *Vectors {
	t.Helper()
	v, err := OpenVectors(context.Background(), dsn, documents, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// openSQLite opens a store in a file for the time of a test.
func openSQLite(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Vectors in another database are found as those beside the documents, whichever
// store these are in.
func TestVectorsApart(t *testing.T) {
	t.Run("of sqlite", func(t *testing.T) {
		storetest.RunVectors(t, func(t *testing.T) (first, second storetest.IndexedStore) {
			path, dsn := filepath.Join(t.TempDir(), "s.db"), postgrestest.NewDatabase(t)
			return separate(t, openSQLite(t, path), dsn), separate(t, openSQLite(t, path), dsn)
		})
	})
	t.Run("of postgres", func(t *testing.T) {
		storetest.RunVectors(t, func(t *testing.T) (first, second storetest.IndexedStore) {
			dsn, vectors := postgrestest.NewDatabase(t), postgrestest.NewDatabase(t)
			return separate(t, reopen(t, dsn), vectors), separate(t, reopen(t, dsn), vectors)
		})
	})
}
