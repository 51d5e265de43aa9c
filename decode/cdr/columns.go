package cdr

import "tapedeck/decode"

// DummyMember is the member that ROS 2 puts in a struct that has none, as IDL
// knows no empty structs. It is one Uint8 on the wire and no column.
const DummyMember = "structure_needs_at_least_one_member"

// discriminatorName is the column of a union's discriminator, which has no
// name of its own.
const discriminatorName = "discriminator"

var scalarKinds = [...]decode.Kind{
	Bool: decode.Bool, Int8: decode.Int8, Uint8: decode.Uint8, Byte: decode.Uint8,
	Int16: decode.Int16, Uint16: decode.Uint16, Int32: decode.Int32, Uint32: decode.Uint32,
	Int64: decode.Int64, Uint64: decode.Uint64, Float32: decode.Float32, Float64: decode.Float64,
	LongDouble: decode.Float64, Char: decode.String, WChar: decode.String,
	String: decode.String, WString: decode.String, Enum: decode.Enum,
	Time: decode.Timestamp, Duration: decode.Duration,
}

// columnTypes makes the column type of each type once, so that a definition
// that names the next one twice a level costs one step a level. A type that
// is met while it is being made is part of itself, and is JSON there.
type columnTypes map[*Type]decode.Type

func (c columnTypes) of(t *Type) decode.Type {
	if int(t.Kind) < len(scalarKinds) {
		return decode.Scalar(scalarKinds[t.Kind])
	}
	if made, ok := c[t]; ok {
		return made
	}
	c[t] = decode.Scalar(decode.JSON)
	c[t] = c.make(t)
	return c[t]
}

func (c columnTypes) make(t *Type) decode.Type {
	switch {
	case isBlob(t):
		return decode.Scalar(decode.Bytes)
	case t.Kind == Array || t.Kind == Sequence:
		return decode.ListOf(c.of(t.Elem))
	}
	fields := make([]decode.Field, 0, len(t.Members)+1)
	if t.Kind == Union {
		fields = append(fields, decode.Field{Name: discriminatorName, Type: c.of(t.Discriminator)})
	}
	for i, m := range t.Members {
		if !isDummy(t, i) {
			fields = append(fields, decode.Field{Name: m.Name, Type: c.of(m.Type), Description: m.Description})
		}
	}
	return decode.StructOf(fields...)
}

func isBlob(t *Type) bool {
	return (t.Kind == Array || t.Kind == Sequence) && (t.Elem.Kind == Uint8 || t.Elem.Kind == Byte)
}

func isDummy(t *Type, i int) bool {
	return t.Kind == Struct && len(t.Members) == 1 && t.Members[i].Name == DummyMember && t.Members[i].Type.Kind == Uint8
}
