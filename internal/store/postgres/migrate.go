package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// files holds the migrations: one a file, run in the order of their names.
//
//go:embed migrations/*.sql migrations/distant/*.sql
var files embed.FS

// A schema is a schema of a database, and the migrations that make its tables.
type schema struct {
	name       string // needs no quotes
	migrations string // pattern of their files
}

// storeSchema is the one of a Store.
var storeSchema = schema{name: "tapedeck", migrations: "migrations/*.sql"}

// texts are those of the migrations, in order.
func (s schema) texts() ([]string, error) {
	names, err := fs.Glob(files, s.migrations)
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
func (d *database) migrate(ctx context.Context, s schema) error {
	texts, err := s.texts()
	if err != nil {
		return err
	}
	if done, err := s.version(ctx, d.pool); err != nil || done == len(texts) {
		return err
	}
	return d.write(ctx, func(tx pgx.Tx) error {
		done, err := s.version(ctx, tx)
		if err != nil {
			return err
		}
		if done == len(texts) { // somebody else was faster
			return nil
		}
		if done > len(texts) {
			return fmt.Errorf("%w: its schema has version %d, this one knows %d; update tapedeck", store.ErrNewer, done, len(texts))
		}
		level := slog.LevelInfo
		if done == 0 {
			level = slog.LevelDebug // a new database is nothing to tell of
			if err := s.begin(ctx, tx); err != nil {
				return err
			}
		}
		if err := s.run(ctx, tx, texts, done); err != nil {
			return err
		}
		d.log.Log(ctx, level, "the database was migrated", "schema", s.name, "from", done, "to", len(texts))
		return nil
	})
}

// run runs the migrations after those that are done. What they name without a
// schema is in this one.
func (s schema) run(ctx context.Context, tx pgx.Tx, texts []string, done int) error {
	if _, err := tx.Exec(ctx, "SET LOCAL search_path TO "+s.name+", public"); err != nil {
		return err
	}
	for i := done; i < len(texts); i++ {
		if _, err := tx.Exec(ctx, texts[i]); err != nil {
			return fmt.Errorf("migration %d: %w", i+1, err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO "+s.name+".migration (version) VALUES ($1)", i+1); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the schema, unless its owner did (CREATE SCHEMA IF NOT EXISTS asks
// for a right on the database even where there is nothing to make), and the
// table of what was run.
func (s schema) begin(ctx context.Context, tx pgx.Tx) error {
	var missing bool
	if err := tx.QueryRow(ctx, "SELECT to_regnamespace($1) IS NULL", s.name).Scan(&missing); err != nil {
		return err
	}
	if missing {
		if _, err := tx.Exec(ctx, "CREATE SCHEMA "+s.name); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS "+s.name+`.migration (
		version int PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`)
	return err
}

// querier is what a pool and a transaction have in common.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version is the number of migrations that were run. It reads the catalog's tables:
// to_regclass may not know yet what was made while this waited for the lock.
func (s schema) version(ctx context.Context, q querier) (int, error) {
	var there bool
	if err := q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'migration')", s.name).Scan(&there); err != nil || !there {
		return 0, err
	}
	var version int
	err := q.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM "+s.name+".migration").Scan(&version)
	return version, err
}
