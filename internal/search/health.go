package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	slow  time.Time // when a query waited in vain; zero: the embedder has answered in time since
	known bool      // it has answered, or failed to

	failures map[string]int64 // by kind, since the start
}

// well notes an answer, and reports whether there was none before.
func (h *health) well() (mended bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	mended = h.err != nil
	h.err, h.tries, h.next, h.known = nil, 0, time.Time{}, true
	return mended
}

// failed notes a failure, and reports whether it is a new one.
func (h *health) failed(err error) (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first = h.err == nil || h.err.Error() != err.Error()
	h.err, h.known = err, true
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

// count counts a failure.
func (h *health) count(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures == nil {
		h.failures = map[string]int64{}
	}
	h.failures[failureKind(err)]++
}

// counted are the failures of each kind.
func (h *health) counted() map[string]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	counted := maps.Clone(h.failures)
	if counted == nil {
		counted = map[string]int64{}
	}
	for _, kind := range failureKinds {
		counted[kind] += 0
	}
	return counted
}

// unknown reports whether nothing is known of the embedder yet.
func (h *health) unknown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.known && h.slow.IsZero()
}

// trouble says how the embedder fails, and when it is asked again; "": it is well.
func (h *health) trouble() (says string, wait time.Duration) {
	wait, failure := h.now()
	if failure != nil {
		return told(failure), wait
	}
	return h.slowness(), 0
}

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

// answer notes what came of a call. An answer as fast as queries want it shows that
// the embedder is slow no more.
func (h *health) answer(took time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked--
	h.since = time.Now()
	if err == nil && took < queryPatience {
		h.slow = time.Time{}
	}
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

// cheapText is what an embedder is asked for to see whether it answers, and how
// wide its vectors are.
const cheapText = "ready"

// ask calls the embedder and counts its failures.
func (s *Service) ask(ctx context.Context, purpose embed.Purpose, texts []string) ([][]float32, error) {
	vectors, err := s.call(ctx, purpose, texts)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		s.health.count(err)
	}
	return vectors, err
}

// call calls the embedder, and refuses answers that do not fit.
func (s *Service) call(ctx context.Context, purpose embed.Purpose, texts []string) ([][]float32, error) {
	s.health.ask()
	begin := time.Now()
	vectors, err := s.embedder.Embed(ctx, purpose, texts)
	if err == nil {
		err = fits(vectors, len(texts), s.embedder.Model().Width)
	}
	s.health.answer(time.Since(begin), err)
	return vectors, err
}

// fits reports why vectors are not the answer to so many texts.
func fits(vectors [][]float32, texts, width int) error {
	if len(vectors) != texts {
		return fmt.Errorf("%w: %d vectors came for %d texts", embed.ErrRefused, len(vectors), texts)
	}
	for _, v := range vectors {
		if len(v) != width {
			return fmt.Errorf("%w: %d instead of %d", embed.ErrWidth, len(v), width)
		}
	}
	return nil
}

// probe asks for one cheap text.
func (s *Service) probe(ctx context.Context) error {
	_, err := s.ask(ctx, embed.ForDocument, []string{cheapText})
	return s.noted(ctx, err)
}

// meet asks an embedder of which nothing is known yet, with the patience of a query.
func (s *Service) meet(ctx context.Context) {
	if s.health.unknown() {
		_, _ = s.queryVector(ctx, cheapText) // health tells what came of it
	}
}

// meetAgain asks one that fails as well: it may be mended.
func (s *Service) meetAgain(ctx context.Context) {
	if _, failure := s.health.now(); failure != nil && !s.health.spared() {
		_, _ = s.queryVector(ctx, cheapText)
	}
	s.meet(ctx)
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
