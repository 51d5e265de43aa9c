package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is what `go test -json` prints a line of (go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output
	Test       string
	Output     string
	Elapsed    float64
}

// test names one test; without a name it is the package itself.
type test struct{ pkg, name string }

// report sums up events as they come.
type report struct {
	w       io.Writer
	output  map[test][]string
	skipped []skip
	passed  int // tests, with their sub-tests
	failed  int
}

type skip struct {
	test   test
	reason string
}

func newReport(w io.Writer) *report { return &report{w: w, output: map[test][]string{}} }

// read takes all events. What is no event is printed as it is.
func (r *report) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(r.w, "%s", line)
			} else {
				r.event(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) event(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.w, e.Output)
	case "output":
		if covers(e.Output) {
			fmt.Fprint(r.w, e.Output)
		}
		r.output[t] = append(r.output[t], e.Output)
	case "fail":
		if e.Test != "" {
			r.failed++
		}
		fmt.Fprint(r.w, strings.Join(r.output[t], ""))
		delete(r.output, t)
	case "skip":
		if e.Test != "" { // a package is skipped when it has no tests
			r.skipped = append(r.skipped, skip{t, reason(r.output[t])})
		}
		delete(r.output, t)
	case "pass":
		if e.Test == "" {
			fmt.Fprintf(r.w, "ok    %s (%.1f s)\n", e.Package, e.Elapsed)
		} else {
			r.passed++
		}
		delete(r.output, t)
	}
}

// covers reports whether a line of output tells what a test compared.
func covers(line string) bool {
	return strings.HasPrefix(line, "corpus: ") || strings.HasPrefix(line, "crafted: ") || strings.HasPrefix(line, "sessions: ")
}

// reason is what a test said when it was skipped, without what go test adds.
func reason(output []string) string {
	var said []string
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

// finish lists the skipped tests and counts all, and reports whether each that
// was skipped had to be.
func (r *report) finish(corpusIsThere bool) bool {
	ok := true
	for _, s := range r.skipped {
		label := "skipped"
		if corpusIsThere || !strings.Contains(s.reason, "corpus") {
			label, ok = "SKIPPED, but could run", false
		}
		fmt.Fprintf(r.w, "%s: %s %s: %s\n", label, s.test.pkg, s.test.name, s.reason)
	}
	fmt.Fprintf(r.w, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skipped))
	return ok
}
