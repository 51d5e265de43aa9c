package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tapedeck/internal/store"
)

const (
	// missingPage is how many texts without vectors are taken at a time.
	missingPage = 256
	// newestTexts of them are embedded before all others, as they are likeliest to
	// be asked for.
	newestTexts = 8
	// roundTime is after how long it is looked again what is missing: new texts, and
	// texts that another process has embedded.
	roundTime = 2 * time.Second
	// parallel is how many batches are with the embedder at once.
	parallel = 2
	// missingEvery is how often it is looked for texts that nobody told of.
	missingEvery = 30 * time.Second
	// generationAge is how long the wanted generation is taken for granted.
	generationAge = 30 * time.Second
	// besideEvery is how often it is looked whether the others are still filled.
	besideEvery = time.Minute
)

// A filler embeds what has no vectors yet.
type filler struct {
	salt    maphash.Seed // of the order in which this process embeds
	wake    chan struct{}
	changed atomic.Bool           // there are new documents since the round began
	lost    atomic.Pointer[error] // why vectors could not be stored when it was last tried; nil: they could

	mu         sync.Mutex // held during a round
	generation store.Generation
	found      time.Time // when the generation was
	looked     time.Time // when it was last looked at the other generations

	asideMu sync.Mutex
	aside   map[string]aside // by hash
	batch   atomic.Int64     // how many texts a slow embedder is asked for at once; 0: as many as it takes at best
	rate    meter

	beside beside
}

// An embedderError is a failure of the embedder, not of the store.
type embedderError struct{ error }

func (e embedderError) Unwrap() error { return e.error }

// fill embeds what has no vectors until ctx is done.
func (s *Service) fill(ctx context.Context) {
	var down complaint
	for ctx.Err() == nil {
		wait, failure := s.health.now()
		if failure != nil && wait > 0 {
			pause(ctx, s.filler.wake, wait)
			continue
		}
		if failure != nil && s.probe(ctx) != nil {
			continue
		}
		texts, err := s.fillStep(ctx)
		var ofEmbedder embedderError
		switch {
		case ctx.Err() != nil || errors.As(err, &ofEmbedder):
		case err != nil:
			down.make(s.log, "vectors can't be stored: it is tried again", "error", err)
			s.filler.lost.Store(&err)
			pause(ctx, nil, storeRetry)
		default:
			down.over()
			s.filler.lost.Store(nil)
			if texts == 0 {
				pause(ctx, s.filler.wake, missingEvery)
			}
		}
	}
}

// fillStep embeds some of what is missing. It returns how many texts were done,
// or were set aside; 0: there is nothing to do.
func (s *Service) fillStep(ctx context.Context) (int, error) {
	f := &s.filler
	f.mu.Lock()
	defer f.mu.Unlock()
	generation, err := s.wanted(ctx)
	if err != nil {
		return 0, err
	}
	f.changed.Store(false)
	missing, err := s.vectors.Missing(ctx, generation.ID, s.asideNow(), missingPage)
	if err != nil {
		return 0, err
	}
	if len(missing) == 0 {
		return 0, s.takeOver(ctx)
	}
	r := newRound(s, generation, f.inOrder(missing))
	done, err := r.run(ctx)
	if err != nil {
		f.found = time.Time{} // it may be gone
	}
	if len(missing) < missingPage { // those were all
		s.snapshot.drop()
	}
	return done, err
}

// wanted is the generation of the embedder's model. How wide its vectors are may
// not be known before the first one.
func (s *Service) wanted(ctx context.Context) (store.Generation, error) {
	f := &s.filler
	if s.embedder.Model().Width == 0 {
		if err := s.probe(ctx); err != nil {
			return store.Generation{}, embedderError{err}
		}
	}
	m := s.embedder.Model()
	if m.Width == f.generation.Width && time.Since(f.found) < generationAge {
		return f.generation, nil
	}
	generation, err := s.vectors.Generation(ctx, m.Provider, m.Name, m.Width)
	if err == nil {
		f.generation, f.found = generation, time.Now()
	}
	return generation, err
}

// takeOver makes the wanted generation the active one, now that nothing is missing
// in it, and so drops the others, unless another process fills them. Documents that
// are still to be made may be missing.
func (s *Service) takeOver(ctx context.Context) error {
	f := &s.filler
	if time.Since(f.looked) < besideEvery {
		return nil
	}
	state, err := s.store.IndexState(ctx)
	if err != nil || state.Behind > 0 {
		return err
	}
	generations, err := s.vectors.Generations(ctx)
	if err != nil {
		return err
	}
	f.looked = time.Now()
	others := besides(generations, f.generation.ID)
	if others, err = s.withLocal(ctx, others); err != nil {
		return err
	}
	s.lookBeside(others)
	if f.generation.Active && len(others) == 0 || !f.beside.left() {
		return nil
	}
	if err := s.vectors.Activate(ctx, f.generation.ID); err != nil {
		f.found = time.Time{}
		return err
	}
	f.generation.Active = true
	s.snapshot.drop()
	for _, g := range others {
		s.log.Info("vectors that nobody filled any more were dropped", "model", generationName(g))
	}
	return nil
}

// inOrder is the order in which texts are embedded: the newest first, the others
// in an order that differs from process to process, so that two of them seldom do
// the same work.
func (f *filler) inOrder(texts []store.HashedText) []store.HashedText {
	rest := texts[min(newestTexts, len(texts)):]
	slices.SortFunc(rest, func(a, b store.HashedText) int {
		return cmp.Compare(maphash.String(f.salt, a.Hash), maphash.String(f.salt, b.Hash))
	})
	return texts
}

const (
	// firstAside and longestAside bound how long a text is set aside that the embedder
	// refuses; each time twice as long.
	firstAside   = time.Minute
	longestAside = time.Hour
	// maxAside is how many may be: with more, it is not the texts' fault.
	maxAside = 1000
)

// aside is until when a text is left out.
type aside struct {
	until time.Time
	tries int
}

// setAside leaves a text out for a while: it must not hold up the others.
func (s *Service) setAside(hash string, reason error) error {
	f := &s.filler
	f.asideMu.Lock()
	defer f.asideMu.Unlock()
	a := f.aside[hash]
	a.until = time.Now().Add(min(firstAside<<min(a.tries, 10), longestAside))
	a.tries++
	if f.aside[hash] = a; len(f.aside) > maxAside {
		return fmt.Errorf("%d texts were refused one by one, of late because: %w", len(f.aside), reason)
	}
	s.log.Warn("a text can't be embedded: it is tried again later", "hash", hash, "error", reason)
	return nil
}

// asideNow are the hashes of the texts that are left out now. Those whose time was
// over long ago are forgotten: they were embedded elsewhere, or are gone.
func (s *Service) asideNow() []string {
	f := &s.filler
	f.asideMu.Lock()
	defer f.asideMu.Unlock()
	var hashes []string
	for hash, a := range f.aside {
		switch left := time.Until(a.until); {
		case left > 0:
			hashes = append(hashes, hash)
		case left < -longestAside:
			delete(f.aside, hash)
		}
	}
	slices.Sort(hashes)
	return hashes
}

// embedded forgets that texts were set aside.
func (s *Service) embedded(texts []store.HashVectors) {
	f := &s.filler
	f.asideMu.Lock()
	defer f.asideMu.Unlock()
	for _, text := range texts {
		delete(f.aside, text.Hash)
	}
	f.rate.add(len(texts))
}
