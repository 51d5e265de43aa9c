package query

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// statement puts a request's limits under the pool's.
func (l Limits) statement(r Request) statement {
	rows := l.DefaultRows
	if r.MaxRows > 0 {
		rows = min(r.MaxRows, l.MaxRows)
	}
	return statement{
		SQL:       r.SQL,
		MaxRows:   rows,
		MaxBytes:  lowered(l.MaxBytes, r.MaxBytes),
		CellBytes: l.CellBytes,
		TimeoutMS: max(1, lowered(l.Timeout, r.Timeout).Milliseconds()),
	}
}

// lowered is what was asked for, if it is a limit and no higher than the given one.
func lowered[T int | time.Duration](limit, asked T) T {
	if asked > 0 && asked < limit {
		return asked
	}
	return limit
}

// reason says what cut an answer and how to see the rest; empty when nothing did.
func (l Limits) reason(o outcome, q statement) string {
	var reasons []string
	switch {
	case o.Cut == cutRows:
		more := ""
		if q.MaxRows < l.MaxRows {
			more = fmt.Sprintf(", or raise the limit (at most %d)", l.MaxRows)
		}
		reasons = append(reasons, fmt.Sprintf("showing the first %d rows; aggregate, filter, or page with ORDER BY … LIMIT … OFFSET %d%s", o.Rows, o.Rows, more))
	case o.Cut == cutBytes && o.Rows == 0:
		reasons = append(reasons, fmt.Sprintf("the first row alone has more than %d bytes; select fewer columns or parts of long values: left(c, 1000), c[1:100]", q.MaxBytes))
	case o.Cut == cutBytes:
		reasons = append(reasons, fmt.Sprintf("showing the first %d rows, which fill the %d bytes of an answer; select fewer columns, aggregate, filter, or page with ORDER BY … LIMIT … OFFSET %d", o.Rows, q.MaxBytes, o.Rows))
	}
	if o.CutCells > 0 {
		reasons = append(reasons, fmt.Sprintf("%d long values are cut, marked with …; select parts of them: left(c, 1000), c[1:100]", o.CutCells))
	}
	return strings.Join(reasons, "; ")
}

// explain says how long a statement had that took too long.
func (q statement) explain(err error) error {
	if errors.Is(err, ErrTimeout) && !errors.Is(err, ErrBusy) {
		return fmt.Errorf("%w: no answer within %v", ErrTimeout, time.Duration(q.TimeoutMS)*time.Millisecond)
	}
	return err
}
