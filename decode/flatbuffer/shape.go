package flatbuffer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"tapedeck/decode"
)

// numberKinds are the kinds of columns that scalars become.
var numberKinds = map[baseType]decode.Kind{
	typeUType: decode.Uint8, typeBool: decode.Bool,
	typeByte: decode.Int8, typeUByte: decode.Uint8, typeShort: decode.Int16, typeUShort: decode.Uint16,
	typeInt: decode.Int32, typeUInt: decode.Uint32, typeLong: decode.Int64, typeULong: decode.Uint64,
	typeFloat: decode.Float32, typeDouble: decode.Float64,
}

// compile makes the plan for messages of the i-th object.
func compile(s *schema, i int, opt decode.Options) (decode.Plan, error) {
	c := compiler{schema: s}
	root, t, err := c.root(i)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", decode.ErrSchema, err)
	}
	s.sealed = true
	layout, err := decode.Flatten(t, opt)
	if err != nil {
		return nil, err
	}
	return &plan{layout: layout, root: &root, schema: s}, nil
}

// compiler makes nodes and their types from definitions.
type compiler struct {
	*schema
	within []int // objects around the one at hand
	json   []int // objects that become JSON text
	seen   int   // fields
}

// root compiles the table that messages are, and reads all else that they need.
func (c *compiler) root(i int) (node, decode.Type, error) {
	o, err := c.schema.object(i)
	if err != nil {
		return node{}, decode.Type{}, err
	}
	if o.isStruct {
		return node{}, decode.Type{}, fmt.Errorf("%s is a struct; a message is a table", o.name)
	}
	n, t, err := c.object(i, o)
	if err != nil {
		return n, t, err
	}
	return n, t, c.readJSONTypes()
}

// object compiles the fields of a table or struct.
func (c *compiler) object(index int, o *object) (node, decode.Type, error) {
	n, t := node{op: opTable}, decode.StructOf()
	if o.isStruct {
		n.op, n.stride = opStruct, o.size
	}
	if len(c.within) >= decode.MaxNesting {
		return n, t, fmt.Errorf("its tables lie more than %d deep in one another", decode.MaxNesting)
	}
	c.within = append(c.within, index)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	for i := range o.fields {
		def := &o.fields[i]
		if err := c.count(); err != nil {
			return n, t, err
		}
		f, ft, err := c.field(o, def)
		if err != nil {
			return n, t, fmt.Errorf("field %s: %w", def.name, err)
		}
		n.fields = append(n.fields, f)
		t.Fields = append(t.Fields, decode.Field{Name: def.name, Type: ft, Description: def.doc})
	}
	n.cost = t.Weight()
	return n, t, nil
}

// count bounds what the schema becomes before it is made.
func (c *compiler) count() error {
	if c.seen++; c.seen > decode.MaxFields {
		return fmt.Errorf("it becomes more than %d fields", decode.MaxFields)
	}
	return nil
}

// field compiles a field of o.
func (c *compiler) field(o *object, def *fieldDef) (n node, t decode.Type, err error) {
	if def.typ.base == typeUnion {
		n, t, err = c.union(def)
	} else {
		n, t, err = c.value(def)
	}
	n.name, n.slot, n.wide = def.name, def.slot, def.offset64
	if err != nil {
		return n, t, err
	}
	if o.isStruct {
		size, err := c.size(n)
		if err == nil && n.slot+size > o.size {
			err = fmt.Errorf("%d bytes at %d of a struct of %d", size, n.slot, o.size)
		}
		return n, t, err
	}
	switch {
	case n.slot < 4 || n.slot%2 != 0:
		return n, t, fmt.Errorf("%d is no place in a vtable", n.slot)
	case n.op == opArray:
		return n, t, errors.New("arrays are for structs")
	}
	n.def = defaultOf(def, n)
	return n, t, nil
}

// size returns the bytes that a field takes in a struct.
func (c *compiler) size(n node) (int, error) {
	switch n.op {
	case opFixed, opBool, opEnum:
		return n.width, nil
	case opArray:
		return n.length * n.stride, nil
	case opStruct, opTime:
		return n.stride, nil
	}
	return 0, errors.New("structs hold numbers, structs and arrays only")
}

// value compiles a field that is no union.
func (c *compiler) value(def *fieldDef) (n node, t decode.Type, err error) {
	switch ref := def.typ; ref.base {
	case typeString:
		return node{op: opText, kind: decode.String}, decode.Scalar(decode.String), nil
	case typeVector, typeVector64:
		n, t, err = c.list(def)
		n.long = ref.base == typeVector64
		return n, t, err
	case typeArray:
		n, t, err = c.list(def)
		n.length = ref.length
		return n, t, err
	case typeObject:
		return c.reference(ref.index)
	default:
		return c.number(ref.base, ref.index)
	}
}

// list compiles a vector or an array.
func (c *compiler) list(def *fieldDef) (node, decode.Type, error) {
	ref := def.typ
	array := ref.base == typeArray
	list := node{op: opList}
	if array {
		list.op = opArray
	}
	if ref.elem == typeUnion && !array {
		if _, err := c.enum(ref.index); err != nil {
			return list, decode.Type{}, err
		}
		if err := c.readJSONType(ref); err != nil {
			return list, decode.Type{}, err
		}
		return node{op: opUnions, field: def, kind: decode.JSON}, decode.Scalar(decode.JSON), nil
	}
	elem, t, err := c.value(&fieldDef{name: def.name, typ: typeRef{base: ref.elem, index: ref.index}})
	if err != nil {
		return list, t, err
	}
	list.elem, list.stride = &elem, 4
	switch {
	case elem.op <= opEnum:
		list.stride = elem.width
	case elem.op == opStruct || elem.op == opTime:
		list.stride = elem.stride
	case array:
		return list, t, errors.New("arrays hold numbers and structs only")
	}
	if list.stride < 1 {
		return list, t, fmt.Errorf("elements of %d bytes", list.stride)
	}
	list.cost = t.Weight()
	if ref.elem == typeUByte && elem.op == opFixed {
		list.kind = decode.Bytes
		return list, decode.Scalar(decode.Bytes), nil
	}
	return list, decode.ListOf(t), nil
}

// number compiles a scalar.
func (c *compiler) number(base baseType, enumIndex int) (node, decode.Type, error) {
	kind, ok := numberKinds[base]
	if !ok {
		return node{}, decode.Type{}, fmt.Errorf("type %d is not known", base)
	}
	n := node{op: opFixed, kind: kind, width: kind.Width()}
	switch {
	case base == typeBool:
		n.op = opBool
	case enumIndex >= 0 && base != typeFloat && base != typeDouble:
		e, err := c.enum(enumIndex)
		if err != nil {
			return n, decode.Type{}, err
		}
		n.op, n.names = opEnum, e.names
		return n, decode.Scalar(decode.Enum), nil
	}
	return n, decode.Scalar(kind), nil
}

// reference compiles a table or struct that a field is.
func (c *compiler) reference(index int) (node, decode.Type, error) {
	o, err := c.schema.object(index)
	if err != nil {
		return node{}, decode.Type{}, err
	}
	if kind := timeKind(o); kind != decode.Invalid {
		n := node{op: opTime, kind: kind, stride: o.size, cost: 8}
		for i := range o.fields {
			part, _, err := c.field(o, &o.fields[i])
			if err != nil {
				return n, decode.Type{}, fmt.Errorf("%s: %w", o.name, err)
			}
			n.fields = append(n.fields, part)
		}
		return n, decode.Scalar(kind), nil
	}
	if slices.Contains(c.within, index) {
		if o.isStruct {
			return node{}, decode.Type{}, fmt.Errorf("struct %s holds itself", o.name)
		}
		c.json = append(c.json, index)
		return node{op: opJSON, object: o, kind: decode.JSON}, decode.Scalar(decode.JSON), nil
	}
	n, t, err := c.object(index, o)
	if err == nil && len(o.fields) == 0 {
		t = decode.Scalar(decode.Bool)
	}
	return n, t, err
}

// timeKind tells whether an object is one of Foxglove's times.
func timeKind(o *object) decode.Kind {
	if !o.isStruct || len(o.fields) != 2 || o.fields[0].name != "sec" || o.fields[1].name != "nsec" {
		return decode.Invalid
	}
	for _, f := range o.fields {
		if f.typ.base != typeInt && f.typ.base != typeUInt {
			return decode.Invalid
		}
	}
	switch o.name {
	case "foxglove.Time":
		return decode.Timestamp
	case "foxglove.Duration":
		return decode.Duration
	}
	return decode.Invalid
}

// union compiles the columns of a union's members. The column that says which
// one it is, is a field of its own.
func (c *compiler) union(def *fieldDef) (node, decode.Type, error) {
	n, t := node{op: opUnion}, decode.StructOf()
	u, err := c.enum(def.typ.index)
	if err != nil {
		return n, t, err
	}
	for _, m := range u.members {
		if err := c.count(); err != nil {
			return n, t, err
		}
		if m.typ.base != typeObject && m.typ.base != typeString {
			return n, t, fmt.Errorf("member %s of type %d; expected a table, struct or string", m.name, m.typ.base)
		}
		f, ft, err := c.value(&fieldDef{name: m.name, typ: m.typ})
		if err != nil {
			return n, t, fmt.Errorf("member %s: %w", m.name, err)
		}
		f.name, f.number = m.name, m.number
		f.indirect = f.op == opStruct || f.op == opTime
		n.fields = append(n.fields, f)
		t.Fields = append(t.Fields, decode.Field{Name: m.name, Type: ft, Description: def.doc})
	}
	n.cost = t.Weight()
	return n, t, nil
}

// defaultOf returns the bytes that an absent scalar has, or nil for NULL.
func defaultOf(def *fieldDef, n node) []byte {
	if n.op > opEnum || def.optional {
		return nil
	}
	bits := uint64(def.defaultInt)
	switch n.kind {
	case decode.Bool:
		bits = min(bits, 1)
	case decode.Float32:
		bits = uint64(math.Float32bits(float32(def.defaultReal)))
	case decode.Float64:
		bits = math.Float64bits(def.defaultReal)
	}
	return binary.LittleEndian.AppendUint64(nil, bits)[:n.width]
}

// readJSONTypes reads the definitions that JSON text may need, so that none is
// read while messages are decoded.
func (c *compiler) readJSONTypes() error {
	done := map[int]bool{}
	for len(c.json) > 0 {
		index := c.json[len(c.json)-1]
		c.json = c.json[:len(c.json)-1]
		if done[index] {
			continue
		}
		done[index] = true
		o, err := c.schema.object(index)
		if err != nil {
			return err
		}
		for _, f := range o.fields {
			if err := c.readJSONType(f.typ); err != nil {
				return fmt.Errorf("field %s of %s: %w", f.name, o.name, err)
			}
		}
	}
	return nil
}

func (c *compiler) readJSONType(ref typeRef) error {
	of := ref.base
	if of == typeVector || of == typeVector64 || of == typeArray {
		of = ref.elem
	}
	switch {
	case of == typeObject:
		c.json = append(c.json, ref.index)
	case ref.index >= 0:
		e, err := c.enum(ref.index)
		if err != nil {
			return err
		}
		for _, m := range e.members {
			if m.typ.base == typeObject {
				c.json = append(c.json, m.typ.index)
			}
		}
	}
	return nil
}
