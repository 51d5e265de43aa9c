package cdr

import (
	"fmt"

	"tapedeck/decode"
)

// program is what Compile makes of a type. It never changes, so that forks
// of a plan share it.
type program struct {
	*survey
	format  Format
	columns []decode.Column
	slots   []slot
	root    step
}

// slot says where a vector that steps write to is found in a batch.
type slot struct {
	of    owner
	from  int32 // the slot that owns it
	index int   // of a column or a field
}

type owner uint8

const (
	ofBatch owner = iota
	ofList
	ofStruct
)

func compile(root *Type, format Format, opt decode.Options) (decode.Plan, error) {
	if root == nil || root.Kind != Struct {
		return nil, fmt.Errorf("%w: its root is not a struct", decode.ErrSchema)
	}
	types, err := newSurvey(root)
	if err != nil {
		return nil, err
	}
	layout, err := decode.Flatten(columnTypes{}.of(root), opt)
	if err != nil {
		return nil, err
	}
	p := &program{survey: types, format: format, columns: layout.Columns}
	c := compiler{program: p}
	p.root = c.members(root, place{node: layout.Root, spread: true})
	return &plan{program: p}, nil
}

type compiler struct{ *program }

// place is where a value goes: one vector, or, spread, the columns of a node.
type place struct {
	spread bool
	node   decode.Node
	slot   int32
	typ    decode.Type
	name   string
}

func (c *compiler) addSlot(of owner, from int32, index int) int32 {
	c.slots = append(c.slots, slot{of, from, index})
	return int32(len(c.slots) - 1)
}

// field returns the place of field i of a struct that goes to p.
func (c *compiler) field(p place, i int) place {
	if !p.spread {
		f := p.typ.Fields[i]
		return place{slot: c.addSlot(ofStruct, p.slot, i), typ: f.Type, name: f.Name}
	}
	node := p.node.Fields[i]
	if node.Column < 0 {
		return place{spread: true, node: node}
	}
	col := c.columns[node.Column]
	return place{slot: c.addSlot(ofBatch, 0, node.Column), typ: col.Type, name: col.Name}
}

// members returns the step of a struct or union, one part a member, in front
// of which a union has its discriminator.
func (c *compiler) members(t *Type, to place) step {
	s := step{op: opMembers, slot: -1, typ: t}
	next := 0
	if t.Kind == Union {
		s.op = opUnion
		s.parts = append(s.parts, newPart(c.value(t.Discriminator, c.field(to, 0))))
		next = 1
	}
	for i, m := range t.Members {
		if isDummy(t, i) {
			s.parts = append(s.parts, newPart([]step{{op: opDummy, slot: -1}}))
			continue
		}
		s.parts = append(s.parts, newPart(c.value(m.Type, c.field(to, next))))
		next++
	}
	return s
}

// value returns the steps of a value of type t.
func (c *compiler) value(t *Type, to place) []step {
	if to.spread {
		return c.spread(t, to)
	}
	s := step{slot: to.slot, typ: t, name: to.name, kind: to.typ.Kind, width: t.width(), count: sequence}
	switch {
	case to.typ.Kind == decode.JSON:
		s.op = opJSON
	case t.Kind == Struct || t.Kind == Union:
		s.op = opRecord
		s.inner = c.spread(t, to)
	case t.Kind == Array || t.Kind == Sequence:
		c.list(&s, to)
	default:
		s.op = scalarOps[t.Kind]
		s.labels = c.labels[t]
	}
	return []step{s}
}

// spread returns the steps of a struct's or union's members without any around
// them. A struct that nothing on the wire frames becomes the steps of its members.
func (c *compiler) spread(t *Type, to place) []step {
	s := c.members(t, to)
	if t.Kind != Struct || t.Extensibility != Final {
		return []step{s}
	}
	var steps []step
	for i, p := range s.parts {
		if t.Members[i].Optional {
			steps = append(steps, step{op: opOptional, slot: -1, name: t.Members[i].Name, id: t.Members[i].ID, parts: s.parts[i : i+1]})
			continue
		}
		steps = append(steps, p.steps...)
	}
	return steps
}

func (c *compiler) list(s *step, to place) {
	elem := s.typ.Elem
	s.width, s.minimum = elem.width(), c.minimum[elem]
	s.framed = framing(elem)
	if s.typ.Kind == Array {
		s.count = s.typ.Len
	}
	if to.typ.Kind == decode.Bytes {
		s.op = opBlob
		return
	}
	s.elem = c.addSlot(ofList, to.slot, 0)
	if isNumber(elem.Kind) {
		s.op = opNumbers
		return
	}
	s.op = opList
	s.inner = c.value(elem, place{slot: s.elem, typ: *to.typ.Elem})
	s.weight = weigh(s.inner)
}

func isNumber(k Kind) bool { return Int8 <= k && k <= Float64 }

// framing says whether XCDR2 puts a DHEADER in front of lists of elem: it does
// unless they are primitive, as are maps of which key and value are (DDS-XTypes
// 1.3, 7.4.3.5). Vendors differ about enums: Cyclone DDS writes one, Fast DDS
// does not.
func framing(elem *Type) frame {
	switch {
	case elem.Kind == Enum:
		return maybeFramed
	case elem.isPrimitive():
		return unframed
	case elem.Entry && elem.Members[0].Type.isPrimitive() && elem.Members[1].Type.isPrimitive():
		return unframed
	}
	return framed
}

func (t *Type) isPrimitive() bool { return t.width() > 0 && t.Kind != Enum }
