package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// events are what go test -json printed, shortened, of a failing, a passing, a
// skipped and a broken package.
const events = `{"ImportPath":"m/broken","Action":"build-output","Output":"x.go:3:1: syntax error\n"}
{"ImportPath":"m/broken","Action":"build-fail"}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"    a_test.go:7: got 1\n"}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"--- FAIL: TestBad (0.00s)\n"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"    a_test.go:9: chatter\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood"}
{"Action":"fail","Package":"m/a","Test":"TestBad"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t0.1s\n"}
{"Action":"fail","Package":"m/a"}
{"Action":"output","Package":"m/b","Test":"TestAll","Output":"corpus: 84 files\n"}
{"Action":"pass","Package":"m/b","Test":"TestAll"}
{"Action":"output","Package":"m/b","Test":"TestSkip","Output":"=== RUN   TestSkip\n"}
{"Action":"output","Package":"m/b","Test":"TestSkip","Output":"    b_test.go:5: the corpus is not here\n"}
{"Action":"output","Package":"m/b","Test":"TestSkip","Output":"--- SKIP: TestSkip (0.00s)\n"}
{"Action":"skip","Package":"m/b","Test":"TestSkip"}
{"Action":"pass","Package":"m/b","Elapsed":0.25}
{"Action":"skip","Package":"m/empty"}
not an event
`

const printed = `x.go:3:1: syntax error
=== RUN   TestBad
    a_test.go:7: got 1
--- FAIL: TestBad (0.00s)
FAIL	m/a	0.1s
corpus: 84 files
ok    m/b (0.2 s)
not an event
`

func TestReport(t *testing.T) {
	var out strings.Builder
	r := newReport(&out)
	if err := r.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(printed, out.String()); diff != "" {
		t.Errorf("report differs (-want +got):\n%s", diff)
	}
	out.Reset()
	r.finish(false)
	if want := "skipped: m/b TestSkip: b_test.go:5: the corpus is not here\n2 passed, 1 failed, 1 skipped\n"; out.String() != want {
		t.Errorf("the end is %q, want %q", out.String(), want)
	}
}

func TestSkipsThatNeedNotBe(t *testing.T) {
	tests := []struct {
		reason        string
		corpusIsThere bool
		ok            bool
		label         string
	}{
		{"b_test.go:5: the corpus is not here", false, true, "skipped: "},
		{"b_test.go:5: the corpus is not here", true, false, "SKIPPED, but could run: "},
		{"b_test.go:5: no network", false, false, "SKIPPED, but could run: "},
	}
	for _, tt := range tests {
		var out strings.Builder
		r := newReport(&out)
		r.skipped = []skip{{test{"m/b", "TestSkip"}, tt.reason}}
		if ok := r.finish(tt.corpusIsThere); ok != tt.ok || out.String() != tt.label+"m/b TestSkip: "+tt.reason+"\n0 passed, 0 failed, 1 skipped\n" {
			t.Errorf("%q, corpus there: %v: ok is %v, report %q", tt.reason, tt.corpusIsThere, ok, out.String())
		}
	}
}
