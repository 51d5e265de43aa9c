package flatbuffer

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"tapedeck/decode"
	"tapedeck/decode/internal/jsontext"
)

// jsonWriter writes tables as JSON text.
type jsonWriter struct {
	schema *schema
	b      buffer
	out    []byte
	limit  int // of bytes of out and fields looked at
	looked int // fields
}

// text returns what write writes, good until the next call.
func (w *jsonWriter) text(s *schema, b buffer, limit int, write func(*jsonWriter) error) ([]byte, error) {
	w.schema, w.b, w.out, w.limit, w.looked = s, b, w.out[:0], limit, 0
	err := write(w)
	w.b = nil
	return w.out, err
}

// room fails when the text or the nesting has become too much. It is asked
// before each field and each element, so that shared offsets can't make work
// without end.
func (w *jsonWriter) room(depth int) error {
	switch {
	case depth >= jsontext.MaxDepth:
		return errDepth
	case len(w.out)+w.looked > w.limit:
		return decode.ErrExpands
	}
	return nil
}

// object writes the table or struct at a place.
func (w *jsonWriter) object(o *object, at, depth int) error {
	if err := w.room(depth); err != nil {
		return err
	}
	var t table
	var err error
	if o.isStruct {
		err = w.b.check(at, o.size)
	} else {
		t, err = w.b.table(at)
	}
	if err != nil {
		return err
	}
	w.out = append(w.out, '{')
	first := true
	for i := range o.fields {
		w.looked++
		if err := w.room(depth); err != nil {
			return err
		}
		f := &o.fields[i]
		place := at + f.slot
		if !o.isStruct {
			if place = t.field(f.slot); place == 0 {
				continue
			}
		}
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.out = append(jsontext.AppendQuoted(w.out, f.name), ':')
		if err := w.field(f, t, place, depth); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// field writes the field f of a table or struct, which is at a place.
func (w *jsonWriter) field(f *fieldDef, t table, at, depth int) error {
	switch f.typ.base {
	case typeUnion:
		typeAt := t.field(f.slot - 2)
		if typeAt == 0 {
			w.out = append(w.out, "null"...)
			return nil
		}
		if err := w.b.check(typeAt, 1); err != nil {
			return err
		}
		return w.member(f.typ.index, w.b[typeAt], at, depth)
	case typeVector, typeVector64:
		if f.typ.elem == typeUnion {
			return w.unions(f, t, at, depth)
		}
		return w.vector(f, at, depth)
	case typeArray:
		return w.elements(f.typ, at, f.typ.length, depth)
	case typeString:
		to, err := w.b.follow(at, f.offset64)
		if err != nil {
			return err
		}
		return w.string(to)
	}
	return w.value(f.typ.base, f.typ.index, at, depth)
}

// value writes a number, a string, a struct in place or a table.
func (w *jsonWriter) value(base baseType, index, at, depth int) error {
	if err := w.room(depth); err != nil {
		return err
	}
	switch base {
	case typeString:
		to, err := w.b.follow(at, false)
		if err != nil {
			return err
		}
		return w.string(to)
	case typeObject:
		o, err := w.schema.object(index)
		if err != nil {
			return err
		}
		if !o.isStruct {
			if at, err = w.b.follow(at, false); err != nil {
				return err
			}
		}
		return w.object(o, at, depth+1)
	}
	return w.number(base, index, at)
}

func (w *jsonWriter) number(base baseType, index, at int) error {
	kind, ok := numberKinds[base]
	if !ok {
		return fmt.Errorf("type %d is not known", base)
	}
	if err := w.b.check(at, kind.Width()); err != nil {
		return err
	}
	bits := w.b.unsigned(at, kind.Width())
	switch kind {
	case decode.Bool:
		w.out = strconv.AppendBool(w.out, bits != 0)
	case decode.Float32:
		w.out = jsontext.AppendFloat(w.out, float64(math.Float32frombits(uint32(bits))), 32)
	case decode.Float64:
		w.out = jsontext.AppendFloat(w.out, math.Float64frombits(bits), 64)
	default:
		number := signExtend(bits, kind.Width(), kind)
		if index >= 0 {
			e, err := w.schema.enum(index)
			if err != nil {
				return err
			}
			if name, ok := e.names[number]; ok {
				w.out = jsontext.AppendQuoted(w.out, name)
				return nil
			}
		}
		w.out = appendInteger(w.out, number, kind)
	}
	return nil
}

func (w *jsonWriter) string(at int) error {
	begin, n, err := w.b.vector(at, 1, false)
	if err != nil {
		return err
	}
	w.out = jsontext.AppendQuoted(w.out, w.b[begin:begin+n])
	return nil
}

func (w *jsonWriter) vector(f *fieldDef, at, depth int) error {
	to, err := w.b.follow(at, f.offset64)
	if err != nil {
		return err
	}
	stride, err := w.stride(f.typ)
	if err != nil {
		return err
	}
	begin, n, err := w.b.vector(to, stride, f.typ.base == typeVector64)
	if err != nil {
		return err
	}
	return w.elements(f.typ, begin, n, depth)
}

// stride returns the bytes of an element.
func (w *jsonWriter) stride(ref typeRef) (int, error) {
	stride := 4
	switch kind, isNumber := numberKinds[ref.elem]; {
	case isNumber:
		stride = kind.Width()
	case ref.elem == typeObject:
		o, err := w.schema.object(ref.index)
		if err != nil {
			return 0, err
		}
		if o.isStruct {
			stride = o.size
		}
	}
	if stride < 1 {
		return 0, fmt.Errorf("elements of %d bytes", stride)
	}
	return stride, nil
}

func (w *jsonWriter) elements(ref typeRef, begin, n, depth int) error {
	stride, err := w.stride(ref)
	if err != nil {
		return err
	}
	if err := w.b.check(begin, n*stride); err != nil {
		return err
	}
	if ref.elem == typeUByte && ref.index < 0 {
		w.out = append(w.out, '"')
		w.out = base64.StdEncoding.AppendEncode(w.out, w.b[begin:begin+n])
		w.out = append(w.out, '"')
		return nil
	}
	w.out = append(w.out, '[')
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.value(ref.elem, ref.index, begin+i*stride, depth); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

// unions writes a vector of unions; the vector of their types is the field
// before it.
func (w *jsonWriter) unions(f *fieldDef, t table, at, depth int) error {
	begin, n, err := w.offsets(at, 4, f)
	if err != nil {
		return err
	}
	types, m := 0, 0
	if typesAt := t.field(f.slot - 2); typesAt != 0 {
		if types, m, err = w.offsets(typesAt, 1, f); err != nil {
			return err
		}
	}
	if n != m {
		return fmt.Errorf("%w: %d unions of %d types", errMalformed, n, m)
	}
	w.out = append(w.out, '[')
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.member(f.typ.index, w.b[types+i], begin+4*i, depth); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

func (w *jsonWriter) offsets(at, width int, f *fieldDef) (begin, n int, err error) {
	to, err := w.b.follow(at, f.offset64)
	if err != nil {
		return 0, 0, err
	}
	return w.b.vector(to, width, f.typ.base == typeVector64)
}

// member writes a union's value, which an offset at a place points to.
func (w *jsonWriter) member(enumIndex int, is byte, at, depth int) error {
	if err := w.room(depth); err != nil {
		return err
	}
	u, err := w.schema.enum(enumIndex)
	if err != nil {
		return err
	}
	for _, m := range u.members {
		if m.number != uint64(is) {
			continue
		}
		to, err := w.b.follow(at, false)
		if err != nil {
			return err
		}
		if m.typ.base == typeString {
			return w.string(to)
		}
		o, err := w.schema.object(m.typ.index)
		if err != nil {
			return err
		}
		return w.object(o, to, depth+1)
	}
	w.out = append(w.out, "null"...)
	return nil
}
