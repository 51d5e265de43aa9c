package cdr

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

// tree is a node with a list of nodes.
func tree() *Type {
	node := structOf(Final, member("n", of(Int16)), member("children", nil))
	node.Name = "Node"
	node.Members[1].Type = seqOf(node)
	return node
}

func TestRecursiveTypeIsJSONFromItsSecondAppearance(t *testing.T) {
	p := planOf(t, structOf(Final, member("root", tree()), member("z", of(Uint8))), CDR)
	w := cdrtest.CDR(cdrLE).U16(1).U32(2).U16(2).U32(1).U16(3).U32(0).U16(4).U32(0).Bytes(9)
	wantRow(t, p, w, row{"root_n": int16(1), "z": uint8(9),
		"root_children": []any{decodetest.JSON(`{"n":2,"children":[{"n":3,"children":[]}]}`), decodetest.JSON(`{"n":4,"children":[]}`)}})
}

func TestRecursionThatIsTooDeep(t *testing.T) {
	w := cdrtest.CDR(cdrLE)
	for range 100 {
		w.U16(1).U32(1)
	}
	_, err := decodetest.Decode(planOf(t, tree(), CDR), w.U16(1).U32(0).Message())
	if err == nil || !strings.Contains(err.Error(), "values of Node lie more than 64 deep") {
		t.Errorf("error %v", err)
	}
}

func TestJSONOfEveryKind(t *testing.T) {
	color := &Type{Kind: Enum, Labels: []Label{{"RED", 0}}}
	union := &Type{Kind: Union, Discriminator: of(Bool), Members: []Member{
		{Name: "yes", Type: of(Int8), Cases: []int64{1}}, {Name: "no", Type: of(Int8), Cases: []int64{0}}}}
	empty := structOf(Final, member(DummyMember, of(Uint8)))
	node := structOf(Final,
		member("b", of(Bool)), member("i", of(Int64)), member("u", of(Uint64)), member("f", of(Float32)),
		member("d", seqOf(of(Float64))), member("l", of(LongDouble)), member("s", of(String)), member("w", of(WString)),
		member("c", of(Char)), member("e", arrayOf(2, color)), member("o", seqOf(of(Uint8))), member("t", of(Time)),
		member("dur", of(Duration)), member("un", union), optional("opt", of(Int8)), member("em", empty), member("next", nil))
	node.Members[16].Type = seqOf(node)
	p := planOf(t, node, CDR)
	one := func(w *writer, next uint32) {
		w.Bytes(1).U64(1<<63, math.MaxUint64).U32(math.Float32bits(0.1)).U32(4).F64(1e300, math.NaN(), math.Inf(1), math.Inf(-1))
		w.U64(0, 0x3fff_8000_0000_0000).U32(6).Bytes('"', '\\', 1, 0xff, 'a', 0).U32(1).U16('é').Bytes('c').U32(0, 5)
		w.U32(2).Bytes(1, 2).U32(1, 500_000_000).U32(0xffffffff, 0).Bytes(1, 0xff).Align(4).U16(14, 0).Bytes(0).U32(next)
	}
	w := cdrtest.CDR(cdrLE)
	one(w, 1)
	one(w, 0)
	got, err := decodetest.Decode(p, w.Message())
	if err != nil {
		t.Fatal(err)
	}
	text := string(got[0]["next"].([]any)[0].(decodetest.JSON))
	want := `{"b":true,"i":-9223372036854775808,"u":18446744073709551615,"f":0.1,` +
		`"d":[1e+300,"NaN","Infinity","-Infinity"],"l":1.5,"s":"\"\\\u0001` + "\ufffd" + `a","w":"é","c":"c","e":["RED","5"],` +
		`"o":"AQI=","t":"1970-01-01T00:00:01.5Z","dur":-1000000000,"un":{"discriminator":true,"yes":-1},"em":{},"next":[]}`
	if text != want || !json.Valid([]byte(text)) {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for n := range w.Message() {
		if _, err := decodetest.Decode(p, w.Message()[:n]); err == nil {
			t.Errorf("no error for the first %d of %d bytes", n, len(w.Message()))
		}
	}
}

func TestJSONOfFramedTypes(t *testing.T) {
	node := structOf(Mutable, member("n", of(Int32)), member("kids", nil))
	node.Members[1].Type = seqOf(node)
	p := planOf(t, node, CDR)
	leaf := func(w *writer) { w.U32(2<<28, 7) }
	w := cdrtest.CDR(pl2LE).Sized(func(w *writer) {
		w.U32(2<<28, 1)
		w.U32(5<<28 | 1).Sized(func(w *writer) { w.U32(2).Sized(leaf).Sized(func(*writer) {}) })
	})
	wantRow(t, p, w, row{"n": int32(1), "kids": []any{decodetest.JSON(`{"n":7}`), decodetest.JSON(`{}`)}})
}

// Names and labels are text that the definition pays for once and each
// message again and again.
func TestLongNamesAreBounded(t *testing.T) {
	node := structOf(Final, member(strings.Repeat("n", 1<<20), of(Uint8)), member("kids", nil))
	node.Members[1].Type = seqOf(node)
	p := planOf(t, node, CDR)
	w := cdrtest.CDR(cdrLE).Bytes(1).U32(1000)
	for range 1000 {
		w.Bytes(1).U32(0)
	}
	wantError(t, p, w.Message(), errTooManyValues)
}
