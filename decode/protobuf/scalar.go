package protobuf

import (
	"encoding/binary"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tapedeck/decode"
)

// op is how a value is taken from the wire.
type op uint8

const (
	opInt32 op = iota // also the bits of uint32, fixed32 and float
	opInt64           // also the bits of uint64, fixed64 and double
	opZigzag32
	opZigzag64
	opBool
	opEnum
	opText    // string and bytes
	opKeep    // a number that is kept for the message's end: a part of a time
	opMessage // nested columns
	opMap
	opJSON // a message as JSON text
)

// scalar is a kind of scalar field.
type scalar struct {
	op   op
	kind decode.Kind
	wire protowire.Type
}

var scalars = map[protoreflect.Kind]scalar{
	protoreflect.BoolKind:     {opBool, decode.Bool, protowire.VarintType},
	protoreflect.EnumKind:     {opEnum, decode.Enum, protowire.VarintType},
	protoreflect.Int32Kind:    {opInt32, decode.Int32, protowire.VarintType},
	protoreflect.Sint32Kind:   {opZigzag32, decode.Int32, protowire.VarintType},
	protoreflect.Uint32Kind:   {opInt32, decode.Uint32, protowire.VarintType},
	protoreflect.Int64Kind:    {opInt64, decode.Int64, protowire.VarintType},
	protoreflect.Sint64Kind:   {opZigzag64, decode.Int64, protowire.VarintType},
	protoreflect.Uint64Kind:   {opInt64, decode.Uint64, protowire.VarintType},
	protoreflect.Sfixed32Kind: {opInt32, decode.Int32, protowire.Fixed32Type},
	protoreflect.Fixed32Kind:  {opInt32, decode.Uint32, protowire.Fixed32Type},
	protoreflect.FloatKind:    {opInt32, decode.Float32, protowire.Fixed32Type},
	protoreflect.Sfixed64Kind: {opInt64, decode.Int64, protowire.Fixed64Type},
	protoreflect.Fixed64Kind:  {opInt64, decode.Uint64, protowire.Fixed64Type},
	protoreflect.DoubleKind:   {opInt64, decode.Float64, protowire.Fixed64Type},
	protoreflect.StringKind:   {opText, decode.String, protowire.BytesType},
	protoreflect.BytesKind:    {opText, decode.Bytes, protowire.BytesType},
}

// integer returns what the wire's x means in a field of the kind.
func (s scalar) integer(x uint64) int64 {
	switch s.op {
	case opZigzag32:
		return protowire.DecodeZigZag(x & math.MaxUint32)
	case opZigzag64:
		return protowire.DecodeZigZag(x)
	case opBool:
		if x != 0 {
			return 1
		}
		return 0
	case opEnum:
		return int64(int32(x))
	case opInt32:
		if s.kind == decode.Uint32 {
			return int64(uint32(x))
		}
		return int64(int32(x))
	}
	return int64(x)
}

// appendNumber appends the number that [scalar.integer] gave, which b holds in
// 8 bytes, as text.
func (s scalar) appendNumber(dst, b []byte) []byte {
	x := binary.LittleEndian.Uint64(b)
	switch s.kind {
	case decode.Bool:
		return strconv.AppendBool(dst, x != 0)
	case decode.Uint64:
		return strconv.AppendUint(dst, x, 10)
	}
	return strconv.AppendInt(dst, int64(x), 10)
}

// enum has the names of an enum's values. Of names with one number the first counts.
type enum struct {
	dense  []string // of small numbers
	sparse map[int32]string
}

func newEnum(ed protoreflect.EnumDescriptor) *enum {
	values := ed.Values()
	e := &enum{dense: make([]string, values.Len()), sparse: map[int32]string{}}
	for i := range values.Len() {
		n, name := int32(values.Get(i).Number()), string(values.Get(i).Name())
		switch {
		case n >= 0 && int(n) < len(e.dense):
			if e.dense[n] == "" {
				e.dense[n] = name
			}
		case e.sparse[n] == "":
			e.sparse[n] = name
		}
	}
	return e
}

// name returns the name of a value, or "" when it has none.
func (e *enum) name(n int32) string {
	if n >= 0 && int(n) < len(e.dense) {
		return e.dense[n]
	}
	return e.sparse[n]
}

// appendTo appends a value's name, or its number, and returns how long that is.
func (e *enum) appendTo(v *decode.Vector, n int32) int {
	name := e.name(n)
	if name == "" {
		var digits [11]byte
		number := strconv.AppendInt(digits[:0], int64(n), 10)
		v.AppendBytes(number)
		return len(number)
	}
	v.AppendString(name)
	return len(name)
}
