package duckdb

import (
	"context"
	"errors"
	"time"

	c "github.com/duckdb/duckdb-go-bindings"
)

// Statements are the parsed statements of a text, none of them executed.
type Statements struct {
	conn   *Conn
	handle c.ExtractedStatements
	count  int
	open   bool
}

// Parse parses sql, which must hold no NUL, without executing or binding any of it.
func (conn *Conn) Parse(sql string) (*Statements, error) {
	s := &Statements{conn: conn, open: true}
	s.count = int(c.ExtractStatements(conn.handle, sql, &s.handle))
	if s.count == 0 {
		if reason := c.ExtractStatementsError(s.handle); reason != "" {
			s.Close()
			return nil, engineError(reason)
		}
	}
	return s, nil
}

// Count says how many statements there are: 0 for a text of blanks and comments.
// Some statements, such as a PIVOT without an IN list, count as several.
func (s *Statements) Count() int { return s.count }

// Prepare plans the i-th statement. Planning may open files that the statement
// names, so what comes from strangers must have passed a gate before.
func (s *Statements) Prepare(i int) (*Statement, error) {
	p := &Statement{conn: s.conn, open: true}
	if c.PrepareExtractedStatement(s.conn.handle, s.handle, c.IdxT(i), &p.handle) == c.StateError {
		defer p.Close()
		return nil, engineError(c.PrepareError(p.handle))
	}
	return p, nil
}

// Close releases the statements.
func (s *Statements) Close() {
	if s.open {
		c.DestroyExtracted(&s.handle)
		s.open = false
	}
}

// Kind is what a statement does, as far as callers need to tell.
type Kind int

// The kinds of statements.
const (
	Other Kind = iota
	Select
	Explain
	Create
	Copy
)

// Statement is a planned statement.
type Statement struct {
	conn   *Conn
	handle c.PreparedStatement
	open   bool
}

// Prepare plans sql, which must be one statement of our own making.
func (conn *Conn) Prepare(sql string) (*Statement, error) {
	all, err := conn.Parse(sql)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	if all.Count() != 1 {
		return nil, engineError("expected one statement")
	}
	return all.Prepare(0)
}

// Kind tells what the statement does. The side effects that a SELECT's functions have
// don't show in it.
func (s *Statement) Kind() Kind {
	switch c.PreparedStatementType(s.handle) {
	case c.StatementTypeSelect:
		return Select
	case c.StatementTypeExplain:
		return Explain
	case c.StatementTypeCreate:
		return Create
	case c.StatementTypeCopy:
		return Copy
	default:
		return Other
	}
}

// ColumnCount says how many columns the statement's result will have.
func (s *Statement) ColumnCount() int { return int(c.PreparedStatementColumnCount(s.handle)) }

// BindText sets the parameter number i, counted from 1.
func (s *Statement) BindText(i int, value string) error {
	if c.BindVarchar(s.handle, c.IdxT(i), value) == c.StateError {
		return engineError(c.PrepareError(s.handle))
	}
	return nil
}

// Close releases the statement.
func (s *Statement) Close() {
	if s.open {
		c.DestroyPrepare(&s.handle)
		s.open = false
	}
}

// Column is a column of a result.
type Column struct {
	Name string
	Type string // in DuckDB's spelling
}

// Rows reads a result while DuckDB makes it: what is not read is not computed,
// beyond a small buffer.
type Rows struct {
	ctx      context.Context
	result   c.Result
	columns  []Column
	readers  []*reader
	chunk    c.DataChunk
	rows     int // in chunk
	row      int // the current one in chunk
	cut      int
	err      error
	unwatch  func()
	finished bool
}

// Stream executes the statement until its first rows are there. When ctx ends,
// the statement is interrupted and the error wraps ctx's; some functions on huge
// values don't heed an interrupt, which only ending the process can bound.
func (s *Statement) Stream(ctx context.Context) (*Rows, error) {
	r := &Rows{ctx: ctx, unwatch: s.conn.InterruptWhenDone(ctx)}
	if err := r.execute(s); err != nil {
		r.Close()
		return nil, r.explain(err)
	}
	for i := range c.ColumnCount(&r.result) {
		if err := r.addColumn(i); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

func (r *Rows) execute(s *Statement) error {
	var pending c.PendingResult
	defer c.DestroyPending(&pending)
	if c.PendingPreparedStreaming(s.handle, &pending) == c.StateError {
		return engineError(c.PendingError(pending))
	}
	if c.ExecutePending(pending, &r.result) == c.StateError {
		return engineError(c.ResultError(&r.result))
	}
	return nil
}

func (r *Rows) addColumn(i c.IdxT) error {
	t := c.ColumnLogicalType(&r.result, i)
	defer c.DestroyLogicalType(&t)
	column := Column{Name: c.ColumnName(&r.result, i), Type: typeName(t)}
	reader, err := newReader(t)
	if err != nil {
		return &Error{Text: "column " + column.Name + ": " + err.Error()}
	}
	r.columns = append(r.columns, column)
	r.readers = append(r.readers, reader)
	return nil
}

// explain puts ctx's error before DuckDB's "Interrupted!".
func (r *Rows) explain(err error) error {
	if cause := r.ctx.Err(); cause != nil {
		return errors.Join(cause, err)
	}
	return err
}

// InterruptWhenDone interrupts conn once ctx ends, again and again because an
// interrupt that arrives between two steps of DuckDB is lost, until the function
// that it returns is called.
func (conn *Conn) InterruptWhenDone(ctx context.Context) func() {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-stop:
			return
		case <-ctx.Done():
		}
		for {
			conn.Interrupt()
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// Columns describes the result's columns.
func (r *Rows) Columns() []Column { return r.columns }

// Next goes to the next row and says whether there is one; see Err.
func (r *Rows) Next() bool {
	if r.finished || r.err != nil {
		return false
	}
	r.row++
	for r.row >= r.rows {
		if !r.fetch() {
			return false
		}
	}
	return true
}

func (r *Rows) fetch() bool {
	if r.ctx.Err() != nil {
		r.err = r.explain(engineError("INTERRUPT Error: Interrupted!"))
		return false
	}
	c.DestroyDataChunk(&r.chunk)
	r.chunk = c.FetchChunk(r.result)
	if r.chunk.Ptr == nil {
		if reason := c.ResultError(&r.result); reason != "" {
			r.err = r.explain(engineError(reason))
		}
		return false
	}
	r.row, r.rows = 0, int(c.DataChunkGetSize(r.chunk))
	for i, reader := range r.readers {
		reader.bind(c.DataChunkGetVector(r.chunk, c.IdxT(i)))
	}
	return true
}

// Err says why Next ended early.
func (r *Rows) Err() error { return r.err }

// AppendJSON appends the current row as a JSON array, in the form that the
// package comment describes. A value that takes more than cellBytes is cut. A row that
// takes more than rowBytes is not appended, and the second result is false.
func (r *Rows) AppendJSON(dst []byte, cellBytes, rowBytes int) ([]byte, bool) {
	start := len(dst)
	w := writer{buf: append(dst, '[')}
	cut := 0
	for i, reader := range r.readers {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.startCell(min(cellBytes, rowBytes))
		w.value(reader, r.row)
		if w.cut {
			cut++
		}
		if len(w.buf)-start >= rowBytes {
			return w.buf[:start], false
		}
	}
	r.cut += cut
	return append(w.buf, ']'), true
}

// CutCells says how many of the values appended so far were cut.
func (r *Rows) CutCells() int { return r.cut }

// Close ends the statement's execution and releases the result.
func (r *Rows) Close() {
	if r.unwatch == nil {
		return
	}
	r.unwatch()
	r.unwatch = nil
	r.finished = true
	c.DestroyDataChunk(&r.chunk)
	c.DestroyResult(&r.result)
}
