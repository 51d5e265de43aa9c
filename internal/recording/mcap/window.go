package mcap

import (
	"errors"
	"fmt"
	"io"
)

// window reads a file a piece at a time for a walk that goes forward in it. It
// reads little after a jump and more while the walk goes from byte to byte.
type window struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	off  int64 // of buf in the file
	next int64 // how much to read ahead
}

const (
	smallWindow = 4 << 10
	largeWindow = 256 << 10
)

// peek returns n bytes from off on, or fewer where the file ends. They are good
// until the next peek. n must be small or known to be backed by the file.
func (w *window) peek(off, n int64) ([]byte, error) {
	n = min(n, w.size-off)
	if n <= 0 {
		return nil, nil
	}
	if off < w.off || off+n > w.off+int64(len(w.buf)) {
		if err := w.fill(off, n); err != nil {
			return nil, err
		}
	}
	have := w.buf[off-w.off:]
	return have[:min(n, int64(len(have)))], nil
}

func (w *window) fill(off, n int64) error {
	jump := off < w.off || off > w.off+int64(len(w.buf))
	if jump || w.next == 0 {
		w.next = smallWindow
	} else {
		w.next = min(w.next*2, largeWindow)
	}
	want := min(max(n, w.next), w.size-off)
	if int64(cap(w.buf)) < want {
		w.buf = make([]byte, want)
	}
	w.buf = w.buf[:want]
	got, err := w.r.ReadAt(w.buf, off)
	w.buf, w.off = w.buf[:got], off
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading at byte %d: %w", off, err)
	}
	return nil
}
