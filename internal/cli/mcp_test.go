package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tapedeck/internal/sample"
)

// TestMCPSpeaksOnlyJSONRPC runs the program itself: whatever it prints on
// stdout must be an answer.
func TestMCPSpeaksOnlyJSONRPC(t *testing.T) {
	withoutSettings(t)
	dir := t.TempDir()
	if _, err := sample.Write(dir); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "mcp", "--data-dir", dir, "--cache-dir", t.TempDir(), "--log-level", "debug")
	cmd.Args[0] = "tapedeck" // by which TestMain knows what to run
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(stdout)
	answers.Buffer(nil, 1<<20)
	for _, step := range []struct{ request, answer string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, `"tapedeck"`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "get_schema"},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"load_recording","arguments":{"file":"drive_02.mcap"}}}`, "battery_status"},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT min(voltage) FROM battery_status"}}}`, "20.9"},
	} {
		if _, err := stdin.Write([]byte(step.request + "\n")); err != nil {
			t.Fatal(err)
		}
		if step.answer == "" {
			continue
		}
		if !answers.Scan() || !json.Valid(answers.Bytes()) || !strings.Contains(answers.Text(), step.answer) {
			t.Fatalf("answer to %s is %q, want JSON with %s", step.request, answers.Text(), step.answer)
		}
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if answers.Scan() {
		t.Errorf("more on stdout: %q", answers.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after the client left: %v", err)
	}
}
