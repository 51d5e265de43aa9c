package postgres

import (
	"context"
	"log/slog"

	"tapedeck/internal/store"
)

// A Store is a store in a PostgreSQL database.
type Store struct {
	*database
	vectorTables
	server string // its version and that of pgvector
}

var _ store.Store = (*Store)(nil)

// Open connects to the database that a DSN names (a URL or key=value pairs; what
// it leaves out comes from the PG* variables, as with psql), and brings the
// schema up to date. A nil log is the default one.
func Open(ctx context.Context, dsn string, log *slog.Logger) (*Store, error) {
	d, err := newDatabase(ctx, dsn, log)
	if err != nil {
		return nil, err
	}
	s := &Store{database: d, vectorTables: vectorTables{db: d, schema: storeSchema.name}}
	if err := s.prepare(ctx); err != nil {
		d.Close()
		return nil, unavailable(d.config, err)
	}
	return s, nil
}

// prepare checks that the server is fit, and migrates.
func (s *Store) prepare(ctx context.Context) error {
	var err error
	if s.server, err = s.checkServer(ctx); err != nil {
		return err
	}
	return s.migrate(ctx, storeSchema)
}
