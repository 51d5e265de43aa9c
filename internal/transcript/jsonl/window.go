package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	firstWindow = 128 << 10 // bytes at first
	wideWindow  = 4 << 20   // from here on the window grows by what a line needs
	readAtMost  = 256 << 10 // bytes at one time

	maxEmptyReads = 100
)

// A window is the part of a stream that is in memory.
type window struct {
	in    io.Reader
	buf   []byte // what is in memory
	at    int    // what was dropped of it
	begin int64  // where in the file buf begins
	ended bool
}

func newWindow(in io.Reader, offset int64) *window {
	return &window{in: in, begin: offset}
}

// rest is what is in memory and not dropped.
func (w *window) rest() []byte { return w.buf[w.at:] }

// offset is where in the file rest begins.
func (w *window) offset() int64 { return w.begin + int64(w.at) }

func (w *window) drop(n int) { w.at += n }

// fill reads more, so that rest has at least n bytes; false when the stream ends
// before.
func (w *window) fill(n int) (bool, error) {
	for empty := 0; len(w.rest()) < n; empty++ {
		if w.ended {
			return false, nil
		}
		if empty > maxEmptyReads {
			return false, fmt.Errorf("reading at offset %d: %w", w.begin+int64(len(w.buf)), io.ErrNoProgress)
		}
		w.makeRoom()
		free := w.buf[len(w.buf):min(cap(w.buf), len(w.buf)+readAtMost)]
		got, err := w.in.Read(free)
		w.buf = w.buf[:len(w.buf)+got]
		if got > 0 {
			empty = 0
		}
		switch {
		case errors.Is(err, io.EOF):
			w.ended = true
		case err != nil:
			return false, fmt.Errorf("reading at offset %d: %w", w.begin+int64(len(w.buf)), err)
		}
	}
	return true, nil
}

// makeRoom sees to free space behind what is in memory.
func (w *window) makeRoom() {
	if len(w.buf) < cap(w.buf) {
		return
	}
	rest := w.rest()
	if w.at > 0 && w.at >= cap(w.buf)/4 {
		w.buf = w.buf[:copy(w.buf, rest)]
	} else {
		w.buf = append(make([]byte, 0, w.wider(len(rest))), rest...)
	}
	w.begin += int64(w.at)
	w.at = 0
}

// wider is the size of a window for a value that fills n bytes and goes on. A
// long line gets just what it needs, because twice as much, beside the copy that
// growing takes, would be three times the line.
func (w *window) wider(n int) int {
	if n < wideWindow {
		return max(2*n, firstWindow)
	}
	if ahead, ok := w.lineAhead(); ok {
		return n + ahead + firstWindow
	}
	return n + n/4
}

// lineAhead is how many bytes of the current line are still to be read, if the
// stream lets itself be read twice.
func (w *window) lineAhead() (int, bool) {
	seeker, ok := w.in.(io.Seeker)
	if !ok {
		return 0, false
	}
	here, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, false
	}
	ahead := 0
	part := make([]byte, readAtMost)
	for ahead < MaxValue {
		n, err := w.in.Read(part)
		if i := bytes.IndexByte(part[:n], '\n'); i >= 0 {
			ahead += i
			break
		}
		ahead += n
		if err != nil {
			break
		}
	}
	if _, err := seeker.Seek(here, io.SeekStart); err != nil {
		return 0, false
	}
	return ahead, true
}
