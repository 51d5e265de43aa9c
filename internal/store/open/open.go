// Package open opens the store that the configuration asks for: PostgreSQL when it
// names a database, else SQLite in the data folder. It knows the implementations
// so that nobody else needs to.
package open

import (
	"context"
	"log/slog"
	"path/filepath"

	"tapedeck/internal/store"
	"tapedeck/internal/store/postgres"
	"tapedeck/internal/store/sqlite"
)

// File is the name of the SQLite store in its folder.
const File = "sessions.db"

// Options say which store to open.
type Options struct {
	Postgres string       // a DSN: a URL or key=value pairs; "": SQLite
	Dir      string       // where SQLite's file is; made if it is not there
	Log      *slog.Logger // nil: the default one
}

// Open opens the store, makes it if there is none, and migrates it.
func Open(ctx context.Context, o Options) (store.Store, error) {
	if o.Postgres != "" {
		s, err := postgres.Open(ctx, o.Postgres, o.Log)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	s, err := sqlite.Open(ctx, filepath.Join(o.Dir, File), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	return s, nil
}
