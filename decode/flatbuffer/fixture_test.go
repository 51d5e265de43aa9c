package flatbuffer

import (
	"encoding/binary"
	"math"
	"strings"
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

// rows decodes messages and returns them, each a map from column to value.
func rows(t testing.TB, plan decode.Plan, messages ...[]byte) []map[string]any {
	t.Helper()
	b := decode.NewBatch(plan.Columns(), nil)
	var all []map[string]any
	for _, msg := range messages {
		if err := plan.Decode(msg, b); err != nil {
			t.Fatal(err)
		}
		all = append(all, row(plan, b, b.Rows()-1))
	}
	checkLengths(t, b)
	return all
}

func row(plan decode.Plan, b *decode.Batch, i int) map[string]any {
	r := map[string]any{}
	for c, column := range plan.Columns() {
		r[column.Name] = cell(b.Column(c), i)
	}
	return r
}

// checkLengths fails unless each column has a value a row, down to the
// elements of lists and the fields of structs.
func checkLengths(t testing.TB, b *decode.Batch) {
	t.Helper()
	for i := range b.Columns() {
		checkLength(t, b.Column(i), b.Rows())
	}
}

func checkLength(t testing.TB, v *decode.Vector, want int) {
	t.Helper()
	if v.Len() != want {
		t.Fatalf("a %s vector has %d values, want %d", v.Type().SQL(), v.Len(), want)
	}
	switch v.Type().Kind {
	case decode.List:
		_, end := span(v.Ends(), want-1)
		checkLength(t, v.Elem(), end)
	case decode.Struct:
		for i := range v.Type().Fields {
			checkLength(t, v.Field(i), want)
		}
	}
}

func span(ends []int, i int) (from, to int) {
	if i < 0 {
		return 0, 0
	}
	if i > 0 {
		from = ends[i-1]
	}
	return from, ends[i]
}

// cell returns value i of a vector: nil, a number, a string, []any or map[string]any.
func cell(v *decode.Vector, i int) any {
	if v.IsNull(i) {
		return nil
	}
	switch kind := v.Type().Kind; kind {
	case decode.List:
		list := []any{}
		from, to := span(v.Ends(), i)
		for j := from; j < to; j++ {
			list = append(list, cell(v.Elem(), j))
		}
		return list
	case decode.Struct:
		fields := map[string]any{}
		for f, field := range v.Type().Fields {
			fields[field.Name] = cell(v.Field(f), i)
		}
		return fields
	case decode.String, decode.Enum, decode.JSON:
		from, to := span(v.Ends(), i)
		return string(v.Bytes()[from:to])
	case decode.Bytes:
		from, to := span(v.Ends(), i)
		return append([]byte{}, v.Bytes()[from:to]...)
	default:
		return number(kind, v.Fixed()[i*kind.Width():])
	}
}

func number(kind decode.Kind, b []byte) any {
	switch kind {
	case decode.Bool:
		return b[0] != 0
	case decode.Int8:
		return int8(b[0])
	case decode.Uint8:
		return b[0]
	case decode.Int16:
		return int16(binary.LittleEndian.Uint16(b))
	case decode.Uint16:
		return binary.LittleEndian.Uint16(b)
	case decode.Int32:
		return int32(binary.LittleEndian.Uint32(b))
	case decode.Uint32:
		return binary.LittleEndian.Uint32(b)
	case decode.Float32:
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case decode.Uint64:
		return binary.LittleEndian.Uint64(b)
	case decode.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// columnTypes returns "name TYPE" of each column, without quotes.
func columnTypes(plan decode.Plan) []string {
	var all []string
	for _, c := range plan.Columns() {
		all = append(all, c.Name+" "+strings.ReplaceAll(c.Type.SQL(), `"`, ""))
	}
	return all
}
