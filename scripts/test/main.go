// Command test runs the tests that its arguments name, as `go test` takes them,
// and reports what people need to see.
//
// # What it does
//
// It prints a line a package, the whole output of a test that fails, and the
// lines by which a test reports what it covered ("corpus: 84 files, …"), which
// go test keeps to itself when a test passes.
//
// # What it promises
//
// It fails when go test does, and on Linux also when a test was skipped that
// could run: a skipped test proves nothing, and is easily overlooked. The one
// reason that counts is a corpus that is not beside the repository. On other
// systems the skipped tests are only listed.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

func main() {
	ok, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run reports whether all tests passed and none was skipped that could run.
func run(args []string) (bool, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	r := newReport(os.Stdout)
	err = errors.Join(r.read(events), cmd.Wait())
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return false, err
	}
	_, missing := os.Stat(filepath.Join("..", "shared", "corpus"))
	complete := r.finish(missing == nil) || runtime.GOOS != "linux"
	return failed == nil && complete, nil
}
