package clients

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"tapedeck/internal/sample"
)

// inspect runs the MCP Inspector's command line against a server.
func inspect(t *testing.T, target []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	all := append([]string{"--cli"}, target...)
	return output(t, npmClient(t, "mcp-inspector", append(all, args...)...))
}

// targets are servers as the Inspector is told of them: one that it starts
// itself, its folders given by the environment, and one that runs.
func targets(t *testing.T, home string) map[string][]string {
	t.Helper()
	return map[string][]string{
		"stdio": {program, "mcp", "-e", "TAPEDECK_DATA_DIR=" + data, "-e", "TAPEDECK_STORE_DIR=" + storeIn(home)},
		"http":  {httpServer(t, home)},
	}
}

// The Inspector rates schemas by what the clients of the field can take.
func TestInspectorFindsTheSchemasPortable(t *testing.T) {
	for name, target := range targets(t, t.TempDir()) {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := inspect(t, target, "--method", "tools/list", "--strict")
			if err != nil || strings.Contains(stderr, "Warning") {
				t.Fatalf("%v: %s", err, stderr)
			}
			var listed struct{ Tools []struct{ Name string } }
			if err := json.Unmarshal([]byte(stdout), &listed); err != nil || len(listed.Tools) != toolCount {
				t.Errorf("%v: %d tools, want %d", err, len(listed.Tools), toolCount)
			}
		})
	}
}

// called is what a tool gave to the Inspector.
type called struct {
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
}

// inspectCall calls a tool by the Inspector. What is said must stand in text and
// structured form.
func inspectCall(t *testing.T, target []string, tool, says string, args ...string) (result called) {
	t.Helper()
	all := []string{"--method", "tools/call", "--tool-name", tool}
	if args != nil {
		all = append(append(all, "--tool-arg"), args...)
	}
	stdout, stderr, err := inspect(t, target, all...)
	if err != nil {
		t.Fatalf("%s: %v: %s %s", tool, err, stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, stdout)
	}
	if len(result.Content) == 0 || !strings.Contains(result.Content[0].Text, says) || result.StructuredContent == nil {
		t.Errorf("%s: %s, want %s in text and structured form", tool, stdout, says)
	}
	return result
}

func TestInspectorCallsEveryTool(t *testing.T) {
	file := "file=" + sample.Drives()[1].File
	for name, target := range targets(t, homeWithSamples(t)) {
		t.Run(name, func(t *testing.T) {
			inspectCall(t, target, "list_recordings", `"drive_02.mcap"`)
			inspectCall(t, target, "get_recording_info", `"/battery/status"`, file)
			inspectCall(t, target, "get_schema", `"battery_status"`, file, "topic=/battery/status")
			inspectCall(t, target, "load_recording", `"r1_battery_status"`, file, "alias=r1")
			inspectCall(t, target, "query", `[42]`, "sql=SELECT 6 * 7 AS answer", "limit=5")
			inspectCall(t, target, "get_version", `"decoders"`)

			inspectCall(t, target, "list_sessions", `"total":3`, "sort=cost", "limit=5")
			traceID := gjson.GetBytes(inspectCall(t, target, "get_session", `"harness":"codex"`, "session_id="+codexSession).StructuredContent, "traces.0.trace_id").Str
			spanID := gjson.GetBytes(inspectCall(t, target, "get_session", `"kind":"llm"`, "trace_id="+traceID).StructuredContent, `spans.#(kind=="llm").span_id`).Str
			inspectCall(t, target, "get_span", spanID, "trace_id="+traceID, "span_id="+spanID)
			inspectCall(t, target, "search", `"query":"flaky upload"`, "query=flaky upload", "top_k=3")
		})
	}
}

// The Inspector holds results against the outputSchema; an error must not be
// taken for a broken result.
func TestInspectorUnderstandsErrors(t *testing.T) {
	target := targets(t, t.TempDir())["http"]
	for code, call := range map[string][]string{
		"file_not_found":    {"get_schema", "file=drive_20.mcap"},
		"session_not_found": {"get_session", "session_id=no-such-session"},
	} {
		stdout, stderr, err := inspect(t, target, "--method", "tools/call", "--tool-name", call[0], "--tool-arg", call[1])
		if err == nil || !strings.Contains(stdout, `\"code\":\"`+code+`\"`) || !strings.Contains(stderr, "tool_is_error") {
			t.Errorf("%s: %v: %s %s", call, err, stdout, stderr)
		}
	}
}
