package flatbuffer

import (
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"tapedeck/decode"
)

// The definitions that buildSchema makes a binary schema of.
type (
	defSchema struct {
		objects    []defObject
		enums      []defEnum
		root       string // an object
		identifier string
	}
	defObject struct {
		name     string
		isStruct bool
		size     int
		fields   []defField // in the order of their ids
	}
	defField struct {
		name       string
		typ        defType
		offset     int // of a struct's field
		defInt     int64
		defReal    float64
		optional   bool
		deprecated bool
		doc        []string
	}
	defType struct {
		base, elem baseType
		of         string // object or enum
		length     int
	}
	defEnum struct {
		name    string
		isUnion bool
		values  []defValue
	}
	defValue struct {
		name   string
		number int64
		union  defType
	}
)

// buildSchema makes a binary schema, fields sorted by name as flatc has them.
func buildSchema(t testing.TB, s defSchema) []byte {
	t.Helper()
	b := flatbuffers.NewBuilder(0)
	indexOf := func(typ defType) int32 {
		for i, o := range s.objects {
			if typ.of == o.name {
				return int32(i)
			}
		}
		for i, e := range s.enums {
			if typ.of == e.name {
				return int32(i)
			}
		}
		if typ.of != "" {
			t.Fatalf("no definition of %s", typ.of)
		}
		return -1
	}
	typeOf := func(typ defType) flatbuffers.UOffsetT {
		b.StartObject(6)
		b.PrependByteSlot(0, byte(typ.base), 0)
		b.PrependByteSlot(1, byte(typ.elem), 0)
		b.PrependInt32Slot(2, indexOf(typ), -1)
		b.PrependUint16Slot(3, uint16(typ.length), 0)
		return b.EndObject()
	}
	vector := func(offsets []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartVector(4, len(offsets), 4)
		for i := len(offsets) - 1; i >= 0; i-- {
			b.PrependUOffsetT(offsets[i])
		}
		return b.EndVector(len(offsets))
	}
	field := func(o defObject, id int) flatbuffers.UOffsetT {
		f := o.fields[id]
		var lines []flatbuffers.UOffsetT
		for _, line := range f.doc {
			lines = append(lines, b.CreateString(line))
		}
		name, typ, doc := b.CreateString(f.name), typeOf(f.typ), vector(lines)
		offset := 4 + 2*id
		if o.isStruct {
			offset = f.offset
		}
		b.StartObject(14)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependUOffsetTSlot(1, typ, 0)
		b.PrependUint16Slot(2, uint16(id), 0)
		b.PrependUint16Slot(3, uint16(offset), 0)
		b.PrependInt64Slot(4, f.defInt, 0)
		b.PrependFloat64Slot(5, f.defReal, 0)
		b.PrependBoolSlot(6, f.deprecated, false)
		b.PrependUOffsetTSlot(10, doc, 0)
		b.PrependBoolSlot(11, f.optional, false)
		return b.EndObject()
	}
	var objects, enums []flatbuffers.UOffsetT
	var root flatbuffers.UOffsetT
	for _, o := range s.objects {
		order := make([]int, len(o.fields))
		for i := range order {
			order[i] = i
		}
		sortBy(order, func(i int) string { return o.fields[i].name })
		var fields []flatbuffers.UOffsetT
		for _, id := range order {
			fields = append(fields, field(o, id))
		}
		name, list := b.CreateString(o.name), vector(fields)
		b.StartObject(8)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependUOffsetTSlot(1, list, 0)
		b.PrependBoolSlot(2, o.isStruct, false)
		b.PrependInt32Slot(4, int32(o.size), 0)
		at := b.EndObject()
		objects = append(objects, at)
		if o.name == s.root {
			root = at
		}
	}
	for _, e := range s.enums {
		var values []flatbuffers.UOffsetT
		for _, v := range e.values {
			name, typ := b.CreateString(v.name), typeOf(v.union)
			b.StartObject(6)
			b.PrependUOffsetTSlot(0, name, 0)
			b.PrependInt64Slot(1, v.number, 0)
			if e.isUnion {
				b.PrependUOffsetTSlot(3, typ, 0)
			}
			values = append(values, b.EndObject())
		}
		name, list := b.CreateString(e.name), vector(values)
		b.StartObject(7)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependUOffsetTSlot(1, list, 0)
		b.PrependBoolSlot(2, e.isUnion, false)
		enums = append(enums, b.EndObject())
	}
	objectList, enumList, identifier := vector(objects), vector(enums), b.CreateString(s.identifier)
	b.StartObject(8)
	b.PrependUOffsetTSlot(0, objectList, 0)
	b.PrependUOffsetTSlot(1, enumList, 0)
	b.PrependUOffsetTSlot(2, identifier, 0)
	b.PrependUOffsetTSlot(4, root, 0)
	b.FinishWithFileIdentifier(b.EndObject(), []byte("BFBS"))
	return b.FinishedBytes()
}

func sortBy(order []int, key func(int) string) {
	for i := range order {
		for j := i; j > 0 && key(order[j]) < key(order[j-1]); j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
}

// message builds a message from what fill returns, the root table.
func message(fill func(b *flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(0)
	b.Finish(fill(b))
	return b.FinishedBytes()
}

// offsets builds a vector of offsets.
func offsets(b *flatbuffers.Builder, to ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(to), 4)
	for i := len(to) - 1; i >= 0; i-- {
		b.PrependUOffsetT(to[i])
	}
	return b.EndVector(len(to))
}

func mustCompile(t testing.TB, data []byte, name string, opt decode.Options) decode.Plan {
	t.Helper()
	plan, err := New().Compile(decode.Schema{Name: name, Encoding: "flatbuffer", Data: data}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
