package idl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

// Encapsulation identifiers (DDS-XTypes 1.3, 7.6.3.1.2).
const (
	cdrLE   = 0x0001
	plCdrLE = 0x0003
	cdr2LE  = 0x0007
	dCdr2LE = 0x0009
)

func TestDecodersClaimTheirPair(t *testing.T) {
	ros2, omg := ROS2(), OMG()
	if ros2.Name() != "Ros2IdlDecoder" || omg.Name() != "OmgIdlDecoder" {
		t.Errorf("the decoders are named %s and %s", ros2.Name(), omg.Name())
	}
	for _, c := range []struct {
		message, schema string
		ros2, omg       bool
	}{
		{"cdr", "ros2idl", true, false},
		{"cdr", "omgidl", false, true},
		{"cdr", "ros2msg", false, false},
		{"cdr", "", false, false},
		{"json", "omgidl", false, false},
	} {
		if got := ros2.Claims(c.message, c.schema); got != c.ros2 {
			t.Errorf("Ros2IdlDecoder claims %s/%s: %t", c.message, c.schema, got)
		}
		if got := omg.Claims(c.message, c.schema); got != c.omg {
			t.Errorf("OmgIdlDecoder claims %s/%s: %t", c.message, c.schema, got)
		}
	}
}

func TestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		src     string
		message []byte
		want    decodetest.Row
	}{
		"plain CDR does not frame what is appendable": {
			"@appendable struct S { long a; }; struct T { S s; octet blob[3]; string<4> name; };",
			cdrtest.CDR(cdrLE).U32(7).Bytes(1, 2, 3).Align(4).U32(3).Bytes('h', 'i', 0).Message(),
			decodetest.Row{"s_a": int32(7), "blob": []byte{1, 2, 3}, "name": "hi"},
		},
		"XCDR2 frames what is appendable by default": {
			"struct T { long a; @optional double b; };",
			cdrtest.CDR(dCdr2LE).U32(16).U32(7).Bytes(1).Align(4).F64(2.5).Message(),
			decodetest.Row{"a": int32(7), "b": 2.5},
		},
		"XCDR2 does not frame what is final": {
			"@final struct T { octet a; unsigned long long b; };",
			cdrtest.CDR(cdr2LE).Bytes(7).Align(4).U64(1 << 63).Message(),
			decodetest.Row{"a": uint8(7), "b": uint64(1) << 63},
		},
		"parameters are found by their ids": {
			"@mutable struct T { @id(5) long a; @id(9) short b; long c; };",
			cdrtest.CDR(plCdrLE).U16(9, 2).U16(3).Align(4).U16(5, 4).U32(8).U16(0x3f02, 0).Message(),
			decodetest.Row{"a": int32(8), "b": int16(3), "c": nil},
		},
		"unions": {
			"@bit_bound(8) enum E { A, B }; union U switch (E) { case B: double b; default: long a; }; struct T { sequence<U> us; E e; };",
			cdrtest.CDR(cdrLE).U32(1).Bytes(1).Align(8).F64(1.5).Bytes(1).Message(),
			decodetest.Row{"us": []any{decodetest.Row{"discriminator": "B", "b": 1.5, "a": nil}}, "e": "B"},
		},
		"a union as the whole message, framed": {
			"union T switch (octet) { case 3: long long a; case 4: octet b; };",
			cdrtest.CDR(dCdr2LE).U32(12).Bytes(3).Align(4).U64(9).Message(),
			decodetest.Row{"value_discriminator": uint8(3), "value_a": int64(9), "value_b": nil},
		},
		"a union as the whole message, plain": {
			"union T switch (octet) { case 3: long long a; case 4: octet b; };",
			cdrtest.CDR(cdrLE).Bytes(4, 8).Message(),
			decodetest.Row{"value_discriminator": uint8(4), "value_a": nil, "value_b": uint8(8)},
		},
		"maps": {
			"struct T { map<string, short> m; };",
			cdrtest.CDR(cdrLE).U32(1).U32(2).Bytes('k', 0).U16(3).Message(),
			decodetest.Row{"m": []any{decodetest.Row{"key": "k", "value": int16(3)}}},
		},
		"maps in XCDR2, framed unless of numbers": {
			"@final struct T { map<short, double> n; map<string, short> m; };",
			cdrtest.CDR(cdr2LE).U32(1).U16(7).Align(4).F64(1.5).U32(12).U32(1).U32(2).Bytes('k', 0).U16(3).Message(),
			decodetest.Row{
				"n": []any{decodetest.Row{"key": int16(7), "value": 1.5}},
				"m": []any{decodetest.Row{"key": "k", "value": int16(3)}},
			},
		},
		"types that hold themselves": {
			"struct T { octet a; sequence<T> b; };",
			cdrtest.CDR(cdrLE).Bytes(1).U32(1).Bytes(2).U32(0).Message(),
			decodetest.Row{"a": uint8(1), "b": []any{decodetest.JSON(`{"a":2,"b":[]}`)}},
		},
		"bits": {
			"@bit_bound(16) bitmask M { A }; bitset S { bitfield<9> a; bitfield<8> b; }; struct T { M m; S s; };",
			cdrtest.CDR(cdrLE).U16(1).U32(1 << 16).Message(),
			decodetest.Row{"m": uint16(1), "s": uint32(1) << 16},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := OMG().Compile(decode.Schema{Name: "T", Data: []byte(c.src)}, decode.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := decodetest.Decode(plan, c.message)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]decodetest.Row{c.want}, rows); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestSectionsOfROS2(t *testing.T) {
	line := strings.Repeat("=", 80) + "\r\n"
	src := line + "IDL: p/msg/Stamped\r\n#include \"std_msgs/msg/Header.idl\"\r\n" +
		"module p { module msg { struct Stamped { std_msgs::msg::Header header; q::msg::Point at; }; }; };\r\n" +
		line + "IDL: q/msg/Point\r\n" +
		"module q { module msg { struct Point { @verbatim (language=\"comment\", text=\"see http://x // y\") double x; }; }; };\r\n"
	plan, err := ROS2().Compile(decode.Schema{Name: "p/msg/Stamped", Data: []byte(src)}, decode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	columns := []decode.Column{
		{Name: "header_stamp", Type: decode.Scalar(decode.Timestamp)},
		{Name: "header_frame_id", Type: decode.Scalar(decode.String)},
		{Name: "at_x", Type: decode.Scalar(decode.Float64), Description: "see http://x // y"},
	}
	if diff := cmp.Diff(columns, plan.Columns()); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
	message := cdrtest.CDR(cdrLE).U32(3, 5).U32(2).Bytes('m', 0).Align(8).F64(1.5).Message()
	rows, err := decodetest.Decode(plan, message)
	if err != nil {
		t.Fatal(err)
	}
	want := []decodetest.Row{{"header_stamp": int64(3_000_000_005), "header_frame_id": "m", "at_x": 1.5}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
}

func TestAnEmptyStructOfROSIsNoColumn(t *testing.T) {
	src := "module p { module msg { struct T { uint8 structure_needs_at_least_one_member; }; }; };"
	plan, err := ROS2().Compile(decode.Schema{Name: "p/msg/T", Data: []byte(src)}, decode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(plan.Columns()); n != 0 {
		t.Errorf("it has %d columns", n)
	}
}

func TestNulsBehindTheTextArePassedOver(t *testing.T) {
	plan, err := OMG().Compile(decode.Schema{Name: "T", Data: []byte("struct T { long a; };\x00\x00")}, decode.Options{})
	if err != nil || len(plan.Columns()) != 1 {
		t.Errorf("got %v, %v", plan, err)
	}
}

func BenchmarkCompile(b *testing.B) {
	schema := decode.Schema{Name: "p/msg/Scan", Data: []byte(`
		module builtin_interfaces { module msg { struct Time { int32 sec; uint32 nanosec; }; }; };
		module std_msgs { module msg { struct Header { builtin_interfaces::msg::Time stamp; string frame_id; }; }; };
		module p { module msg {
			typedef double Covariance[36];
			module Scan_Constants { const uint8 MODE_FAST = 0; const uint8 MODE_SLOW = 1; };
			struct Scan {
				std_msgs::msg::Header header;
				@verbatim (language="comment", text="start of the scan" "\n" "in radians") @unit("rad")
				float angle_min;
				@default (value=0) uint8 mode;
				sequence<float> ranges;
				Covariance covariance;
			};
		}; };`)}
	b.SetBytes(int64(len(schema.Data)))
	for b.Loop() {
		if _, err := ROS2().Compile(schema, decode.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
