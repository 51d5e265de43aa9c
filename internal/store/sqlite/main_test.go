package sqlite

import (
	"fmt"
	"os"
	"testing"
)

// tempDir is for what several benchmarks use; it is removed at the end.
var tempDir string

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		crashingChild(path)
	}
	var err error
	if tempDir, err = os.MkdirTemp("", "tapedeck-sqlite"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(tempDir)
	os.Exit(code)
}
