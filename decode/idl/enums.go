package idl

import (
	"fmt"
	"math"
	"strings"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// enum returns an enum. A value that is not given is one more than that before.
func (b *builder) enum(d *decl, body enumBody) (*cdr.Type, error) {
	bound, err := b.bitBound(d, 32, 32)
	if err != nil {
		return nil, err
	}
	t := &cdr.Type{Kind: cdr.Enum, Name: d.path(), Bits: holderBits(bound)}
	values := map[string]int64{}
	err = b.number(d, body.enumerators, math.MinInt32, math.MaxInt32, func(e enumerator, v int64) {
		t.Labels = append(t.Labels, cdr.Label{Name: e.name, Value: v})
		values[e.name] = v
	})
	b.labels[t] = values
	return t, err
}

// bitmask returns a bitmask as the unsigned integer that it is on the wire.
func (b *builder) bitmask(d *decl, body bitmaskBody) (*cdr.Type, error) {
	bound, err := b.bitBound(d, 32, 64)
	if err != nil {
		return nil, err
	}
	t := &cdr.Type{Kind: unsignedOf(bound)}
	var flags []string
	err = b.number(d, body.flags, 0, int64(bound)-1, func(e enumerator, bit int64) {
		flags = append(flags, fmt.Sprintf("%s=%#x", e.name, uint64(1)<<bit))
	})
	b.legends[t] = decode.Shorten("flags: "+strings.Join(flags, ", "), decode.MaxDescription)
	return t, err
}

// number gives each enumerator its value, which must lie between low and high.
func (b *builder) number(d *decl, all []enumerator, low, high int64, use func(enumerator, int64)) error {
	if err := b.enter(d, d.line); err != nil {
		return err
	}
	defer b.leave(d)
	next := int64(0)
	for _, e := range all {
		v := next
		if e.value != nil {
			var err error
			if v, err = b.integer(e.value); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
		}
		if v < low || v > high {
			return errorAt(e.line, "expected %s of %s to be from %d to %d, found %d", e.name, d.path(), low, high, v)
		}
		use(e, v)
		next = v + 1
	}
	return nil
}

// bitset returns a bitset as the unsigned integer that holds its fields, the
// first in the lowest bits.
func (b *builder) bitset(d *decl) (*cdr.Type, error) {
	var fields []string
	bits, err := b.bitfields(d, &fields)
	if err != nil {
		return nil, err
	}
	t := &cdr.Type{Kind: unsignedOf(bits)}
	b.legends[t] = decode.Shorten("bits: "+strings.Join(fields, ", "), decode.MaxDescription)
	return t, nil
}

func (b *builder) bitfields(d *decl, fields *[]string) (bits int, err error) {
	if err := b.enter(d, d.line); err != nil {
		return 0, err
	}
	defer b.leave(d)
	body := d.body.(bitsetBody)
	if body.base != nil {
		base, err := b.lookup(*body.base)
		if err != nil {
			return 0, err
		}
		if _, ok := base.body.(bitsetBody); !ok {
			return 0, errorAt(d.line, "expected a bitset to inherit from, found %s", base.path())
		}
		if bits, err = b.bitfields(base, fields); err != nil {
			return 0, err
		}
	}
	for _, f := range body.fields {
		width, err := b.integer(f.width)
		if err != nil {
			return 0, err
		}
		for i := range max(len(f.names), 1) {
			if width < 1 || width > int64(64-bits) {
				return 0, errorAt(f.width.line, "expected a bitset of 1 to 64 bits, found a field of %d bits behind %d", width, bits)
			}
			if len(f.names) > 0 {
				*fields = append(*fields, fmt.Sprintf("%s %d-%d", f.names[i], bits, bits+int(width)-1))
			}
			bits += int(width)
		}
	}
	return bits, nil
}

// bitBound reads @bit_bound.
func (b *builder) bitBound(d *decl, standard, most int) (int, error) {
	a := d.notes.find("bit_bound")
	if a == nil || len(a.values) == 0 {
		return standard, nil
	}
	n, err := b.integer(a.values[0])
	if err == nil && (n < 1 || n > int64(most)) {
		err = errorAt(a.line, "expected @bit_bound from 1 to %d for %s, found %d", most, d.path(), n)
	}
	return int(n), err
}

// holderBits returns the width of the integer that holds n bits.
func holderBits(n int) int {
	switch {
	case n <= 8:
		return 8
	case n <= 16:
		return 16
	case n <= 32:
		return 32
	}
	return 64
}

func unsignedOf(bits int) cdr.Kind {
	return map[int]cdr.Kind{8: cdr.Uint8, 16: cdr.Uint16, 32: cdr.Uint32, 64: cdr.Uint64}[holderBits(bits)]
}
