package search

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/store"
)

// Store is what is searched: what was derived, and the index of it.
type Store interface {
	store.Reader
	store.Index
}

// Options say what a service works on.
type Options struct {
	Store    Store                // must be given
	Vectors  store.DistantVectors // nil: they lie in the store
	Embedder embed.Embedder       // nil: none, and words alone are searched
	Log      *slog.Logger         // nil: none
}

// A Service searches and keeps the index up to date. It is safe for concurrent
// use. It owns neither stores nor embedder.
type Service struct {
	store    Store
	vectors  store.VectorIndex
	distant  store.DistantVectors // the same, where they lie apart; nil: they do not
	embedder embed.Embedder
	log      *slog.Logger

	follower follower
	filler   filler
	health   health // of the embedder
	snapshot snapshot
}

// Open makes a service. It reads nothing yet: Run and Index do.
func Open(_ context.Context, opt Options) (*Service, error) {
	if opt.Store == nil {
		return nil, errors.New("no store given")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{store: opt.Store, vectors: opt.Store, distant: opt.Vectors, embedder: opt.Embedder, log: opt.Log}
	if s.distant != nil {
		s.vectors = s.distant
	}
	s.follower.wake = make(chan struct{}, 1)
	s.filler.wake = make(chan struct{}, 1)
	s.filler.salt = maphash.MakeSeed()
	s.filler.aside = map[string]aside{}
	return s, nil
}

// Run keeps the index up to date until ctx is done. Several processes may do so
// at once.
func (s *Service) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { s.follow(ctx) })
	if s.embedder != nil {
		loops.Go(func() { s.fill(ctx) })
	}
	if s.distant != nil {
		loops.Go(func() { s.followApart(ctx) })
	}
	loops.Wait()
}

// Notify tells that something was derived. Without it Run sees so by itself,
// somewhat later.
func (s *Service) Notify() { poke(s.follower.wake) }

// poke wakes a loop, now or when it looks next.
func poke(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// pause waits until something wakes the loop, or for a while; false when ctx is
// done.
func pause(ctx context.Context, wake <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-timer.C:
	}
	return true
}
