package open

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/store"
)

func TestSQLiteByDefault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there yet")
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if info, err := s.Info(t.Context()); err != nil || info.Kind != "sqlite" {
		t.Errorf("the store is %+v, %v; want SQLite", info, err)
	}
	if _, err := os.Stat(filepath.Join(dir, File)); err != nil {
		t.Error(err)
	}
}

func TestPostgresWhenNamed(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), Options{Postgres: "postgres://ada:correct-horse@127.0.0.1:1/x", Dir: dir})
	if s != nil || !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "correct-horse") {
		t.Errorf("Open = %v, %v; want an ErrUnavailable without the password", s, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("%v was made all the same", entries)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range []Options{{Dir: t.TempDir()}, {Postgres: "postgres://127.0.0.1:1/x"}} {
		if s, err := Open(ctx, o); err == nil || s != nil {
			t.Errorf("Open(%+v) = %v, %v; want an error", o, s, err)
		}
	}
}
