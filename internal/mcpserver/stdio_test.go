package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tapedeck/internal/deck"
)

// chatter makes this test binary a stdio server whose deck prints to stdout.
const chatter = "TAPEDECK_TEST_CHATTER"

func TestMain(m *testing.M) {
	if os.Getenv(chatter) == "" {
		os.Exit(m.Run())
	}
	ops := &fake{info: func(file string) (*deck.RecordingInfo, error) {
		fmt.Println("noise from Go code")
		printFromC("noise from C code\n")
		return &deck.RecordingInfo{File: file}, nil
	}}
	if err := RunStdio(context.Background(), New(ops, Options{})); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("stdout is back")
}

func TestStdoutHoldsNothingButTheProtocol(t *testing.T) {
	server := exec.CommandContext(t.Context(), os.Args[0])
	server.Env = append(os.Environ(), chatter+"=1")
	var stderr bytes.Buffer
	server.Stderr = &stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	for id, request := range []string{
		`"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`,
		`"method":"tools/call","params":{"name":"get_recording_info","arguments":{"file":"a.mcap"}}`,
	} {
		fmt.Fprintf(stdin, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", id, request)
		line, err := lines.ReadBytes('\n')
		var answer struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      *int            `json:"id"`
			Result  json.RawMessage `json:"result"`
		}
		if json.Unmarshal(line, &answer) != nil || answer.JSONRPC != "2.0" || answer.ID == nil || *answer.ID != id || answer.Result == nil {
			t.Fatalf("stdout has %q (%v), want the answer to request %d", line, err, id)
		}
	}
	stdin.Close()
	rest, err := io.ReadAll(lines)
	if err != nil || string(rest) != "stdout is back\n" {
		t.Errorf("after the client left, stdout has %q (%v)", rest, err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	for _, noise := range []string{"noise from Go code", "noise from C code"} {
		if !strings.Contains(stderr.String(), noise) {
			t.Errorf("stderr lacks %q: %s", noise, stderr.String())
		}
	}
}
