package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestNoCommand(t *testing.T) {
	for _, args := range [][]string{nil, {"--"}} {
		if code, err := run(t.Context(), args); code != 2 || !errors.Is(err, errUsage) {
			t.Errorf("run(%q) = %d, %v; want 2 and errUsage", args, code, err)
		}
	}
}

func TestCommand(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		fail string // a part of the error
	}{
		{"ends well", []string{"true"}, 0, ""},
		{"ends badly", []string{"sh", "-c", "exit 7"}, 7, ""},
		{"knows the server", []string{"sh", "-c", `test "$` + variable + `" = postgres://x`}, 0, ""},
		{"is not there", []string{"no-such-command-here"}, 1, "run the tests"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, err := command(t.Context(), tt.args, variable+"=postgres://x")
			if code != tt.code || (err == nil) != (tt.fail == "") || err != nil && !strings.Contains(err.Error(), tt.fail) {
				t.Errorf("command = %d, %v; want %d, %q", code, err, tt.code, tt.fail)
			}
		})
	}
}

// What a command started in turn is interrupted with it.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("process groups are used on Linux only")
	}
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		appears("ready")
		cancel()
	}()
	child := `trap "touch interrupted; exit" INT; touch ready; while :; do sleep 0.01; done`
	code, err := command(ctx, []string{"sh", "-c", `sh -c '` + child + `'; true`}, variable+"=")
	if code != 1 || err == nil {
		t.Errorf("command = %d, %v; want 1 and an error", code, err)
	}
	if !appears("interrupted") {
		t.Error("what the command started was not interrupted")
	}
}

// appears waits until a file is there.
func appears(path string) bool {
	for range 1000 {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
