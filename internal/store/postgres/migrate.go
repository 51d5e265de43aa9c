package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// files holds the migrations: one a file, run in the order of their names.
//
//go:embed migrations/*.sql
var files embed.FS

// migrations are the texts of the migrations, in order.
func migrations() ([]string, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	texts := make([]string, len(names))
	for i, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return texts, nil
}

// migrate runs the migrations that the database has not seen: all of them or
// none, and one program at a time.
func (s *Store) migrate(ctx context.Context) error {
	texts, err := migrations()
	if err != nil {
		return err
	}
	if done, err := schemaVersion(ctx, s.pool); err != nil || done == len(texts) {
		return err
	}
	return s.write(ctx, func(tx pgx.Tx) error {
		done, err := schemaVersion(ctx, tx)
		if err != nil {
			return err
		}
		if done > len(texts) {
			return fmt.Errorf("%w: its schema has version %d, this one knows %d; update tapedeck", store.ErrNewer, done, len(texts))
		}
		if done == 0 {
			if err := begin(ctx, tx); err != nil {
				return err
			}
		}
		for i := done; i < len(texts); i++ {
			if _, err := tx.Exec(ctx, texts[i]); err != nil {
				return fmt.Errorf("migration %d: %w", i+1, err)
			}
			if _, err := tx.Exec(ctx, "INSERT INTO tapedeck.migration (version) VALUES ($1)", i+1); err != nil {
				return err
			}
		}
		s.log.InfoContext(ctx, "the database was migrated", "from", done, "to", len(texts))
		return nil
	})
}

// begin makes the schema, unless its owner did (CREATE SCHEMA IF NOT EXISTS asks
// for a right on the database even where there is nothing to make), and the
// table of what was run.
func begin(ctx context.Context, tx pgx.Tx) error {
	var missing bool
	if err := tx.QueryRow(ctx, "SELECT to_regnamespace('tapedeck') IS NULL").Scan(&missing); err != nil {
		return err
	}
	if missing {
		if _, err := tx.Exec(ctx, "CREATE SCHEMA tapedeck"); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS tapedeck.migration (
		version int PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`)
	return err
}

// querier is what a pool and a transaction have in common.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// schemaVersion is the number of migrations that were run.
func schemaVersion(ctx context.Context, q querier) (int, error) {
	var there bool
	if err := q.QueryRow(ctx, "SELECT to_regclass('tapedeck.migration') IS NOT NULL").Scan(&there); err != nil || !there {
		return 0, err
	}
	var version int
	err := q.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM tapedeck.migration").Scan(&version)
	return version, err
}
