package protobuf

import (
	"context"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
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
	case decode.List, decode.Map:
		checkLength(t, v.Elem(), lastEnd(v))
	case decode.Struct:
		for i := range v.Type().Fields {
			checkLength(t, v.Field(i), want)
		}
	}
}

// entryCell is an entry of a map; these keep their order.
type entryCell struct{ Key, Value any }

// jsonText is a value of a JSON column.
type jsonText string

// cell returns value i of a vector: nil, a number, a string, a jsonText, []any,
// map[string]any, or []entryCell.
func cell(v *decode.Vector, i int) any {
	if v.IsNull(i) {
		return nil
	}
	span := func(ends []int) (from, to int) {
		if i > 0 {
			from = ends[i-1]
		}
		return from, ends[i]
	}
	switch kind := v.Type().Kind; kind {
	case decode.List, decode.Map:
		from, to := span(v.Ends())
		if kind == decode.Map {
			entries := []entryCell{}
			for j := from; j < to; j++ {
				entries = append(entries, entryCell{cell(v.Elem().Field(0), j), cell(v.Elem().Field(1), j)})
			}
			return entries
		}
		list := []any{}
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
	case decode.String, decode.Enum:
		from, to := span(v.Ends())
		return string(v.Bytes()[from:to])
	case decode.JSON:
		from, to := span(v.Ends())
		return jsonText(v.Bytes()[from:to])
	case decode.Bytes:
		from, to := span(v.Ends())
		return append([]byte{}, v.Bytes()[from:to]...)
	default:
		return number(kind, v.Fixed()[i*kind.Width():])
	}
}

func number(kind decode.Kind, b []byte) any {
	switch kind {
	case decode.Bool:
		return b[0] != 0
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
