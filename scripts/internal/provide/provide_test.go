package provide

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// provider provides nothing but a value.
func provider(stopped *bool) Provider {
	return Provider{Name: "test", Variable: "TAPEDECK_TEST_NOTHING", Start: func(context.Context) (*Server, error) {
		return &Server{Value: "a value", Stop: func() { *stopped = true }}, nil
	}}
}

func TestNoCommand(t *testing.T) {
	for _, args := range [][]string{nil, {"--"}} {
		stopped := false
		if code, err := provider(&stopped).run(t.Context(), args); code != 2 || err == nil || !strings.Contains(err.Error(), "scripts/test -- COMMAND") {
			t.Errorf("run(%q) = %d, %v; want 2 and how to call it", args, code, err)
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
		{"ends well", []string{"--", "true"}, 0, ""},
		{"ends badly", []string{"sh", "-c", "exit 7"}, 7, ""},
		{"knows the server", []string{"sh", "-c", `test "$TAPEDECK_TEST_NOTHING" = "a value"`}, 0, ""},
		{"is not there", []string{"no-such-command-here"}, 1, "run the tests"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stopped := false
			code, err := provider(&stopped).run(t.Context(), tt.args)
			if code != tt.code || (err == nil) != (tt.fail == "") || err != nil && !strings.Contains(err.Error(), tt.fail) {
				t.Errorf("run = %d, %v; want %d, %q", code, err, tt.code, tt.fail)
			}
			if !stopped {
				t.Error("the server was not stopped")
			}
		})
	}
}

// Without a server the command is not run: its tests would be skipped unseen.
func TestNoServer(t *testing.T) {
	absent := errors.New("not to be had")
	p := Provider{Start: func(context.Context) (*Server, error) { return nil, absent }}
	t.Chdir(t.TempDir())
	if code, err := p.run(t.Context(), []string{"touch", "ran"}); code != 1 || !errors.Is(err, absent) {
		t.Errorf("run = %d, %v; want 1, %v", code, err, absent)
	}
	if _, err := os.Stat("ran"); err == nil {
		t.Error("the command was run")
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
	code, err := command(ctx, []string{"sh", "-c", `sh -c '` + child + `'; true`}, "A=")
	if code != 1 || err == nil {
		t.Errorf("command = %d, %v; want 1 and an error", code, err)
	}
	if !appears("interrupted") {
		t.Error("what the command started was not interrupted")
	}
}

func TestBackground(t *testing.T) {
	tests := []struct{ name, script, fail string }{
		{"ends by itself", "echo no memory; exit 1", "it ended by itself\nno memory"},
		{"runs", "trap 'touch stopped; exit' INT; touch ready; while :; do sleep 0.01; done", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			stop, err := Provider{}.Background(t.Context(), exec.Command("sh", "-c", tt.script), func(context.Context) error {
				_, err := os.Stat("ready")
				return err
			})
			if (err == nil) != (tt.fail == "") || err != nil && !strings.Contains(err.Error(), tt.fail) {
				t.Fatalf("Background fails with %v; want %q", err, tt.fail)
			}
			if err != nil {
				return
			}
			stop()
			if !appears("stopped") {
				t.Error("it was not interrupted")
			}
		})
	}
}

// Installing is done once; what is there is not installed again.
func TestWheel(t *testing.T) {
	dir, programs := filepath.Join(t.TempDir(), "wheel"), t.TempDir()
	venv := `#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\necho "$@" >> %s/asked\n' "$3" > "$3/bin/python"
chmod +x "$3/bin/python"`
	if err := os.WriteFile(filepath.Join(programs, "python3"), []byte(venv), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, requirement := range []string{"wheel==1", "wheel==1", "wheel==2"} {
		bin, err := Provider{}.Wheel(t.Context(), requirement, dir)
		if err != nil || bin != filepath.Join(dir, "bin") {
			t.Fatalf("Wheel = %s, %v", bin, err)
		}
		asked, err := os.ReadFile(filepath.Join(dir, "asked"))
		if err != nil {
			t.Fatal(err)
		}
		if want := "-m pip install --quiet --only-binary :all: " + requirement + "\n"; string(asked) != want {
			t.Errorf("python was asked %q; want %q, once", asked, want)
		}
	}
}

// A failed installation is not taken for one.
func TestNoWheel(t *testing.T) {
	programs := t.TempDir()
	if err := os.WriteFile(filepath.Join(programs, "python3"), []byte("#!/bin/sh\necho ensurepip is not available; exit 1"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs)
	for range 2 {
		_, err := Provider{}.Wheel(t.Context(), "wheel==1", filepath.Join(t.TempDir(), "wheel"))
		if err == nil || !strings.Contains(err.Error(), "python3-venv") || !strings.Contains(err.Error(), "ensurepip is not available") {
			t.Errorf("Wheel fails with %v; want what to install", err)
		}
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
