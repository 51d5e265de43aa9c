package claudecode

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

func TestResults(t *testing.T) {
	text := func(s string, isError bool) []session.Part {
		return []session.Part{{Type: session.ToolResult, Text: s, IsError: isError}}
	}
	refusal := "The user doesn't want to proceed with this tool use. The tool use was rejected."
	reason := " The user provided the following reason for the rejection:  use pnpm"
	for _, test := range []struct {
		name   string
		blocks string
		told   string
		want   []*session.Result
	}{
		{"a text", `{"type":"tool_result","tool_use_id":"c1","content":"ok"}`, `{"stdout":"ok"}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusOK, Content: text("ok", false)}}},
		{"a list", `{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]}`, `[1]`,
			[]*session.Result{{CallID: "c1", Status: session.StatusOK, Content: []session.Part{
				{Type: session.ToolResult, Text: "a"},
				{Type: session.Blob, MediaType: "image/png", Bytes: 3, SHA256: "b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78"},
			}}}},
		{"nothing", `{"type":"tool_result","tool_use_id":"c1"}`, `null`, []*session.Result{{CallID: "c1", Status: session.StatusOK}}},
		{"an error", `{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"<tool_use_error>File does not exist.</tool_use_error>"}`, `"Error: File does not exist."`,
			[]*session.Result{{CallID: "c1", Status: session.StatusError, Error: "File does not exist.", Content: text("<tool_use_error>File does not exist.</tool_use_error>", true)}}},
		{"an exit code", `{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"Exit code 2\nno such file"}`, `"Error: Exit code 2"`,
			[]*session.Result{{CallID: "c1", Status: session.StatusError, Error: "Exit code 2: no such file", Content: text("Exit code 2\nno such file", true), Attributes: map[string]string{"exit_code": "2"}}}},
		{"an exit code with nothing behind it", `{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"Exit code 1\n\n"}`, `{}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusError, Error: "Exit code 1", Content: text("Exit code 1\n\n", true), Attributes: map[string]string{"exit_code": "1"}}}},
		{"an exit code that is only text", `{"type":"tool_result","tool_use_id":"c1","content":"Exit code 2"}`, `{}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusOK, Content: text("Exit code 2", false)}}},
		{"refused", `{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"` + refusal + `"}`, `"Error: …"`,
			[]*session.Result{{CallID: "c1", Status: session.StatusInterrupted, Error: refusal, Content: text(refusal, true)}}},
		{"refused for a reason", `{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"` + refusal + reason + `"}`, `"Error: …"`,
			[]*session.Result{{CallID: "c1", Status: session.StatusInterrupted, Error: "refused: use pnpm", Content: text(refusal+reason, true)}}},
		{"stopped", `{"type":"tool_result","tool_use_id":"c1","content":"half"}`, `{"interrupted":true}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusInterrupted, Error: "interrupted", Content: text("half", false)}}},
		{"with durations and codes", `{"type":"tool_result","tool_use_id":"c1","content":"x"}`, `{"durationMs":1500,"exitCode":0,"status":"running","code":200}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusOK, Content: text("x", false), Duration: 1500 * time.Millisecond,
				Attributes: map[string]string{"exit_code": "0", "status": "running", "http_status": "200"}}}},
		{"an impossible duration", `{"type":"tool_result","tool_use_id":"c1","content":"x"}`, `{"durationSeconds":1e300}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusOK, Content: text("x", false)}}},
		{"two, of which nothing is told apart", `{"type":"tool_result","tool_use_id":"c1","content":"x"},{"type":"tool_result","tool_use_id":"c2","content":"y"}`, `{"durationMs":5,"interrupted":true}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusOK, Content: text("x", false)}, {CallID: "c2", Status: session.StatusOK, Content: text("y", false)}}},
		{"a pointer to a file", `{"type":"tool_result","tool_use_id":"c1","content":"Full output saved to: /tmp/x.txt"}`, `{"persistedOutputPath":"/tmp/x.txt"}`,
			[]*session.Result{{CallID: "c1", Status: session.StatusOK, Content: text("Full output saved to: /tmp/x.txt", false), Attributes: map[string]string{"full_output_path": "/tmp/x.txt"}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []*session.Result
			for _, e := range eventsOf(t, userBlocks(test.blocks, `"toolUseResult":`+test.told)) {
				if r, ok := e.What.(*session.Result); ok {
					if len(r.Attributes) == 0 {
						r.Attributes = nil
					}
					got = append(got, r)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}
