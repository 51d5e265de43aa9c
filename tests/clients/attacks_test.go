package clients

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/sample"
)

// mustFail are the classes of attacks of which none may be answered.
var mustFail = []string{"read", "write", "ext", "set", "ddl"}

// What the query tool meets in the open, sent to the program as it is installed.
// Package query has the same list with every verdict; here it is for all that
// lies around it: one process, one session, a stdout that must stay clean.
func TestAttacksOnTheProgram(t *testing.T) {
	attacks := corpustest.Attacks(t)
	session := dial(t, &mcp.CommandTransport{Command: stdioServer(context.Background(), t.TempDir())})
	drive := sample.Drives()[0]
	mustAsk(t, session, "load_recording", args{"file": drive.File}, &rows{})
	const control = "SELECT count(*), sin(0.0) FROM imu"
	for _, a := range attacks {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: args{"sql": a.SQL, "timeout_s": 0.3}})
		if err != nil {
			t.Fatalf("%s: %s: %v", a.ID, a.SQL, err)
		}
		answer := result.Content[0].(*mcp.TextContent).Text
		if slices.Contains(mustFail, a.Class) && !result.IsError {
			t.Errorf("%s: %s was answered: %.200s", a.ID, a.SQL, answer)
		}
		if strings.Contains(answer, "root:") || strings.Contains(answer, "query-worker") || strings.Contains(answer, ".duckdb") || len(answer) > 80_000 {
			t.Errorf("%s: %s: the answer has %d bytes, %.200s", a.ID, a.SQL, len(answer), answer)
		}
		var after rows
		if err := ask(session, "query", args{"sql": control}, &after); err != nil || after.Rows[0][0] != float64(drive.Messages["/imu"]) || after.Rows[0][1] != 0.0 {
			t.Fatalf("after %s, %s: %v, %v", a.ID, a.SQL, after.Rows, err)
		}
	}
}
