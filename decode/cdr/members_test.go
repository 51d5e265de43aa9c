package cdr

import (
	"strings"
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

type writer = cdrtest.Writer

func optional(name string, t *Type) Member { return Member{Name: name, Type: t, Optional: true} }

func TestOptionalMembers(t *testing.T) {
	point := structOf(Final, member("x", of(Float64)), member("l", seqOf(of(Int32))))
	root := structOf(Final, member("a", of(Int32)), optional("m", of(Float64)), optional("p", point), member("z", of(Uint8)))
	there := row{"a": int32(1), "m": 2.5, "p_x": 1.0, "p_l": []any{int32(7)}, "z": uint8(9)}
	gone := row{"a": int32(1), "m": nil, "p_x": nil, "p_l": nil, "z": uint8(9)}
	double := func(w *writer) { w.F64(2.5) }
	body := func(w *writer) { w.F64(1).U32(1, 7) }
	tests := map[string]struct {
		w    *writer
		want row
	}{
		"XCDR1, there":          {cdrtest.CDR(cdrLE).U32(1).Parameter(1, double).Parameter(2, body).Bytes(9), there},
		"XCDR1, big-endian":     {cdrtest.CDR(cdrBE).U32(1).Parameter(1, double).Parameter(2, body).Bytes(9), there},
		"XCDR1, extended":       {cdrtest.CDR(cdrLE).U32(1).U16(pidExtended, 8).U32(1, 8).Bytes(0, 0, 0, 0, 0, 0, 4, 64).Parameter(2, body).Bytes(9), there},
		"XCDR1, absent":         {cdrtest.CDR(cdrLE).U32(1).U16(1, 0, 2, 0).Bytes(9), gone},
		"XCDR2, there":          {cdrtest.CDR(cdr2LE).U32(1).Bytes(1).F64(2.5).Bytes(1).F64(1).U32(1, 7).Bytes(9), there},
		"XCDR2, absent":         {cdrtest.CDR(cdr2LE).U32(1).Bytes(0, 0, 9), gone},
		"XCDR1 with flags":      {cdrtest.CDR(cdrLE).U32(1).Bytes(1).F64(2.5).Bytes(1).F64(1).U32(1, 7).Bytes(9), there},
		"XCDR1, another's ids":  {cdrtest.CDR(cdrLE).U32(1).Parameter(7, double).Parameter(8, body).Bytes(9), there},
		"XCDR1, trailing bytes": {cdrtest.CDR(cdrLE).U32(1).U16(1, 0, 2, 0).Bytes(9, 8, 7, 6, 5, 4, 3), gone},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { wantRow(t, planOf(t, root, CDR), test.w, test.want) })
	}
	t.Run("neither there nor absent", func(t *testing.T) {
		_, err := decodetest.Decode(planOf(t, root, CDR), cdrtest.CDR(cdr2LE).U32(1).Bytes(7).Message())
		if err == nil || !strings.Contains(err.Error(), "which is neither 0 nor 1") {
			t.Errorf("error %v", err)
		}
	})
}

// These flags and values would be headers of absent members as well, though
// with ids that no member has.
func TestFlagsThatLookLikeHeaders(t *testing.T) {
	root := structOf(Final, optional("a", of(Int32)), optional("b", of(Int32)))
	wantRow(t, planOf(t, root, CDR), cdrtest.CDR(cdrLE).Bytes(0, 1).U32(2), row{"a": nil, "b": int32(2)})
	wantRow(t, planOf(t, root, CDR), cdrtest.CDR(cdrLE).U16(0, 0, 1, 0), row{"a": nil, "b": nil})
}

func TestAppendableStruct(t *testing.T) {
	inner := structOf(Appendable, member("x", of(Int32)), member("y", of(Int32)))
	p := planOf(t, structOf(Appendable, member("s", inner), member("l", seqOf(inner)), member("z", of(Uint8))), CDR)
	point := func(xs ...uint32) func(*writer) { return func(w *writer) { w.U32(xs...) } }
	root := func(body func(*writer)) *writer { return cdrtest.CDR(dcdr2LE).Sized(body) }

	wantRow(t, p, root(func(w *writer) {
		w.Sized(point(1, 2)).Sized(func(w *writer) { w.U32(1).Sized(point(3, 4)) }).Bytes(9)
	}), row{"s_x": int32(1), "s_y": int32(2), "l": []any{row{"x": int32(3), "y": int32(4)}}, "z": uint8(9)})

	// A newer writer has more members, an older one fewer.
	wantRow(t, p, root(func(w *writer) {
		w.Sized(point(1, 2, 88, 99)).Sized(func(w *writer) { w.U32(1).Sized(point(3)) })
	}), row{"s_x": int32(1), "s_y": int32(2), "l": []any{row{"x": int32(3), "y": nil}}, "z": nil})

	wantRow(t, p, cdrtest.CDR(cdrLE).U32(1, 2, 1, 3, 4).Bytes(9),
		row{"s_x": int32(1), "s_y": int32(2), "l": []any{row{"x": int32(3), "y": int32(4)}}, "z": uint8(9)})

	wantError(t, p, cdrtest.CDR(dcdr2LE).U32(99).Sized(point(1, 2)).Message(), decode.ErrTruncated)
	wantError(t, p, root(func(w *writer) { w.U32(4).U32(1).U16(1) }).Message(), decode.ErrTruncated)
}

// The message's header says how its root is written, even where the type
// says something else.
func TestRootIsWrittenAsTheHeaderSays(t *testing.T) {
	want := row{"a": int32(1), "b": int32(2)}
	ints := func(w *writer) { w.U32(1, 2) }
	list1 := func(w *writer) *writer {
		return w.Parameter(1, func(w *writer) { w.U32(2) }).Parameter(0, func(w *writer) { w.U32(1) }).U16(pidListEnd, 0)
	}
	list2 := func(w *writer) { w.U32(2<<28|1, 2, 2<<28, 1) }
	for name, e := range map[string]Extensibility{"final": Final, "appendable": Appendable, "mutable": Mutable} {
		p := planOf(t, structOf(e, member("a", of(Int32)), member("b", of(Int32))), CDR)
		tests := map[string]*writer{
			"CDR":         cdrtest.CDR(cdrLE).U32(1, 2),
			"PL_CDR":      list1(cdrtest.CDR(plLE)),
			"PL_CDR_BE":   list1(cdrtest.CDR(plBE)),
			"CDR2":        cdrtest.CDR(cdr2LE).U32(1, 2),
			"D_CDR2":      cdrtest.CDR(dcdr2LE).Sized(ints),
			"PL_CDR2":     cdrtest.CDR(pl2LE).Sized(list2),
			"old PL_CDR2": cdrtest.CDR(oldPL2).Sized(list2),
		}
		for header, w := range tests {
			t.Run(name+" in "+header, func(t *testing.T) { wantRow(t, p, w, want) })
		}
	}
	// The last two bits of the header say how many bytes of padding follow.
	padded := structOf(Final, member("a", of(Int32)), member("n", of(Int8)))
	w := cdrtest.CDR(dcdr2LE).Sized(func(w *writer) { w.U32(1).Bytes(2) }).Bytes(0, 0, 0)
	w.Message()[3] = 3
	wantRow(t, planOf(t, padded, CDR), w, row{"a": int32(1), "n": int8(2)})

	// Writers that know no extensible types put these headers in front of plain members.
	p := planOf(t, structOf(Final, member("a", of(Int32)), member("b", of(Int32))), CDR)
	for _, id := range []uint16{plLE, dcdr2LE, pl2LE} {
		wantRow(t, p, cdrtest.CDR(id).U32(1, 2), want)
	}
}

// Compilers of IDL differ in what they make of a type that does not say how
// extensible it is. The root shows what its writer's compiler does.
func TestTypesThatDoNotSayHowExtensibleTheyAre(t *testing.T) {
	inner := structOf(Unsaid, member("x", of(Int32)), member("y", of(Int32)))
	members := []Member{member("s", inner), member("l", seqOf(inner)), member("z", of(Uint8))}
	point := func(x, y uint32) func(*writer) { return func(w *writer) { w.U32(x, y) } }
	bare := func(x uint32) func(*writer) {
		return func(w *writer) { w.U32(x, 7).Sized(func(w *writer) { w.U32(1, x, 5) }).Bytes(9) }
	}
	framed := func(w *writer) {
		w.Sized(point(4, 7)).Sized(func(w *writer) { w.U32(1).Sized(point(4, 5)) }).Bytes(9)
	}
	in := func(id uint16, body func(*writer)) *writer {
		w := cdrtest.CDR(id)
		body(w)
		return w
	}
	unsaid, final := structOf(Unsaid, members...), structOf(Final, members...)
	tests := map[string]struct {
		root *Type
		w    *writer
		x    int32
	}{
		"XCDR1":                             {unsaid, cdrtest.CDR(cdrLE).U32(4, 7, 1, 4, 5).Bytes(9), 4},
		"the root is not framed":            {unsaid, in(cdr2LE, bare(4)), 4}, // which could be a DHEADER of what follows
		"the root is framed":                {unsaid, cdrtest.CDR(dcdr2LE).Sized(framed), 4},
		"the root is, by the header alone":  {unsaid, in(dcdr2LE, bare(4)), 4},
		"the root says it is final":         {final, in(cdr2LE, framed), 4},
		"the root says it, others are bare": {final, in(cdr2LE, bare(6)), 6},
	}
	for name, test := range tests {
		want := row{"s_x": test.x, "s_y": int32(7), "l": []any{row{"x": test.x, "y": int32(5)}}, "z": uint8(9)}
		t.Run(name, func(t *testing.T) { wantRow(t, planOf(t, test.root, CDR), test.w, want) })
	}
}

func TestMutableStruct(t *testing.T) {
	inner := structOf(Mutable, member("x", of(Float64)), optional("name", of(String)), member("n", of(Uint8)))
	inner.Members[2].ID = 300
	p := planOf(t, structOf(Final, member("s", inner), member("z", of(Uint8))), CDR)
	double := func(w *writer) { w.F64(1.5) }
	text := func(w *writer) { w.Text("hi") }
	one := func(w *writer) { w.Bytes(8) }
	full := row{"s_x": 1.5, "s_name": "hi", "s_n": uint8(8), "z": uint8(9)}
	few := row{"s_x": nil, "s_name": nil, "s_n": uint8(8), "z": uint8(9)}
	tests := map[string]struct {
		w    *writer
		want row
	}{
		"XCDR1":                  {cdrtest.CDR(cdrLE).Parameter(300, one).Parameter(0x4000, double).Parameter(1, text).U16(pidListEnd, 0).Bytes(9), full},
		"XCDR1, few and unknown": {cdrtest.CDR(cdrLE).Parameter(77, text).Parameter(pidIgnore, text).Parameter(300, one).U16(pidListEnd, 0).Bytes(9), few},
		"XCDR2": {cdrtest.CDR(cdr2LE).Sized(func(w *writer) {
			w.U32(3<<28).F64(1.5).U32(4<<28|1, 7).Text("hi").U32(0<<28 | 300).Bytes(8)
		}).Bytes(9), full},
		"XCDR2, the member's length is its own": {cdrtest.CDR(cdr2LE).Sized(func(w *writer) {
			w.U32(1<<31 | 3<<28).F64(1.5).U32(5<<28 | 1).Text("hi").U32(0<<28 | 300).Bytes(8)
		}).Bytes(9), full},
		"XCDR2, few and unknown": {cdrtest.CDR(cdr2LE).Sized(func(w *writer) {
			w.U32(7<<28|77, 1, 5, 5).U32(6<<28|78, 1, 5).U32(0<<28 | 300).Bytes(8)
		}).Bytes(9), few},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { wantRow(t, p, test.w, test.want) })
	}
	t.Run("a member twice", func(t *testing.T) {
		_, err := decodetest.Decode(p, cdrtest.CDR(cdrLE).Parameter(300, one).Parameter(300, one).U16(pidListEnd, 0).Bytes(9).Message())
		if err == nil || !strings.Contains(err.Error(), "member n is there twice") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no end", func(t *testing.T) {
		wantError(t, p, cdrtest.CDR(cdrLE).Parameter(300, one).Message(), decode.ErrTruncated)
	})
}

func TestUnion(t *testing.T) {
	union := func(e Extensibility) *Type {
		return &Type{Kind: Union, Name: "U", Discriminator: of(Int16), Extensibility: e, Members: []Member{
			{Name: "i", Type: of(Int32), Cases: []int64{1, -2}, ID: 1},
			{Name: "s", Type: of(String), Default: true, ID: 2},
		}}
	}
	integer := row{"u_discriminator": int16(-2), "u_i": int32(7), "u_s": nil, "z": uint8(9)}
	text := row{"u_discriminator": int16(5), "u_i": nil, "u_s": "hi", "z": uint8(9)}
	tests := map[string]struct {
		e    Extensibility
		w    *writer
		want row
	}{
		"final, by case":    {Final, cdrtest.CDR(cdrLE).U16(0xfffe).U32(7).Bytes(9), integer},
		"final, by default": {Final, cdrtest.CDR(cdrLE).U16(5).Text("hi").Bytes(9), text},
		"appendable, XCDR2": {Appendable, cdrtest.CDR(cdr2LE).Sized(func(w *writer) { w.U16(5).Text("hi") }).Bytes(9), text},
		"mutable, XCDR1": {Mutable, cdrtest.CDR(cdrLE).Parameter(0, func(w *writer) { w.U16(0xfffe) }).
			Parameter(1, func(w *writer) { w.U32(7) }).U16(pidListEnd, 0).Bytes(9), integer},
		"mutable, XCDR2": {Mutable, cdrtest.CDR(cdr2LE).Sized(func(w *writer) {
			w.U32(1 << 28).U16(5).U32(5<<28 | 2).Text("hi")
		}).Bytes(9), text},
		"mutable, nothing": {Mutable, cdrtest.CDR(cdr2LE).Sized(func(*writer) {}).Bytes(9),
			row{"u_discriminator": nil, "u_i": nil, "u_s": nil, "z": uint8(9)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantRow(t, planOf(t, structOf(Final, member("u", union(test.e)), member("z", of(Uint8))), CDR), test.w, test.want)
		})
	}
}

func TestUnionThatPicksNothing(t *testing.T) {
	color := &Type{Kind: Enum, Labels: []Label{{"RED", 0}, {"BLUE", 1}}}
	u := &Type{Kind: Union, Name: "U", Discriminator: color, Members: []Member{{Name: "i", Type: of(Int32), Cases: []int64{1}}}}
	p := planOf(t, structOf(Final, member("u", seqOf(u))), CDR)
	wantRow(t, p, cdrtest.CDR(cdrLE).U32(2, 0, 1, 5),
		row{"u": []any{row{"discriminator": "RED", "i": nil}, row{"discriminator": "BLUE", "i": int32(5)}}})
}

// ROS 2 fills empty structs with one byte.
func TestDummyMemberIsNoColumn(t *testing.T) {
	empty := structOf(Final, member(DummyMember, of(Uint8)))
	p := planOf(t, structOf(Final, member("e", empty), member("n", of(Int32)), member("l", seqOf(empty))), CDR)
	wantRow(t, p, cdrtest.CDR(cdrLE).Bytes(0).U32(3).U32(2).Bytes(0, 0), row{"n": int32(3), "l": []any{row{}, row{}}})

	root := planOf(t, empty, CDR)
	wantRow(t, root, cdrtest.CDR(cdrLE).Bytes(0), row{})
	wantRow(t, root, cdrtest.CDR(cdrLE), row{})
}
