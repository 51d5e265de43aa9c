package flatbuffer

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// shop has a field of each kind that columns have a rule for.
func shop() defSchema {
	scalar := func(base baseType) defType { return defType{base: base} }
	of := func(base baseType, name string) defType { return defType{base: base, of: name} }
	vector := func(elem baseType, name string) defType { return defType{base: typeVector, elem: elem, of: name} }
	return defSchema{
		root: "Shop", identifier: "SHOP",
		enums: []defEnum{
			{name: "Color", values: []defValue{{name: "Red", number: 1}, {name: "Green", number: 2}, {name: "Both", number: 3}, {name: "Low", number: -1}}},
			{name: "Item", isUnion: true, values: []defValue{{name: "NONE"},
				{name: "Part", number: 1, union: of(typeObject, "Part")}, {name: "Note", number: 2, union: scalar(typeString)},
				{name: "Where", number: 3, union: of(typeObject, "Point")}, {name: "Shop", number: 4, union: of(typeObject, "Shop")}}},
		},
		objects: []defObject{
			{name: "Part", fields: []defField{{name: "weight", typ: scalar(typeDouble), defReal: 1.5}, {name: "label", typ: scalar(typeString)}}},
			{name: "Nothing"},
			{name: "Point", isStruct: true, size: 12, fields: []defField{
				{name: "x", typ: scalar(typeInt)}, {name: "near", typ: defType{base: typeArray, elem: typeShort, length: 2}, offset: 4},
				{name: "raw", typ: defType{base: typeArray, elem: typeUByte, length: 2}, offset: 8}}},
			{name: "foxglove.Time", isStruct: true, size: 8, fields: []defField{{name: "sec", typ: scalar(typeUInt)}, {name: "nsec", typ: scalar(typeUInt), offset: 4}}},
			{name: "foxglove.Duration", isStruct: true, size: 8, fields: []defField{{name: "sec", typ: scalar(typeInt)}, {name: "nsec", typ: scalar(typeUInt), offset: 4}}},
			{name: "Shop", fields: []defField{
				{name: "z", typ: scalar(typeUByte), doc: []string{" How far up,", "  in m."}}, // 0
				{name: "gone", typ: scalar(typeInt), deprecated: true},
				{name: "flag", typ: scalar(typeBool), defInt: 1},
				{name: "maybe", typ: scalar(typeFloat), optional: true},
				{name: "color", typ: of(typeByte, "Color"), defInt: 2},
				{name: "text", typ: scalar(typeString)}, // 5
				{name: "blob", typ: vector(typeUByte, "")},
				{name: "list", typ: vector(typeInt, "")},
				{name: "flags", typ: vector(typeBool, "")},
				{name: "words", typ: vector(typeString, "")},
				{name: "colors", typ: vector(typeByte, "Color")}, // 10
				{name: "part", typ: of(typeObject, "Part")},
				{name: "parts", typ: vector(typeObject, "Part")},
				{name: "at", typ: of(typeObject, "Point")},
				{name: "path", typ: vector(typeObject, "Point")},
				{name: "open", typ: of(typeObject, "foxglove.Time")}, // 15
				{name: "took", typ: of(typeObject, "foxglove.Duration")},
				{name: "times", typ: vector(typeObject, "foxglove.Time")},
				{name: "item_type", typ: of(typeUType, "Item")},
				{name: "item", typ: of(typeUnion, "Item")},
				{name: "items_type", typ: vector(typeUType, "Item")}, // 20
				{name: "items", typ: vector(typeUnion, "Item")},
				{name: "branch", typ: of(typeObject, "Shop")},
				{name: "branches", typ: vector(typeObject, "Shop")},
				{name: "nothing", typ: of(typeObject, "Nothing")},
				{name: "nothings", typ: vector(typeObject, "Nothing")}, // 25
				{name: "big", typ: scalar(typeULong), defInt: -1},
			}},
		},
	}
}

var shopColumns = []string{
	"z UTINYINT", "flag BOOLEAN", "maybe FLOAT", "color VARCHAR", "text VARCHAR", "blob BLOB", "list INTEGER[]", "flags BOOLEAN[]",
	"words VARCHAR[]", "colors VARCHAR[]", "part_weight DOUBLE", "part_label VARCHAR", `parts STRUCT(weight DOUBLE, label VARCHAR)[]`,
	"at_x INTEGER", "at_near SMALLINT[]", "at_raw BLOB", `path STRUCT(x INTEGER, near SMALLINT[], raw BLOB)[]`,
	"open TIMESTAMP_NS", "took BIGINT", "times TIMESTAMP_NS[]",
	"item_type VARCHAR", "item_Part_weight DOUBLE", "item_Part_label VARCHAR", "item_Note VARCHAR",
	"item_Where_x INTEGER", "item_Where_near SMALLINT[]", "item_Where_raw BLOB", "item_Shop VARCHAR",
	"items_type VARCHAR[]", "items VARCHAR", "branch VARCHAR", "branches VARCHAR[]", "nothing BOOLEAN", "nothings BOOLEAN[]", "big UBIGINT",
}

func TestClaims(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"flatbuffer", "flatbuffer"}:   true,
		{"flatbuffer", ""}:             false,
		{"protobuf", "flatbuffer"}:     false,
		{"flatbuffers", "flatbuffers"}: false,
	} {
		if got := New().Claims(pair[0], pair[1]); got != want {
			t.Errorf("Claims(%q, %q) = %v, want %v", pair[0], pair[1], got, want)
		}
	}
	if New().Name() != "FlatBufferDecoder" {
		t.Errorf("Name() = %q", New().Name())
	}
}

func TestColumns(t *testing.T) {
	data := buildSchema(t, shop())
	text := []byte(base64.StdEncoding.EncodeToString(data))
	for name, test := range map[string]struct {
		data []byte
		root string
	}{
		"by name":                   {data, "Shop"},
		"dot in front of the name":  {data, ".Shop"},
		"root_type for a lost name": {data, "Other"},
		"root_type for no name":     {data, ""},
		"base64":                    {text, "Shop"},
	} {
		t.Run(name, func(t *testing.T) {
			plan := mustCompile(t, test.data, test.root, decode.Options{})
			if diff := cmp.Diff(shopColumns, decodetest.Columns(plan)); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if got := plan.Columns()[0].Description; got != "How far up, in m." {
				t.Errorf("description %q", got)
			}
		})
	}
}

// TestSchemaRefused has the schemas that nothing can be made of, and what the
// error must say.
func TestSchemaRefused(t *testing.T) {
	good := buildSchema(t, shop())
	change := func(edit func(*defSchema)) []byte {
		s := shop()
		edit(&s)
		return buildSchema(t, s)
	}
	table := func(s *defSchema, name string, fields ...defField) {
		s.objects = append(s.objects, defObject{name: name, fields: fields})
		s.root = name
	}
	holder := func(typ defType) []byte {
		return change(func(s *defSchema) { table(s, "T", defField{name: "f", typ: typ}) })
	}
	deep := change(func(s *defSchema) {
		for i := range 200 {
			table(s, fmt.Sprint("T", i), defField{name: "f", typ: defType{base: typeObject, of: fmt.Sprint("T", min(i+1, 199))}})
		}
		s.root = "T0"
	})
	doubling := change(func(s *defSchema) {
		for i := range 40 {
			next := defType{base: typeObject, of: fmt.Sprint("T", min(i+1, 39))}
			table(s, fmt.Sprint("T", i), defField{name: "a", typ: next}, defField{name: "b", typ: next})
		}
		s.root = "T0"
	})
	badStruct := func(size int, typ defType, offset int) []byte {
		return change(func(s *defSchema) {
			s.objects = append(s.objects, defObject{name: "S", isStruct: true, size: size, fields: []defField{{name: "x", typ: typ, offset: offset}}})
			table(s, "T", defField{name: "f", typ: defType{base: typeVector, elem: typeObject, of: "S"}})
		})
	}
	for _, test := range []struct {
		name string
		data []byte
		root string
		says string
	}{
		{"no data", nil, "Shop", "no data"},
		{"text", []byte("table Shop { z:ubyte; }"), "Shop", "expected a binary schema"},
		{"cut short", good[:len(good)/3], "Shop", "expected a binary schema"},
		{"no such table", change(func(s *defSchema) { s.root = "" }), "Stop", "it has Part, Nothing, Shop"},
		{"a struct as root", good, "Point", "a message is a table"},
		{"a type that is not known", holder(defType{base: 40}), "T", "type 40 is not known"},
		{"a vector of vectors", holder(defType{base: typeVector, elem: typeVector}), "T", "field f"},
		{"an array in a table", holder(defType{base: typeArray, elem: typeInt, length: 4}), "T", "arrays are for structs"},
		{"an object that is not there", holder(defType{base: typeObject}), "T", "object -1"},
		{"a union that is not there", holder(defType{base: typeUnion}), "T", "enum -1"},
		{"a chain of tables", deep, "", "deep in one another"},
		{"each table holds the next one twice", doubling, "", "more than"},
		{"a long name", change(func(s *defSchema) {
			table(s, "T", defField{name: strings.Repeat("n", 5000), typ: defType{base: typeInt}})
		}), "T", "name of 5000 bytes"},
		{"a struct that holds itself", badStruct(8, defType{base: typeObject, of: "S"}, 0), "T", "holds itself"},
		{"a struct smaller than its fields", badStruct(4, defType{base: typeLong}, 0), "T", "8 bytes at 0 of a struct of 4"},
		{"a string in a struct", badStruct(4, defType{base: typeString}, 0), "T", "structs hold"},
		{"an array of strings", badStruct(64, defType{base: typeArray, elem: typeString, length: 2}, 0), "T", "arrays hold"},
		{"a struct of no bytes", badStruct(0, defType{base: typeArray, elem: typeInt}, 0), "T", "elements of 0 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New().Compile(decode.Schema{Name: test.root, Data: test.data}, decode.Options{})
			if !errors.Is(err, decode.ErrSchema) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("error %v, want one that wraps ErrSchema and says %q", err, test.says)
			}
		})
	}
}

// TestSharedDefinitions has small schemas whose offsets point to the same
// definition again and again.
func TestSharedDefinitions(t *testing.T) {
	schema := func(doc string, fields int) []byte {
		b := flatbuffers.NewBuilder(0)
		name, line := b.CreateString("T"), offsets(b, b.CreateString(doc))
		b.StartObject(6)
		b.PrependByteSlot(0, byte(typeInt), 0)
		typ := b.EndObject()
		b.StartObject(14)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependUOffsetTSlot(1, typ, 0)
		b.PrependUint16Slot(3, 4, 0)
		b.PrependUOffsetTSlot(10, line, 0)
		field := b.EndObject()
		all := make([]flatbuffers.UOffsetT, fields)
		for i := range all {
			all[i] = field
		}
		list := offsets(b, all...)
		b.StartObject(8)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependUOffsetTSlot(1, list, 0)
		objects := offsets(b, b.EndObject())
		b.StartObject(8)
		b.PrependUOffsetTSlot(0, objects, 0)
		b.FinishWithFileIdentifier(b.EndObject(), []byte("BFBS"))
		return b.FinishedBytes()
	}
	for _, test := range []struct {
		name string
		data []byte
		says string
	}{
		{"one long comment", schema(strings.Repeat("d", 100_000), 20_000), "texts and vectors"},
		{"one field", schema("", maxDefinitions+1), "fields and values"},
		{"one field as often as columns allow", schema("", decode.MaxColumns+1), "more than 16384 columns"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New().Compile(decode.Schema{Name: "T", Data: test.data}, decode.Options{})
			if !errors.Is(err, decode.ErrSchema) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("error %v, want one that wraps ErrSchema and says %q", err, test.says)
			}
		})
	}
	plan := mustCompile(t, schema(strings.Repeat("é ", 2000), 1), "T", decode.Options{})
	if doc := plan.Columns()[0].Description; len(doc) > decode.MaxDescription+len("…") || !strings.HasSuffix(doc, "…") || !utf8.ValidString(doc) {
		t.Errorf("description of %d bytes: %q", len(doc), doc)
	}
}
