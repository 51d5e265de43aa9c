package cdr

import (
	"encoding/binary"
	"fmt"

	"tapedeck/decode"
)

// reader reads the units that a message is made of.
type reader struct {
	buf      []byte // from where alignment counts to the end of what may be read
	pos      int
	base     int // where buf starts in the message, for errors
	maxAlign int
	padding  int  // bytes behind the message, as its header says
	big      bool // big-endian
	v2       bool // XCDR2
	packed   bool // ROS 1
	reading
}

func (r *reader) left() int { return len(r.buf) - r.pos }

// align skips the padding in front of a unit of n bytes, a power of two.
func (r *reader) align(n int) {
	n = min(n, r.maxAlign)
	r.pos = (r.pos + n - 1) &^ (n - 1)
}

// unit returns the n bytes of an aligned unit, or nil when they are not there.
func (r *reader) unit(n int) []byte {
	a := min(n, r.maxAlign)
	start := (r.pos + a - 1) &^ (a - 1)
	end := start + n
	if end > len(r.buf) {
		r.pos = start
		return nil
	}
	r.pos = end
	return r.buf[start:end]
}

// bytes returns the next n bytes, or nil when they are not there.
func (r *reader) bytes(n int) []byte {
	if n > r.left() {
		return nil
	}
	r.pos += n
	return r.buf[r.pos-n : r.pos : r.pos]
}

// missing is the error for n bytes that are not there.
func (r *reader) missing(n int) error {
	return fmt.Errorf("%w: %d bytes are needed at byte %d and %d are there", decode.ErrTruncated, n, r.base+r.pos, max(r.left(), 0))
}

func (r *reader) uint8() (uint8, error) {
	b := r.unit(1)
	if b == nil {
		return 0, r.missing(1)
	}
	return b[0], nil
}

func (r *reader) uint16() (uint16, error) {
	b := r.unit(2)
	if b == nil {
		return 0, r.missing(2)
	}
	return r.order16(b), nil
}

func (r *reader) uint32() (uint32, error) {
	b := r.unit(4)
	if b == nil {
		return 0, r.missing(4)
	}
	return r.order32(b), nil
}

func (r *reader) uint64() (uint64, error) {
	b := r.unit(8)
	if b == nil {
		return 0, r.missing(8)
	}
	return r.order64(b), nil
}

func (r *reader) order16(b []byte) uint16 {
	if r.big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func (r *reader) order32(b []byte) uint32 {
	if r.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func (r *reader) order64(b []byte) uint64 {
	if r.big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// integer reads an integer of width bytes, with its sign if it has one.
func (r *reader) integer(width int, signed bool) (int64, error) {
	switch width {
	case 1:
		x, err := r.uint8()
		if signed {
			return int64(int8(x)), err
		}
		return int64(x), err
	case 2:
		x, err := r.uint16()
		if signed {
			return int64(int16(x)), err
		}
		return int64(x), err
	case 4:
		x, err := r.uint32()
		if signed {
			return int64(int32(x)), err
		}
		return int64(x), err
	}
	x, err := r.uint64()
	return int64(x), err
}

// length reads how many things follow of which each takes at least size bytes,
// and fails when the bytes that are left can't hold them.
func (r *reader) length(size int) (int, error) {
	n, err := r.uint32()
	if err != nil {
		return 0, err
	}
	return int(n), r.room(int(n), size)
}

// room fails when the bytes that are left can't hold n things of size bytes.
func (r *reader) room(n, size int) error {
	if size > 0 && n > r.left()/size {
		return fmt.Errorf("%w: it says %d elements of at least %d bytes at byte %d, and %d bytes are left", decode.ErrTruncated, n, size, r.base+r.pos, r.left())
	}
	return nil
}

// window is what a reader could read before it was narrowed.
type window struct {
	buf       []byte
	pos, base int
}

// narrow lets r read the next n bytes only. The returned window puts it behind
// them. In a fresh one alignment counts from its start.
func (r *reader) narrow(n int, fresh bool) (window, error) {
	if n > r.left() {
		return window{}, r.missing(n)
	}
	w := window{r.buf, r.pos + n, r.base}
	if fresh {
		r.buf, r.base, r.pos = r.buf[r.pos:r.pos+n], r.base+r.pos, 0
	} else {
		r.buf = r.buf[:r.pos+n]
	}
	return w, nil
}

func (r *reader) widen(w window) { r.buf, r.pos, r.base = w.buf, w.pos, w.base }

// dheader narrows r to what a DHEADER delimits.
func (r *reader) dheader() (window, error) {
	n, err := r.uint32()
	if err != nil {
		return window{}, err
	}
	return r.narrow(int(n), false)
}
