package protobuf

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// bytesField writes a field of a length and its payload.
func bytesField(number protowire.Number, payload ...byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), payload)
}

func varint(number protowire.Number, x uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), x)
}

func fixed32(number protowire.Number, x uint32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(nil, number, protowire.Fixed32Type), x)
}

func fixed64(number protowire.Number, x uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, number, protowire.Fixed64Type), x)
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// TestMessageRefused has the messages that break the wire format. The row
// before them must stay as it is, and the next must be right.
func TestMessageRefused(t *testing.T) {
	set := compileOne(t, everything)
	plan := mustCompile(t, schemaOf(t, set, "t.Everything"), decode.Options{})
	good := encode(t, set, "t.Everything", `i32: 5 branch { left { x: 1 } leaves { note: "n" } } a: 3
		leaves { key: "k" value { x: 2 } } child { i32: 1 } rbranch { right { x: 3 } }`)
	for _, test := range []struct {
		name string
		msg  []byte
		want error
		says string
	}{
		{"length beyond the end", []byte{14<<3 | 2, 200}, decode.ErrTruncated, ""},
		{"varint cut short", []byte{3 << 3, 0x80}, decode.ErrTruncated, ""},
		{"tag cut short", []byte{0x80}, decode.ErrTruncated, ""},
		{"double cut short", fixed64(1, 1)[:7], decode.ErrTruncated, ""},
		{"float cut short", fixed32(2, 1)[:4], decode.ErrTruncated, ""},
		{"cut short in a nested message", bytesField(20, 1<<3|2, 9), decode.ErrTruncated, "field branch"},
		{"cut short in a list of messages", bytesField(48, bytesField(1, 1<<3|1, 0)...), decode.ErrTruncated, "field rbranch: field left"},
		{"cut short in a map's value", bytesField(60, join(bytesField(1, 'k'), bytesField(2, 1<<3|1))...), decode.ErrTruncated, "field leaves"},
		{"cut short in a map's key", bytesField(60, 1<<3|2, 5), decode.ErrTruncated, "field leaves"},
		{"cut short in JSON text", bytesField(90, 3<<3), decode.ErrTruncated, "field child"},
		{"packed doubles of 12 bytes", bytesField(40, make([]byte, 12)...), decode.ErrTruncated, "field rf64"},
		{"packed floats of 3 bytes", bytesField(47, 0, 0, 0), decode.ErrTruncated, "field rx32"},
		{"packed varints cut short", bytesField(41, 1, 0x80), decode.ErrTruncated, "field ri32"},
		{"varint of eleven bytes", join([]byte{3 << 3}, []byte(strings.Repeat("\xff", 10)), []byte{1}), errMalformed, ""},
		{"field number 0", []byte{0, 1}, errMalformed, "field number 0"},
		{"field number too large", protowire.AppendVarint(nil, 1<<32), errMalformed, ""},
		{"wire type 6", []byte{3<<3 | 6}, errMalformed, "wire type 6"},
		{"end of no group", []byte{3<<3 | 4}, errMalformed, ""},
		{"group of an unknown field cut short", []byte{99<<3&0x7f | 0x80 | 3, 99 >> 4}, decode.ErrTruncated, ""},
		{"time past 64-bit nanoseconds", bytesField(70, varint(1, 1<<40)...), errRange, "field at"},
		{"time that DuckDB has infinity for", bytesField(70, join(varint(1, 9223372036), varint(2, 854775807))...), errRange, "field at"},
		{"times past them in a list", bytesField(72, varint(1, math.MaxUint64>>1)...), errRange, "field ats"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := decodetest.CheckBetween(t, plan, good, join(good, test.msg))
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("error %v, want one that wraps %q and says %q", err, test.want, test.says)
			}
		})
	}
}

// TestWire has encodings that differ from what the schema's own writer makes.
func TestWire(t *testing.T) {
	plan := mustCompile(t, schemaOf(t, compileOne(t, everything), "t.Everything"), decode.Options{})
	list := func(values ...any) []any { return append([]any{}, values...) }
	for _, test := range []struct {
		name string
		msg  []byte
		want map[string]any
	}{
		{"nothing: defaults, and NULL where absence shows", nil, map[string]any{
			"f64": 0.0, "i32": int32(0), "text": "", "blob": []byte{}, "color": "NONE", "maybe": nil, "maybe_color": nil,
			"branch_left_x": nil, "branch_leaves": nil, "hollow": nil, "a": nil, "c_x": nil, "ri32": list(), "leaves": []decodetest.Entry{},
			"at": nil, "wf64": nil, "any_struct": nil, "child": nil, "children": list(), "far": int32(0)}},
		{"an empty nested message", bytesField(20), map[string]any{
			"branch_left_x": nil, "branch_at": nil, "branch_leaves": list()}},
		{"empty times and wrappers", join(bytesField(70), bytesField(73)), map[string]any{"at": int64(0), "wf64": 0.0}},
		{"the last scalar counts", join(varint(3, 1), bytesField(14, 'a', 'b'), varint(3, 2), bytesField(14, 'c')),
			map[string]any{"i32": int32(2), "text": "c"}},
		{"nested messages merge", join(bytesField(20, bytesField(1, fixed64(1, math.Float64bits(2))...)...), bytesField(20, bytesField(1, bytesField(2, 'n')...)...)),
			map[string]any{"branch_left_x": 2.0, "branch_left_note": "n", "branch_right_x": nil}},
		{"a oneof holds the last member", join(varint(30, 7), bytesField(32, bytesField(2, 'n')...), varint(30, 8)),
			map[string]any{"a": int64(8), "c_note": nil, "c_deltas": nil, "b": nil}},
		{"a member that comes back starts anew", join(bytesField(32, bytesField(2, 'n')...), bytesField(31, 's'), bytesField(32, fixed64(1, 0)...)),
			map[string]any{"c_note": "", "c_x": 0.0, "b": nil}},
		{"lists inside a member that was replaced", join(bytesField(33, bytesField(4, bytesField(2, 'n')...)...), bytesField(33, bytesField(4)...), varint(30, 1)),
			map[string]any{"d_leaves": nil, "a": int64(1)}},
		{"packed and unpacked in one list", join(varint(41, 1), bytesField(41, 2, 3), varint(41, 4), bytesField(50, 5, 6), varint(50, 7)),
			map[string]any{"ri32": list(int32(1), int32(2), int32(3), int32(4)), "loose": list(int32(5), int32(6), int32(7))}},
		{"a wrong wire type makes a field unknown", join(bytesField(3, 9), varint(14, 9), fixed32(1, 9), varint(40, 9), varint(20, 9), fixed64(60, 9)),
			map[string]any{"i32": int32(0), "text": "", "f64": 0.0, "rf64": list(), "branch_left_x": nil, "leaves": []decodetest.Entry{}}},
		{"an enum's alias and unknown values", join(varint(16, 1), varint(44, 1), varint(44, 2), bytesField(44, 0), varint(44, math.MaxUint64-2), varint(44, math.MaxUint64)),
			map[string]any{"color": "RED", "rcolor": list("RED", "2", "NONE", "BELOW", "-1")}},
		{"numbers are cut to their width", join(varint(3, math.MaxUint64), varint(5, 1<<40|5), varint(7, 1<<40|3), varint(13, 1<<40)),
			map[string]any{"i32": int32(-1), "u32": uint32(5), "s32": int32(-2), "flag": true}},
		{"a map keeps the order of keys and their last values", join(
			bytesField(61, join(varint(1, 5), varint(2, 1))...), bytesField(61, join(varint(1, 3), varint(2, 1))...), bytesField(61, join(varint(2, 0), varint(1, 5))...)),
			map[string]any{"colors": []decodetest.Entry{{int32(5), "NONE"}, {int32(3), "RED"}}}},
		{"a map's entry without key or value", join(bytesField(60), bytesField(61, varint(1, 9)...), bytesField(62, bytesField(2, 'v')...), bytesField(64)), map[string]any{
			"leaves": []decodetest.Entry{{"", map[string]any{"x": 0.0, "note": "", "ok": nil, "deltas": list()}}},
			"colors": []decodetest.Entry{{int32(9), "NONE"}}, "flags": []decodetest.Entry{{false, []byte("v")}}, "times": []decodetest.Entry{{uint32(0), int64(0)}}}},
		{"keys that become one when they are mended", join(bytesField(60, bytesField(1, 0xff)...), bytesField(60, bytesField(1, 0xfe)...)),
			map[string]any{"leaves": []decodetest.Entry{{"\uFFFD", map[string]any{"x": 0.0, "note": "", "ok": nil, "deltas": list()}}}}},
		{"text that is not UTF-8", bytesField(14, 'a', 0xff), map[string]any{"text": "a\uFFFD"}},
		{"groups of unknown fields", []byte{99<<3&0x7f | 0x80 | 3, 99 >> 4, 3<<3 | 3, 3<<3 | 4, 99<<3&0x7f | 0x80 | 4, 99 >> 4, 3 << 3, 6},
			map[string]any{"i32": int32(6)}},
		{"times at the ends of their range", join(
			bytesField(72, join(varint(1, 9223372036), varint(2, 854775806))...),
			bytesField(72, join(varint(1, uint64(math.MaxUint64-9223372036)), varint(2, 145224194))...),
			bytesField(72, join(varint(1, 1), varint(2, math.MaxUint64))...)),
			map[string]any{"ats": list(int64(math.MaxInt64-1), int64(math.MinInt64+2), int64(999_999_999))}},
		{"the largest field number", varint(536870911, 4), map[string]any{"far": int32(4)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := decodetest.MustDecode(t, plan, test.msg)[0]
			some := map[string]any{}
			for name := range test.want {
				some[name] = got[name]
			}
			if diff := cmp.Diff(test.want, some); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyKeys: the order of first appearance also holds where keys are looked
// up by an index.
func TestManyKeys(t *testing.T) {
	plan := mustCompile(t, schemaOf(t, compileOne(t, everything), "t.Everything"), decode.Options{})
	var msg []byte
	var want []decodetest.Entry
	for i := range 50 {
		msg = append(msg, bytesField(61, join(varint(1, uint64(99-i)), varint(2, 1))...)...)
		want = append(want, decodetest.Entry{int32(99 - i), "NONE"})
	}
	for i := range 50 {
		msg = append(msg, bytesField(61, varint(1, uint64(50+i))...)...)
	}
	for range 2 { // the second time with what the first left behind
		if diff := cmp.Diff(want, decodetest.MustDecode(t, plan, msg)[0]["colors"]); diff != "" {
			t.Errorf("map (-want +got):\n%s", diff)
		}
	}
}

func TestProto2(t *testing.T) {
	set := compileOne(t, legacy)
	plan := mustCompile(t, schemaOf(t, set, "t.Legacy"), decode.Options{})
	msg := encode(t, set, "t.Legacy", `One { s: "g" Two { n: 3 } } Many { n: 1 } Many { n: 2 } Left { n: 4 }`)
	msg = join(msg, bytesField(100, []byte("an extension")...))
	want := []map[string]any{{
		"need": nil, "with_default": nil, "closed": nil, "loose": []any{}, "tight": []any{},
		"one_s": "g", "one_two_n": int32(3), "many": []any{map[string]any{"n": uint32(1)}, map[string]any{"n": uint32(2)}},
		"zeroes": []decodetest.Entry{}, "left_n": int32(4), "right": nil, "child": nil,
	}}
	if diff := cmp.Diff(want, decodetest.MustDecode(t, plan, msg)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestFoxgloveTime(t *testing.T) {
	set := compileOne(t, `syntax = "proto3"; package foxglove;
		message Time { uint32 sec = 1; uint32 nsec = 2; }
		message Duration { int32 sec = 1; uint32 nsec = 2; }
		message Odd { string sec = 1; uint32 nsec = 2; }
		message Root { Time at = 1; Duration took = 2; Odd odd = 3; repeated Time all = 4; }`)
	plan := mustCompile(t, schemaOf(t, set, "foxglove.Root"), decode.Options{})
	wantTypes := []string{"at TIMESTAMP_NS", "took BIGINT", "odd_sec VARCHAR", "odd_nsec UINTEGER", "all TIMESTAMP_NS[]"}
	if diff := cmp.Diff(wantTypes, decodetest.Columns(plan)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	msg := encode(t, set, "foxglove.Root", `at { sec: 4000000000 nsec: 7 } took { sec: -1 nsec: 500000000 } all {} all { sec: 1 }`)
	want := []map[string]any{{"at": int64(4_000_000_000_000_000_007), "took": int64(-500_000_000),
		"odd_sec": nil, "odd_nsec": nil, "all": []any{int64(0), int64(1e9)}}}
	if diff := cmp.Diff(want, decodetest.MustDecode(t, plan, msg)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestImpostors: the name of a well-known type on other fields means nothing.
func TestImpostors(t *testing.T) {
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name: proto.String("x.proto"), Package: proto.String("google.protobuf"), Syntax: proto.String("proto3"),
	}}}
	for _, name := range []string{"Timestamp", "Duration", "Int32Value", "Any", "Struct", "Value", "ListValue", "FieldMask"} {
		set.File[0].MessageType = append(set.File[0].MessageType, &descriptorpb.DescriptorProto{
			Name: proto.String(name),
			Field: []*descriptorpb.FieldDescriptorProto{{Name: proto.String("odd"), Number: proto.Int32(3),
				Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}},
		})
	}
	for _, m := range set.File[0].MessageType {
		plan := mustCompile(t, schemaOf(t, set, "google.protobuf."+m.GetName()), decode.Options{})
		if diff := cmp.Diff([]map[string]any{{"odd": "s"}}, decodetest.MustDecode(t, plan, bytesField(3, 's'))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.GetName(), diff)
		}
	}
}

// TestForkAndBatches: plans of one schema don't share state, and a plan may go
// from batch to batch. A column of sizes takes the same messages.
func TestForkAndBatches(t *testing.T) {
	set := compileOne(t, everything)
	plan := mustCompile(t, schemaOf(t, set, "t.Everything"), decode.Options{})
	fork := plan.Fork()
	sizes := make([]bool, len(plan.Columns()))
	for i, c := range plan.Columns() {
		sizes[i] = c.Type.Kind == decode.Bytes
	}
	whole, sized := decode.NewBatch(plan.Columns(), nil), decode.NewBatch(plan.Columns(), sizes)
	msg := encode(t, set, "t.Everything", `blob: "12345" wblob { value: "123" } text: "t" leaves { key: "k" }`)
	for _, p := range []decode.Plan{plan, fork, plan} {
		for _, b := range []*decode.Batch{whole, sized} {
			if err := p.Decode(join(bytesField(15, 'x'), msg), b); err != nil {
				t.Fatal(err)
			}
		}
	}
	decodetest.CheckBatch(t, whole)
	decodetest.CheckBatch(t, sized)
	wantWhole := map[string]any{"blob": []byte("12345"), "wblob": []byte("123"), "text": "t"}
	wantSized := map[string]any{"blob": uint32(5), "wblob": uint32(3), "text": "t"}
	for i := range whole.Rows() {
		if diff := cmp.Diff(wantWhole, only(decodetest.Rows(plan, whole)[i], "blob", "wblob", "text")); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
		if diff := cmp.Diff(wantSized, only(decodetest.Rows(plan, sized)[i], "blob", "wblob", "text")); diff != "" {
			t.Errorf("row %d of sizes (-want +got):\n%s", i, diff)
		}
	}
}

// TestForksAtOnce: forks share descriptors and nothing that changes.
func TestForksAtOnce(t *testing.T) {
	set := compileOne(t, tree)
	plan := mustCompile(t, schemaOf(t, set, "t.Tree"), decode.Options{})
	msg := encode(t, set, "t.Tree", `big: 1 by_bool { key: true value { big: 2 } } child { child { text: "c" } any { type_url: "/t.Other" } }`)
	decodetest.CheckForks(t, plan, msg)
}
