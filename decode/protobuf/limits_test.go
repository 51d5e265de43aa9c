package protobuf

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// TestHostileSchema has schemas that are small and ask for a great deal.
func TestHostileSchema(t *testing.T) {
	file := func(name string) *descriptorpb.FileDescriptorProto {
		return &descriptorpb.FileDescriptorProto{Name: &name, Syntax: proto.String("proto3")}
	}
	message := func(name string) *descriptorpb.DescriptorProto { return &descriptorpb.DescriptorProto{Name: &name} }
	field := func(name string, number int32, of string) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{Name: &name, Number: &number, TypeName: &of,
			Type:  descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	}
	scalar := func(name string, number int32) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{Name: &name, Number: &number,
			Type:  descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	}
	doubling, deep, clique := file("x"), file("x"), file("x")
	for i := range 40 {
		m := message(fmt.Sprint("M", i))
		if i < 39 {
			next := fmt.Sprint(".M", i+1)
			m.Field = append(m.Field, field("a", 1, next), field("b", 2, next))
		} else {
			m.Field = append(m.Field, scalar("x", 1))
		}
		doubling.MessageType = append(doubling.MessageType, m)
	}
	for i := range 400 {
		m := message(fmt.Sprint("M", i))
		m.Field = append(m.Field, field("a", 1, fmt.Sprint(".M", min(i+1, 399))))
		deep.MessageType = append(deep.MessageType, m)
	}
	for i := range 12 { // each holds all: a path through them in any order
		m := message(fmt.Sprint("M", i))
		for j := range 12 {
			m.Field = append(m.Field, field(fmt.Sprint("f", j), int32(j+1), fmt.Sprint(".M", j)))
		}
		clique.MessageType = append(clique.MessageType, m)
	}

	packaged := file("x")
	packaged.Package = proto.String(strings.Repeat("p.", 500) + "p")
	for i := range 3000 {
		packaged.MessageType = append(packaged.MessageType, message(fmt.Sprint("M", i)))
	}
	farName := file("x")
	farName.Package = proto.String(strings.Repeat("p.", 100_000) + "p")
	farName.MessageType = append(farName.MessageType, message("M0"))

	public := []*descriptorpb.FileDescriptorProto{}
	for i := range 60 {
		for _, side := range []string{"a", "b"} {
			f := file(fmt.Sprint(side, i))
			if i < 59 {
				f.Dependency = []string{fmt.Sprint("a", i+1), fmt.Sprint("b", i+1)}
				f.PublicDependency = []int32{0, 1}
			}
			public = append(public, f)
		}
	}
	public[0].MessageType = append(public[0].MessageType, message("M0"))
	chain := []*descriptorpb.FileDescriptorProto{}
	for i := range 5000 {
		f := file(fmt.Sprint("f", i))
		f.Dependency = []string{fmt.Sprint("f", i+1)}
		chain = append(chain, f)
	}
	chain[0].MessageType = append(chain[0].MessageType, message("M0"))
	nested := file("x")
	for at, i := &nested.MessageType, 0; i < 500; i++ {
		*at = []*descriptorpb.DescriptorProto{message("M0")}
		at = &(*at)[0].NestedType
	}

	for _, test := range []struct {
		name  string
		files []*descriptorpb.FileDescriptorProto
		root  string
		says  string
	}{
		{"each type holds the next one twice", []*descriptorpb.FileDescriptorProto{doubling}, "M0", "more than"},
		{"a chain of types", []*descriptorpb.FileDescriptorProto{deep}, "M0", "deep in one another"},
		{"types that all hold each other", []*descriptorpb.FileDescriptorProto{clique}, "M0", "more than"},
		{"a long package around many types", []*descriptorpb.FileDescriptorProto{packaged}, "M0", "full names"},
		{"a package of 200 KB", []*descriptorpb.FileDescriptorProto{farName}, "M0", "expected at most"},
		{"public imports that double", public, "M0", "publicly"},
		{"a chain of imports", chain, "M0", "imports deep"},
		{"types declared within types", []*descriptorpb.FileDescriptorProto{nested}, "M0", "FileDescriptorSet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New().Compile(schemaOf(t, &descriptorpb.FileDescriptorSet{File: test.files}, test.root), decode.Options{})
			if !errors.Is(err, decode.ErrSchema) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("error %v, want one that wraps ErrSchema and says %q", err, test.says)
			}
		})
	}
}

// TestExpandingMessage has messages that would take far more room in columns
// than they have bytes.
func TestExpandingMessage(t *testing.T) {
	var wide, long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&wide, "int64 f%d = %d;", i, i+1)
	}
	long.WriteString(strings.Repeat("L", 800))
	set := compileOne(t, `syntax = "proto3"; package t;
		enum E { `+long.String()+` = 0; }
		message Wide { `+wide.String()+` }
		message Rec { Rec `+long.String()+` = 1; repeated Rec many = 2; }
		message Root { repeated Wide wides = 1; repeated E names = 2; map<int32, Wide> by_number = 3; Rec rec = 4;
			oneof pick { Wide wide = 5; bool flag = 6; } }`)
	plan := mustCompile(t, schemaOf(t, set, "t.Root"), decode.Options{})
	b := decode.NewBatch(plan.Columns(), nil)
	repeat := func(msg []byte, n int) []byte { return []byte(strings.Repeat(string(msg), n)) }
	var entries []byte
	for i := range 5_000 {
		entries = append(entries, bytesField(3, varint(1, uint64(i))...)...)
	}
	var chain []byte
	for range 50 {
		chain = bytesField(1, chain...)
	}
	for _, test := range []struct {
		name string
		msg  []byte
	}{
		{"many empty messages", repeat(bytesField(1), 20_000)},
		{"many names of an enum", bytesField(2, make([]byte, 20_000)...)},
		{"many empty values of a map", entries},
		{"a wide member of a oneof that changes its mind", repeat(join(bytesField(5), varint(6, 1)), 10_000)},
		{"many long field names in JSON text", bytesField(4, bytesField(1, repeat(bytesField(2, chain...), 2000)...)...)},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := plan.Decode(test.msg, b)
			if size := b.Size(); size > int(decode.NewBudget(len(test.msg)))+16*len(test.msg) {
				t.Errorf("a message of %d bytes took %d", len(test.msg), size)
			}
			if !errors.Is(err, decode.ErrExpands) {
				t.Errorf("error %v, want %v", err, decode.ErrExpands)
			}
			b.DropRow()
			decodetest.CheckBatch(t, b)
		})
	}
	if err := plan.Decode(repeat(bytesField(1, varint(300, 1)...), 1000), b); err != nil {
		t.Errorf("a thousand messages with one of 300 fields set: %v", err)
	}
}

// TestDeepGroups: groups of unknown fields lie in one another without bound.
func TestDeepGroups(t *testing.T) {
	plan := mustCompile(t, schemaOf(t, compileOne(t, everything), "t.Everything"), decode.Options{})
	b := decode.NewBatch(plan.Columns(), nil)
	start := protowire.AppendTag(nil, 2000, protowire.StartGroupType)
	if err := plan.Decode([]byte(strings.Repeat(string(start), 1_000_000)), b); err == nil {
		t.Error("a million open groups were taken")
	}
	b.DropRow()
	decodetest.CheckBatch(t, b)
}

// TestWorkIsLinear has long messages of shapes that invite work by the square:
// this test takes minutes if any of them gets it.
func TestWorkIsLinear(t *testing.T) {
	set := compileOne(t, tree)
	plan := mustCompile(t, schemaOf(t, set, "t.Tree"), decode.Options{})
	repeat := func(n int, parts ...[]byte) []byte { return []byte(strings.Repeat(string(join(parts...)), n)) }
	const many = 200_000
	for _, test := range []struct {
		name string
		msg  []byte
	}{
		{"pieces of one message in JSON text", bytesField(20, repeat(many, bytesField(20, varint(1, 1)...))...)},
		{"pieces of JSON text", repeat(many, bytesField(20, varint(1, 1)...))},
		{"a oneof that changes its mind", repeat(many, varint(18, 1), bytesField(19))},
		{"a oneof that changes its mind in JSON text", bytesField(20, repeat(many, varint(18, 1), bytesField(19))...)},
		{"small JSON texts behind a large one", join(bytesField(21, repeat(many, varint(17, 1))...), repeat(many, bytesField(21)))},
		{"one scalar again and again", repeat(many, bytesField(6, 'a'))},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := decode.NewBatch(plan.Columns(), nil)
			if err := plan.Decode(test.msg, b); err != nil {
				t.Fatal(err)
			}
			decodetest.CheckBatch(t, b)
		})
	}
}
