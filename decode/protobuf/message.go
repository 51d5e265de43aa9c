package protobuf

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tapedeck/decode"
)

// message is a place in the columns that a message type is decoded to: the row
// itself, a nested message, the element of a list or the entry of a map. Its
// values go straight into the vectors; while it is open, each of its columns
// holds base values, and one more when the message has had the field.
type message struct {
	kind    messageKind
	fields  []field // in the order of the declaration
	numbers numbers
	cost    int // bytes that one takes at least in a list

	vec *decode.Vector // of the struct or scalar; nil when fields are columns

	present bool
	base    int
	chosen  []int // for each oneof: which field it holds, or -1
}

// messageKind is what a message becomes once all its fields are in.
type messageKind uint8

const (
	plain     messageKind = iota // its fields; a struct when vec is set
	unwrapped                    // its only field
	marker                       // a BOOLEAN that is true
	instant                      // nanoseconds of its seconds and nanos
)

// field is a field of a message.
type field struct {
	name     string
	scalar   scalar
	op       op
	accepts  uint8 // a bit for each wire type that a value may have
	repeated bool
	zero     bool // absent means zero, not NULL
	oneof    int  // index in message.chosen, or -1
	def      int32
	enum     *enum
	msg      *message                       // of opMessage; the entry of opMap
	json     protoreflect.MessageDescriptor // of opJSON

	v   *decode.Vector // has one value a message
	dst *decode.Vector // has one value for each that the message holds: v, or its elements

	kept    int64   // of opKeep
	raw     []byte  // of opJSON: the encoded message, merged from its pieces
	pieces  int     // of raw; while there is one, raw is a part of the row's message
	entries entries // of opMap
}

// numbers finds a field by its number.
type numbers struct {
	dense  []uint16 // number → index+1
	sparse map[protowire.Number]uint16
}

// maxDense is the field numbers that a table is worth: most are small.
const maxDense = 256

func newNumbers(of []protowire.Number) numbers {
	n := numbers{}
	for i, number := range of {
		if number < maxDense {
			if int(number) >= len(n.dense) {
				n.dense = append(n.dense, make([]uint16, int(number)+1-len(n.dense))...)
			}
			n.dense[number] = uint16(i + 1)
			continue
		}
		if n.sparse == nil {
			n.sparse = map[protowire.Number]uint16{}
		}
		n.sparse[number] = uint16(i + 1)
	}
	return n
}

// index returns the index of the field with a number, or -1.
func (n *numbers) index(number protowire.Number) int {
	if int(number) < len(n.dense) {
		return int(n.dense[number]) - 1
	}
	return int(n.sparse[number]) - 1
}

// clone returns a message with a state of its own.
func (m *message) clone() *message {
	c := *m
	c.vec, c.present = nil, false
	c.chosen = slices.Clone(m.chosen)
	c.fields = slices.Clone(m.fields)
	for i := range c.fields {
		f := &c.fields[i]
		f.v, f.dst, f.raw, f.pieces, f.entries = nil, nil, nil, 0, entries{}
		if f.msg != nil {
			f.msg = f.msg.clone()
		}
	}
	return &c
}

// bind lays the fields of a message out in the columns that node says.
func (m *message) bind(node decode.Node, b *decode.Batch) {
	for i := range m.fields {
		f := &m.fields[i]
		if at := node.Fields[i]; at.Column < 0 {
			f.msg.bind(at, b)
		} else {
			f.bind(b.Column(at.Column))
		}
	}
}

// bind sets the vector that a field has one value a message in.
func (f *field) bind(v *decode.Vector) {
	f.v, f.dst = v, v
	if f.repeated {
		f.dst = v.Elem()
	}
	if f.msg != nil {
		f.msg.bindVector(f.dst)
	}
}

// bindVector sets the vector that a message is a value of.
func (m *message) bindVector(v *decode.Vector) {
	m.vec = v
	for i := range m.fields {
		switch m.kind {
		case plain:
			m.fields[i].bind(v.Field(i))
		case unwrapped:
			m.fields[i].bind(v)
		}
	}
}

// open begins a message in columns that hold base values.
func (m *message) open(base int) {
	m.present, m.base = true, base
	for i := range m.chosen {
		m.chosen[i] = -1
	}
	if m.kind == instant {
		m.fields[0].kept, m.fields[1].kept = 0, 0
	}
}

// pick makes f the member that its oneof holds; the one before is forgotten.
// It returns what that cost, in bytes of columns.
func (m *message) pick(f *field, index int) int {
	before := m.chosen[f.oneof]
	if before == index {
		return 0
	}
	m.chosen[f.oneof] = index
	if before < 0 {
		return 0
	}
	replaced := &m.fields[before]
	replaced.clear(m.base)
	if replaced.msg != nil {
		return replaced.msg.cost
	}
	return 8
}

// clear forgets the values of a field since base.
func (f *field) clear(base int) {
	switch {
	case f.op == opKeep:
		f.kept = 0
	case f.op == opMessage && !f.repeated:
		f.msg.clear()
	case f.repeated:
		f.dst.Truncate(lastEnd(f.v))
	default:
		f.v.Truncate(base)
	}
	f.raw, f.pieces = nil, 0
	f.entries.reset()
}

func (m *message) clear() {
	if !m.present {
		return
	}
	for i := range m.fields {
		m.fields[i].clear(m.base)
	}
	m.present = false
}

// forget drops the state that a message that broke off left, the vectors aside.
func (m *message) forget() {
	m.present = false
	for i := range m.fields {
		f := &m.fields[i]
		f.raw, f.pieces = nil, 0
		f.entries.reset()
		if f.msg != nil {
			f.msg.forget()
		}
	}
}

// null appends a NULL to each column of a message that is absent.
func (m *message) null() {
	if m.vec != nil {
		m.vec.AppendNull()
		return
	}
	for i := range m.fields {
		f := &m.fields[i]
		if f.v == nil {
			f.msg.null()
		} else {
			f.v.AppendNull()
		}
	}
}

func lastEnd(v *decode.Vector) int {
	if ends := v.Ends(); len(ends) > 0 {
		return ends[len(ends)-1]
	}
	return 0
}
