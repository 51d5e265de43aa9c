package cdr

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"time"

	"tapedeck/decode/internal/jsontext"
)

// json reads a value of type t and appends it to dst as JSON text: structs are
// objects without the members that are absent, octets base64, times RFC 3339,
// durations nanoseconds, numbers that JSON has not strings.
func (p *plan) json(dst []byte, t *Type) ([]byte, error) {
	if p.depth++; p.depth > jsontext.MaxDepth {
		return dst, fmt.Errorf("values of %s lie more than %d deep in one another", t.Name, jsontext.MaxDepth)
	}
	defer func() { p.depth-- }()
	switch t.Kind {
	case Struct, Union:
		return p.jsonObject(dst, t)
	case Array, Sequence:
		return p.jsonList(dst, t)
	}
	return p.jsonScalar(dst, t)
}

func (p *plan) jsonObject(dst []byte, t *Type) ([]byte, error) {
	o := jsonObject{typ: t, text: append(dst, '{')}
	err := p.charge(1, 1+len(t.Members))
	switch {
	case err != nil:
	case t.Kind == Union:
		err = p.union(t, &o)
	default:
		err = p.members(t, &o)
	}
	return append(o.text, '}'), err
}

// jsonObject is a sink that writes an object.
type jsonObject struct {
	typ  *Type
	text []byte
}

func (o *jsonObject) present(p *plan, i int) error {
	if isDummy(o.typ, i) {
		p.bytes(1)
		return nil
	}
	name, t := o.member(i)
	if err := p.charge(1, len(name)/8); err != nil {
		return err
	}
	if o.text[len(o.text)-1] != '{' {
		o.text = append(o.text, ',')
	}
	o.text = append(jsontext.AppendQuoted(o.text, name), ':')
	var err error
	o.text, err = p.json(o.text, t)
	return err
}

func (o *jsonObject) absent(*plan, int) {}

func (o *jsonObject) member(i int) (string, *Type) {
	if o.typ.Kind == Union {
		if i == 0 {
			return discriminatorName, o.typ.Discriminator
		}
		i--
	}
	return o.typ.Members[i].Name, o.typ.Members[i].Type
}

func (p *plan) jsonList(dst []byte, t *Type) ([]byte, error) {
	s := step{typ: t, count: sequence, framed: framing(t.Elem), width: t.Elem.width(), minimum: p.minimum[t.Elem]}
	if t.Kind == Array {
		s.count = t.Len
	}
	if isBlob(t) {
		raw, err := p.raw(&s)
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), raw), '"'), err
	}
	outer, isFramed, err := p.frame(&s)
	if err != nil {
		return dst, err
	}
	n, err := p.elements(&s)
	if err != nil {
		return dst, err
	}
	if err := p.charge(n, 1); err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = p.json(dst, t.Elem); err != nil {
			return dst, err
		}
	}
	if isFramed {
		p.widen(outer)
	}
	return append(dst, ']'), nil
}

func (p *plan) jsonScalar(dst []byte, t *Type) ([]byte, error) {
	switch t.Kind {
	case Bool:
		x, err := p.uint8()
		return strconv.AppendBool(dst, x != 0), err
	case Float32:
		x, err := p.uint32()
		return jsontext.AppendFloat(dst, float64(math.Float32frombits(x)), 32), err
	case Float64:
		x, err := p.uint64()
		return jsontext.AppendFloat(dst, math.Float64frombits(x), 64), err
	case LongDouble:
		x, err := p.longDouble()
		return jsontext.AppendFloat(dst, x, 64), err
	case Uint64:
		x, err := p.uint64()
		return strconv.AppendUint(dst, x, 10), err
	case String:
		text, err := p.string()
		return jsontext.AppendQuoted(dst, text), err
	case Char, WChar, WString:
		text, err := p.characters(t.Kind)
		return jsontext.AppendQuoted(dst, text), err
	case Enum:
		return p.jsonEnum(dst, t)
	case Time, Duration:
		ns, err := p.nanoseconds(t.Kind)
		if t.Kind == Duration {
			return strconv.AppendInt(dst, ns, 10), err
		}
		return append(time.Unix(0, ns).UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano), '"'), err
	}
	x, err := p.integer(t.width(), t.isSigned())
	return strconv.AppendInt(dst, x, 10), err
}

func (p *plan) jsonEnum(dst []byte, t *Type) ([]byte, error) {
	x, err := p.integer(t.width(), true)
	if err != nil {
		return dst, err
	}
	p.text = appendEnum(p.text[:0], p.labels[t], x)
	return jsontext.AppendQuoted(dst, p.text), p.charge(1, len(p.text)/8)
}
