// Package jsonl reads files of JSON values, one after another: lines, but also
// values glued together on one line and values over several lines.
//
// # What it promises
//
// A value that is broken costs the bytes up to the next line; a value that the
// file ends in is told apart from a broken one. Byte order marks, CRLF, blank
// lines, trailing NULs and invalid UTF-8 are borne; values are given exactly as
// they stand. A value of MaxValue bytes or of MaxDepth levels is still given, a
// larger one is skipped without holding it in memory.
package jsonl

import "io"

const (
	// MaxValue bounds one value, in bytes.
	MaxValue = 128 << 20
	// MaxDepth bounds the nesting of a value, so that parsers can recurse over it.
	MaxDepth = 512
)

// A Reader reads values from a stream.
type Reader struct{}

// NewReader returns a reader of what r holds; offset is where in the file r
// begins.
func NewReader(r io.Reader, offset int64) *Reader { return nil }

// Next moves to the next value. It returns io.EOF at the end, a *LostError where
// something can't be read (call Next again to go on behind it), io.ErrUnexpectedEOF
// when the stream ends inside of a value (Offset is then where that begins).
func (r *Reader) Next() error { return io.EOF }

// Value is the current value, a JSON object or array (anything else is lost).
// It is valid until the next call of Next.
func (r *Reader) Value() []byte { return nil }

// Start and Offset are where in the file the current value begins and ends.
func (r *Reader) Start() int64  { return 0 }
func (r *Reader) Offset() int64 { return 0 }

// Line is the number of values and lost parts before the current one.
func (r *Reader) Line() int64 { return 0 }

// A LostError tells of a part of a file that can't be read.
type LostError struct {
	Offset int64
	Bytes  int64
	Reason string
}

func (e *LostError) Error() string { return e.Reason }
