package cdr

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
)

func TestColumns(t *testing.T) {
	stamp := structOf(Final, Member{Name: "stamp", Type: of(Time), Description: "when"}, member("d", of(Duration)))
	root := structOf(Final,
		member("h", stamp), member("c", of(Char)), member("w", of(WString)), member("e", &Type{Kind: Enum}),
		member("l", of(LongDouble)), member("bytes", seqOf(of(Byte))), member("cov", arrayOf(9, of(Float64))),
		member("hs", seqOf(stamp)), member("chars", arrayOf(4, of(Char))), member("i8s", seqOf(of(Int8))),
		member("H_stamp", of(Int8)))
	p := planOf(t, root, CDR)
	var got []string
	for _, c := range p.Columns() {
		got = append(got, strings.TrimSpace(c.Name+" "+c.Type.SQL()+" "+c.Description))
	}
	want := []string{"h_stamp TIMESTAMP_NS when", "h_d BIGINT", "c VARCHAR", "w VARCHAR", "e VARCHAR", "l DOUBLE",
		"bytes BLOB", "cov DOUBLE[]", `hs STRUCT(stamp TIMESTAMP_NS, d BIGINT)[]`, "chars VARCHAR[]", "i8s TINYINT[]",
		"H_stamp_2 TINYINT"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns differ (-want +got):\n%s", diff)
	}
}

func TestStructsBelowTheFlattenDepth(t *testing.T) {
	empty := structOf(Final, member(DummyMember, of(Uint8)))
	inner := structOf(Final, member("x", of(Int32)), optional("e", empty), member("l", seqOf(of(Int16))))
	p, err := Compile(structOf(Final, member("s", inner), optional("o", inner)), CDR, decode.Options{FlattenDepth: -1})
	if err != nil {
		t.Fatal(err)
	}
	wantRow(t, p, cdrtest.CDR(cdrLE).U32(1).U16(1, 1).Bytes(0).U32(1).U16(2).Align(4).U16(1, 0),
		row{"s": row{"x": int32(1), "e": row{}, "l": []any{int16(2)}}, "o": nil})
}

func TestTypesThatCannotBe(t *testing.T) {
	self := structOf(Final, member("n", of(Int32)))
	self.Members = append(self.Members, member("again", self))
	first, second := structOf(Final, member("second", nil)), structOf(Final, member("first", nil))
	first.Name, second.Name = "First", "Second"
	first.Members[0].Type, second.Members[0].Type = second, first
	deep := structOf(Final)
	for range decode.MaxNesting + 1 {
		deep = structOf(Final, member("m", deep))
	}
	tests := map[string]struct {
		root *Type
		want string
	}{
		"no type":            {nil, "its root is not a struct"},
		"no struct":          {of(Int32), "its root is not a struct"},
		"member of no type":  {structOf(Final, member("m", nil)), "a part of it has no type"},
		"element of no type": {structOf(Final, member("m", seqOf(nil))), "a part of it has no type"},
		"holds itself":       {self, "S holds itself"},
		"hold each other":    {structOf(Final, member("m", second), member("n", first)), "Second holds itself"},
		"entry of no value":  {structOf(Final, member("m", seqOf(&Type{Kind: Struct, Entry: true}))), "an entry of a map has 0 members"},
		"too deep":           {deep, "more than 100 deep"},
		"negative length":    {structOf(Final, member("m", arrayOf(-1, of(Int32)))), "an array has -1 elements"},
		"enum of 7 bits":     {structOf(Final, member("m", &Type{Kind: Enum, Bits: 7})), "has 7 bits"},
		"union of floats":    {structOf(Final, member("m", &Type{Kind: Union, Discriminator: of(Float32)})), "no discriminator"},
		"union of nothing":   {structOf(Final, member("m", &Type{Kind: Union})), "no discriminator"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(test.root, CDR, decode.Options{})
			if !errors.Is(err, decode.ErrSchema) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one of the schema with %q", err, test.want)
			}
		})
	}
}

// Each level names the next one twice, so that thirty ask for a billion columns.
func TestDefinitionsThatDouble(t *testing.T) {
	double := func(levels int, wrap func(*Type) *Type) *Type {
		typ := structOf(Final, member("x", of(Int32)))
		for range levels {
			typ = structOf(Final, member("a", wrap(typ)), member("b", wrap(typ)))
		}
		return typ
	}
	for name, wrap := range map[string]func(*Type) *Type{
		"structs":   func(t *Type) *Type { return t },
		"sequences": seqOf,
		"arrays":    func(t *Type) *Type { return arrayOf(1000, t) },
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Compile(double(40, wrap), CDR, decode.Options{}); !errors.Is(err, decode.ErrSchema) {
				t.Errorf("error %v, want one of the schema", err)
			}
		})
	}
	if p := planOf(t, double(10, func(t *Type) *Type { return t }), CDR); len(p.Columns()) != 1024 {
		t.Errorf("%d columns, want 1024", len(p.Columns()))
	}
}

// Types that all hold each other have more paths than can be followed.
func TestTypesThatHoldEachOther(t *testing.T) {
	types := make([]*Type, 30)
	for i := range types {
		types[i] = &Type{Kind: Struct, Name: fmt.Sprint("T", i)}
	}
	for _, from := range types {
		for i, to := range types {
			from.Members = append(from.Members, Member{Name: fmt.Sprint("m", i), Type: seqOf(to), ID: uint32(i)})
		}
	}
	if _, err := Compile(types[0], CDR, decode.Options{}); err != nil && !errors.Is(err, decode.ErrSchema) {
		t.Errorf("error %v, want none or one of the schema", err)
	}
}
