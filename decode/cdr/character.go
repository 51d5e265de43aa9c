package cdr

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// wide is how wide characters are written, which CDR leaves to the vendor.
type wide uint8

const (
	wideUnits  wide = iota // 2 bytes each; a length counts units: ROS 2
	wideDouble             // 4 bytes each: Fast CDR 1
	wideOctets             // 2 bytes each; a length counts bytes: DDS-XTypes 1.3, Cyclone DDS
)

// characters reads a Char, a WChar or a WString as UTF-8. A NUL at the end is no text.
func (p *plan) characters(k Kind) ([]byte, error) {
	p.text = p.text[:0]
	if k == Char {
		b, err := p.uint8()
		p.text = append(p.text, b)
		return trimNUL(p.text), err
	}
	raw, width, err := p.wideUnits(k)
	if err != nil {
		return nil, err
	}
	for len(raw) > 0 {
		r := p.wideUnit(raw[:width])
		raw = raw[width:]
		if utf16.IsSurrogate(r) && len(raw) > 0 {
			if pair := utf16.DecodeRune(r, p.wideUnit(raw[:width])); pair != utf8.RuneError {
				r, raw = pair, raw[width:]
			}
		}
		p.text = utf8.AppendRune(p.text, r)
	}
	return trimNUL(p.text), nil
}

// wideUnits returns the bytes of the units of a WChar or a WString, and how
// many bytes each has.
func (r *reader) wideUnits(k Kind) (raw []byte, width int, err error) {
	n := 1
	if k == WString {
		if n, err = r.length(1); err != nil {
			return nil, 0, err
		}
		if r.wide == wideOctets {
			if n%2 != 0 {
				return nil, 0, fmt.Errorf("a wide string has %d bytes, which is odd", n)
			}
			n /= 2
		}
	}
	width = 2
	if r.wide == wideDouble {
		width = 4
	}
	r.align(width)
	if raw = r.bytes(n * width); raw == nil {
		return nil, 0, r.missing(n * width)
	}
	return raw, width, nil
}

func (r *reader) wideUnit(b []byte) rune {
	if len(b) == 4 {
		return rune(r.order32(b))
	}
	return rune(r.order16(b))
}

func trimNUL(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == 0 {
		return b[:n-1]
	}
	return b
}
