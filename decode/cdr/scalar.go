package cdr

import (
	"encoding/binary"
	"math"
	"strconv"
)

// nanoseconds reads a Time or a Duration. Seconds and nanoseconds are added, so
// that -1 s and 500,000,000 ns are half a second before zero, and nanoseconds
// of a second and more carry.
func (r *reader) nanoseconds(k Kind) (int64, error) {
	sec, err := r.uint32()
	if err != nil {
		return 0, err
	}
	nsec, err := r.uint32()
	if err != nil {
		return 0, err
	}
	s, ns := int64(int32(sec)), int64(nsec)
	if r.packed && k == Time {
		s = int64(sec)
	}
	if r.packed && k == Duration {
		ns = int64(int32(nsec))
	}
	return s*1e9 + ns, nil
}

// string reads a string. In CDR its length counts a NUL, which is cut off; a
// writer that sends none is understood.
func (r *reader) string() ([]byte, error) {
	n, err := r.length(1)
	if err != nil {
		return nil, err
	}
	b := r.bytes(n)
	if !r.packed && n > 0 && b[n-1] == 0 {
		b = b[:n-1]
	}
	return b, nil
}

// enum reads an enum's value and returns its label, or its number when it has
// none. Labels are text that the definition holds once: the message pays for it.
func (p *plan) enum(s *step) ([]byte, error) {
	x, err := p.integer(s.width, true)
	if err != nil {
		return nil, err
	}
	p.text = appendEnum(p.text[:0], s.labels, x)
	return p.text, p.charge(1, len(p.text)/8)
}

func appendEnum(dst []byte, labels map[int64]string, x int64) []byte {
	if label, ok := labels[x]; ok {
		return append(dst, label...)
	}
	return strconv.AppendInt(dst, x, 10)
}

// longDouble reads 16 bytes: an IEEE 754 quadruple, as CDR has it, or the
// 80-bit number of x86 that writers there copy from memory instead.
func (r *reader) longDouble() (float64, error) {
	b := r.unit(16)
	if b == nil {
		return 0, r.missing(16)
	}
	lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if r.big {
		lo, hi = binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b)
	}
	sign, exponent := hi>>63, int(hi>>48&0x7fff)
	// The 64 bits below the quadruple's 48 high ones; what is cut off is below a float64's last bit.
	fraction := math.Ldexp(float64(hi&(1<<48-1)), -48) + math.Ldexp(float64(lo), -112)
	if hi>>16 == 0 && lo>>63 == 1 {
		sign, exponent = hi>>15&1, int(hi&0x7fff)
		fraction = math.Ldexp(float64(lo&^(1<<63)), -63)
	}
	return quad(sign != 0, exponent, fraction), nil
}

// quad returns the number of a 15-bit exponent and a fraction below one.
func quad(negative bool, exponent int, fraction float64) float64 {
	x := math.Ldexp(1+fraction, exponent-16383)
	switch {
	case exponent == 0:
		x = 0 // too small for a float64
	case exponent == 0x7fff && fraction == 0:
		x = math.Inf(1)
	case exponent == 0x7fff:
		return math.NaN()
	}
	if negative {
		x = -x
	}
	return x
}
