package sample

import (
	"encoding/binary"
	"math"
	"time"
)

// cdr writes OMG CDR, little-endian. Values are aligned to their width, counted
// from the end of the encapsulation header (DDSI-RTPS 2.3, 10.2).
type cdr struct{ data []byte }

const cdrHeader = 4

func newCDR() *cdr { return &cdr{data: []byte{0, 1, 0, 0}} }

func (w *cdr) align(width int) {
	for (len(w.data)-cdrHeader)%width != 0 {
		w.data = append(w.data, 0)
	}
}

func (w *cdr) uint32(v uint32) {
	w.align(4)
	w.data = binary.LittleEndian.AppendUint32(w.data, v)
}

func (w *cdr) float64(v float64) {
	w.align(8)
	w.data = binary.LittleEndian.AppendUint64(w.data, math.Float64bits(v))
}

func (w *cdr) string(s string) {
	w.uint32(uint32(len(s) + 1))
	w.data = append(append(w.data, s...), 0)
}

func (w *cdr) stamp(t time.Time) {
	w.uint32(uint32(t.Unix()))
	w.uint32(uint32(t.Nanosecond()))
}

// ros1 writes ROS 1 serialisation: little-endian, no header, no alignment.
type ros1 struct{ data []byte }

func (w *ros1) byte(v byte) { w.data = append(w.data, v) }

func (w *ros1) uint32(v uint32) { w.data = binary.LittleEndian.AppendUint32(w.data, v) }

func (w *ros1) string(s string) {
	w.uint32(uint32(len(s)))
	w.data = append(w.data, s...)
}

func (w *ros1) stamp(t time.Time) {
	w.uint32(uint32(t.Unix()))
	w.uint32(uint32(t.Nanosecond()))
}

// round keeps digits decimals: sensors have no more, and it evens out how
// processors differ in the last bit.
func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}

// ripple is noise between -1 and 1 that is the same on every run.
func ripple(n, seed int) float64 {
	x := uint64(n+1)*0x9E3779B97F4A7C15 + uint64(seed)*0xBF58476D1CE4E5B9
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return float64(int64(x^x>>31)) / math.MaxInt64
}
