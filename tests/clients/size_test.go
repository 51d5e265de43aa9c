package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// mostText is what the answers about a large library may take of an agent's context.
const mostText = 80_000

// writeRecording makes a recording of many JSON topics with many fields, one
// message each.
func writeRecording(path string, start uint64, topics, fields int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w, err := mcap.NewWriter(file, &mcap.WriterOptions{Chunked: true, Compression: mcap.CompressionZSTD, IncludeCRC: true})
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&mcap.Header{}); err != nil {
		return err
	}
	properties, message := map[string]any{}, map[string]any{}
	for i := range fields {
		name := fmt.Sprintf("joint_%02d_effort_newton_metres", i)
		properties[name] = map[string]string{"type": "number", "description": "torque at the joint, positive is counter-clockwise"}
		message[name] = float64(i)
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		return err
	}
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if err := w.WriteSchema(&mcap.Schema{ID: 1, Name: "robot_msgs/JointEfforts", Encoding: "jsonschema", Data: schema}); err != nil {
		return err
	}
	for i := range topics {
		channel := &mcap.Channel{ID: uint16(i), SchemaID: 1, Topic: fmt.Sprintf("/robot/arm_%02d/joint_efforts", i), MessageEncoding: "json"}
		if err := w.WriteChannel(channel); err != nil {
			return err
		}
		if err := w.WriteMessage(&mcap.Message{ChannelID: channel.ID, LogTime: start, PublishTime: start, Data: data}); err != nil {
			return err
		}
	}
	if err := w.WriteMetadata(&mcap.Metadata{Name: "robot", Metadata: map[string]string{"serial": "r7"}}); err != nil {
		return err
	}
	return w.Close()
}

// said is the length of all text of a result, and its structured form in answer.
func said(t *testing.T, session *mcp.ClientSession, tool string, a args, answer any) (text int) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil || result.IsError {
		t.Fatalf("%s: %v %v", tool, result, err)
	}
	for _, block := range result.Content {
		text += len(block.(*mcp.TextContent).Text)
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(structured, answer); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAnswersAboutALargeLibraryStaySmall(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		path := filepath.Join(dir, fmt.Sprintf("warehouse_robot_07_shift_%03d.mcap", i))
		if err := writeRecording(path, uint64(1_700_000_000_000_000_000+i*3_600_000_000_000), 30, 40); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(context.Background(), program, "mcp", "--data-dir", dir)
	cmd.Env = environment(t.TempDir())
	session := dial(t, &mcp.CommandTransport{Command: cmd})

	var listed struct {
		Total      int
		Note       string
		Recordings []struct {
			File            string
			Channels        []any
			ChannelsOmitted int `json:"channels_omitted"`
		}
	}
	if n := said(t, session, "list_recordings", args{}, &listed); n > mostText {
		t.Errorf("list_recordings takes %d bytes of text, want at most %d", n, mostText)
	}
	if listed.Total != 100 || len(listed.Recordings) != 100 || listed.Note == "" {
		t.Errorf("%d of %d recordings, note %q", len(listed.Recordings), listed.Total, listed.Note)
	}
	for _, r := range listed.Recordings {
		if len(r.Channels)+r.ChannelsOmitted != 30 {
			t.Fatalf("%s: %d channels and %d omitted, want 30 together", r.File, len(r.Channels), r.ChannelsOmitted)
		}
	}

	var schema struct {
		Note   string
		Topics map[string]struct{ Fields []any }
	}
	file := listed.Recordings[0].File
	if n := said(t, session, "get_schema", args{"file": file}, &schema); n > mostText {
		t.Errorf("get_schema takes %d bytes of text, want at most %d", n, mostText)
	}
	if len(schema.Topics) != 30 || schema.Note == "" {
		t.Errorf("%d topics, note %q", len(schema.Topics), schema.Note)
	}
	topic := "/robot/arm_00/joint_efforts"
	said(t, session, "get_schema", args{"file": file, "topic": topic}, &schema)
	if n := len(schema.Topics[topic].Fields); n != 41 {
		t.Errorf("%d fields of the topic that was asked for, want 41", n)
	}
}

// Answers about many sessions, and about a long one, say what was left out.
func TestAnswersAboutManySessionsStaySmall(t *testing.T) {
	session := dial(t, transports["stdio"](t, manySessions(t)))
	var answer rawJSON
	small := func(tool string, a args) gjson.Result {
		t.Helper()
		n := said(t, session, tool, a, &answer)
		if n > mostText {
			t.Errorf("%s %v takes %d bytes of text, want at most %d", tool, a, n, mostText)
		}
		t.Logf("%s %v: %d bytes", tool, a, n)
		return gjson.ParseBytes(answer)
	}
	leftOut := func(got gjson.Result, list string, total int64) {
		t.Helper()
		shown := got.Get(list + ".#").Int()
		if got.Get("total").Int() != total || shown == 0 || shown >= total || got.Get("next_cursor").String() == "" ||
			!strings.Contains(got.Get("note").String(), fmt.Sprintf("%d of %d", shown, total)) {
			t.Errorf("%d %s of %d, note %q, next %q; want a part of %d that says so", shown, list, got.Get("total").Int(), got.Get("note"), got.Get("next_cursor"), total)
		}
	}
	leftOut(small("list_sessions", args{}), "sessions", 2001)
	list := small("list_sessions", args{"limit": 200, "sort": "traces"})
	leftOut(list, "sessions", 2001)
	leftOut(small("list_sessions", args{"limit": 200, "subagents": true, "cursor": ""}), "sessions", 2667)

	long := list.Get("sessions.0.session_id").String()
	skeleton := small("get_session", args{"session_id": long, "limit": 200})
	leftOut(skeleton, "traces", 600)
	trace := skeleton.Get("traces.0.trace_id").String()
	small("get_session", args{"trace_id": trace})
	full := small("get_session", args{"trace_id": trace, "content": "full"})
	span := small("get_span", args{"trace_id": trace, "span_id": full.Get(`spans.#(kind=="tool").span_id`).String()})
	if span.Get("span.name").String() != "Bash" {
		t.Errorf("the tool's span is %s", span.Get("span.name"))
	}
}
