package cli

import (
	"bytes"
	"testing"
	"time"
)

func TestNoProgressOffTheTerminal(t *testing.T) {
	a := &app{err: &bytes.Buffer{}}
	bar, report := a.progress()
	if bar != nil || report != nil {
		t.Error("progress is drawn where nobody sees it")
	}
	bar.clear()
}

func TestProgressLeavesNoTrace(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, begun: time.Now().Add(-time.Minute)}
	p.report(1, 2, "bytes\x1b[2J")
	p.report(2, 2, "too soon after the first")
	p.clear()
	p.clear()
	want := "\r\x1b[K[===============               ]  50%  bytes\\x1b[2J" + "\r\x1b[K"
	if out.String() != want {
		t.Errorf("drawn: %q, want %q", out.String(), want)
	}
}

func TestQuickWorkShowsNoProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, begun: time.Now()}
	p.report(1, 2, "bytes")
	p.clear()
	if out.Len() > 0 {
		t.Errorf("drawn: %q", out.String())
	}
}

func TestProgressLine(t *testing.T) {
	for _, tt := range []struct {
		done, total uint64
		want        string
	}{
		{0, 0, "0  x"},
		{12, 0, "12  x"},
		{0, 10, "[                              ]   0%  x"},
		{20, 10, "[==============================] 100%  x"},
	} {
		if got := progressLine(tt.done, tt.total, "x"); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.done, tt.total, got, tt.want)
		}
	}
}
