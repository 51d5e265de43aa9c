package ros

import (
	"testing"

	"tapedeck/decode/cdr/cdrtest"
)

// eventInfo writes the front of each service event.
func eventInfo(sequence uint64) *writer {
	return cdrtest.CDR(cdrLE).Bytes(1).U32(2, 3).Bytes(make([]byte, 15)...).Bytes(9).U64(sequence)
}

func eventRow(request, response []any) row {
	return row{"info_event_type": uint8(1), "info_stamp": int64(2_000_000_003), "info_client_gid": append(make([]byte, 15), 9),
		"info_sequence_number": int64(5), "request": request, "response": response}
}

// rosbag2 records service events with the text of the .srv file.
func TestServiceEvents(t *testing.T) {
	const srv = "int64 a\nint64 b\n---\nint64 sum\n"
	want := eventRow([]any{row{"a": int64(6), "b": int64(7)}}, []any{})
	for name, schema := range map[string][2]string{
		"raw text":     {"p/srv/Add_Event", srv},
		"DDS name":     {"p::srv::dds_::Add_Event_", srv},
		"with header":  {"p/srv/Add_Event", divider + "SRV: p/srv/Add\n" + srv},
		"nested types": {"p/srv/Add_Event", "Number a\nint64 b\n---\nint64 sum\n" + divider + "MSG: p/Number\nint64 n\n"},
		"as a message": {"p/srv/Add_Event", sectionsOf("service_msgs/ServiceEventInfo info\np/Add_Request[<=1] request\np/Add_Response[<=1] response",
			"MSG: p/Add_Request\nint64 a\nint64 b", "MSG: p/Add_Response\nint64 sum")},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, ROS2(), schema[0], schema[1])
			want := want
			if name == "nested types" {
				want = eventRow([]any{row{"a": row{"n": int64(6)}, "b": int64(7)}}, []any{})
			}
			wantRow(t, p, eventInfo(5).U32(1).U64(6, 7).U32(0), want)
		})
	}
	t.Run("without fields", func(t *testing.T) {
		wantRow(t, planOf(t, ROS2(), "std_srvs/srv/Empty_Event", "---\n"), eventInfo(5).U32(0).U32(1).Bytes(0), eventRow([]any{}, []any{row{}}))
	})
	t.Run("described", func(t *testing.T) {
		const want = "REQUEST_SENT=0, REQUEST_RECEIVED=1, RESPONSE_SENT=2, RESPONSE_RECEIVED=3"
		if got := planOf(t, ROS2(), "p/srv/Add_Event", srv).Columns()[0].Description; got != want {
			t.Errorf("description %q", got)
		}
	})
}

func TestMessagesOfServicesAndActions(t *testing.T) {
	const srv = "int64 a\n---\nint64 sum"
	const action = "int32 order\n---\nint32[] result\n---\nint32[] partial"
	tests := []struct {
		name, text string
		columns    []string
	}{
		{"p/srv/Add_Request", srv, []string{"a BIGINT"}},
		{"p/srv/Add_Request", "int64 a", []string{"a BIGINT"}},
		{"p/srv/Add_Response", srv, []string{"sum BIGINT"}},
		{"p/action/F_Goal", action, []string{"order INTEGER"}},
		{"p/action/F_Feedback", "int32[] partial", []string{"partial INTEGER[]"}},
		{"p/action/F_FeedbackMessage", action, []string{"goal_id_uuid BLOB", "feedback_partial INTEGER[]"}},
		{"p/action/F_SendGoal_Request", action, []string{"goal_id_uuid BLOB", "goal_order INTEGER"}},
		{"p/action/F_GetResult_Response", action, []string{"status TINYINT", "result_result INTEGER[]"}},
		{"p/action/F_SendGoal_Event", action, []string{"info_event_type UTINYINT", "info_stamp TIMESTAMP_NS", "info_client_gid BLOB",
			"info_sequence_number BIGINT", `request STRUCT(goal_id STRUCT(uuid BLOB), goal STRUCT(order INTEGER))[]`,
			`response STRUCT(accepted BOOLEAN, stamp TIMESTAMP_NS)[]`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { wantColumns(t, planOf(t, ROS2(), test.name, test.text), test.columns...) })
	}
}

func TestTextThatIsNotTheMessageOfAService(t *testing.T) {
	tests := map[string]struct{ name, text, want string }{
		"request instead of event": {"p/srv/Add_Event", "int64 a\nint64 b", "not the definition of p/srv/Add_Event, which has a field info"},
		"bare feedback":            {"p/action/F_FeedbackMessage", "int32[] partial", "which has a field goal_id"},
		"service for an action":    {"p/action/F_Goal", "int64 a\n---\nint64 b", "in 2 parts, and p/F_Goal is none of the messages"},
		"service of no kind":       {"p/srv/Add", "int64 a\n---\nint64 b", "p/Add is none of the messages"},
		"nothing":                  {"p/action/F_FeedbackMessage", "", "no definition of p/action/F_FeedbackMessage"},
		"part without a type":      {"p/srv/Add_Event", "Number a\n---\n", "no definition of Number, the type of field a of p/Add_Request"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { wantSchemaError(t, ROS2(), test.name, test.text, test.want) })
	}
}
