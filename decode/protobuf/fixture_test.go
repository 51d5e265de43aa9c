package protobuf

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"tapedeck/decode"
)

// compileFiles compiles .proto files by path; the set holds all they import.
func compileFiles(t testing.TB, sources map[string]string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	paths := slices.Sorted(maps.Keys(sources))
	linked, err := compiler.Compile(context.Background(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	set, seen := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	for _, f := range linked {
		add(f)
	}
	return set
}

// compileOne compiles one file.
func compileOne(t testing.TB, source string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	return compileFiles(t, map[string]string{"test.proto": source})
}

// schemaOf returns the schema of a message type in a set.
func schemaOf(t testing.TB, set *descriptorpb.FileDescriptorSet, name string) decode.Schema {
	t.Helper()
	data, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return decode.Schema{Name: name, Encoding: "protobuf", Data: data}
}

// descriptorOf returns the library's own descriptor of a message type.
func descriptorOf(t testing.TB, set *descriptorpb.FileDescriptorSet, name protoreflect.FullName) protoreflect.MessageDescriptor {
	t.Helper()
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return d.(protoreflect.MessageDescriptor)
}

func mustCompile(t testing.TB, schema decode.Schema, opt decode.Options) decode.Plan {
	t.Helper()
	plan, err := New().Compile(schema, opt)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// encode returns a message that is given in the text format.
func encode(t testing.TB, set *descriptorpb.FileDescriptorSet, name protoreflect.FullName, text string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(descriptorOf(t, set, name))
	if err := (prototext.UnmarshalOptions{AllowPartial: true}).Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// only returns the named columns of a row.
func only(row map[string]any, names ...string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		some[name] = row[name]
	}
	return some
}
