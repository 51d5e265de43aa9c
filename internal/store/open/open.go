// Package open opens the store that the configuration asks for: PostgreSQL when it
// names a database, else SQLite in the data folder; and the vectors, where they lie
// apart. It knows the implementations so that nobody else needs to.
package open

import (
	"context"
	"fmt"
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
	Vectors  string       // a DSN, where vectors lie apart; "" or Postgres: in the store
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

// Vectors opens the vectors of a store if they lie apart from it; nil: they do not.
// The database need not answer yet.
func Vectors(ctx context.Context, stored store.Store, o Options) (store.DistantVectors, error) {
	if o.Vectors == "" || o.Vectors == o.Postgres {
		return nil, nil
	}
	documents, ok := stored.(store.Documents)
	if !ok {
		return nil, fmt.Errorf("a store of kind %T can't have its vectors elsewhere", stored)
	}
	v, err := postgres.OpenVectors(ctx, o.Vectors, documents, o.Log)
	if err != nil {
		return nil, err
	}
	return v, nil
}
