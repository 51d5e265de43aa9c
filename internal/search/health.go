package search

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tapedeck/internal/embed"
)

const (
	// firstWait and longestWait bound how long an embedder that can't be reached is
	// left alone; each time twice as long.
	firstWait   = time.Second
	longestWait = time.Minute
	// mendWait is how long one is left alone that fails until a person mends it.
	mendWait = 30 * time.Second
	// longestTold bounds how long one is left alone that says when to come again.
	longestTold = 10 * time.Minute
)

// health is how the embedder is.
type health struct {
	mu    sync.Mutex
	err   error // nil: well
	tries int   // that failed in a row
	next  time.Time

	asked int       // calls that are not answered yet
	since time.Time // when the first of them was made, or the last answer came
	slow  time.Time // when a query waited in vain; zero: the last one did not
}

// well notes an answer, and reports whether there was none before.
func (h *health) well() (mended bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	mended = h.err != nil
	h.err, h.tries, h.next = nil, 0, time.Time{}
	return mended
}

// failed notes a failure, and reports whether it is a new one.
func (h *health) failed(err error) (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first = h.err == nil || h.err.Error() != err.Error()
	h.err = err
	h.next = time.Now().Add(waitAfter(err, h.tries))
	h.tries++
	return first
}

// now is how long it is until the next try, and the failure that lasts.
func (h *health) now() (wait time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(0, time.Until(h.next)), h.err
}

// slowAfter is how long nothing may come from an embedder that was asked before it
// is called slow.
const slowAfter = 10 * time.Second

// slowness says that the embedder is slow; "": it is not.
func (h *health) slowness() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if waited := time.Since(h.since); h.asked > 0 && waited > slowAfter {
		return fmt.Sprintf("the embedder has not answered for %s", waited.Round(time.Second))
	}
	if !h.slow.IsZero() {
		return errSlow.Error()
	}
	return ""
}

func (h *health) ask() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked++; h.asked == 1 {
		h.since = time.Now()
	}
}

func (h *health) answer() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked--
	h.since = time.Now()
}

// querySlow notes that a query waited in vain, or that it did not.
func (h *health) querySlow(slow bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.slow = (time.Time{}); slow {
		h.slow = time.Now()
	}
}

// spared reports whether queries are not to wait for the embedder just now.
func (h *health) spared() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.slow.IsZero() && time.Since(h.slow) < sparedFor
}

// waitAfter is how long to leave the embedder alone after a failure, when so many
// came before.
func waitAfter(err error, before int) time.Duration {
	if told, ok := errors.AsType[*embed.RetryError](err); ok && told.After > 0 {
		return min(max(told.After, firstWait), longestTold)
	}
	if isPassing(err) {
		return min(firstWait<<min(before, 10), longestWait)
	}
	return mendWait
}

// isPassing reports whether a failure may pass without anybody mending anything.
func isPassing(err error) bool {
	return errors.Is(err, embed.ErrUnreachable) || errors.Is(err, context.DeadlineExceeded)
}

// isGeneral reports whether a failure is about every text.
func isGeneral(err error) bool {
	for _, kind := range []error{embed.ErrUnauthorized, embed.ErrQuota, embed.ErrModelMissing, embed.ErrWidth} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// cheapText is what an embedder is asked for to see whether it answers, and how
// wide its vectors are.
const cheapText = "ready"

// ask calls the embedder.
func (s *Service) ask(ctx context.Context, purpose embed.Purpose, texts []string) ([][]float32, error) {
	s.health.ask()
	defer s.health.answer()
	return s.embedder.Embed(ctx, purpose, texts)
}

// probe asks for one cheap text.
func (s *Service) probe(ctx context.Context) error {
	_, err := s.ask(ctx, embed.ForDocument, []string{cheapText})
	return s.noted(ctx, err)
}

// noted keeps in mind how the embedder answered; what the caller broke off says
// nothing of it.
func (s *Service) noted(ctx context.Context, err error) error {
	switch {
	case err == nil:
		if s.health.well() {
			s.log.Info("the embedder answers again", "embedder", modelName(s.embedder))
			poke(s.filler.wake)
		}
	case ctx.Err() == nil && s.health.failed(err):
		s.log.Warn("the embedder fails: it is tried again", "embedder", modelName(s.embedder), "error", err)
	}
	return err
}

func modelName(e embed.Embedder) string {
	if e == nil {
		return "none"
	}
	m := e.Model()
	return m.Provider + "/" + m.Name
}
