package duckdb

import (
	"errors"
	"fmt"
	"strings"

	c "github.com/duckdb/duckdb-go-bindings"
)

// ErrEngine: DuckDB refused or failed; see Error.
var ErrEngine = errors.New("duckdb")

// Error is a failure in DuckDB's own words. It wraps ErrEngine.
type Error struct{ Text string }

func (e *Error) Error() string { return ErrEngine.Error() + ": " + e.Text }

// Unwrap gives ErrEngine.
func (e *Error) Unwrap() error { return ErrEngine }

// OutOfMemory reports whether the memory limit was in the way. A commit that
// could not have a block says it in words of its own.
func (e *Error) OutOfMemory() bool {
	return strings.HasPrefix(e.Text, "Out of Memory Error") || strings.Contains(e.Text, "failed to pin block")
}

// DB is an open database.
type DB struct {
	handle c.Database
	open   bool
}

// Open opens the database at path, or one in memory when path is empty, with
// settings by DuckDB's names.
func Open(path string, settings map[string]string) (*DB, error) {
	var config c.Config
	if c.CreateConfig(&config) == c.StateError {
		return nil, engineError("no configuration could be made")
	}
	defer c.DestroyConfig(&config)
	for name, value := range settings {
		if c.SetConfig(config, name, value) == c.StateError {
			return nil, engineError(fmt.Sprintf("setting %s=%q is not known", name, value))
		}
	}
	db := &DB{}
	var reason string
	if c.OpenExt(path, &db.handle, config, &reason) == c.StateError {
		return nil, engineError(reason)
	}
	db.open = true
	return db, nil
}

// Close closes the database. Connections must be closed before.
func (db *DB) Close() {
	if db.open {
		c.Close(&db.handle)
		db.open = false
	}
}

// Conn is a connection to a database.
type Conn struct {
	handle c.Connection
	open   bool
}

// Connect opens a connection.
func (db *DB) Connect() (*Conn, error) {
	conn := &Conn{}
	if c.Connect(db.handle, &conn.handle) == c.StateError {
		return nil, engineError("no connection could be opened")
	}
	conn.open = true
	return conn, nil
}

// Close closes the connection and rolls back what it left open.
func (conn *Conn) Close() {
	if conn.open {
		c.Disconnect(&conn.handle)
		conn.open = false
	}
}

// Interrupt stops what the connection is executing. Any goroutine may call it.
func (conn *Conn) Interrupt() { c.Interrupt(conn.handle) }

// Exec executes all statements of sql, which must be our own text: nothing
// here guards against what it does.
func (conn *Conn) Exec(sql string) error {
	var result c.Result
	defer c.DestroyResult(&result)
	if c.Query(conn.handle, sql, &result) == c.StateError {
		return engineError(c.ResultError(&result))
	}
	return nil
}

func engineError(reason string) error { return &Error{Text: reason} }

// QuoteText returns s as an SQL text literal.
func QuoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
