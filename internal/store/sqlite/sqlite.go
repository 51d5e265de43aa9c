// Package sqlite is the embedded store: one SQLite file that several processes
// may use at once.
//
// # How
//
// The file is in WAL mode: readers see a moment's state and wait for nobody,
// writers wait for each other. Each process has one connection that writes, and
// some that read. Deleted content is overwritten (secure_delete), also in the log.
//
// # What it promises
//
// What package store promises; a transaction that was committed survives the
// process being killed. The folder is made for its owner alone, and so is the
// file. A file of another program, or of a newer tapedeck, is left as it is.
package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tapedeck/internal/store"
)

// Store is an open file. It is safe for concurrent use.
type Store struct {
	path    string
	dsn     string
	writer  chan *conn // holds the connection that writes while nobody uses it
	readers chan *conn // those that nobody uses

	catalog  catalog
	frequent frequent
}

var _ store.Store = (*Store)(nil)

// idleReaders is how many connections for reading are kept while unused.
const idleReaders = 4

// Options say how a store is opened; there is nothing to choose so far.
type Options struct{}

// Open opens the store in a file, and makes it when there is none. It brings an
// older store's tables up to date.
func Open(ctx context.Context, path string, _ Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if err := makeFile(path); err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	s := &Store{path: path, dsn: dsn(path), writer: make(chan *conn, 1), readers: make(chan *conn, idleReaders)}
	c, err := openConn(ctx, s.dsn, []string{patience})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if err := prepare(ctx, c); err != nil {
		c.Close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	s.writer <- c
	return s, nil
}

// prepare makes the file one to write into, if it is ours or empty.
func prepare(ctx context.Context, c *conn) error {
	if _, err := migrated(c); err != nil {
		return err
	}
	if err := c.set(writerPragmas); err != nil {
		return err
	}
	return migrate(ctx, c)
}

// makeFile makes the file and its folder, for its owner alone.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// Close closes the file. No method may be in use or be called afterwards.
func (s *Store) Close() error {
	var err error
	for {
		select {
		case c := <-s.readers:
			c.Close()
			continue
		case c := <-s.writer:
			err = c.Close()
			continue
		default:
		}
		return err
	}
}

// Info describes the store.
func (s *Store) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{Kind: "sqlite", Location: s.path}
	err := s.read(ctx, func(c *conn) error {
		_, err := c.one(`SELECT sqlite_version(), (SELECT user_version FROM pragma_user_version),
			(SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size),
			(SELECT count(*) FROM stream WHERE deleted_by IS NULL), (SELECT count(*) FROM record), (SELECT count(*) FROM session),
			(SELECT count(*) FROM stream WHERE derived <> version AND records > 0), (SELECT count(*) FROM stream WHERE deleted_by IS NOT NULL)`,
			nil, func(r *row) {
				info.Server, info.Schema, info.Bytes = r.text(), int(r.int()), r.int()
				info.Streams, info.Records, info.Sessions = r.int(), r.int(), r.int()
				info.Pending, info.Deleted = r.int(), r.int()
			})
		return err
	})
	return info, err
}
