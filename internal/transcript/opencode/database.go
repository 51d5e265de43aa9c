package opencode

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"tapedeck/internal/transcript"
)

// tables are read in this order, so that a session is told of before its records.
var tables = []string{tableSession, tableMessage, tablePart}

// A mark is how far a table was read.
type mark struct {
	Updated int64 `json:"updated"` // the latest time_updated
	Rows    int64 `json:"rows"`
}

// readDatabase reads the rows that were updated since the last time.
func (i importer) readDatabase(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	name := filepath.Base(f.Path)
	known := map[string]mark{}
	if json.Unmarshal(from.State, &known) != nil || known == nil {
		known = map[string]mark{}
	}
	db, err := open(ctx, f.Path)
	if err != nil {
		return from, fmt.Errorf("opening %s: %w", name, err)
	}
	defer db.Close()
	marks := map[string]mark{}
	for _, table := range tables {
		r := tableReader{importer: i, db: db, table: table, to: to}
		if marks[table], err = r.read(ctx, known[table]); err != nil {
			return from, fmt.Errorf("reading table %s of %s: %w", table, name, err)
		}
	}
	state, err := json.Marshal(marks)
	return transcript.Cursor{State: state}, err
}

// open opens a database that another program may be writing to, on one
// connection. Where its log can't be joined, as in a folder that may not be
// written to, the database is read without what stands in the log alone.
func open(ctx context.Context, path string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	location := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute)}
	var failed error
	for _, mode := range []string{"mode=ro", "mode=ro&immutable=1"} {
		location.RawQuery = mode + "&_pragma=busy_timeout(5000)&_pragma=query_only(1)"
		db, err := sql.Open("sqlite", location.String())
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(1)
		var tables int
		if err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err == nil {
			return db, nil
		}
		db.Close()
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// A tableReader reads one table.
type tableReader struct {
	importer importer
	db       *sql.DB
	table    string // one of tables
	to       transcript.Sink
}

// read gives the rows that changed since the mark and returns the new one. It is
// taken before the rows are read: what is written meanwhile is read again.
func (r tableReader) read(ctx context.Context, known mark) (mark, error) {
	there, err := r.exists(ctx)
	if err != nil || !there {
		return mark{}, err
	}
	var now mark
	err = r.db.QueryRowContext(ctx, "SELECT coalesce(max(time_updated), 0), count(*) FROM "+r.table).Scan(&now.Updated, &now.Rows)
	if err != nil || now == known {
		return now, err
	}
	since, err := r.since(ctx, known, now)
	if err != nil {
		return now, err
	}
	return now, r.rows(ctx, since)
}

// since is from where on rows are read: the mark; the beginning when this is
// another database, or rows with earlier times came in, as from a backup.
func (r tableReader) since(ctx context.Context, known, now mark) (int64, error) {
	if now.Updated < known.Updated {
		return 0, nil
	}
	var added int64
	query := "SELECT count(*) FROM " + r.table + " WHERE time_created > ?"
	if err := r.db.QueryRowContext(ctx, query, known.Updated).Scan(&added); err != nil {
		return 0, err
	}
	if now.Rows-known.Rows > added {
		return 0, nil
	}
	return known.Updated, nil
}

func (r tableReader) exists(ctx context.Context) (bool, error) {
	var n int
	err := r.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", r.table).Scan(&n)
	return n > 0, err
}

// rows gives the rows that were updated at or after a moment, one by one.
func (r tableReader) rows(ctx context.Context, since int64) error {
	rows, err := r.db.QueryContext(ctx, "SELECT * FROM "+r.table+" WHERE coalesce(time_updated, 0) >= ?", since)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	row := newRow(names)
	for rows.Next() {
		if err := rows.Scan(row.into...); err != nil {
			return err
		}
		if err := r.give(row); err != nil {
			return err
		}
	}
	return rows.Err()
}
