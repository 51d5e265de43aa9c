package idl

import (
	"fmt"
	"go/constant"
	"math"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

// builder makes the types of package cdr out of definitions. It looks at what
// a message needs and at nothing else.
type builder struct {
	extensibility cdr.Extensibility // of types that don't say
	types         map[*decl]*cdr.Type
	constants     map[*decl]constant.Value
	labels        map[*cdr.Type]map[string]int64 // of enums, by name
	legends       map[*cdr.Type]string           // what the bits of a bitmask or bitset mean
	open          map[*decl]bool                 // being worked out: met again, it holds itself
	pending       []*decl                        // structs and unions that don't have their members yet
	members       int
}

func newBuilder(e cdr.Extensibility) *builder {
	return &builder{
		extensibility: e,
		types:         map[*decl]*cdr.Type{},
		constants:     map[*decl]constant.Value{},
		labels:        map[*cdr.Type]map[string]int64{},
		legends:       map[*cdr.Type]string{},
		open:          map[*decl]bool{},
	}
}

// message returns the type of the root and all types in it.
func (b *builder) message(root *decl) (*cdr.Type, error) {
	if err := root.usable(root.line); err != nil {
		return nil, err
	}
	t, err := b.declared(root, root.line)
	if _, isStruct := root.body.(structBody); isStruct && err == nil && t.Kind != cdr.Struct {
		t, err = b.shell(root, cdr.Struct) // a time, but as a whole message its members are columns
	}
	if err != nil {
		return nil, err
	}
	for len(b.pending) > 0 {
		d := b.pending[0]
		b.pending = b.pending[1:]
		if err := b.fill(d); err != nil {
			return nil, fmt.Errorf("%s: %w", d.path(), err)
		}
	}
	switch {
	case t.Kind == cdr.Struct:
		return t, nil
	case t.Kind == cdr.Union && t.Extensibility != cdr.Mutable:
		return wrapped(t), nil
	}
	return nil, errorAt(root.line, "expected %s to be a struct or a union that is not mutable, as messages are", root.path())
}

// wrapped returns a union as the only member of a struct that takes the same
// bytes. It is the struct that is framed as the union says.
func wrapped(union *cdr.Type) *cdr.Type {
	bare := *union
	bare.Extensibility = cdr.Final
	return &cdr.Type{
		Kind: cdr.Struct, Name: union.Name, Extensibility: union.Extensibility,
		Members: []cdr.Member{{Name: "value", Type: &bare}},
	}
}

func (b *builder) fill(d *decl) error {
	if body, ok := d.body.(unionBody); ok {
		return b.union(d, body)
	}
	return b.structure(d)
}

// enter begins to work out d; it fails when that is going on already.
func (b *builder) enter(d *decl, line int) error {
	if b.open[d] {
		return errorAt(line, "%s is defined by itself", d.path())
	}
	if len(b.open) >= maxNesting {
		return errorAt(line, "%s lies behind more than %d other definitions", d.path(), maxNesting)
	}
	b.open[d] = true
	return nil
}

func (b *builder) leave(d *decl) { delete(b.open, d) }

// lookup returns the definition that a name stands for.
func (b *builder) lookup(r ref) (*decl, error) {
	d := r.find()
	if d == nil {
		return nil, errorAt(r.line, "%q is not defined", decode.Shorten(r.name, 80))
	}
	return d, d.usable(r.line)
}

// usable fails when d is one of two definitions that differ.
func (d *decl) usable(line int) error {
	if d.clash > 0 {
		return errorAt(line, "%s is defined in line %d and differently in line %d", d.path(), d.line, d.clash)
	}
	return nil
}

// of returns the type that is written as s.
func (b *builder) of(s *typeSpec) (*cdr.Type, error) {
	switch s.form {
	case namedForm:
		return b.named(s.name)
	case sequenceForm:
		elem, err := b.of(s.value)
		return &cdr.Type{Kind: cdr.Sequence, Elem: elem}, err
	case mapForm:
		return b.mapping(s)
	case arrayForm:
		return b.array(s.value, s.dims)
	case foreignForm:
		return nil, errorAt(s.line, "type %q can't be decoded", s.keyword)
	}
	return &cdr.Type{Kind: s.kind}, nil
}

// mapping returns a map as the sequence of pairs that it is on the wire
// (DDS-XTypes 1.3, 7.4.3.5).
func (b *builder) mapping(s *typeSpec) (*cdr.Type, error) {
	key, err := b.of(s.key)
	if err != nil {
		return nil, err
	}
	value, err := b.of(s.value)
	if err != nil {
		return nil, err
	}
	entry := &cdr.Type{Kind: cdr.Struct, Name: "map", Entry: true, Members: []cdr.Member{
		{Name: "key", Type: key}, {Name: "value", Type: value, ID: 1},
	}}
	return &cdr.Type{Kind: cdr.Sequence, Elem: entry}, nil
}

func (b *builder) named(r ref) (*cdr.Type, error) {
	d, err := b.lookup(r)
	if d == nil {
		if t := missing(r.name); t != nil {
			return t, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return b.declared(d, r.line)
}

// declared returns the type that d defines. Structs and unions get their
// members later, so that they may hold themselves.
func (b *builder) declared(d *decl, line int) (*cdr.Type, error) {
	if t := b.types[d]; t != nil {
		return t, nil
	}
	t, err := b.define(d, line)
	if err != nil {
		return nil, err
	}
	b.types[d] = t
	return t, nil
}

func (b *builder) define(d *decl, line int) (*cdr.Type, error) {
	switch body := d.body.(type) {
	case structBody:
		if t := instantOf(d); t != nil {
			return t, nil
		}
		return b.shell(d, cdr.Struct)
	case unionBody:
		return b.shell(d, cdr.Union)
	case enumBody:
		return b.enum(d, body)
	case bitmaskBody:
		return b.bitmask(d, body)
	case bitsetBody:
		return b.bitset(d)
	case typedefBody:
		if err := b.enter(d, line); err != nil {
			return nil, err
		}
		defer b.leave(d)
		return b.array(body.spec, body.dims)
	case forwardBody:
		return nil, errorAt(line, "%s is declared in line %d and never defined", d.path(), d.line)
	case foreignBody:
		return nil, errorAt(line, "%s is of kind %q, which can't be decoded", d.path(), body.keyword)
	}
	return nil, errorAt(line, "expected a type, found %s, which is none", d.path())
}

// shell returns a struct or union without members and notes that it needs some.
func (b *builder) shell(d *decl, kind cdr.Kind) (*cdr.Type, error) {
	e, err := b.extensibilityOf(d)
	t := &cdr.Type{Kind: kind, Name: d.path(), Extensibility: e}
	b.types[d] = t
	b.pending = append(b.pending, d)
	return t, err
}

// array returns the type of an array of elem, its dimensions multiplied; without
// dimensions, elem.
func (b *builder) array(elem *typeSpec, dims []*expr) (*cdr.Type, error) {
	t, err := b.of(elem)
	if err != nil || len(dims) == 0 {
		return t, err
	}
	total := int64(1)
	for _, dim := range dims {
		n, err := b.integer(dim)
		if err != nil {
			return nil, err
		}
		if n < 1 || n > math.MaxInt32/total {
			return nil, errorAt(dim.line, "expected array dimensions from 1 whose product is at most %d, found %d", math.MaxInt32, n)
		}
		total *= n
	}
	return &cdr.Type{Kind: cdr.Array, Elem: t, Len: int(total)}, nil
}
