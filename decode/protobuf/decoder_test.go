package protobuf

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// twoFiles is a type that needs another file and a well-known one.
var twoFiles = map[string]string{
	"a.proto": `syntax = "proto3"; package t; import "b.proto"; import "google/protobuf/timestamp.proto";
		message Root { B b = 1; google.protobuf.Timestamp at = 2; message Inner { int32 n = 1; } }`,
	"b.proto": `syntax = "proto3"; package t; message B { int32 n = 1; }`,
}

var twoFilesColumns = []string{"b_n INTEGER", "at TIMESTAMP_NS"}

func without(set *descriptorpb.FileDescriptorSet, paths ...string) *descriptorpb.FileDescriptorSet {
	rest := &descriptorpb.FileDescriptorSet{}
	for _, f := range set.File {
		if !slices.Contains(paths, f.GetName()) {
			rest.File = append(rest.File, f)
		}
	}
	return rest
}

func TestClaims(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"protobuf", "protobuf"}: true,
		{"protobuf", ""}:         false,
		{"json", "protobuf"}:     false,
		{"protobuf", "ros2msg"}:  false,
	} {
		if got := New().Claims(pair[0], pair[1]); got != want {
			t.Errorf("Claims(%q, %q) = %v, want %v", pair[0], pair[1], got, want)
		}
	}
	if New().Name() != "ProtobufDecoder" {
		t.Errorf("Name() = %q", New().Name())
	}
}

// TestSchemaRefused has the schemas that nothing can be made of, and
// what the error must name.
func TestSchemaRefused(t *testing.T) {
	set := compileFiles(t, twoFiles)
	good := schemaOf(t, set, "t.Root")
	cyclic := proto.Clone(set).(*descriptorpb.FileDescriptorSet)
	for _, f := range cyclic.File {
		if f.GetName() == "b.proto" {
			f.Dependency = []string{"a.proto"}
		}
	}
	for _, test := range []struct {
		name   string
		schema decode.Schema
		want   []string
	}{
		{"no data", decode.Schema{Name: "t.Root"}, []string{"no data", "FileDescriptorSet"}},
		{"not a set", decode.Schema{Name: "t.Root", Data: []byte("syntax = \"proto3\";")}, []string{"expected a FileDescriptorSet"}},
		{"base64 of something else", decode.Schema{Name: "t.Root", Data: []byte("/////w==")}, []string{"base64", "expected a FileDescriptorSet"}},
		{"cut short", decode.Schema{Name: "t.Root", Data: good.Data[:len(good.Data)-9]}, []string{"expected a FileDescriptorSet"}},
		{"another package", decode.Schema{Name: "u.Root", Data: good.Data}, []string{`"u.Root"`, "it has t.Root"}},
		{"no name", decode.Schema{Data: good.Data}, []string{`""`, "t.B"}},
		{"an enum's name", schemaOf(t, compileOne(t, `syntax = "proto3"; enum E { A = 0; }`), "E"), []string{`"E"`, "it has none"}},
		{"missing import", schemaOf(t, without(set, "b.proto"), "t.Root"), []string{"field b", "t.B", `"b.proto"`}},
		{"import cycle", schemaOf(t, cyclic, "t.Root"), []string{"imports itself"}},
		{"missing enum", schemaOf(t, without(compileFiles(t, map[string]string{
			"a.proto": `syntax = "proto3"; import "e.proto"; message M { repeated E e = 1; }`,
			"e.proto": `syntax = "proto3"; enum E { Z = 0; }`,
		}), "e.proto"), "M"), []string{"field e", `"e.proto"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New().Compile(test.schema, decode.Options{})
			if !errors.Is(err, decode.ErrSchema) {
				t.Fatalf("error %v, want one that wraps ErrSchema", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

// TestSchemaForms has the ways of writing one schema that recorders use.
func TestSchemaForms(t *testing.T) {
	set := compileFiles(t, twoFiles)
	plain := schemaOf(t, set, "t.Root")
	reversed := proto.Clone(set).(*descriptorpb.FileDescriptorSet)
	slices.Reverse(reversed.File)
	twice := &descriptorpb.FileDescriptorSet{File: append(slices.Clone(set.File), set.File...)}
	base64Of := func(enc *base64.Encoding) decode.Schema {
		return decode.Schema{Name: plain.Name, Data: []byte(enc.EncodeToString(plain.Data))}
	}
	wrapped := base64Of(base64.StdEncoding)
	wrapped.Data = slices.Concat(wrapped.Data[:60], []byte("\r\n"), wrapped.Data[60:], []byte("\n"))
	for _, test := range []struct {
		name   string
		schema decode.Schema
	}{
		{"plain", plain},
		{"users before what they import", schemaOf(t, reversed, "t.Root")},
		{"every file twice", schemaOf(t, twice, "t.Root")},
		{"without well-known files", schemaOf(t, without(set, "google/protobuf/timestamp.proto"), "t.Root")},
		{"dot in front of the name", decode.Schema{Name: ".t.Root", Data: plain.Data}},
		{"base64", base64Of(base64.StdEncoding)},
		{"base64 without padding", base64Of(base64.RawStdEncoding)},
		{"base64 for URLs", base64Of(base64.URLEncoding)},
		{"base64 in lines", wrapped},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := mustCompile(t, test.schema, decode.Options{})
			if diff := cmp.Diff(twoFilesColumns, decodetest.Columns(plan)); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNestedTypeAsRoot(t *testing.T) {
	plan := mustCompile(t, schemaOf(t, compileFiles(t, twoFiles), "t.Root.Inner"), decode.Options{})
	if diff := cmp.Diff([]string{"n INTEGER"}, decodetest.Columns(plan)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// TestUnneededImportMissing: custom options often come from files that no set has.
func TestUnneededImportMissing(t *testing.T) {
	set := compileFiles(t, map[string]string{
		"a.proto": `syntax = "proto3"; package t; import "options.proto"; message Root { int32 n = 1 [(unit) = "m"]; }`,
		"options.proto": `syntax = "proto2"; import "google/protobuf/descriptor.proto";
			extend google.protobuf.FieldOptions { optional string unit = 50000; }`,
	})
	plan := mustCompile(t, schemaOf(t, without(set, "options.proto"), "t.Root"), decode.Options{})
	if diff := cmp.Diff([]string{"n INTEGER"}, decodetest.Columns(plan)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// TestUnrelatedFilesBroken: a file that the type does not need may be unusable.
func TestUnrelatedFilesBroken(t *testing.T) {
	set := compileFiles(t, twoFiles)
	set.File = append(set.File,
		&descriptorpb.FileDescriptorProto{Name: proto.String("bad.proto"), Syntax: proto.String("proto9"),
			MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Bad")}}},
		&descriptorpb.FileDescriptorProto{Name: proto.String("copy/b.proto"), Package: proto.String("t"),
			MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("B")}}})
	plan := mustCompile(t, schemaOf(t, set, "t.Root"), decode.Options{})
	if diff := cmp.Diff(twoFilesColumns, decodetest.Columns(plan)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestColumns(t *testing.T) {
	set := compileOne(t, `
		syntax = "proto3";
		package t;
		import "google/protobuf/any.proto";
		import "google/protobuf/empty.proto";
		import "google/protobuf/wrappers.proto";
		enum E { Z = 0; }
		message Leaf { float x = 1; }
		message Mid { Leaf leaf = 1; uint64 n = 2; }
		message Root {
			// How fast it goes,
			//   in m/s.
			double speed = 1; // measured
			E state = 2;
			Mid mid = 3;
			repeated Mid mids = 4;
			map<string, Mid> by_name = 5;
			repeated bytes blobs = 6;
			google.protobuf.Empty nothing = 7;
			repeated google.protobuf.Empty nothings = 8;
			google.protobuf.FloatValue wrapped = 9;
			Root parent = 10;
			repeated Root parts = 11;
			google.protobuf.Any any = 12;
			uint32 mid_n = 13;
			sfixed32 Speed = 14;
			oneof pick { Leaf a = 15; sint64 b = 16; }
		}`)
	for _, test := range []struct {
		name string
		opt  decode.Options
		want []string
	}{
		{"every level", decode.Options{}, []string{
			"speed DOUBLE", "state VARCHAR", "mid_leaf_x FLOAT", "mid_n UBIGINT",
			`mids STRUCT(leaf STRUCT(x FLOAT), n UBIGINT)[]`,
			`by_name MAP(VARCHAR, STRUCT(leaf STRUCT(x FLOAT), n UBIGINT))`,
			"blobs BLOB[]", "nothing BOOLEAN", "nothings BOOLEAN[]", "wrapped FLOAT",
			"parent VARCHAR", "parts VARCHAR[]", "any VARCHAR", "mid_n_2 UINTEGER", "Speed_2 INTEGER", "a_x FLOAT", "b BIGINT",
		}},
		{"one level", decode.Options{FlattenDepth: 1, Reserved: []string{"state"}}, []string{
			"speed DOUBLE", "state_2 VARCHAR", `mid_leaf STRUCT(x FLOAT)`, "mid_n UBIGINT",
			`mids STRUCT(leaf STRUCT(x FLOAT), n UBIGINT)[]`,
			`by_name MAP(VARCHAR, STRUCT(leaf STRUCT(x FLOAT), n UBIGINT))`,
			"blobs BLOB[]", "nothing BOOLEAN", "nothings BOOLEAN[]", "wrapped FLOAT",
			"parent VARCHAR", "parts VARCHAR[]", "any VARCHAR", "mid_n_2 UINTEGER", "Speed_2 INTEGER", "a_x FLOAT", "b BIGINT",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := mustCompile(t, schemaOf(t, set, "t.Root"), test.opt)
			if diff := cmp.Diff(test.want, decodetest.Columns(plan)); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if got := plan.Columns()[0].Description; got != "How fast it goes, in m/s. measured" {
				t.Errorf("description %q", got)
			}
		})
	}
}

// TestValueAsRoot: a schema that is itself one value becomes one column.
func TestValueAsRoot(t *testing.T) {
	set := compileOne(t, `syntax = "proto3"; import "google/protobuf/timestamp.proto"; import "google/protobuf/struct.proto";
		import "google/protobuf/wrappers.proto";`)
	for _, test := range []struct {
		root protoreflect.FullName
		text string
		want any
	}{
		{"google.protobuf.Timestamp", "seconds: 2 nanos: 5", int64(2_000_000_005)},
		{"google.protobuf.Int32Value", "", int32(0)},
		{"google.protobuf.Struct", `fields { key: "a" value { number_value: 1 } }`, decodetest.JSON(`{"a":1}`)},
	} {
		t.Run(string(test.root), func(t *testing.T) {
			schema := schemaOf(t, set, string(test.root))
			got := decodetest.MustDecode(t, mustCompile(t, schema, decode.Options{}), encode(t, set, test.root, test.text))
			if diff := cmp.Diff([]map[string]any{{"value": test.want}}, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLongComment: a description is a line, not a text.
func TestLongComment(t *testing.T) {
	set := compileOne(t, `syntax = "proto3"; message Root {
		// `+strings.Repeat("é ", 5000)+`
		int32 n = 1; }`)
	plan := mustCompile(t, schemaOf(t, set, "Root"), decode.Options{})
	if doc := plan.Columns()[0].Description; len(doc) > decode.MaxDescription+len("…") || !strings.HasSuffix(doc, "…") || !utf8.ValidString(doc) {
		t.Errorf("description of %d bytes: %q", len(doc), doc)
	}
}
