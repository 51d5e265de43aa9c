// Package clients tests the built program with real MCP clients, over stdio and
// HTTP: the Go SDK's, and from npm the MCP Inspector and the protocol's own
// conformance suite, which ./install brings.
//
// Tests that need the npm packages are skipped where these are missing; `make
// test` installs them, and fails when a test was skipped all the same.
package clients

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/sample"
)

// startTimeout is how long a server may take to listen on a busy machine.
const startTimeout = 30 * time.Second

// What TestMain makes for all tests.
var (
	program string // the built tapedeck
	data    string // a folder with the sample recordings
	scratch string // a folder for what several tests use; see manySessions
)

func TestMain(m *testing.M) {
	code, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func prepare(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "tapedeck-clients-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	program, data, scratch = filepath.Join(dir, "tapedeck"), filepath.Join(dir, "data"), filepath.Join(dir, "scratch")
	if out, err := exec.Command("go", "build", "-o", program, "tapedeck/cmd/tapedeck").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build tapedeck: %w\n%s", err, out)
	}
	if _, err := sample.Write(data); err != nil {
		return 1, fmt.Errorf("write the sample recordings: %w", err)
	}
	return m.Run(), nil
}

// environment is that of a user with nothing but a home.
func environment(home string) []string {
	env := []string{"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"TAPEDECK_STORE_DIR=" + storeIn(home)}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if name == "HOME" || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "TAPEDECK_") || strings.HasPrefix(name, "MCAP_") {
			continue
		}
		env = append(env, entry)
	}
	return env
}

// stdioServer is the command of a server on stdin and stdout.
func stdioServer(ctx context.Context, home string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, "mcp", "--data-dir", data)
	cmd.Env = environment(home)
	return cmd
}

// httpServer starts a server for the time of the test and returns where MCP is.
func httpServer(t *testing.T, home string, extraEnv ...string) (url string) {
	t.Helper()
	cmd := exec.Command(program, "serve", "--data-dir", data, "--api-listen", "127.0.0.1:0")
	cmd.Env = append(environment(home), extraEnv...)
	said := &watched{found: make(chan string, 1)}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve ended with %v:\n%s", err, said)
		}
	})
	select {
	case url = <-said.found:
	case <-time.After(startTimeout):
		t.Fatalf("serve does not say where it listens:\n%s", said)
	}
	return url
}

var mcpURL = regexp.MustCompile(`http://[^\s"]+/v1/mcp`)

// watched keeps what a server says on stderr and tells its address once.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	found chan string
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	lines := bufio.NewScanner(bytes.NewReader(w.text.Bytes()))
	for lines.Scan() {
		if url := mcpURL.FindString(lines.Text()); url != "" {
			select {
			case w.found <- url:
			default: // told already
			}
		}
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
