package protobuf

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
	"tapedeck/decode/internal/jsontext"
)

const tree = `
syntax = "proto3";
package t;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Other { int64 big_number = 1; Other next = 2; }
message Tree {
  int64 big = 1; uint64 huge = 2; double f64 = 3; float f32 = 4; bytes blob = 5; string text = 6;
  map<int32, string> by_number = 7; map<bool, Tree> by_bool = 8; map<uint64, int32> by_huge = 9;
  google.protobuf.Timestamp at = 10; google.protobuf.Duration took = 11;
  google.protobuf.Any any = 12; google.protobuf.FieldMask mask = 13; google.protobuf.Value value = 14;
  google.protobuf.NullValue null = 15; google.protobuf.Int64Value wrapped = 16;
  repeated int32 numbers = 17; oneof pick { int32 a = 18; Other b = 19; }
  Tree child = 20; repeated Tree children = 21;
}`

// TestJSONText has the parts of JSON text that comparing with the library's
// own JSON does not settle.
func TestJSONText(t *testing.T) {
	set := compileOne(t, tree)
	plan := mustCompile(t, schemaOf(t, set, "t.Tree"), decode.Options{})
	inChild := func(encoded ...[]byte) []byte { return bytesField(20, join(encoded...)...) }
	text := func(s string) []byte { return encode(t, set, "t.Tree", "child { "+s+" }") }
	for _, test := range []struct {
		name string
		msg  []byte
		want decodetest.JSON
	}{
		{"empty", inChild(), `{}`},
		{"64-bit integers are numbers", text(`big: -9223372036854775808 huge: 18446744073709551615`),
			`{"big":-9223372036854775808,"huge":18446744073709551615}`},
		{"what is no number in JSON is text", text(`f64: nan f32: -inf`), `{"f64":"NaN","f32":"-Infinity"}`},
		{"a float has its own digits", text(`f64: 0.1 f32: 0.1`), `{"f64":0.1,"f32":0.1}`},
		{"names and order of the schema", inChild(bytesField(7, join(varint(1, 5), bytesField(2, 'v'))...), bytesField(5, 1, 2)),
			`{"blob":"AQI=","by_number":{"5":"v"}}`},
		{"text is escaped", text(`text: "\"\\\n\t\x01é"`), `{"text":"\"\\\n\t\u0001é"}`},
		{"text that is not UTF-8 is mended", inChild(bytesField(6, 'a', 0xff, 'b')), "{\"text\":\"a\uFFFDb\"}"},
		{"keys of every kind", text(`by_bool { key: true value { big: 1 } } by_huge { key: 18446744073709551615 value: 1 } by_number { key: -1 }`),
			`{"by_number":{"-1":""},"by_bool":{"true":{"big":1}},"by_huge":{"18446744073709551615":1}}`},
		{"the last value of a key", inChild(bytesField(9, varint(1, 1)...), bytesField(9, varint(1, 2)...), bytesField(9, join(varint(1, 1), varint(2, 3))...)),
			`{"by_huge":{"1":3,"2":0}}`},
		{"times", text(`at { seconds: -1 nanos: 500000000 } took { seconds: -1 nanos: -5000 }`),
			`{"at":"1969-12-31T23:59:59.500Z","took":"-1.000005s"}`},
		{"times that no text can tell", text(`at { seconds: 253402300800 } took { seconds: 1 nanos: -1 }`),
			`{"at":{"seconds":253402300800},"took":{"seconds":1,"nanos":-1}}`},
		{"Any of a known type", inChild(bytesField(12, join(bytesField(1, []byte("type.googleapis.com/t.Other")...), bytesField(2, varint(1, 7)...))...)),
			`{"any":{"@type":"type.googleapis.com/t.Other","value":{"big_number":7}}}`},
		{"Any of an unknown type", inChild(bytesField(12, join(bytesField(1, []byte("x/t.None")...), bytesField(2, 1, 2, 3))...)),
			`{"any":{"@type":"x/t.None","value":"AQID"}}`},
		{"Any that is not what it says", inChild(bytesField(12, join(bytesField(1, []byte("x/t.Other")...), bytesField(2, 1<<3, 0x80))...)),
			`{"any":{"@type":"x/t.Other","value":"CIA="}}`},
		{"FieldMask", text(`mask { paths: "a_b.c" paths: "d" }`), `{"mask":"a_b.c,d"}`},
		{"null", text(`value { null_value: NULL_VALUE } wrapped {}`), `{"value":null,"wrapped":0}`},
		{"Value without a kind", inChild(bytesField(14)), `{"value":null}`},
		{"messages merge", inChild(bytesField(19, varint(1, 7)...), bytesField(19, bytesField(2)...)), `{"b":{"big_number":7,"next":{}}}`},
		{"a oneof holds the last member", inChild(bytesField(19, varint(1, 7)...), varint(18, 1), bytesField(19, bytesField(2)...)), `{"b":{"next":{}}}`},
		{"occurrences apart merge too", join(inChild(varint(1, 1), varint(17, 1)), varint(1, 9), inChild(varint(17, 2)), inChild(varint(1, 3))),
			`{"big":3,"numbers":[1,2]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := decodetest.MustDecode(t, plan, test.msg)[0]["child"]
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if !json.Valid([]byte(got.(decodetest.JSON))) {
				t.Errorf("%s is not JSON", got)
			}
		})
	}
}

// TestAnyColumn: an Any outside of recursive types is JSON text too, and finds
// types that nothing imports.
func TestAnyColumn(t *testing.T) {
	set := compileFiles(t, map[string]string{
		"a.proto": `syntax = "proto3"; package t; import "google/protobuf/any.proto"; message Root { repeated google.protobuf.Any any = 1; }`,
		"b.proto": `syntax = "proto3"; package u; message Held { double x = 1; }`,
	})
	plan := mustCompile(t, schemaOf(t, set, "t.Root"), decode.Options{})
	held := join(bytesField(1, []byte("type.googleapis.com/u.Held")...), bytesField(2, fixed64(1, math.Float64bits(1.5))...))
	want := []map[string]any{{"any": []any{
		decodetest.JSON(`{"@type":"type.googleapis.com/u.Held","value":{"x":1.5}}`), decodetest.JSON(`{"@type":"","value":""}`)}}}
	if diff := cmp.Diff(want, decodetest.MustDecode(t, plan, join(bytesField(1, held...), bytesField(1)))); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestJSONDepth(t *testing.T) {
	set := compileOne(t, tree)
	plan := mustCompile(t, schemaOf(t, set, "t.Tree"), decode.Options{})
	nest := func(number protoreflect.FieldNumber, levels int) []byte {
		var msg []byte
		for range levels {
			msg = bytesField(number, msg...)
		}
		return msg
	}
	b := decode.NewBatch(plan.Columns(), nil)
	if err := plan.Decode(nest(20, jsontext.MaxDepth), b); err != nil {
		t.Errorf("%d levels: %v", jsontext.MaxDepth, err)
	}
	for _, levels := range []int{jsontext.MaxDepth + 1, 2000} {
		if err := plan.Decode(nest(20, levels), b); !errors.Is(err, errDepth) {
			t.Errorf("%d levels: error %v, want %v", levels, err, errDepth)
		}
		b.DropRow()
	}
	decodetest.CheckBatch(t, b)
}
