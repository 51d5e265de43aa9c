package idl

import (
	"go/constant"
	gotoken "go/token"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// integer returns the value of an expression that must be an integer that 64 bits hold.
// Unsigned ones beyond an int64 keep their bits.
func (b *builder) integer(e *expr) (int64, error) {
	v, err := b.value(e)
	if err != nil {
		return 0, err
	}
	if v.Kind() == constant.Bool {
		if constant.BoolVal(v) {
			return 1, nil
		}
		return 0, nil
	}
	if v.Kind() == constant.Int {
		if n, exact := constant.Int64Val(v); exact {
			return n, nil
		}
		if n, exact := constant.Uint64Val(v); exact {
			return int64(n), nil
		}
	}
	return 0, errorAt(e.line, "expected an integer of 64 bits, found %s", decode.Shorten(v.String(), 40))
}

// value works out an expression.
func (b *builder) value(e *expr) (constant.Value, error) {
	switch {
	case e.literal != nil:
		return e.literal, nil
	case e.name != nil:
		return b.constantNamed(*e.name)
	}
	var left constant.Value
	if e.left != nil {
		var err error
		if left, err = b.value(e.left); err != nil {
			return nil, err
		}
	}
	right, err := b.value(e.right)
	if err != nil {
		return nil, err
	}
	return e.apply(left, right)
}

func (b *builder) constantNamed(r ref) (constant.Value, error) {
	d, err := b.lookup(r)
	if err != nil {
		return nil, err
	}
	switch body := d.body.(type) {
	case constBody:
		return b.constant(d, body, r.line)
	case enumeratorBody:
		t, err := b.declared(body.enum, r.line)
		if err != nil {
			return nil, err
		}
		if v, known := b.labels[t][d.name]; known {
			return constant.MakeInt64(v), nil
		}
	}
	return nil, errorAt(r.line, "expected the name of a constant, found %s", d.path())
}

func (b *builder) constant(d *decl, body constBody, line int) (constant.Value, error) {
	if v := b.constants[d]; v != nil {
		return v, nil
	}
	if err := b.enter(d, line); err != nil {
		return nil, err
	}
	defer b.leave(d)
	v, err := b.value(body.value)
	if err == nil {
		v = wrapUnsigned(v, body.spec.kind)
		b.constants[d] = v
	}
	return v, err
}

var unsignedBits = map[cdr.Kind]uint{cdr.Byte: 8, cdr.Uint8: 8, cdr.Uint16: 16, cdr.Uint32: 32, cdr.Uint64: 64}

// wrapUnsigned makes the result of "~" what it is in an unsigned constant.
func wrapUnsigned(v constant.Value, kind cdr.Kind) constant.Value {
	bits, unsigned := unsignedBits[kind]
	if !unsigned || v.Kind() != constant.Int || constant.Sign(v) >= 0 {
		return v
	}
	limit := constant.Shift(constant.MakeInt64(1), gotoken.SHL, bits)
	mask := constant.BinaryOp(limit, gotoken.SUB, constant.MakeInt64(1))
	return constant.BinaryOp(v, gotoken.AND, mask)
}
