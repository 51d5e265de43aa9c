package ros

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/decode/cdr/cdrtest"

	"tapedeck/decode/decodetest"
)

func sectionsOf(root string, others ...string) string {
	return root + "\n" + divider + strings.Join(others, "\n"+divider)
}

// A name without package is one of the package of the definition that it
// stands in.
func TestNamesWithoutPackage(t *testing.T) {
	text := sectionsOf("Motion m\nPoint p\nstd_msgs/Header h\nHeader own\nFar far",
		"MSG: geometry_msgs/Point\nfloat64 x", "MSG: motion_msgs/Motion\nPoint start\ngeometry_msgs/Point abs",
		"MSG: motion_msgs/Point\nint32 a", "MSG: motion_msgs/Header\nuint16 id", "MSG: far_msgs/msg/Far\nint8 f")
	wantColumns(t, planOf(t, ROS2(), "motion_msgs/msg/Root", text), "m_start_a INTEGER", "m_abs_x DOUBLE", "p_a INTEGER",
		"h_stamp TIMESTAMP_NS", "h_frame_id VARCHAR", "own_id USMALLINT", "far_f TINYINT")
}

func TestHeaderFallsBackToStdMsgs(t *testing.T) {
	wantColumns(t, planOf(t, ROS1(), "a/B", "Header h"), "h_seq UINTEGER", "h_stamp TIMESTAMP_NS", "h_frame_id VARCHAR")
	wantColumns(t, planOf(t, ROS2(), "a/B", "Header h"), "h_stamp TIMESTAMP_NS", "h_frame_id VARCHAR")
}

func TestNamesThatNothingDefines(t *testing.T) {
	wantSchemaError(t, ROS2(), "geometry_msgs/msg/TransformStamped", "std_msgs/Header header\nTransform transform",
		"the recording holds no definition of Transform, the type of field transform of geometry_msgs/TransformStamped")
	wantSchemaError(t, ROS2(), "a/B", sectionsOf("Point p", "MSG: c/Point\nint32 x", "MSG: d/Point\nint32 x"),
		"field p of a/B is a Point, and 2 packages have one: [c/Point d/Point]")
	wantSchemaError(t, ROS1(), "a/B", "wstring w", "no definition of wstring")
}

func TestSpellingsOfNamesAndSeparators(t *testing.T) {
	want := []string{"p_x DOUBLE"}
	for _, root := range []string{"t/msg/A", "t/A", "A", "t::msg::dds_::A_", "t::A"} {
		for _, header := range []string{"========  \nMSG: g/msg/P", "===\n\nMSG: g/P", "MSG: g/P", "====\r\nMSG:   g::msg::dds_::P_\r"} {
			for _, field := range []string{"g/msg/P p", "g/P p", "P p", "g::msg::P p"} {
				wantColumns(t, planOf(t, ROS2(), root, field+"\n"+header+"\nfloat64 x\n"), want...)
			}
		}
	}
}

func TestTimesOfROS2(t *testing.T) {
	const field = "builtin_interfaces/Time t\nbuiltin_interfaces/Duration[2] d"
	const pair = "int32 sec # seconds\n\nuint32 nanosec"
	want := row{"t": int64(1_000_000_002), "d": []any{int64(-500_000_000), int64(0)}}
	for name, text := range map[string]string{
		"defined":     sectionsOf(field, "MSG: builtin_interfaces/Time\n"+pair, "MSG: builtin_interfaces/Duration\n"+pair),
		"not defined": field,
	} {
		t.Run(name, func(t *testing.T) {
			wantRow(t, planOf(t, ROS2(), "a/B", text), cdrtest.CDR(cdrLE).U32(1, 2, 0xffffffff, 500_000_000, 0, 0), want)
		})
	}
	t.Run("defined otherwise", func(t *testing.T) {
		text := sectionsOf("builtin_interfaces/Time t", "MSG: builtin_interfaces/Time\nint64 ns")
		wantColumns(t, planOf(t, ROS2(), "a/B", text), "t_ns BIGINT")
	})
	t.Run("defined under a name of the recorder's", func(t *testing.T) {
		text := sectionsOf("type_010f_9 t\nfastdds/MyDuration d", "MSG: fastdds/type_010f_9\n"+pair, "MSG: fastdds/MyDuration\n"+pair)
		wantColumns(t, planOf(t, ROS2(), "a/B", text), "t TIMESTAMP_NS", "d BIGINT")
	})
	t.Run("the message itself", func(t *testing.T) {
		wantColumns(t, planOf(t, ROS2(), "builtin_interfaces/msg/Time", pair), "sec INTEGER", "nanosec UINTEGER")
	})
}

// Definitions that hold themselves are not legal, and must not loop.
func TestRecursiveDefinitions(t *testing.T) {
	wantSchemaError(t, ROS2(), "t/msg/R", sectionsOf("t/R child\nint32 a", "MSG: t/R\nt/R child\nint32 a"), "t/R holds itself")
	p := planOf(t, ROS2(), "t/msg/R", "t/R[] children\nint32 a")
	wantColumns(t, p, "children VARCHAR[]", "a INTEGER")
	wantRow(t, p, cdrtest.CDR(cdrLE).U32(1, 0, 7, 8), row{"children": []any{decodetest.JSON(`{"children":[],"a":7}`)}, "a": int32(8)})
}

func TestDefinitionsThatGrow(t *testing.T) {
	double, chain := "", ""
	for i := range 60 {
		double += fmt.Sprintf("%sMSG: t/T%d\nT%d a\nT%d b\n", divider, i, i+1, i+1)
	}
	for i := range 500 {
		chain += fmt.Sprintf("%sMSG: t/T%d\nT%d[] a\n", divider, i, i+1)
	}
	wantSchemaError(t, ROS2(), "t/R", "T0 x\n"+double+divider+"MSG: t/T60\nint32 x", "more than 16384 columns")
	wantSchemaError(t, ROS2(), "t/R", "T0 x\n"+chain, "more than 100 deep")
}
