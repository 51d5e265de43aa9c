package protobuf

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"tapedeck/decode"
)

// plan implements [decode.Plan].
type plan struct {
	layout decode.Layout
	root   *message
	sole   bool // the schema's own type is a value: the column of the root's only field
	files  *files

	bound  *decode.Batch // that the vectors in root belong to
	budget decode.Budget // of the message at hand
	json   jsonWriter
}

// Columns implements [decode.Plan].
func (p *plan) Columns() []decode.Column { return p.layout.Columns }

// Fork implements [decode.Plan].
func (p *plan) Fork() decode.Plan {
	return &plan{layout: p.layout, root: p.root.clone(), sole: p.sole, files: p.files}
}

// Decode implements [decode.Plan].
func (p *plan) Decode(msg []byte, b *decode.Batch) error {
	if p.bound != b {
		p.root.bind(p.layout.Root, b)
		p.bound = b
	}
	p.budget = decode.NewBudget(len(msg))
	p.root.open(b.Rows())
	err := p.message(msg)
	if err != nil {
		p.root.forget()
		return err
	}
	b.CloseRow()
	return nil
}

func (p *plan) message(msg []byte) error {
	var err error
	if p.sole {
		err = p.nested(p.root, &p.root.fields[0], msg)
	} else {
		err = p.gather(p.root, msg)
	}
	if err != nil {
		return err
	}
	return p.close(p.root)
}

// gather reads an encoded message into the columns of m, which is open.
func (p *plan) gather(m *message, b []byte) error {
	var v value
	var err error
	for len(b) > 0 {
		if b, err = v.take(b); err != nil {
			return err
		}
		i := m.numbers.index(v.number)
		if i < 0 || m.fields[i].accepts&(1<<v.wire) == 0 {
			continue // unknown, which a wrong wire type makes it too
		}
		f := &m.fields[i]
		if f.oneof >= 0 {
			err = p.budget.Spend(m.pick(f, i))
		}
		if err == nil {
			err = p.value(m, f, &v)
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return nil
}

// value appends a value to its field.
func (p *plan) value(m *message, f *field, v *value) error {
	switch {
	case f.op >= opMessage:
		return p.nested(m, f, v.payload)
	case f.op == opText:
		f.makeRoom(m.base)
		f.dst.AppendBytes(v.payload)
	case v.wire == protowire.BytesType:
		return p.packed(f, v.payload)
	case f.op == opKeep:
		f.kept = f.scalar.integer(v.bits)
	default:
		f.makeRoom(m.base)
		return p.number(f, v.bits)
	}
	return nil
}

// makeRoom drops the value that a repeated occurrence takes the place of.
func (f *field) makeRoom(base int) {
	if !f.repeated && f.v.Len() > base {
		f.v.Truncate(base)
	}
}

func (p *plan) number(f *field, bits uint64) error {
	switch f.op {
	case opInt32:
		f.dst.Append32(uint32(bits))
	case opInt64:
		f.dst.Append64(bits)
	case opBool:
		f.dst.AppendBool(bits != 0)
	case opEnum:
		return p.budget.Spend(f.enum.appendTo(f.dst, int32(bits)))
	default:
		f.dst.AppendInt(f.scalar.integer(bits))
	}
	return nil
}

func (p *plan) packed(f *field, b []byte) error {
	width := 0
	switch f.scalar.wire {
	case protowire.Fixed32Type:
		width = 4
	case protowire.Fixed64Type:
		width = 8
	default:
		return packed(protowire.VarintType, b, func(x uint64) error { return p.number(f, x) })
	}
	if len(b)%width != 0 {
		return fmt.Errorf("packed list of %d bytes: %w", len(b), decode.ErrTruncated)
	}
	f.dst.AppendFixed(b)
	return nil
}

// nested reads an occurrence of a field that holds messages.
func (p *plan) nested(m *message, f *field, b []byte) error {
	switch {
	case f.op == opMap:
		return f.entries.put(b, f.msg.fields[0].scalar)
	case f.op == opJSON && f.repeated:
		return p.appendJSON(f, b)
	case f.op == opJSON:
		f.merge(b)
		return nil
	case f.repeated:
		return p.element(f.msg, f.dst, b)
	}
	if !f.msg.present {
		f.msg.open(m.base)
	}
	return p.gather(f.msg, b)
}

// merge adds an occurrence: one encoded message behind the other is the two merged.
func (f *field) merge(b []byte) {
	switch f.pieces++; f.pieces {
	case 1:
		f.raw = b
	case 2:
		f.raw = slices.Concat(f.raw, b)
	default:
		f.raw = append(f.raw, b...)
	}
}

// element appends a message to a list or map.
func (p *plan) element(m *message, list *decode.Vector, b []byte) error {
	if err := p.budget.Spend(m.cost); err != nil {
		return err
	}
	m.open(list.Len())
	if err := p.gather(m, b); err != nil {
		return err
	}
	return p.close(m)
}

func (p *plan) appendJSON(f *field, b []byte) error {
	text, err := p.json.write(p.files, f.json, b, int(p.budget))
	if err != nil {
		return err
	}
	f.dst.AppendBytes(text)
	return p.budget.Spend(len(text))
}

// close ends a message: what it did not have gets its default or NULL.
func (p *plan) close(m *message) error {
	m.present = false
	switch m.kind {
	case marker:
		m.vec.AppendBool(true)
		return nil
	case instant:
		ns, ok := decode.Nanoseconds(m.vec.Type().Kind, m.fields[0].kept, m.fields[1].kept)
		if !ok {
			return fmt.Errorf("%w: %d s and %d ns", errRange, m.fields[0].kept, m.fields[1].kept)
		}
		m.vec.Append64(uint64(ns))
		return nil
	}
	for i := range m.fields {
		if err := p.closeField(m, &m.fields[i]); err != nil {
			return fmt.Errorf("field %s: %w", m.fields[i].name, err)
		}
	}
	if m.kind == plain && m.vec != nil {
		m.vec.CloseStruct()
	}
	return nil
}

func (p *plan) closeField(m *message, f *field) error {
	switch {
	case f.op == opMap:
		return p.closeMap(f)
	case f.repeated:
		f.v.CloseList()
	case f.op == opMessage:
		return p.closeNested(m, f)
	case f.op == opJSON:
		return p.closeJSON(f)
	case f.v.Len() > m.base: // the message had it
	case !f.zero:
		f.v.AppendNull()
	case f.op == opEnum:
		return p.budget.Spend(f.enum.appendTo(f.v, f.def))
	default:
		f.v.AppendZero()
	}
	return nil
}

func (p *plan) closeNested(m *message, f *field) error {
	if !f.msg.present {
		if !f.zero {
			f.msg.null()
			return nil
		}
		f.msg.open(m.base)
	}
	return p.close(f.msg)
}

func (p *plan) closeJSON(f *field) error {
	if f.pieces == 0 && !f.zero {
		f.v.AppendNull()
		return nil
	}
	raw := f.raw
	f.raw, f.pieces = nil, 0
	return p.appendJSON(f, raw)
}

func (p *plan) closeMap(f *field) error {
	for i := range f.entries.list {
		if err := p.element(f.msg, f.dst, f.entries.list[i].encoded); err != nil {
			return err
		}
	}
	f.entries.reset()
	f.v.CloseList()
	return nil
}
