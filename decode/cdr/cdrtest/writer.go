// Package cdrtest helps to test decoders of CDR: a [Writer] puts messages
// together by hand, byte for byte.
//
// The Writer knows alignment and byte order and nothing of types: what frames a
// type on the wire is for the test to write down.
package cdrtest

import (
	"encoding/binary"
	"math"
)

// Writer writes one message.
type Writer struct {
	msg      []byte
	start    int // from where alignment counts
	maxAlign int
	order    binary.AppendByteOrder
}

// CDR returns a Writer of a CDR message with the given encapsulation identifier.
func CDR(id uint16) *Writer {
	w := &Writer{msg: []byte{byte(id >> 8), byte(id), 0, 0}, start: 4, maxAlign: 8, order: binary.BigEndian}
	if id&1 == 1 {
		w.order = binary.LittleEndian
	}
	if id > 5 {
		w.maxAlign = 4
	}
	return w
}

// ROS1 returns a Writer of a ROS 1 message.
func ROS1() *Writer { return &Writer{maxAlign: 1, order: binary.LittleEndian} }

// Message returns the message.
func (w *Writer) Message() []byte { return w.msg }

// Align pads to a multiple of n, or of what the format aligns at most.
func (w *Writer) Align(n int) *Writer {
	for n = min(n, w.maxAlign); (len(w.msg)-w.start)%n != 0; {
		w.msg = append(w.msg, 0)
	}
	return w
}

// Bytes writes bytes as they are.
func (w *Writer) Bytes(b ...byte) *Writer { w.msg = append(w.msg, b...); return w }

// U16 writes aligned 2-byte units.
func (w *Writer) U16(xs ...uint16) *Writer {
	for _, x := range xs {
		w.msg = w.order.AppendUint16(w.Align(2).msg, x)
	}
	return w
}

// U32 writes aligned 4-byte units.
func (w *Writer) U32(xs ...uint32) *Writer {
	for _, x := range xs {
		w.msg = w.order.AppendUint32(w.Align(4).msg, x)
	}
	return w
}

// U64 writes aligned 8-byte units.
func (w *Writer) U64(xs ...uint64) *Writer {
	for _, x := range xs {
		w.msg = w.order.AppendUint64(w.Align(8).msg, x)
	}
	return w
}

// F64 writes aligned doubles.
func (w *Writer) F64(xs ...float64) *Writer {
	for _, x := range xs {
		w.U64(math.Float64bits(x))
	}
	return w
}

// Text writes a string: with a NUL in CDR, without in ROS 1.
func (w *Writer) Text(s string) *Writer {
	if w.maxAlign > 1 {
		s += "\x00"
	}
	return w.U32(uint32(len(s))).Bytes([]byte(s)...)
}

// Sized writes what body writes behind its length, as a DHEADER does.
func (w *Writer) Sized(body func(*Writer)) *Writer {
	w.U32(0)
	at := len(w.msg)
	body(w)
	w.putLength(at-4, len(w.msg)-at)
	return w
}

// Parameter writes an XCDR1 parameter: a header, then what body writes with
// alignment counted anew, padded to four bytes.
func (w *Writer) Parameter(id uint16, body func(*Writer)) *Writer {
	w.Align(4).U16(id, 0)
	outer := w.start
	w.start = len(w.msg)
	body(w)
	w.Align(4)
	size := w.order.AppendUint16(nil, uint16(len(w.msg)-w.start))
	copy(w.msg[w.start-2:], size)
	w.start = outer
	return w
}

func (w *Writer) putLength(at, n int) {
	copy(w.msg[at:], w.order.AppendUint32(nil, uint32(n)))
}
