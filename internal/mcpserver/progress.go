package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/deck"
)

const (
	// progressEvery is the least time between two notifications of one call.
	progressEvery = 100 * time.Millisecond
	// heartbeatEvery is how often a call tells its age that has nothing else to tell.
	heartbeatEvery = time.Second
)

// A reporter sends the progress of one call to its client, while the call lasts.
type reporter struct {
	send func(*mcp.ProgressNotificationParams)

	mu     sync.Mutex
	sent   time.Time
	done   float64
	closed bool
}

// newReporter is nil when the client asked for no progress.
func newReporter(ctx context.Context, req *mcp.CallToolRequest) *reporter {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	return &reporter{done: -1, send: func(p *mcp.ProgressNotificationParams) {
		p.ProgressToken = token
		// A client that can't be reached learns of it by the result.
		_ = req.Session.NotifyProgress(ctx, p)
	}}
}

// progress is the reporter as operations call it; nil for a nil reporter.
func (r *reporter) progress() deck.Progress {
	if r == nil {
		return nil
	}
	return r.report
}

// report sends one step, unless it comes too soon after the last one. Steps
// that don't grow are left out, as the protocol wants. Workers that report at
// the same time don't wait for each other.
func (r *reporter) report(done, total uint64, what string) {
	if !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	finished := total > 0 && done >= total
	if r.closed || float64(done) <= r.done || (!finished && time.Since(r.sent) < progressEvery) {
		return
	}
	r.sent, r.done = time.Now(), float64(done)
	r.send(&mcp.ProgressNotificationParams{Progress: float64(done), Total: float64(total), Message: what})
}

// close ends reporting: nothing may follow the result.
func (r *reporter) close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// heartbeat reports the age of a call in seconds until stop is called.
func heartbeat(p deck.Progress, what string) (stop func()) {
	if p == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		beat := time.NewTicker(heartbeatEvery)
		defer beat.Stop()
		for age := uint64(1); ; age++ {
			select {
			case <-beat.C:
				p(age, 0, what)
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}
