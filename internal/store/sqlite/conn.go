package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	driverpkg "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tapedeck/internal/store"
)

// patience is how long a statement waits for another process' transaction, in
// milliseconds.
const patience = "busy_timeout = 60000"

// Pragmas of connections. The driver takes about three times the memory that its
// cache of 4 MiB says, each connection for itself, and one of 8 MiB makes nothing
// faster: the system caches the file as well. A page of 8 KiB holds some of the
// pieces that bodies are cut into. NORMAL syncs when the log is copied into the
// file: a killed process loses nothing, a power cut at most the last transactions.
var (
	commonPragmas = []string{
		patience, "page_size = 8192", "journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON",
		"temp_store = MEMORY",
	}
	writerPragmas = append([]string{
		"cache_size = -4096", "secure_delete = ON", "wal_autocheckpoint = 2000", "journal_size_limit = 67108864",
	}, commonPragmas...)
	readerPragmas = append([]string{"cache_size = -4096", "query_only = ON"}, commonPragmas...)
)

const (
	openingPatience = 10 * time.Second
	// maxPrepared bounds how many statements a connection keeps: filters make many.
	maxPrepared = 250
)

// dsn names the file, whatever characters its path has.
func dsn(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// conn is a connection. It is the driver's, without database/sql between: imports
// are bound by the number of statements, and rows go into structs by position.
// It serves one goroutine at a time.
type conn struct {
	driver.Conn
	ctx  context.Context // of what is being done
	idle map[string][]driver.Stmt
}

func openConn(ctx context.Context, dsn string, pragmas []string) (*conn, error) {
	raw, err := (&driverpkg.Driver{}).Open(dsn)
	if err != nil {
		return nil, translate(ctx, err)
	}
	c := &conn{Conn: raw, ctx: ctx, idle: map[string][]driver.Stmt{}}
	if err := c.set(pragmas); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *conn) set(pragmas []string) error {
	for _, pragma := range pragmas {
		if err := c.patiently("PRAGMA " + pragma); err != nil {
			return err
		}
	}
	return nil
}

// patiently runs a script that is refused, without waiting, while another process
// opens the file for the first time.
func (c *conn) patiently(text string) error {
	for deadline := time.Now().Add(openingPatience); ; time.Sleep(10 * time.Millisecond) {
		err := c.script(text)
		var failure *driverpkg.Error
		if !errors.As(err, &failure) || failure.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
	}
}

// Close closes the connection.
func (c *conn) Close() error {
	for _, stmts := range c.idle {
		for _, stmt := range stmts {
			stmt.Close()
		}
	}
	return c.Conn.Close()
}

// prepared is a statement that nobody uses; release gives it back.
func (c *conn) prepared(query string) (driver.Stmt, error) {
	if n := len(c.idle[query]); n > 0 {
		stmt := c.idle[query][n-1]
		c.idle[query] = c.idle[query][:n-1]
		return stmt, nil
	}
	stmt, err := c.Conn.Prepare(query)
	if err != nil {
		return nil, translate(c.ctx, fmt.Errorf("preparing %.60q: %w", query, err))
	}
	return stmt, nil
}

func (c *conn) release(query string, stmt driver.Stmt) {
	if len(c.idle) >= maxPrepared && c.idle[query] == nil {
		stmt.Close()
		return
	}
	c.idle[query] = append(c.idle[query], stmt)
}

// script runs statements that are not run again.
func (c *conn) script(text string) error {
	_, err := c.Conn.(driver.ExecerContext).ExecContext(c.ctx, text, nil)
	return translate(c.ctx, err)
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(query string, args ...any) (int64, error) {
	stmt, err := c.prepared(query)
	if err != nil {
		return 0, err
	}
	defer c.release(query, stmt)
	result, err := stmt.(driver.StmtExecContext).ExecContext(c.ctx, bound(args))
	if err != nil {
		return 0, translate(c.ctx, err)
	}
	return result.RowsAffected()
}

// each calls take with each row.
func (c *conn) each(query string, args []any, take func(*row) error) (err error) {
	stmt, err := c.prepared(query)
	if err != nil {
		return err
	}
	defer c.release(query, stmt)
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(c.ctx, bound(args))
	if err != nil {
		return translate(c.ctx, err)
	}
	defer func() {
		if closing := rows.Close(); err == nil {
			err = translate(c.ctx, closing)
		}
	}()
	r := row{values: make([]driver.Value, len(rows.Columns()))}
	for {
		if err := rows.Next(r.values); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return translate(c.ctx, err)
		}
		r.next = 0
		if err := take(&r); err != nil {
			return err
		}
	}
}

// one calls take with the first row, if there is one.
func (c *conn) one(query string, args []any, take func(*row)) (found bool, err error) {
	err = c.each(query, args, func(r *row) error {
		found = true
		take(r)
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

// number is the first column of the first row; 0 if there is none.
func (c *conn) number(query string, args ...any) (n int64, err error) {
	_, err = c.one(query, args, func(r *row) { n = r.int() })
	return n, err
}

// errEnough ends each.
var errEnough = errors.New("enough")

// bound are arguments as the driver takes them.
func bound(args []any) []driver.NamedValue {
	values := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case int:
			arg = int64(v)
		case bool:
			arg = int64(0)
			if v {
				arg = int64(1)
			}
		}
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return values
}

// row gives a row's columns one after the other.
type row struct {
	values []driver.Value
	next   int
}

func (r *row) value() driver.Value {
	r.next++
	return r.values[r.next-1]
}

func (r *row) int() int64 {
	n, _ := r.value().(int64)
	return n
}

func (r *row) bool() bool { return r.int() != 0 }

func (r *row) text() string {
	text, _ := r.value().(string)
	return text
}

// null reports whether the next column is NULL, and passes it if so.
func (r *row) null() bool {
	if r.values[r.next] != nil {
		return false
	}
	r.next++
	return true
}

func (r *row) blob() []byte {
	blob, _ := r.value().([]byte)
	return blob
}

// orNull is the text, or NULL where it is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// translate makes the driver's error one of package store's where callers can do
// something about it.
func translate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failure *driverpkg.Error
	if errors.As(err, &failure) {
		switch failure.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return fmt.Errorf("%w: %w", store.ErrDamaged, err)
		case sqlite3.SQLITE_FULL:
			return fmt.Errorf("%w: %w", store.ErrFull, err)
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
			sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
	}
	return err
}
