package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Traces implements store.Reader.
func (s *Store) Traces(ctx context.Context, sessionID string, page store.Page) (store.List[session.Trace], error) {
	list := store.List[session.Trace]{Items: []session.Trace{}}
	err := s.read(ctx, func(tx pgx.Tx) error {
		id, err := resolve(ctx, tx, sessionID)
		if err != nil {
			return err
		}
		var num int64
		if err := tx.QueryRow(ctx, "SELECT num FROM tapedeck.session WHERE id = $1", id).Scan(&num); err != nil {
			return err
		}
		l := sequence{listing: "traces of " + id, table: "tapedeck.trace", column: "session", value: num}
		rows, err := l.page(ctx, tx, traceColumns, page, &list.Total)
		if err != nil {
			return err
		}
		if list.Items, err = pgx.AppendRows(list.Items, rows, scanTrace); err != nil {
			return err
		}
		list.Items, list.Next = cut(list.Items, page, l.listing, func(t session.Trace) int { return t.Seq })
		return nil
	})
	return list, err
}

// Trace implements store.Reader.
func (s *Store) Trace(ctx context.Context, traceID string) (session.Trace, error) {
	var trace session.Trace
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT "+traceColumns+" FROM tapedeck.trace WHERE id = $1", session.Clean(traceID))
		if err != nil {
			return err
		}
		trace, err = pgx.CollectExactlyOneRow(rows, scanTrace)
		return notFound(err, "trace", traceID)
	})
	return trace, err
}

func scanTrace(row pgx.CollectableRow) (session.Trace, error) {
	var t session.Trace
	err := row.Scan(traceFields(&t)...)
	return t, err
}

// Spans implements store.Reader.
func (s *Store) Spans(ctx context.Context, traceID string, withContent bool, page store.Page) (store.List[session.Span], error) {
	list := store.List[session.Span]{Items: []session.Span{}}
	err := s.read(ctx, func(tx pgx.Tx) error {
		owner, err := selectOwner(ctx, tx, traceID)
		if err != nil {
			return err
		}
		l := sequence{listing: "spans of " + traceID, table: "tapedeck.span", column: "trace", value: owner.trace}
		rows, err := l.page(ctx, tx, contentColumns(withContent)+spanColumns, page, &list.Total)
		if err != nil {
			return err
		}
		if list.Items, err = pgx.AppendRows(list.Items, rows, owner.scanSpan(withContent)); err != nil {
			return err
		}
		list.Items, list.Next = cut(list.Items, page, l.listing, func(s session.Span) int { return s.Seq })
		return nil
	})
	return list, err
}

// Span implements store.Reader.
func (s *Store) Span(ctx context.Context, traceID, spanID string) (session.Span, error) {
	var span session.Span
	err := s.read(ctx, func(tx pgx.Tx) error {
		owner, err := selectOwner(ctx, tx, traceID)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "SELECT "+contentColumns(true)+spanColumns+" FROM tapedeck.span WHERE trace = $1 AND span_id = $2",
			owner.trace, session.Clean(spanID))
		if err != nil {
			return err
		}
		span, err = pgx.CollectExactlyOneRow(rows, owner.scanSpan(true))
		return notFound(err, "span", spanID)
	})
	return span, err
}

// HasSpan implements store.Derived.
func (s *Store) HasSpan(ctx context.Context, sessionID, spanID string, beforeSeq int) (bool, error) {
	var has bool
	err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM tapedeck.span JOIN tapedeck.trace ON trace.num = span.trace
		WHERE span.span_id = $2 AND trace.session_id = $1 AND trace.seq < $3)`,
		session.Clean(sessionID), session.Clean(spanID), beforeSeq).Scan(&has)
	return has, lost(err)
}

// An owner is the trace that spans belong to.
type owner struct {
	trace              int64 // its number in the database
	traceID, sessionID string
}

func selectOwner(ctx context.Context, tx pgx.Tx, traceID string) (owner, error) {
	o := owner{traceID: traceID}
	err := tx.QueryRow(ctx, "SELECT num, session_id FROM tapedeck.trace WHERE id = $1", session.Clean(traceID)).Scan(&o.trace, &o.sessionID)
	return o, notFound(err, "trace", traceID)
}

// contentColumns are those of a span's content, before others.
func contentColumns(with bool) string {
	if with {
		return "input, output, "
	}
	return ""
}

func (o owner) scanSpan(withContent bool) pgx.RowToFunc[session.Span] {
	return func(row pgx.CollectableRow) (session.Span, error) {
		span := session.Span{TraceID: o.traceID, SessionID: o.sessionID}
		if !withContent {
			err := row.Scan(spanFields(&span)...)
			return span, err
		}
		var input, output session.Packed
		err := row.Scan(append([]any{(*[]byte)(&input), (*[]byte)(&output)}, spanFields(&span)...)...)
		if err != nil {
			return span, err
		}
		if span.Input, err = input.Unpack(); err != nil {
			return span, fmt.Errorf("input of span %s: %w", span.ID, err)
		}
		if span.Output, err = output.Unpack(); err != nil {
			return span, fmt.Errorf("output of span %s: %w", span.ID, err)
		}
		return span, nil
	}
}

// A sequence is a listing of a table's rows with one value in a column, in the
// order of seq.
type sequence struct {
	listing, table, column string
	value                  any
}

// page counts all rows and reads those of a page, and one more.
func (l sequence) page(ctx context.Context, tx pgx.Tx, columns string, page store.Page, total *int64) (pgx.Rows, error) {
	after, err := page.After(l.listing, 1, 0)
	if err != nil {
		return nil, err
	}
	seq := int64(-1)
	if after != nil {
		seq = after.Numbers[0]
	}
	from := fmt.Sprintf(" FROM %s WHERE %s = $1", l.table, l.column)
	if err := tx.QueryRow(ctx, "SELECT count(*)"+from, l.value).Scan(total); err != nil {
		return nil, err
	}
	return tx.Query(ctx, "SELECT "+columns+from+" AND seq > $2 ORDER BY seq LIMIT $3", l.value, seq, page.Size()+1)
}

// cut takes the item off that does not fit the page, and makes the cursor of the
// next one.
func cut[T any](items []T, page store.Page, listing string, seq func(T) int) ([]T, string) {
	size := page.Size()
	if len(items) <= size {
		return items, ""
	}
	items = items[:size]
	return items, store.Position{Numbers: []int64{int64(seq(items[size-1]))}}.Cursor(listing)
}
