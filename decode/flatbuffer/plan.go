package flatbuffer

import (
	"fmt"

	"tapedeck/decode"
)

// plan implements [decode.Plan].
type plan struct {
	layout decode.Layout
	root   *node
	schema *schema // read as far as needed; never changed after compile

	bound  *decode.Batch // that the vectors in root belong to
	b      buffer        // the message at hand
	budget decode.Budget // of the message at hand
	json   jsonWriter
}

// Columns implements [decode.Plan].
func (p *plan) Columns() []decode.Column { return p.layout.Columns }

// Fork implements [decode.Plan].
func (p *plan) Fork() decode.Plan {
	return &plan{layout: p.layout, root: p.root.clone(), schema: p.schema}
}

// Decode implements [decode.Plan].
func (p *plan) Decode(msg []byte, b *decode.Batch) error {
	if p.bound != b {
		p.root.bind(p.layout.Root, b)
		p.bound = b
	}
	p.b, p.budget = msg, decode.NewBudget(len(msg))
	defer func() { p.b = nil }()
	root, err := p.b.root(p.schema.identifier)
	if err != nil {
		return err
	}
	if err := p.table(p.root, root); err != nil {
		return err
	}
	b.CloseRow()
	return nil
}

// table appends the fields of a table.
func (p *plan) table(n *node, t table) error {
	for i := range n.fields {
		f := &n.fields[i]
		at := t.field(f.slot)
		var err error
		switch {
		case at == 0:
			err = p.absent(f)
		case f.op == opUnion:
			err = p.union(f, t, at)
		case f.op == opUnions:
			err = p.appendJSON(f, func(w *jsonWriter) error { return w.unions(f.field, t, at, 0) })
		default:
			err = p.value(f, at)
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return nil
}

// absent appends what a field has that the table lacks.
func (p *plan) absent(f *node) error {
	switch {
	case f.def == nil:
		f.null()
	case f.op == opEnum:
		return p.budget.Spend(f.appendName(f.vec, buffer(f.def).unsigned(0, f.width)))
	default:
		f.vec.AppendFixed(f.def)
	}
	return nil
}

// value appends the value at a place.
func (p *plan) value(n *node, at int) error {
	switch n.op {
	case opFixed, opBool, opEnum:
		return p.number(n, at)
	case opArray:
		if err := p.b.check(at, n.length*n.stride); err != nil {
			return err
		}
		return p.elements(n, at, n.length)
	case opStruct, opTime:
		if n.indirect {
			return p.indirect(n, at)
		}
		return p.inPlace(n, at)
	}
	to, err := p.b.follow(at, n.wide)
	if err != nil {
		return err
	}
	switch n.op {
	case opText:
		return p.text(n, to)
	case opList:
		begin, length, err := p.b.vector(to, n.stride, n.long)
		if err != nil {
			return err
		}
		return p.elements(n, begin, length)
	case opJSON:
		return p.appendJSON(n, func(w *jsonWriter) error { return w.object(n.object, to, 0) })
	}
	t, err := p.b.table(to)
	if err != nil {
		return err
	}
	if err := p.table(n, t); err != nil {
		return err
	}
	n.close()
	return nil
}

func (p *plan) number(n *node, at int) error {
	if err := p.b.check(at, n.width); err != nil {
		return err
	}
	switch n.op {
	case opBool:
		n.vec.AppendBool(p.b[at] != 0)
	case opEnum:
		return p.budget.Spend(n.appendName(n.vec, p.b.unsigned(at, n.width)))
	default:
		n.vec.AppendFixed(p.b[at : at+n.width])
	}
	return nil
}

func (p *plan) text(n *node, at int) error {
	begin, length, err := p.b.vector(at, 1, false)
	if err != nil {
		return err
	}
	n.vec.AppendBytes(p.b[begin : begin+length])
	return p.budget.Spend(length)
}

// elements appends a list, whose bytes were checked.
func (p *plan) elements(n *node, begin, length int) error {
	cost := n.cost
	if n.elem.op == opFixed {
		cost = n.stride
	}
	if err := p.budget.SpendEach(length, cost); err != nil {
		return err
	}
	raw := p.b[begin : begin+length*n.stride]
	switch {
	case n.kind == decode.Bytes:
		n.vec.AppendBytes(raw)
		return nil
	case n.elem.op == opFixed:
		n.elem.vec.AppendFixed(raw)
	default:
		for i := range length {
			if err := p.value(n.elem, begin+i*n.stride); err != nil {
				return err
			}
		}
	}
	n.vec.CloseList()
	return nil
}

// indirect appends the struct that an offset points to.
func (p *plan) indirect(n *node, at int) error {
	to, err := p.b.follow(at, n.wide)
	if err != nil {
		return err
	}
	return p.inPlace(n, to)
}

// inPlace appends the struct at a place.
func (p *plan) inPlace(n *node, at int) error {
	if err := p.b.check(at, n.stride); err != nil {
		return err
	}
	if n.op == opTime {
		p.time(n, at)
		return nil
	}
	for i := range n.fields {
		f := &n.fields[i]
		if err := p.value(f, at+f.slot); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	n.close()
	return nil
}

// time appends seconds and nanoseconds of 32 bits each, which always fit.
func (p *plan) time(n *node, at int) {
	part := func(f *node) int64 { return signExtend(p.b.unsigned(at+f.slot, f.width), f.width, f.kind) }
	sec, nsec := part(&n.fields[0]), part(&n.fields[1])
	n.vec.Append64(uint64(sec*1_000_000_000 + nsec))
}

// union appends the columns of all members: the one that the type beside it
// says has the value at a place, the others are NULL.
func (p *plan) union(n *node, t table, at int) error {
	var is uint64
	if typeAt := t.field(n.slot - 2); typeAt != 0 {
		if err := p.b.check(typeAt, 1); err != nil {
			return err
		}
		is = uint64(p.b[typeAt])
	}
	for i := range n.fields {
		m := &n.fields[i]
		if is != m.number {
			m.null()
		} else if err := p.value(m, at); err != nil {
			return fmt.Errorf("member %s: %w", m.name, err)
		}
	}
	n.close()
	return nil
}

func (p *plan) appendJSON(n *node, write func(*jsonWriter) error) error {
	text, err := p.json.text(p.schema, p.b, int(p.budget), write)
	if err != nil {
		return err
	}
	n.vec.AppendBytes(text)
	return p.budget.Spend(len(text))
}
