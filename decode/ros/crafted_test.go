package ros

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tapedeck/internal/corpustest"
)

// TestCrafted holds the recordings that were each made to hold one trap against
// what crafted/EXPECTED.json says is right.
func TestCrafted(t *testing.T) {
	header := func(r row, stamp int64, frame string) row {
		r["header_stamp"], r["header_frame_id"] = stamp, frame
		return r
	}
	mixed := row{"header_seq": uint32(7), "header_stamp": int64(100_000_000_005), "header_frame_id": "map",
		"cov": []any{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, "t": int64(1700000000_123456789), "d": int64(-1_500_000_000),
		"data": []byte{1, 2, 3}, "names": []any{"a", "bb"}, "p_x": float32(1.5), "b": int8(-1), "c": uint8(65)}
	tests := []struct {
		file        string
		rows        []row
		errors      uint64 // messages that can't be decoded
		schemaError string // instead of rows
	}{
		{file: "ros1/case_only_fields", rows: []row{{"X": int32(1), "x_2": int32(2), "K": int32(3), "k_2": int32(4)}}},
		{file: "ros1/mixed", rows: []row{mixed, mixed}, errors: 1},
		{file: "ros1/non_ascii_comment", rows: []row{{"v": int32(5)}}},
		{file: "ros1/qualified_then_unqualified", rows: []row{{"foo_bar_data": "b", "foo_foobar_data": "f"}}},
		{file: "ros2/Empty_nested_comment_only", rows: []row{{"int_val": int32(3)}}},
		{file: "ros2/builtin_header_without_def", rows: []row{header(row{"temperature": 25.5, "variance": 0.1}, 1_000_000_002, "imu")}},
		{file: "ros2/cdr_big_endian", rows: []row{{"a": uint32(1), "s": "be", "d": 2.5}}},
		{file: "ros2/cdr_empty_nested_sequence", rows: []row{
			header(row{"status": []any{}}, 1_000_000_002, ""),
			header(row{"status": []any{
				row{"level": uint8(1), "name": "motor", "message": "hot", "hardware_id": "hw1",
					"values": []any{row{"key": "temp", "value": "99"}, row{"key": "rpm", "value": "12"}}},
				row{"level": uint8(0), "name": "imu", "message": "ok", "hardware_id": "", "values": []any{}}}}, 3_000_000_004, "base")}},
		{file: "ros2/cdr_empty_sequences_alignment", rows: []row{
			{"a": uint8(1), "v": []any{}, "tail": uint8(77)}, {"a": uint8(1), "v": []any{1.0}, "tail": uint8(77)}}},
		{file: "ros2/cdr_sequence_len_huge", errors: 3},
		{file: "ros2/cdr_truncated_and_trailing", errors: 4, rows: []row{
			{"a": uint32(1), "d": 2.5, "s": "x"}, {"a": uint32(2), "d": 3.5, "s": "y"}}},
		{file: "ros2/dds_type_name", rows: []row{{"data": "hello"}}},
		{file: "ros2/int64_uint64_extremes", rows: []row{{"a": int64(math.MinInt64), "b": uint64(math.MaxUint64),
			"c": []any{int64(math.MaxInt64), int64(1<<53 + 1)}}}},
		{file: "ros2/nan_inf", rows: []row{
			{"a": float32(math.NaN()), "b": math.NaN(), "c": []any{math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}},
			{"a": math.Float32frombits(1), "b": math.Float64frombits(1), "c": []any{math.MaxFloat64, 0.1, math.Nextafter(0.3, 1)}}}},
		{file: "ros2/recursive_definition", schemaError: "t/R holds itself"},
		{file: "ros2/same_short_name_two_packages", rows: []row{header(row{"m_type": uint8(7), "m_start_a": int32(1),
			"m_start_b": int32(2), "m_abs_x": 3.0, "m_abs_y": 4.0, "m_abs_z": 5.0, "p_a": int32(6), "p_b": int32(7), "own_id": uint16(42)},
			100_000_000_005, "map")}},
		{file: "ros2/schema_is_only_type_name", schemaError: "no definition of sensor_msgs/msg/PointCloud2, only its name"},
		{file: "ros2/schema_missing_nested", rows: []row{header(row{"child_frame_id": "b"}, 1_000_000_002, "a")}},
		{file: "ros2/separator_short", rows: []row{{"p_x": 1.0}}},
		{file: "ros2/service_event_raw_srv", rows: []row{{"info_event_type": uint8(0), "info_stamp": int64(1_000_000_002),
			"info_client_gid": make([]byte, 16), "info_sequence_number": int64(1), "request": []any{}, "response": []any{}}}},
		{file: "ros2/time_duration_negative", rows: []row{
			{"t": int64(-5_000_000_000), "d": int64(-500_000_000)},
			{"t": int64(math.MaxInt32)*1e9 + math.MaxUint32, "d": int64(0)}}},
		{file: "ros2/wstring", rows: []row{{"w": "Hi😀", "after": int32(9)}}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			topics := read(t, corpustest.Recording(t, "crafted/"+test.file+".mcap"))
			if len(topics) != 1 {
				t.Fatalf("%d topics, want 1", len(topics))
			}
			for _, got := range topics {
				if err := got.schemaError; test.schemaError != "" {
					if err == nil || !strings.Contains(err.Error(), test.schemaError) {
						t.Errorf("schema error %v, want %q", err, test.schemaError)
					}
					return
				}
				if diff := cmp.Diff(test.rows, got.rows, cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("rows differ (-want +got):\n%s", diff)
				}
				if got.schemaError != nil || got.decodeErrors != test.errors {
					t.Errorf("schema error %v, %d messages were not decoded, want %d", got.schemaError, got.decodeErrors, test.errors)
				}
			}
		})
	}
}

// TestCraftedLarge reads fields that are large: their size tells enough.
func TestCraftedLarge(t *testing.T) {
	clouds := read(t, corpustest.Recording(t, "crafted/ros2/PointCloud2_400KB_x5.mcap"))["/t"]
	if n := len(clouds.rows); n != 5 {
		t.Fatalf("%d rows, want 5", n)
	}
	for _, r := range clouds.rows {
		if n := len(r["data"].([]byte)); n != 400_000 {
			t.Errorf("data has %d bytes, want 400000", n)
		}
	}
	arrays := read(t, corpustest.Recording(t, "crafted/ros2/float64_array_100k.mcap"))["/t"]
	data := arrays.rows[0]["data"].([]any)
	if len(data) != 100_000 || data[99_999] != 99_999.0 {
		t.Errorf("data has %d elements", len(data))
	}
}
