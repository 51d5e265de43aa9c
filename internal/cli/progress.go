package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/deck"
)

// progress draws one line on a terminal while something takes long. A nil
// progress draws nothing.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	begun time.Time
	drawn time.Time
	shown bool
}

const (
	progressAfter = 300 * time.Millisecond // quick work shows nothing
	progressEvery = 100 * time.Millisecond
	progressWidth = 30
)

// progress returns a progress for stderr and the function that operations call;
// both are nil when nobody would see it.
func (a *app) progress() (*progress, deck.Progress) {
	if !isTerminal(a.err) {
		return nil, nil
	}
	p := &progress{w: a.err, begun: time.Now()}
	return p, p.report
}

func (p *progress) report(done, total uint64, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.begun) < progressAfter || now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn, p.shown = now, true
	fmt.Fprint(p.w, "\r\x1b[K"+progressLine(done, total, what))
}

// clear takes the line away before other things are printed.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

func progressLine(done, total uint64, what string) string {
	what = visible(what)
	if total == 0 {
		return fmt.Sprintf("%d  %s", done, what)
	}
	part := min(float64(done)/float64(total), 1)
	full := int(part * progressWidth)
	bar := strings.Repeat("=", full) + strings.Repeat(" ", progressWidth-full)
	return fmt.Sprintf("[%s] %3.0f%%  %s", bar, part*100, what)
}
