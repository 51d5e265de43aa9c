package query

import (
	"context"
	"fmt"
	"io"
	"time"

	"tapedeck/internal/duckdb"
)

// admission decides whether a statement may be executed. It is the gate's admit, except
// in tests of the walls behind the gate.
type admission func(*duckdb.Conn, string) (approved, error)

// server executes statements, one at a time, and writes the answers as frames.
type server struct {
	setup  setup
	db     *duckdb.DB
	admit  admission
	frames io.Writer
}

// serve answers one statement. It fails only when the answer can't be written.
func (s *server) serve(q statement) error {
	if err := writeFrame(s.frames, begunFrame, nil); err != nil {
		return err
	}
	ctx, cancel := context.Background(), func() {}
	if q.TimeoutMS > 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(q.TimeoutMS)*time.Millisecond)
	}
	defer cancel()
	start := time.Now()
	var o outcome
	err := s.answer(ctx, q, &o)
	o.Millis = float64(time.Since(start).Microseconds()) / 1000
	if o.Failure = failureOf(err); o.Failure != nil {
		o.Failure.Text = s.setup.withoutPaths(o.Failure.Text)
		o.Spoilt = spoils(err)
	}
	return writeJSONFrame(s.frames, outcomeFrame, o)
}

func (s *server) answer(ctx context.Context, q statement, o *outcome) error {
	conn, err := s.db.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	admitted, err := s.admit(conn, q.SQL)
	if err != nil {
		return err
	}
	o.Tables = admitted.tables
	if err := conn.Exec("BEGIN TRANSACTION READ ONLY"); err != nil {
		return sqlError(err)
	}
	if q.Format != "" {
		return s.export(ctx, conn, admitted, q.Format, o)
	}
	last, err := prepareLast(ctx, conn, admitted)
	if err != nil {
		return sqlError(err)
	}
	defer last.Close()
	if n := last.ColumnCount(); n > maxColumns {
		return fmt.Errorf("%w: the answer would have %d columns, at most %d are allowed; select fewer", ErrRefused, n, maxColumns)
	}
	rows, err := last.Stream(ctx)
	if err != nil {
		return sqlError(err)
	}
	defer rows.Close()
	return s.send(rows, q, o)
}

// prepareLast executes the statements that DuckDB puts before a PIVOT and plans
// the one that answers.
func prepareLast(ctx context.Context, conn *duckdb.Conn, a approved) (*duckdb.Statement, error) {
	parsed, err := conn.Parse(a.text)
	if err != nil {
		return nil, err
	}
	defer parsed.Close()
	last := parsed.Count() - 1
	if last < 0 || last > 0 && !a.pivot {
		return nil, fmt.Errorf("%w: %d statements are not allowed; %s", ErrRefused, parsed.Count(), whatIsAllowed)
	}
	for i := range last {
		if err := executeType(ctx, parsed, i); err != nil {
			return nil, err
		}
	}
	return parsed.Prepare(last)
}

// executeType executes the i-th statement, which must create the type that a PIVOT
// takes its columns from.
func executeType(ctx context.Context, parsed *duckdb.Statements, i int) error {
	statement, err := parsed.Prepare(i)
	if err != nil {
		return err
	}
	defer statement.Close()
	if statement.Kind() != duckdb.Create {
		return errNotReading
	}
	rows, err := statement.Stream(ctx)
	if err != nil {
		return err
	}
	rows.Close()
	return nil
}

func (s *server) send(rows *duckdb.Rows, q statement, o *outcome) error {
	var head columns
	for _, c := range rows.Columns() {
		head.Names = append(head.Names, c.Name)
		head.Types = append(head.Types, c.Type)
	}
	if err := writeJSONFrame(s.frames, columnsFrame, head); err != nil {
		return err
	}
	// A cell may take three quarters of the answer, so that a single large value still shows.
	cellBytes := max(16, min(q.CellBytes, q.MaxBytes/4*3))
	room := q.MaxBytes
	var batch []byte
	for rows.Next() {
		if o.Rows == q.MaxRows {
			o.Cut = cutRows
			break
		}
		start := len(batch)
		var fits bool
		if batch, fits = rows.AppendJSON(batch, cellBytes, min(room, maxRowBytes)); !fits {
			o.Cut = cutBytes
			break
		}
		batch = append(batch, '\n')
		room -= len(batch) - start
		o.Rows++
		if len(batch) >= flushBytes {
			if err := writeFrame(s.frames, rowsFrame, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	o.CutCells = rows.CutCells()
	if err := rows.Err(); err != nil {
		return sqlError(err)
	}
	if len(batch) == 0 {
		return nil
	}
	return writeFrame(s.frames, rowsFrame, batch)
}
