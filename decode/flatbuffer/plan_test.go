package flatbuffer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// shopFields is how many fields a Shop has.
const shopFields = 27

// fullShop builds a message with every field of a Shop set.
func fullShop(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	text, word := b.CreateString("t\xff"), b.CreateString("w")
	blob, flags := b.CreateByteVector([]byte{1, 2}), b.CreateByteVector([]byte{0, 1, 2})
	colors, itemTypes := b.CreateByteVector([]byte{1, 0xff, 7}), b.CreateByteVector([]byte{2, 1, 3, 4, 9})
	b.StartVector(4, 2, 4)
	b.PrependInt32(-2)
	b.PrependInt32(1)
	list := b.EndVector(2)
	words := offsets(b, word, text)
	part := partOf(b, 2.5, word)
	empty := partOf(b, 1.5, 0)
	parts := offsets(b, part, empty)
	b.StartVector(12, 2, 4)
	point(b, 2)
	point(b, 1)
	path := b.EndVector(2)
	b.StartVector(8, 2, 4)
	times(b, math.MaxUint32, 1)
	times(b, 1, 2)
	all := b.EndVector(2)
	where := point(b, 5)
	b.StartObject(0)
	nothing := b.EndObject()
	nothings := offsets(b, nothing, nothing)
	b.StartObject(shopFields)
	b.PrependByteSlot(0, 9, 0)
	leaf := b.EndObject()
	items := offsets(b, word, part, where, leaf, part)
	branches := offsets(b, leaf, leaf)
	b.StartObject(shopFields)
	b.PrependByteSlot(0, 200, 0)
	b.PrependBoolSlot(2, false, true)
	b.PrependFloat32Slot(3, 0.5, 0)
	b.PrependInt8Slot(4, 3, 2)
	for slot, at := range map[int]flatbuffers.UOffsetT{5: text, 6: blob, 7: list, 8: flags, 9: words, 10: colors, 11: part, 12: parts,
		14: path, 17: all, 19: part, 20: itemTypes, 21: items, 22: leaf, 23: branches, 24: nothing, 25: nothings} {
		b.PrependUOffsetTSlot(slot, at, 0)
	}
	b.PrependStructSlot(13, point(b, 3), 0)
	b.PrependStructSlot(15, times(b, 4_000_000_000, 7), 0)
	b.PrependStructSlot(16, times(b, math.MaxUint32, 500_000_000), 0)
	b.PrependByteSlot(18, 1, 0)
	b.PrependUint64Slot(26, 5, 0)
	return b.EndObject()
}

func partOf(b *flatbuffers.Builder, weight float64, label flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartObject(2)
	b.PrependFloat64Slot(0, weight, 1.5)
	b.PrependUOffsetTSlot(1, label, 0)
	return b.EndObject()
}

// point writes a Point {x, [7, 8], [1, 2]}.
func point(b *flatbuffers.Builder, x int32) flatbuffers.UOffsetT {
	b.Prep(4, 12)
	b.Pad(2)
	b.PrependByte(2)
	b.PrependByte(1)
	b.PrependInt16(8)
	b.PrependInt16(7)
	b.PrependInt32(x)
	return b.Offset()
}

func times(b *flatbuffers.Builder, sec, nsec uint32) flatbuffers.UOffsetT {
	b.Prep(4, 8)
	b.PrependUint32(nsec)
	b.PrependUint32(sec)
	return b.Offset()
}

func emptyShop(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	b.StartObject(shopFields)
	return b.EndObject()
}

func TestRows(t *testing.T) {
	type object = map[string]any
	at := func(x int32) object { return object{"x": x, "near": []any{int16(7), int16(8)}, "raw": []byte{1, 2}} }
	full := object{
		"z": uint8(200), "flag": false, "maybe": float32(0.5), "color": "Both", "text": "t\uFFFD", "blob": []byte{1, 2},
		"list": []any{int32(1), int32(-2)}, "flags": []any{false, true, true}, "words": []any{"w", "t\uFFFD"},
		"colors": []any{"Red", "Low", "7"}, "part_weight": 2.5, "part_label": "w",
		"parts": []any{object{"weight": 2.5, "label": "w"}, object{"weight": 1.5, "label": nil}},
		"at_x":  int32(3), "at_near": []any{int16(7), int16(8)}, "at_raw": []byte{1, 2}, "path": []any{at(1), at(2)},
		"open": int64(4_000_000_000_000_000_007), "took": int64(-500_000_000), "times": []any{int64(1_000_000_002), int64(4_294_967_295_000_000_001)},
		"item_type": "Part", "item_Part_weight": 2.5, "item_Part_label": "w", "item_Note": nil,
		"item_Where_x": nil, "item_Where_near": nil, "item_Where_raw": nil, "item_Shop": nil,
		"items_type": []any{"Note", "Part", "Where", "Shop", "9"},
		"items":      decodetest.JSON(`["w",{"weight":2.5,"label":"w"},{"x":5,"near":[7,8],"raw":"AQI="},{"z":9},null]`),
		"branch":     decodetest.JSON(`{"z":9}`), "branches": []any{decodetest.JSON(`{"z":9}`), decodetest.JSON(`{"z":9}`)},
		"nothing": true, "nothings": []any{true, true}, "big": uint64(5),
	}
	absent := object{}
	for name := range full {
		absent[name] = nil
	}
	merge(absent, object{"z": uint8(0), "flag": true, "color": "Green", "item_type": "NONE", "big": uint64(math.MaxUint64)})
	fullMsg, emptyMsg := message(fullShop), message(emptyShop)
	sized := func(msg []byte) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(msg))), msg...)
	}
	plan := mustCompile(t, buildSchema(t, shop()), "Shop", decode.Options{})
	got := decodetest.MustDecode(t, plan, fullMsg, emptyMsg, sized(fullMsg), sized(emptyMsg))
	if diff := cmp.Diff([]object{full, absent, full, absent}, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]object{full}, decodetest.MustDecode(t, plan.Fork(), fullMsg)); diff != "" {
		t.Errorf("rows of a fork (-want +got):\n%s", diff)
	}
}

// TestJSONText has every kind of field in the text of a recursive table.
func TestJSONText(t *testing.T) {
	plan := mustCompile(t, buildSchema(t, shop()), "Shop", decode.Options{})
	msg := message(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		branch := fullShop(b)
		b.StartObject(shopFields)
		b.PrependUOffsetTSlot(22, branch, 0)
		return b.EndObject()
	})
	want := `{"z":200,"flag":false,"maybe":0.5,"color":"Both","text":"t` + "\uFFFD" + `","blob":"AQI=","list":[1,-2],"flags":[false,true,true],` +
		`"words":["w","t` + "\uFFFD" + `"],"colors":["Red","Low",7],"part":{"weight":2.5,"label":"w"},"parts":[{"weight":2.5,"label":"w"},{}],` +
		`"at":{"x":3,"near":[7,8],"raw":"AQI="},"path":[{"x":1,"near":[7,8],"raw":"AQI="},{"x":2,"near":[7,8],"raw":"AQI="}],` +
		`"open":{"sec":4000000000,"nsec":7},"took":{"sec":-1,"nsec":500000000},"times":[{"sec":1,"nsec":2},{"sec":4294967295,"nsec":1}],` +
		`"item_type":"Part","item":{"weight":2.5,"label":"w"},"items_type":["Note","Part","Where","Shop",9],` +
		`"items":["w",{"weight":2.5,"label":"w"},{"x":5,"near":[7,8],"raw":"AQI="},{"z":9},null],"branch":{"z":9},"branches":[{"z":9},{"z":9}],` +
		`"nothing":{},"nothings":[{},{}],"big":5}`
	got := string(decodetest.MustDecode(t, plan, msg)[0]["branch"].(decodetest.JSON))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if !json.Valid([]byte(got)) {
		t.Errorf("%s is not JSON", got)
	}
}

// TestUnionInList has each kind of member that a union may hold, and one that
// a later schema may have added, in a table that becomes a STRUCT.
func TestUnionInList(t *testing.T) {
	s := shop()
	s.enums[1].values[4] = defValue{name: "Crate", number: 4, union: defType{base: typeObject, of: "Crate"}}
	s.objects = append(s.objects,
		defObject{name: "Crate", fields: []defField{
			{name: "item_type", typ: defType{base: typeUType, of: "Item"}}, {name: "item", typ: defType{base: typeUnion, of: "Item"}}}},
		defObject{name: "Stack", fields: []defField{{name: "crates", typ: defType{base: typeVector, elem: typeObject, of: "Crate"}}}})
	plan := mustCompile(t, buildSchema(t, s), "Stack", decode.Options{})
	crate := func(b *flatbuffers.Builder, is byte, value flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartObject(2)
		b.PrependByteSlot(0, is, 0)
		b.PrependUOffsetTSlot(1, value, 0)
		return b.EndObject()
	}
	members := func(of map[string]any) map[string]any {
		return merge(map[string]any{"Part": nil, "Note": nil, "Where": nil, "Crate": nil}, of)
	}
	msg := message(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		all := offsets(b, crate(b, 1, partOf(b, 2, 0)), crate(b, 2, b.CreateString("n")), crate(b, 3, point(b, 4)),
			crate(b, 4, crate(b, 2, b.CreateString("deep"))), crate(b, 77, b.CreateString("later")), crate(b, 0, 0))
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, all, 0)
		return b.EndObject()
	})
	type object = map[string]any
	want := []any{
		object{"item_type": "Part", "item": members(object{"Part": object{"weight": 2.0, "label": nil}})},
		object{"item_type": "Note", "item": members(object{"Note": "n"})},
		object{"item_type": "Where", "item": members(object{"Where": object{"x": int32(4), "near": []any{int16(7), int16(8)}, "raw": []byte{1, 2}}})},
		object{"item_type": "Crate", "item": members(object{"Crate": decodetest.JSON(`{"item_type":"Note","item":"deep"}`)})},
		object{"item_type": "77", "item": members(nil)},
		object{"item_type": "NONE", "item": nil},
	}
	if diff := cmp.Diff(want, decodetest.MustDecode(t, plan, msg)[0]["crates"]); diff != "" {
		t.Errorf("crates (-want +got):\n%s", diff)
	}
}

// TestMessageRefused has damaged messages. The row before them must stay as it
// is, and the next must be right.
func TestMessageRefused(t *testing.T) {
	plan := mustCompile(t, buildSchema(t, shop()), "Shop", decode.Options{})
	good := message(fullShop)
	// root is where the root table is, slot where a field of it is.
	root := int(binary.LittleEndian.Uint32(good))
	vtable := root - int(int32(binary.LittleEndian.Uint32(good[root:])))
	slot := func(id int) int { return root + int(binary.LittleEndian.Uint16(good[vtable+4+2*id:])) }
	put32 := func(at int, x uint32) func([]byte) []byte {
		return func(msg []byte) []byte { binary.LittleEndian.PutUint32(msg[at:], x); return msg }
	}
	put16 := func(at int, x uint16) func([]byte) []byte {
		return func(msg []byte) []byte { binary.LittleEndian.PutUint16(msg[at:], x); return msg }
	}
	target := func(id int) int { at := slot(id); return at + int(binary.LittleEndian.Uint32(good[at:])) }
	for _, test := range []struct {
		name   string
		damage func([]byte) []byte
		want   error
		says   string
	}{
		{"no bytes", func([]byte) []byte { return nil }, decode.ErrTruncated, ""},
		{"three bytes", func(m []byte) []byte { return m[:3] }, decode.ErrTruncated, ""},
		{"cut in half", func(m []byte) []byte { return m[:len(m)/2] }, decode.ErrTruncated, ""},
		{"root offset of 0", put32(0, 0), errMalformed, ""},
		{"root outside", put32(0, 1<<31), decode.ErrTruncated, ""},
		{"vtable in front of the message", put32(root, uint32(root+1)), decode.ErrTruncated, "vtable"},
		{"vtable behind the message", put32(root, 0x80000001), decode.ErrTruncated, "vtable"},
		{"vtable of an odd size", put16(vtable, 7), errMalformed, "vtable of 7"},
		{"vtable longer than the message", put16(vtable, 65534), decode.ErrTruncated, "vtable"},
		{"scalar outside", put16(vtable+4+2*26, 65535), decode.ErrTruncated, "field big"},
		{"struct outside", put16(vtable+4+2*13, 65535), decode.ErrTruncated, "field at"},
		{"time outside", put16(vtable+4+2*15, 65535), decode.ErrTruncated, "field open"},
		{"string outside", put32(slot(5), 1<<30), decode.ErrTruncated, "field text"},
		{"offset of 0 to a string", put32(slot(5), 0), errMalformed, "field text"},
		{"string longer than the message", put32(target(5), math.MaxUint32), decode.ErrTruncated, "field text"},
		{"blob longer than the message", put32(target(6), 1<<31), decode.ErrTruncated, "field blob"},
		{"vector longer than the message", put32(target(7), 1<<30), decode.ErrTruncated, "field list"},
		{"vector of structs longer than the message", put32(target(14), 1<<29), decode.ErrTruncated, "field path"},
		{"offsets in a vector outside", put32(target(12)+4, 1<<30), decode.ErrTruncated, "field parts"},
		{"union outside", put32(slot(19), 1<<30), decode.ErrTruncated, "field item: member Part"},
		{"types and unions that differ in number", put32(target(20), 4), errMalformed, "field items"},
		{"table of JSON text outside", put32(slot(22), 1<<30), decode.ErrTruncated, "field branch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := decodetest.CheckBetween(t, plan, good, test.damage(bytes.Clone(good)))
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("error %v, want one that wraps %q and says %q", err, test.want, test.says)
			}
		})
	}
}

// TestSharedOffsets has small messages that stand for huge ones: their offsets
// point to the same things again and again.
func TestSharedOffsets(t *testing.T) {
	plan := mustCompile(t, buildSchema(t, shop()), "Shop", decode.Options{})
	many := func(b *flatbuffers.Builder, at flatbuffers.UOffsetT, n int) flatbuffers.UOffsetT {
		all := make([]flatbuffers.UOffsetT, n)
		for i := range all {
			all[i] = at
		}
		return offsets(b, all...)
	}
	with := func(b *flatbuffers.Builder, slot int, at flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartObject(shopFields)
		b.PrependUOffsetTSlot(slot, at, 0)
		return b.EndObject()
	}
	for _, test := range []struct {
		name string
		fill func(b *flatbuffers.Builder) flatbuffers.UOffsetT
		want error
	}{
		{"one long string in a vector", func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			return with(b, 9, many(b, b.CreateString(strings.Repeat("s", 50_000)), 20_000))
		}, decode.ErrExpands},
		{"one long string in tables", func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			return with(b, 12, many(b, partOf(b, 1, b.CreateString(strings.Repeat("s", 50_000))), 20_000))
		}, decode.ErrExpands},
		{"vectors of tables that double at each level, as JSON text", func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			at := emptyShop(b)
			for range 40 {
				at = with(b, 23, many(b, at, 2))
			}
			return at
		}, decode.ErrExpands},
		{"one long string in JSON text", func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			leaf := with(b, 5, b.CreateString(strings.Repeat("s", 50_000)))
			return with(b, 22, with(b, 23, many(b, leaf, 20_000)))
		}, decode.ErrExpands},
		{"a chain of tables", func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			at := emptyShop(b)
			for range 1000 {
				at = with(b, 22, at)
			}
			return at
		}, errDepth},
	} {
		t.Run(test.name, func(t *testing.T) {
			msg := message(test.fill)
			b := decode.NewBatch(plan.Columns(), nil)
			err := plan.Decode(msg, b)
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if size := b.Size(); size > int(decode.NewBudget(len(msg)))+16*len(msg) {
				t.Errorf("a message of %d bytes took %d", len(msg), size)
			}
			b.DropRow()
			decodetest.CheckBatch(t, b)
		})
	}
}

// TestSharedWideTable: looking at fields that a table lacks is work too.
func TestSharedWideTable(t *testing.T) {
	wide := defObject{name: "Wide", fields: []defField{{name: "all", typ: defType{base: typeVector, elem: typeObject, of: "Wide"}}}}
	for i := range 10_000 {
		wide.fields = append(wide.fields, defField{name: fmt.Sprint("f", i), typ: defType{base: typeInt}})
	}
	plan := mustCompile(t, buildSchema(t, defSchema{root: "Wide", objects: []defObject{wide}}), "Wide", decode.Options{})
	msg := message(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		b.StartObject(0)
		leaf := b.EndObject()
		for range 3 {
			all := make([]flatbuffers.UOffsetT, 1000)
			for i := range all {
				all[i] = leaf
			}
			list := offsets(b, all...)
			b.StartObject(1)
			b.PrependUOffsetTSlot(0, list, 0)
			leaf = b.EndObject()
		}
		return leaf
	})
	b := decode.NewBatch(plan.Columns(), nil)
	if err := plan.Decode(msg, b); !errors.Is(err, decode.ErrExpands) {
		t.Errorf("error %v, want %v", err, decode.ErrExpands)
	}
	b.DropRow()
	decodetest.CheckBatch(t, b)
}

// TestForksAtOnce: forks share definitions and nothing that changes.
func TestForksAtOnce(t *testing.T) {
	plan := mustCompile(t, buildSchema(t, shop()), "Shop", decode.Options{})
	msg := message(fullShop)
	decodetest.CheckForks(t, plan, msg)
}

// TestSharedStrings: sharing as builders do it is no reason to refuse a message.
func TestSharedStrings(t *testing.T) {
	plan := mustCompile(t, buildSchema(t, shop()), "Shop", decode.Options{})
	msg := message(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		var all []flatbuffers.UOffsetT
		for range 5000 {
			all = append(all, b.CreateSharedString("a word that comes again and again"))
		}
		words := offsets(b, all...)
		b.StartObject(shopFields)
		b.PrependUOffsetTSlot(9, words, 0)
		return b.EndObject()
	})
	if got := decodetest.MustDecode(t, plan, msg)[0]["words"].([]any); len(got) != 5000 {
		t.Errorf("%d words, want 5000", len(got))
	}
}
