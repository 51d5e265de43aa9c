package protobuf

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// everything has a field of each kind that columns have a rule for.
const everything = `
syntax = "proto3";
package t;
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";

enum Color { option allow_alias = true; NONE = 0; RED = 1; CRIMSON = 1; FAR = 100000; BELOW = -3; }
message Leaf { double x = 1; string note = 2; optional bool ok = 3; repeated sint32 deltas = 4; }
message Branch { Leaf left = 1; Leaf right = 2; google.protobuf.Timestamp at = 3; repeated Leaf leaves = 4; }
message Hollow {}
message Everything {
  double f64 = 1; float f32 = 2;
  int32 i32 = 3; int64 i64 = 4; uint32 u32 = 5; uint64 u64 = 6;
  sint32 s32 = 7; sint64 s64 = 8;
  fixed32 x32 = 9; fixed64 x64 = 10; sfixed32 sx32 = 11; sfixed64 sx64 = 12;
  bool flag = 13; string text = 14; bytes blob = 15; Color color = 16;
  optional int32 maybe = 17; optional Color maybe_color = 18; optional string maybe_text = 19;
  Branch branch = 20; Hollow hollow = 21; google.protobuf.Empty empty = 22;
  oneof pick { int64 a = 30; string b = 31; Leaf c = 32; Branch d = 33; google.protobuf.Struct e = 34; }
  oneof other { Hollow on = 35; google.protobuf.Duration wait = 36; google.protobuf.StringValue word = 37; }
  repeated double rf64 = 40; repeated int32 ri32 = 41; repeated sint64 rs64 = 42; repeated bool rflag = 43;
  repeated Color rcolor = 44; repeated string rtext = 45; repeated bytes rblob = 46; repeated fixed32 rx32 = 47;
  repeated Branch rbranch = 48; repeated Hollow rhollow = 49;
  repeated int32 loose = 50 [packed = false]; repeated fixed64 loose64 = 51 [packed = false];
  map<string, Leaf> leaves = 60; map<int32, Color> colors = 61; map<bool, bytes> flags = 62;
  map<sint64, string> signed = 63; map<fixed32, google.protobuf.Timestamp> times = 64; map<string, Everything> deep = 65;
  google.protobuf.Timestamp at = 70; google.protobuf.Duration took = 71;
  repeated google.protobuf.Timestamp ats = 72;
  google.protobuf.DoubleValue wf64 = 73; google.protobuf.UInt32Value wu32 = 74;
  google.protobuf.BytesValue wblob = 75; repeated google.protobuf.BoolValue wflags = 76;
  google.protobuf.Struct any_struct = 80; google.protobuf.Value any_value = 81;
  google.protobuf.ListValue any_list = 82; google.protobuf.FieldMask mask = 83;
  repeated google.protobuf.Value values = 84;
  Everything child = 90; repeated Everything children = 91;
  int32 far = 536870911;
}`

// legacy has what only proto2 has.
const legacy = `
syntax = "proto2";
package t;
enum Closed { ONE = 1; TWO = 2; }
enum Zeroed { ZERO = 0; }
message Legacy {
  required int32 need = 1;
  optional int32 with_default = 2 [default = 7];
  optional Closed closed = 3;
  repeated int32 loose = 4;
  repeated double tight = 5 [packed = true];
  optional group One = 6 { optional string s = 1; optional group Two = 2 { optional int32 n = 1; } }
  repeated group Many = 7 { required uint32 n = 1; }
  map<string, Zeroed> zeroes = 8;
  oneof pick { group Left = 9 { optional int32 n = 1; } int32 right = 10; }
  optional Legacy child = 11;
  extensions 100 to 200;
}
extend Legacy { optional string extra = 100; }`

const editions = `
edition = "2023";
package t;
message Edition {
  int32 explicit = 1;
  int32 implicit = 2 [features.field_presence = IMPLICIT];
  repeated int32 expanded = 3 [features.repeated_field_encoding = EXPANDED];
  Part delimited = 4 [features.message_encoding = DELIMITED];
  repeated Part parts = 5 [features.message_encoding = DELIMITED];
  map<int32, Part> by_number = 6;
  Edition again = 7 [features.message_encoding = DELIMITED];
}
message Part { string s = 1; Part inner = 2 [features.message_encoding = DELIMITED]; }`

// TestAgainstDynamic compares random messages with what the library's own
// dynamic messages say of the same bytes.
func TestAgainstDynamic(t *testing.T) {
	for _, test := range []struct {
		source string
		name   protoreflect.FullName
	}{
		{everything, "t.Everything"}, {everything, "t.Branch"}, {legacy, "t.Legacy"}, {editions, "t.Edition"},
	} {
		for _, depth := range []int{0, 1, 2} {
			t.Run(fmt.Sprintf("%s/flatten_depth=%d", test.name, depth), func(t *testing.T) {
				set := compileOne(t, test.source)
				md := descriptorOf(t, set, test.name)
				plan := mustCompile(t, schemaOf(t, set, string(test.name)), decode.Options{FlattenDepth: depth})
				b := decode.NewBatch(plan.Columns(), nil)
				r := generator{rand.New(rand.NewPCG(1, uint64(depth)))}
				for range 300 {
					encoded := r.encoding(t, md)
					want := dynamicpb.NewMessage(md)
					if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(encoded, want); err != nil {
						t.Fatal(err)
					}
					if err := plan.Decode(encoded, b); err != nil {
						t.Fatalf("message %x: %v", encoded, err)
					}
					got := decodetest.Rows(plan, b)[b.Rows()-1]
					if diff := cmp.Diff(oracleRow(t, want, depth), got, cmpopts.EquateNaNs(), sameJSON, anyOrder); diff != "" {
						t.Fatalf("message of %d bytes (-dynamicpb +tapedeck):\n%s", len(encoded), diff)
					}
				}
				decodetest.CheckBatch(t, b)
			})
		}
	}
}

// oracle turns dynamic messages into cells by the rules of docs/columns.md.
type oracle struct {
	testing.TB
	depth int
}

func oracleRow(t testing.TB, m protoreflect.Message, depth int) map[string]any {
	out := map[string]any{}
	oracle{t, depth}.flatten(out, m, m.Descriptor(), "", 0, nil)
	return out
}

// flatten adds the columns of a message; m is nil where it is absent.
func (o oracle) flatten(out map[string]any, m protoreflect.Message, md protoreflect.MessageDescriptor, prefix string, level int, within path) {
	within = append(within[:len(within):len(within)], md.FullName())
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		name := prefix + string(fd.Name())
		if fd.Message() == nil || fd.Cardinality() == protoreflect.Repeated || !within.plain(fd.Message()) ||
			o.depth > 0 && level >= o.depth {
			out[name] = o.field(m, fd, within)
			continue
		}
		var inner protoreflect.Message
		if m != nil && m.Has(fd) {
			inner = m.Get(fd).Message()
		}
		o.flatten(out, inner, fd.Message(), name+"_", level+1, within)
	}
}

// path is the message types around a field.
type path []protoreflect.FullName

// plain reports whether messages of a type become fields of their own.
func (p path) plain(md protoreflect.MessageDescriptor) bool {
	for _, name := range p {
		if name == md.FullName() {
			return false
		}
	}
	return md.FullName().Parent() != "google.protobuf" && md.Fields().Len() > 0
}

func (o oracle) field(m protoreflect.Message, fd protoreflect.FieldDescriptor, within path) any {
	switch {
	case m == nil || fd.HasPresence() && !m.Has(fd):
		return nil
	case fd.IsList():
		list := []any{}
		for i := range m.Get(fd).List().Len() {
			list = append(list, o.value(m.Get(fd).List().Get(i), fd, within))
		}
		return list
	case fd.IsMap():
		entries := []decodetest.Entry{}
		m.Get(fd).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			entries = append(entries, decodetest.Entry{o.value(k.Value(), fd.MapKey(), within), o.value(v, fd.MapValue(), within)})
			return true
		})
		return entries
	}
	return o.value(m.Get(fd), fd, within)
}

func (o oracle) value(v protoreflect.Value, fd protoreflect.FieldDescriptor, within path) any {
	switch {
	case fd.Enum() != nil:
		if named := fd.Enum().Values().ByNumber(v.Enum()); named != nil {
			return string(named.Name())
		}
		return fmt.Sprint(v.Enum())
	case fd.Message() == nil:
		return scalarCell(v)
	}
	m, md := v.Message(), fd.Message()
	number := func(name protoreflect.Name) int64 { return m.Get(md.Fields().ByName(name)).Int() }
	switch md.Name() {
	case "Timestamp", "Duration":
		return number("seconds")*1e9 + number("nanos")
	case "DoubleValue", "UInt32Value", "BytesValue", "BoolValue", "StringValue":
		return scalarCell(m.Get(md.Fields().ByName("value")))
	case "Empty", "Hollow":
		return true
	}
	if !within.plain(md) {
		text, err := protojson.MarshalOptions{UseProtoNames: true, AllowPartial: true}.Marshal(m.Interface())
		if err != nil {
			o.Fatal(err)
		}
		return decodetest.JSON(text)
	}
	within = append(within[:len(within):len(within)], md.FullName())
	fields := map[string]any{}
	for i := range md.Fields().Len() {
		inner := md.Fields().Get(i)
		fields[string(inner.Name())] = o.field(m, inner, within)
	}
	return fields
}

func scalarCell(v protoreflect.Value) any {
	if b, ok := v.Interface().([]byte); ok {
		return append([]byte{}, b...) // nil is for NULL
	}
	return v.Interface()
}

// anyOrder compares maps whatever the order of their entries, which dynamic
// messages don't keep.
var anyOrder = cmpopts.SortSlices(func(a, b decodetest.Entry) bool { return fmt.Sprint(a[0]) < fmt.Sprint(b[0]) })

// sameJSON compares JSON texts, 64-bit integers as numbers or text alike, as
// the library quotes them, and groups named by their type, as it names them.
var sameJSON = cmp.Comparer(func(a, b decodetest.JSON) bool {
	return cmp.Equal(normalJSON(a), normalJSON(b), cmpopts.EquateNaNs())
})

func normalJSON(text decodetest.JSON) any {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err.Error()
	}
	return normal(v)
}

func normal(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f
		}
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case map[string]any:
		lower := map[string]any{}
		for k, inner := range v {
			lower[strings.ToLower(k)] = normal(inner)
		}
		return lower
	}
	return v
}
