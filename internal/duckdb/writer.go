package duckdb

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// writer appends values as JSON and keeps each within its cell's bytes.
type writer struct {
	buf  []byte
	room int // length of buf at which the cell is full
	cut  bool
}

func (w *writer) startCell(bytes int) { w.room, w.cut = len(w.buf)+bytes, false }

func (w *writer) full() bool { return len(w.buf) >= w.room }

func (w *writer) raw(s string) { w.buf = append(w.buf, s...) }

// mark stands for a value that found no room.
func (w *writer) mark() {
	w.cut = true
	w.raw(`"…"`)
}

func leftOut(n int) string { return fmt.Sprintf("… %d more", n) }

// next separates the i-th of count elements from the one before it. When the
// cell is full it says instead how many are left out, and returns false.
func (w *writer) next(i, count int) bool {
	if i > 0 {
		w.raw(",")
	}
	if !w.full() {
		return true
	}
	w.cut = true
	w.raw(`"` + leftOut(count-i) + `"`)
	return false
}

// maxExact is the largest integer up to which every JSON reader is exact.
const maxExact = 1 << 53

func (w *writer) integer(v int64) {
	if v >= -maxExact && v <= maxExact {
		w.buf = strconv.AppendInt(w.buf, v, 10)
		return
	}
	w.raw(`"`)
	w.buf = strconv.AppendInt(w.buf, v, 10)
	w.raw(`"`)
}

// wideInteger appends an integer of any size that is given by its digits.
func (w *writer) wideInteger(digits string) {
	if v, err := strconv.ParseInt(digits, 10, 64); err == nil {
		w.integer(v)
		return
	}
	w.digits(digits)
}

// digits appends digits, of which there may be very many in a BIGNUM, as a string.
func (w *writer) digits(digits string) { w.text([]byte(digits)) }

// maxDecimalDigits is how many significant digits a double keeps.
const maxDecimalDigits = 15

func (w *writer) decimal(unscaled string, scale int) {
	text, significant := placePoint(unscaled, scale)
	if significant <= maxDecimalDigits {
		w.raw(text)
		return
	}
	w.raw(`"` + text + `"`)
}

func (w *writer) float(v float64, bits int) {
	switch {
	case math.IsNaN(v):
		w.raw(`"NaN"`)
	case math.IsInf(v, 1):
		w.raw(`"Infinity"`)
	case math.IsInf(v, -1):
		w.raw(`"-Infinity"`)
	default:
		form := byte('f')
		if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
			form = 'e'
		}
		w.buf = strconv.AppendFloat(w.buf, v, form, -1, bits)
	}
}

func (w *writer) hex(b []byte) {
	room := max(0, (w.room-len(w.buf)-2)/2)
	kept := b[:min(len(b), room)]
	w.raw(`"`)
	w.buf = hex.AppendEncode(w.buf, kept)
	w.closeCut(len(b)-len(kept), len(b))
}

// bits appends a BIT, whose first byte counts the unused bits of the second.
func (w *writer) bits(b []byte) {
	w.raw(`"`)
	skip := int(b[0])
	count := (len(b)-1)*8 - skip
	kept := min(count, max(0, w.room-len(w.buf)))
	for i := range kept {
		bit := b[1+(skip+i)/8] >> (7 - (skip+i)%8) & 1
		w.buf = append(w.buf, '0'+bit)
	}
	w.cut = w.cut || kept < count
	if kept < count {
		w.raw(fmt.Sprintf("… cut, %d bits in all", count))
	}
	w.raw(`"`)
}

// text appends a string of any bytes.
func (w *writer) text(s []byte) {
	w.raw(`"`)
	kept := w.escape(s)
	w.closeCut(len(s)-kept, len(s))
}

// closeCut ends a string of which missing bytes found no room.
func (w *writer) closeCut(missing, total int) {
	if missing > 0 {
		w.cut = true
		w.raw(fmt.Sprintf("… cut, %d bytes in all", total))
	}
	w.raw(`"`)
}

// name appends a name with its colon. It comes from the type and not from the
// data, so that it is never cut.
func (w *writer) name(s string) {
	room := w.room
	w.room = math.MaxInt
	w.text([]byte(s))
	w.room = room
	w.raw(":")
}

// escape appends s up to where the cell is full and returns how much that was.
// Besides what JSON demands it escapes what a reader would not see or that would
// turn the text around: control and format characters, U+2028, U+2029. Bytes that
// are no UTF-8 become U+FFFD.
func (w *writer) escape(s []byte) int {
	for i := 0; i < len(s); {
		if w.full() {
			return i
		}
		b := s[i]
		if b < utf8.RuneSelf {
			w.escapeASCII(b)
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			w.raw(`\ufffd`)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			w.escapeRune(r)
		default:
			w.buf = append(w.buf, s[i:i+size]...)
		}
		i += size
	}
	return len(s)
}

func (w *writer) escapeASCII(b byte) {
	switch {
	case b == '"' || b == '\\':
		w.buf = append(w.buf, '\\', b)
	case b >= ' ' && b != 0x7f:
		w.buf = append(w.buf, b)
	case b == '\n':
		w.raw(`\n`)
	case b == '\r':
		w.raw(`\r`)
	case b == '\t':
		w.raw(`\t`)
	default:
		w.escapeRune(rune(b))
	}
}

func (w *writer) escapeRune(r rune) {
	if r > 0xffff {
		r -= 0x10000
		w.raw(fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff))
		return
	}
	w.raw(fmt.Sprintf(`\u%04x`, r))
}
