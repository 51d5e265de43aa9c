package clients

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// leastNode is the oldest major version of Node.js that the packages run on.
const leastNode = 22

// npmClient is the command of a program from npm, or skips the test where that
// is not installed.
func npmClient(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip(name + " is not installed: run tests/clients/install")
	}
	cmd := exec.CommandContext(t.Context(), node(t), append([]string{script}, args...)...)
	home := t.TempDir()
	cmd.Env, cmd.Dir = environment(home), home
	return cmd
}

// node is the Node.js that was installed with the packages, or else the system's.
func node(t *testing.T) string {
	t.Helper()
	installed, err := filepath.Glob(filepath.Join("node_modules", "node-*", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	if len(installed) > 0 {
		path, err := filepath.Abs(installed[0])
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	version, err := exec.CommandContext(t.Context(), path, "--version").Output()
	if err != nil {
		t.Skip("Node.js does not run: " + err.Error())
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < leastNode {
		t.Skip("Node.js is " + strings.TrimSpace(string(version)) + ", the clients need " + strconv.Itoa(leastNode))
	}
	return path
}

// output runs a client and returns what it printed and whether it was content.
func output(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
