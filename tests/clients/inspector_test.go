package clients

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/internal/sample"
)

// inspect runs the MCP Inspector's command line against a server.
func inspect(t *testing.T, target []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	all := append([]string{"--cli"}, target...)
	return output(t, npmClient(t, "mcp-inspector", append(all, args...)...))
}

// targets are servers as the Inspector is told of them: one that it starts
// itself, its folder given by the environment, and one that runs.
func targets(t *testing.T) map[string][]string {
	t.Helper()
	return map[string][]string{
		"stdio": {program, "mcp", "-e", "TAPEDECK_DATA_DIR=" + data},
		"http":  {httpServer(t)},
	}
}

// The Inspector rates schemas by what the clients of the field can take.
func TestInspectorFindsTheSchemasPortable(t *testing.T) {
	for name, target := range targets(t) {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := inspect(t, target, "--method", "tools/list", "--strict")
			if err != nil || strings.Contains(stderr, "Warning") {
				t.Fatalf("%v: %s", err, stderr)
			}
			var listed struct{ Tools []struct{ Name string } }
			if err := json.Unmarshal([]byte(stdout), &listed); err != nil || len(listed.Tools) != 6 {
				t.Errorf("%v: %d tools, want 6", err, len(listed.Tools))
			}
		})
	}
}

func TestInspectorCallsEveryTool(t *testing.T) {
	file := "file=" + sample.Drives()[1].File
	for name, target := range targets(t) {
		t.Run(name, func(t *testing.T) {
			for _, call := range []struct {
				tool string
				args []string
				says string
			}{
				{"list_recordings", nil, `"drive_02.mcap"`},
				{"get_recording_info", []string{file}, `"/battery/status"`},
				{"get_schema", []string{file, "topic=/battery/status"}, `"battery_status"`},
				{"load_recording", []string{file, "alias=r1"}, `"r1_battery_status"`},
				{"query", []string{"sql=SELECT 6 * 7 AS answer", "limit=5"}, `[42]`},
				{"get_version", nil, `"decoders"`},
			} {
				args := []string{"--method", "tools/call", "--tool-name", call.tool}
				if call.args != nil {
					args = append(append(args, "--tool-arg"), call.args...)
				}
				stdout, stderr, err := inspect(t, target, args...)
				if err != nil {
					t.Errorf("%s: %v: %s %s", call.tool, err, stdout, stderr)
					continue
				}
				var result struct {
					Content           []struct{ Type, Text string }
					StructuredContent json.RawMessage
				}
				if err := json.Unmarshal([]byte(stdout), &result); err != nil {
					t.Errorf("%s: %v: %s", call.tool, err, stdout)
					continue
				}
				if len(result.Content) == 0 || !strings.Contains(result.Content[0].Text, call.says) || result.StructuredContent == nil {
					t.Errorf("%s: %s, want %s in text and structured form", call.tool, stdout, call.says)
				}
			}
		})
	}
}

// The Inspector holds results against the outputSchema; an error must not be
// taken for a broken result.
func TestInspectorUnderstandsErrors(t *testing.T) {
	stdout, stderr, err := inspect(t, targets(t)["http"], "--method", "tools/call", "--tool-name", "get_schema", "--tool-arg", "file=drive_20.mcap")
	if err == nil || !strings.Contains(stdout, `\"code\":\"file_not_found\"`) || !strings.Contains(stderr, "tool_is_error") {
		t.Errorf("%v: %s %s", err, stdout, stderr)
	}
}
