package ros

import (
	"errors"
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

func TestClaims(t *testing.T) {
	tests := []struct {
		message, schema string
		ros1, ros2      bool
	}{
		{"ros1", "ros1msg", true, false},
		{"ros1msg", "ros1msg", true, false},
		{"cdr", "ros2msg", false, true},
		{"cdr", "ros1msg", false, false},
		{"ros1", "ros2msg", false, false},
		{"cdr", "ros2idl", false, false},
		{"wrong_format", "ros2msg", false, false},
		{"cdr", "", false, false},
	}
	for _, test := range tests {
		if got := ROS1().Claims(test.message, test.schema); got != test.ros1 {
			t.Errorf("ROS1().Claims(%q, %q) = %v", test.message, test.schema, got)
		}
		if got := ROS2().Claims(test.message, test.schema); got != test.ros2 {
			t.Errorf("ROS2().Claims(%q, %q) = %v", test.message, test.schema, got)
		}
	}
	if ROS1().Name() != "Ros1Decoder" || ROS2().Name() != "Ros2Decoder" {
		t.Errorf("names %q and %q", ROS1().Name(), ROS2().Name())
	}
}

func TestSchemasThatDefineNothing(t *testing.T) {
	tests := map[string]struct{ name, text, want string }{
		"no text":            {"HelloWorld", "", "the recording holds no definition of HelloWorld"},
		"blank text":         {"a/msg/B", " \n", "the recording holds no definition of a/msg/B"},
		"DDS name":           {"std_msgs::msg::dds_::String_", "", "no definition of std_msgs::msg::dds_::String_"},
		"only the name":      {"a/msg/B", "a/msg/B\n", "no definition of a/msg/B, only its name"},
		"the name, in short": {"a/msg/B", "a/B", "only its name"},
		"other definitions":  {"a/msg/B", divider + "MSG: a/C\nint32 x", "holds definitions, but none of a/msg/B"},
		"IDL":                {"a/msg/B", divider + "IDL: a/msg/B\nmodule a {};", "line 2: it is IDL"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { wantSchemaError(t, ROS2(), test.name, test.text, test.want) })
	}
}

// Types without fields have no text either.
func TestEmptyMessages(t *testing.T) {
	for _, name := range []string{"std_msgs/msg/Empty", "test_msgs/msg/Empty", "std_srvs/srv/Empty_Request", "std_msgs::msg::dds_::Empty_"} {
		p := planOf(t, ROS2(), name, "")
		wantColumns(t, p)
		wantRow(t, p, cdrtest.CDR(cdrLE).Bytes(0), row{})
		wantRow(t, p.Fork(), cdrtest.CDR(cdrLE).Bytes(0, 0, 0, 0), row{})
		if _, err := decodetest.Decode(p, cdrtest.CDR(cdrLE).U64(1).Message()); !errors.Is(err, decode.ErrSchema) {
			t.Errorf("%s: error %v for a message that is not empty", name, err)
		}
	}
	p := planOf(t, ROS1(), "my_pkg/Trigger", "")
	wantRow(t, p, cdrtest.ROS1(), row{})
	if _, err := decodetest.Decode(p, []byte{1}); !errors.Is(err, decode.ErrSchema) {
		t.Errorf("error %v for a message that is not empty", err)
	}
}

func TestEmptyMessageInAnother(t *testing.T) {
	const text = "# top\nstd_msgs/Empty empty\nint32 n\n" + divider + "MSG: std_msgs/Empty\n# nothing here\n"
	wantRow(t, planOf(t, ROS2(), "t/msg/E", text), cdrtest.CDR(cdrLE).Bytes(0).U32(3), row{"n": int32(3)})
	wantRow(t, planOf(t, ROS1(), "t/E", text), cdrtest.ROS1().U32(3), row{"n": int32(3)})
}

func TestPrimitivesOfBothVersions(t *testing.T) {
	const text = "bool b\nbyte by\nchar ch\nint8 i\nbyte[] bs\nchar[2] cs\nuint8[] us\nint8[2] is\nstring s\ntime t\nduration d\nfloat64[<=3] f"
	wantColumns(t, planOf(t, ROS1(), "t/P", text), "b BOOLEAN", "by TINYINT", "ch UTINYINT", "i TINYINT", "bs BLOB", "cs BLOB",
		"us BLOB", "is TINYINT[]", "s VARCHAR", "t TIMESTAMP_NS", "d BIGINT", "f DOUBLE[]")
	wantColumns(t, planOf(t, ROS2(), "t/P", text+"\nwstring w"), "b BOOLEAN", "by UTINYINT", "ch UTINYINT", "i TINYINT", "bs BLOB", "cs BLOB",
		"us BLOB", "is TINYINT[]", "s VARCHAR", "t TIMESTAMP_NS", "d BIGINT", "f DOUBLE[]", "w VARCHAR")
}

func TestOptionsReachTheColumns(t *testing.T) {
	p, err := ROS2().Compile(decode.Schema{Name: "a/B", Data: []byte("std_msgs/Header header\nint64 timestamp_us")},
		decode.Options{FlattenDepth: 1, Reserved: []string{"timestamp_us"}})
	if err != nil {
		t.Fatal(err)
	}
	wantColumns(t, p, "header_stamp TIMESTAMP_NS", "header_frame_id VARCHAR", "timestamp_us_2 BIGINT")
}
