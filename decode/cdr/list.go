package cdr

import (
	"encoding/binary"

	"tapedeck/decode"
)

// list appends a list whose elements are no plain numbers.
func (p *plan) list(s *step, v *decode.Vector) error {
	outer, isFramed, err := p.frame(s)
	if err != nil {
		return err
	}
	n, err := p.elements(s)
	if err != nil {
		return err
	}
	if err := p.charge(n, s.weight); err != nil {
		return err
	}
	for range n {
		if err := p.run(s.inner); err != nil {
			return err
		}
	}
	v.CloseList()
	if isFramed {
		p.widen(outer)
	}
	return nil
}

// frame reads the DHEADER of a list, if it has one.
func (p *plan) frame(s *step) (outer window, is bool, err error) {
	if !p.v2 || s.framed == unframed || s.framed == maybeFramed && !p.framedUnits(s) {
		return window{}, false, nil
	}
	outer, err = p.dheader()
	return outer, true, err
}

// framedUnits reports whether a DHEADER of the right size lies in front of a
// list of units of one width.
func (p *plan) framedUnits(s *step) bool {
	r := p.reader
	size, err := r.uint32()
	if err != nil || s.count != sequence {
		return err == nil && int(size) == s.count*s.width
	}
	n, err := r.uint32()
	return err == nil && int(size) == 4+int(n)*s.width
}

// elements returns how many elements a list has, having made sure that the
// message can hold them.
func (p *plan) elements(s *step) (int, error) {
	if s.count == sequence {
		return p.length(s.minimum)
	}
	return s.count, p.room(s.count, s.minimum)
}

// raw returns the bytes of a list of units of one width. An empty list has no
// padding in front of elements that it does not have.
func (p *plan) raw(s *step) ([]byte, error) {
	n, err := p.elements(s)
	if err != nil || n == 0 {
		return nil, err
	}
	p.align(s.width)
	raw := p.bytes(n * s.width)
	if raw == nil {
		return nil, p.missing(n * s.width)
	}
	return raw, nil
}

func (p *plan) blob(s *step, v *decode.Vector) error {
	raw, err := p.raw(s)
	if err == nil {
		v.AppendBytes(raw)
	}
	return err
}

// numbers appends a list of numbers, as it lies there when it is little-endian.
func (p *plan) numbers(s *step, v *decode.Vector) error {
	raw, err := p.raw(s)
	if err != nil {
		return err
	}
	if p.big && s.width > 1 {
		p.text = swapped(p.text[:0], raw, s.width)
		raw = p.text
	}
	if len(raw) > 0 {
		v.Elem().AppendFixed(raw)
	}
	v.CloseList()
	return nil
}

// swapped appends big-endian units of width bytes to dst in little-endian order.
func swapped(dst, raw []byte, width int) []byte {
	for ; len(raw) > 0; raw = raw[width:] {
		switch width {
		case 2:
			dst = binary.LittleEndian.AppendUint16(dst, binary.BigEndian.Uint16(raw))
		case 4:
			dst = binary.LittleEndian.AppendUint32(dst, binary.BigEndian.Uint32(raw))
		case 8:
			dst = binary.LittleEndian.AppendUint64(dst, binary.BigEndian.Uint64(raw))
		}
	}
	return dst
}
