package cdr

import (
	"testing"

	"tapedeck/decode/cdr/cdrtest"
)

// An empty sequence has no padding for elements that it does not have.
func TestEmptySequencesDoNotAlign(t *testing.T) {
	p := planOf(t, structOf(Final, member("a", of(Uint8)), member("v", seqOf(of(Float64))), member("tail", of(Uint8))), CDR)
	wantRow(t, p, cdrtest.CDR(cdrLE).Bytes(1).U32(0).Bytes(77), row{"a": uint8(1), "v": []any{}, "tail": uint8(77)})
	wantRow(t, p, cdrtest.CDR(cdrLE).Bytes(1).U32(1).F64(1).Bytes(77), row{"a": uint8(1), "v": []any{1.0}, "tail": uint8(77)})
}

func TestLists(t *testing.T) {
	pair := structOf(Final, member("k", of(String)), member("n", of(Int16)))
	root := structOf(Final,
		member("i8", arrayOf(2, of(Int8))), member("blob", seqOf(of(Uint8))), member("octets", arrayOf(3, of(Byte))),
		member("i16", seqOf(of(Int16))), member("u32", arrayOf(2, of(Uint32))), member("f64", seqOf(of(Float64))),
		member("bools", arrayOf(2, of(Bool))), member("strings", seqOf(of(String))),
		member("pairs", seqOf(pair)), member("nested", seqOf(seqOf(of(Int16)))))
	want := row{"i8": []any{int8(-1), int8(2)}, "blob": []byte{1, 2}, "octets": []byte{3, 4, 5},
		"i16": []any{int16(-1), int16(1)}, "u32": []any{uint32(1), uint32(2)}, "f64": []any{1.5},
		"bools": []any{true, false}, "strings": []any{"", "x"},
		"pairs":  []any{row{"k": "a", "n": int16(1)}, row{"k": "b", "n": int16(2)}},
		"nested": []any{[]any{}, []any{int16(9)}}}
	for name, id := range map[string]uint16{"little-endian": cdrLE, "big-endian": cdrBE} {
		t.Run(name, func(t *testing.T) {
			w := cdrtest.CDR(id).Bytes(0xff, 2).U32(2).Bytes(1, 2, 3, 4, 5).U32(2).U16(0xffff, 1).U32(1, 2)
			w.U32(1).F64(1.5).Bytes(2, 0).U32(2).Text("").Text("x")
			w.U32(2).Text("a").U16(1).Text("b").U16(2).U32(2).U32(0).U32(1).U16(9)
			wantRow(t, planOf(t, root, CDR), w, want)
		})
	}
	t.Run("ROS 1", func(t *testing.T) {
		w := cdrtest.ROS1().Bytes(0xff, 2).U32(2).Bytes(1, 2, 3, 4, 5).U32(2).U16(0xffff, 1).U32(1, 2)
		w.U32(1).F64(1.5).Bytes(2, 0).U32(2).Text("").Text("x")
		w.U32(2).Text("a").U16(1).Text("b").U16(2).U32(2).U32(0).U32(1).U16(9)
		wantRow(t, planOf(t, root, ROS1), w, want)
	})
}

// XCDR2 puts a DHEADER in front of a list unless its elements are primitive.
func TestListsOfXCDR2(t *testing.T) {
	root := structOf(Final, member("numbers", seqOf(of(Int32))), member("strings", seqOf(of(String))),
		member("array", arrayOf(1, of(String))), member("tail", of(Uint8)))
	w := cdrtest.CDR(cdr2LE).U32(1, 7).
		Sized(func(w *cdrtest.Writer) { w.U32(2).Text("a").Text("b") }).
		Sized(func(w *cdrtest.Writer) { w.Text("c") }).Bytes(9)
	wantRow(t, planOf(t, root, CDR), w,
		row{"numbers": []any{int32(7)}, "strings": []any{"a", "b"}, "array": []any{"c"}, "tail": uint8(9)})
}

// So it does in front of a map, unless both its key and its value are.
func TestMapsOfXCDR2(t *testing.T) {
	mapOf := func(key, value *Type) *Type {
		entry := structOf(Final, member("key", key), member("value", value))
		entry.Entry = true
		return seqOf(entry)
	}
	root := structOf(Final, member("m", mapOf(of(Int16), of(Float64))), member("n", mapOf(of(String), of(Int32))), member("tail", of(Uint8)))
	w := cdrtest.CDR(cdr2LE).U32(2).U16(7).F64(1.5).U16(8).F64(2.5).
		Sized(func(w *cdrtest.Writer) { w.U32(1).Text("k").U32(3) }).Bytes(9)
	wantRow(t, planOf(t, root, CDR), w, row{
		"m": []any{row{"key": int16(7), "value": 1.5}, row{"key": int16(8), "value": 2.5}},
		"n": []any{row{"key": "k", "value": int32(3)}}, "tail": uint8(9)})
}

func TestListsOfEnumsOfXCDR2HaveADHEADEROrNot(t *testing.T) {
	color := &Type{Kind: Enum, Name: "Color", Bits: 16, Labels: []Label{{"RED", 0}, {"BLUE", 2}}}
	p := planOf(t, structOf(Final, member("s", seqOf(color)), member("a", arrayOf(2, color)), member("tail", of(Uint8))), CDR)
	want := row{"s": []any{"BLUE", "7"}, "a": []any{"RED", "-1"}, "tail": uint8(9)}
	wantRow(t, p, cdrtest.CDR(cdr2LE).U32(2).U16(2, 7).U16(0, 0xffff).Bytes(9), want)
	wantRow(t, p, cdrtest.CDR(cdr2LE).
		Sized(func(w *cdrtest.Writer) { w.U32(2).U16(2, 7) }).
		Sized(func(w *cdrtest.Writer) { w.U16(0, 0xffff) }).Bytes(9), want)
}
