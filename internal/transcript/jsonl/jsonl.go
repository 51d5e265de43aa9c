// Package jsonl reads files of JSON values, one after another: lines, but also
// values glued together on one line and values over several lines.
//
// # What it promises
//
// A value that is broken costs the bytes up to the next line; a value that the
// file ends in is told apart from a broken one. Byte order marks, CRLF, blank
// lines, trailing NULs and invalid UTF-8 are borne; values are given exactly as
// they stand. A value of MaxValue bytes or of MaxDepth levels is still given, a
// larger one is skipped without holding it in memory. Memory is that of the
// longest value, time is linear in the size of the file.
//
// # How lines and values over several lines are told apart
//
// A value that is still open at the end of its line goes on in the next one as
// long as JSON's grammar allows that. Where it does not, the line was broken and
// is lost alone. A raw line break inside of a string always breaks the line.
package jsonl

import (
	"bytes"
	"fmt"
	"io"

	"github.com/tidwall/gjson"
)

const (
	// MaxValue bounds one value, in bytes.
	MaxValue = 128 << 20
	// MaxDepth bounds the nesting of a value, so that parsers can recurse over it.
	MaxDepth = 512

	// plainLine is up to where a line is first taken for one value.
	plainLine = 1 << 20
	// maxWaste bounds what is scanned twice for the sake of broken lines.
	maxWaste = 64 << 20
)

// Reasons of a LostError.
const (
	reasonStart   = "not the beginning of a JSON object or array"
	reasonInvalid = "not valid JSON"
	reasonDeep    = "nested too deeply"
	reasonLarge   = "too large"
)

// A Reader reads values from a stream.
type Reader struct {
	in     *window
	maxLen int // MaxValue, less in tests

	value  []byte
	start  int64
	offset int64
	count  int64 // values and lost parts so far
	waste  int   // bytes that were scanned in vain
	closer int64 // up to here in the file lines are not taken for one value
}

// NewReader returns a reader of what r holds; offset is where in the file r
// begins.
func NewReader(r io.Reader, offset int64) *Reader {
	return &Reader{in: newWindow(r, offset), maxLen: MaxValue, start: offset, offset: offset}
}

// Next moves to the next value. It returns io.EOF at the end, a *LostError where
// something can't be read (call Next again to go on behind it), io.ErrUnexpectedEOF
// when the stream ends inside of a value (Offset is then where that begins).
func (r *Reader) Next() error {
	r.value = nil
	if err := r.skipBlank(); err != nil {
		return err
	}
	r.start = r.in.offset()
	r.count++
	if c := r.in.rest()[0]; c != '{' && c != '[' {
		return r.loseLine(0, reasonStart)
	}
	length, err := r.plain()
	if err != nil {
		return err
	}
	if length > 0 {
		return r.give(length)
	}
	return r.scan()
}

// Value is the current value, a JSON object or array (anything else is lost).
// It is valid until the next call of Next.
func (r *Reader) Value() []byte { return r.value }

// Start is where in the file the current value, or lost part, begins.
func (r *Reader) Start() int64 { return r.start }

// Offset is where in the file reading goes on: behind the current value or lost
// part; at the end behind all that was read, but before trailing NULs.
func (r *Reader) Offset() int64 { return r.offset }

// Line is the number of values and lost parts before the current one.
func (r *Reader) Line() int64 { return max(r.count-1, 0) }

// A LostError tells of a part of a file that can't be read.
type LostError struct {
	Offset int64
	Bytes  int64
	Reason string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%d bytes at offset %d: %s", e.Bytes, e.Offset, e.Reason)
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// skipBlank moves to the first byte that may belong to a value.
func (r *Reader) skipBlank() error {
	nul := false
	for {
		rest := r.in.rest()
		i := 0
		for i < len(rest) && isBlank(rest[i]) {
			nul = nul || rest[i] == 0
			i++
			if !nul {
				r.offset = r.in.offset() + int64(i)
			}
		}
		r.in.drop(i)
		rest = rest[i:]
		if len(rest) >= len(byteOrderMark) && bytes.HasPrefix(rest, byteOrderMark) {
			r.in.drop(len(byteOrderMark))
			continue
		}
		mayBeMark := len(rest) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, rest)
		if !mayBeMark {
			return nil
		}
		more, err := r.in.fill(len(rest) + 1)
		if err != nil {
			return err
		}
		if !more && len(rest) == 0 {
			return io.EOF
		}
		if !more {
			return nil
		}
	}
}

func isBlank(c byte) bool {
	return c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == 0
}

// plain is the length of the value if it is all that the line holds, as in most
// lines of most files; 0 when a closer look is needed.
func (r *Reader) plain() (int, error) {
	if r.in.offset() < r.closer {
		return 0, nil
	}
	end, err := r.lineEnd()
	if err != nil {
		return 0, err
	}
	if end > plainLine {
		r.closer = r.in.offset() + int64(end)
		return 0, nil
	}
	line := bytes.TrimRight(r.in.rest()[:end], " \t\r\x00")
	if len(line) <= r.maxLen && isShallow(line) && gjson.ValidBytes(line) {
		return len(line), nil
	}
	r.closer = r.in.offset() + int64(end)
	return 0, nil
}

// isShallow reports whether a line has too few brackets to be nested too deeply.
func isShallow(line []byte) bool {
	return bytes.Count(line, []byte{'{'})+bytes.Count(line, []byte{'['}) <= MaxDepth
}

// lineEnd is how far the line goes: to its line break, or to the end of the file,
// or to somewhere behind plainLine.
func (r *Reader) lineEnd() (int, error) {
	for searched := 0; ; {
		rest := r.in.rest()
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 {
			return searched + i, nil
		}
		searched = len(rest)
		if searched > plainLine {
			return searched, nil
		}
		more, err := r.in.fill(searched + 1)
		if err != nil {
			return 0, err
		}
		if !more {
			return searched, nil
		}
	}
}

// scan finds the end of a value that is not just the line.
func (r *Reader) scan() error {
	var s scanner
	for {
		rest := r.in.rest()
		switch s.run(rest) {
		case ended:
			if !gjson.ValidBytes(rest[:s.at]) {
				return r.loseLine(s.at, reasonInvalid)
			}
			return r.give(s.at)
		case invalid:
			return r.broken(&s)
		case tooDeep:
			return r.skip(&s, reasonDeep)
		}
		if len(rest) > r.maxLen {
			return r.skip(&s, reasonLarge)
		}
		more, err := r.in.fill(len(rest) + 1)
		if err != nil {
			return err
		}
		if !more {
			return r.cut(&s)
		}
	}
}

func (r *Reader) give(length int) error {
	if length > r.maxLen {
		return r.lose(length, reasonLarge)
	}
	r.value = r.in.rest()[:length:length]
	r.in.drop(length)
	r.offset = r.in.offset()
	return nil
}

// broken loses a value that goes against JSON's grammar: up to where a new line of
// the file may begin, though that was scanned as a part of the value.
func (r *Reader) broken(s *scanner) error {
	if s.firstBreak > 0 && r.waste <= maxWaste {
		r.waste += s.at
		if i := bytes.Index(r.in.rest()[s.firstBreak-1:s.at], []byte("\n{")); i >= 0 {
			return r.lose(s.firstBreak+i, reasonInvalid)
		}
	}
	return r.loseLine(s.at, reasonInvalid)
}

// cut judges a value that the file ends in: is it still being written, or was its
// line broken and whole lines follow?
func (r *Reader) cut(s *scanner) error {
	if s.firstBreak > 0 {
		next, _, _ := bytes.Cut(r.in.rest()[s.firstBreak:], []byte{'\n'})
		next = bytes.TrimRight(next, " \t\r\x00")
		if len(next) > 0 && next[0] == '{' && isShallow(next) && gjson.ValidBytes(next) {
			return r.broken(s)
		}
	}
	r.offset = r.start
	return io.ErrUnexpectedEOF
}

// loseLine loses everything up to the first line break that is from bytes ahead.
func (r *Reader) loseLine(from int, reason string) error {
	for {
		rest := r.in.rest()
		from = min(from, len(rest))
		if i := bytes.IndexByte(rest[from:], '\n'); i >= 0 {
			return r.lose(from+i+1, reason)
		}
		r.in.drop(len(rest))
		from = 0
		more, err := r.in.fill(1)
		if err != nil {
			return err
		}
		if !more {
			// The line is still being written: what it will be is not known.
			r.offset = r.start
			return io.ErrUnexpectedEOF
		}
	}
}

// lose drops length bytes more and tells of all since start.
func (r *Reader) lose(length int, reason string) error {
	r.in.drop(length)
	r.offset = r.in.offset()
	return &LostError{Offset: r.start, Bytes: r.offset - r.start, Reason: reason}
}

// skip loses a value without holding it: up to its end, or to a line break in a
// string, or to a line break before a "{", where a new line of the file begins.
func (r *Reader) skip(s *scanner, reason string) error {
	k := skipper{depth: s.depth, inString: s.inString, escaped: s.escapedAtEnd(r.in.rest())}
	r.in.drop(s.at)
	for {
		rest := r.in.rest()
		if n, done := k.run(rest); done {
			return r.lose(n, reason)
		}
		r.in.drop(len(rest))
		more, err := r.in.fill(1)
		if err != nil {
			return err
		}
		if !more {
			r.offset = r.start
			return io.ErrUnexpectedEOF
		}
	}
}
