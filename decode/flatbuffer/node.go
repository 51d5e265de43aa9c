package flatbuffer

import (
	"strconv"

	"tapedeck/decode"
)

// op is how a value is read.
type op uint8

const (
	opFixed  op = iota // a number as it lies there
	opBool             // a byte
	opEnum             // a number that has names
	opText             // an offset to text or a blob
	opList             // an offset to a vector
	opArray            // elements in place
	opStruct           // fields in place
	opTable            // an offset to a table
	opUnion            // an offset to what the type beside it says
	opTime             // a struct of seconds and nanoseconds
	opJSON             // an offset to a table, as JSON text
	opUnions           // an offset to a vector of unions, as JSON text
)

// node is a field, or an element of a list, with the columns it goes to.
type node struct {
	name     string
	op       op
	slot     int  // in the table's vtable, or the offset in the struct
	wide     bool // the offset has 64 bits
	long     bool // the vector's length has 64 bits
	indirect bool // opStruct and opTime in a union: an offset to it
	kind     decode.Kind
	width    int // bytes of a number in the message
	def      []byte
	names    map[int64]string // of opEnum
	elem     *node            // of opList and opArray
	stride   int              // bytes of an element in the message
	length   int              // of opArray
	cost     int              // bytes that a value takes at least in columns
	fields   []node           // of opStruct, opTable; the members of opUnion
	number   uint64           // of a union's member: its type
	object   *object          // of opJSON
	field    *fieldDef        // of opUnions

	vec *decode.Vector // nil when the fields are columns
}

// bind sets the columns of a table's or struct's fields.
func (n *node) bind(at decode.Node, b *decode.Batch) {
	for i := range n.fields {
		f := &n.fields[i]
		if place := at.Fields[i]; place.Column < 0 {
			f.vec = nil
			f.bind(place, b)
		} else {
			f.bindVector(b.Column(place.Column))
		}
	}
}

// bindVector sets the vector that a node's values go to.
func (n *node) bindVector(v *decode.Vector) {
	n.vec = v
	switch n.op {
	case opList, opArray:
		n.elem.bindVector(v.Elem())
	case opStruct, opTable, opUnion:
		for i := range n.fields {
			n.fields[i].bindVector(v.Field(i))
		}
	}
}

// clone returns a node that may be bound to other columns.
func (n *node) clone() *node {
	c := *n
	c.fields = make([]node, len(n.fields))
	for i := range n.fields {
		c.fields[i] = *n.fields[i].clone()
	}
	if n.elem != nil {
		c.elem = n.elem.clone()
	}
	return &c
}

// null appends a NULL to each column.
func (n *node) null() {
	if n.vec != nil {
		n.vec.AppendNull()
		return
	}
	for i := range n.fields {
		n.fields[i].null()
	}
}

// close ends a table, struct or union after its fields.
func (n *node) close() {
	switch {
	case n.vec == nil:
	case n.vec.Type().Kind == decode.Bool: // a table without fields
		n.vec.AppendBool(true)
	default:
		n.vec.CloseStruct()
	}
}

// appendName appends the name of an enum's value, or its number, and returns
// how long that is.
func (n *node) appendName(v *decode.Vector, bits uint64) int {
	number := signExtend(bits, n.width, n.kind)
	if name, ok := n.names[number]; ok {
		v.AppendString(name)
		return len(name)
	}
	text := appendInteger(nil, number, n.kind)
	v.AppendBytes(text)
	return len(text)
}

// signExtend returns the number that the low bytes of bits are.
func signExtend(bits uint64, width int, kind decode.Kind) int64 {
	switch kind {
	case decode.Int8, decode.Int16, decode.Int32:
		shift := 64 - 8*width
		return int64(bits<<shift) >> shift
	}
	return int64(bits)
}

// appendInteger appends a number from signExtend.
func appendInteger(dst []byte, number int64, kind decode.Kind) []byte {
	if kind == decode.Uint64 {
		return strconv.AppendUint(dst, uint64(number), 10)
	}
	return strconv.AppendInt(dst, number, 10)
}
