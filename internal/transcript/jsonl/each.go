package jsonl

import (
	"context"
	"errors"
	"io"
)

// Damage hears of what in a file can't be read. A transcript.Sink is one.
type Damage interface {
	Lost(offset int64, reason string)
	Cut(offset int64)
}

// A ReadError says that reading itself failed.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// Each gives every value to take, with where it begins, and tells of what is lost or
// cut off. It returns where what was taken ends, for a later reading to go on there;
// its error is take's, that of ctx, or a *ReadError.
func (r *Reader) Each(ctx context.Context, hears Damage, take func(value []byte, start int64) error) (int64, error) {
	for taken := r.Offset(); ; taken = r.Offset() {
		if err := ctx.Err(); err != nil {
			return taken, err
		}
		var lost *LostError
		switch err := r.Next(); {
		case err == nil:
			if err := take(r.Value(), r.Start()); err != nil {
				return taken, err
			}
		case errors.Is(err, io.EOF):
			return r.Offset(), nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			hears.Cut(r.Offset())
			return r.Offset(), nil
		case errors.As(err, &lost):
			hears.Lost(lost.Offset, lost.Reason)
		default:
			return taken, &ReadError{err}
		}
	}
}
