package search

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"tapedeck/internal/embed"
	"tapedeck/internal/store"
)

// snapshotAge is how old what searches know of the index may be: it is counted,
// which takes longer than a search.
const snapshotAge = 2 * time.Second

// A snapshot is what the index was like a moment ago.
type snapshot struct {
	mu          sync.Mutex
	at          time.Time // zero: not known
	state       store.IndexState
	generations []store.Generation
	others      []store.Generation        // beside ours
	silent      atomic.Pointer[time.Time] // when vectors that lie apart did not answer last; nil: never
}

// drop forgets it.
func (p *snapshot) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = time.Time{}
}

// look is how the index is, or was a moment ago, with the generation of the
// embedder's model; without one its ID is 0.
func (s *Service) look(ctx context.Context, oldest time.Duration) (store.IndexState, store.Generation, error) {
	p := &s.snapshot
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.IsZero() || time.Since(p.at) >= oldest {
		state, err := s.store.IndexState(ctx)
		if err != nil {
			return store.IndexState{}, store.Generation{}, err
		}
		var generations []store.Generation
		err = s.askVectors(ctx, func(ctx context.Context) (err error) {
			generations, err = s.vectors.Generations(ctx)
			return err
		})
		if err != nil {
			return state, store.Generation{}, vectorsError{err}
		}
		others, err := s.withLocal(ctx, besides(generations, s.ours(generations).ID))
		if err != nil {
			return state, store.Generation{}, err
		}
		p.at, p.state, p.generations, p.others = time.Now(), state, generations, others
	}
	return p.state, s.ours(p.generations), nil
}

// ours is the generation of the embedder's model. While its width is not known
// yet, it is the one that has most vectors.
func (s *Service) ours(generations []store.Generation) store.Generation {
	var best store.Generation
	if s.embedder == nil {
		return best
	}
	m := s.embedder.Model()
	for _, g := range generations {
		fits := g.Provider == m.Provider && g.Model == m.Name && (g.Width == m.Width || m.Width == 0)
		if fits && (best.ID == 0 || g.Vectors > best.Vectors) {
			best = g
		}
	}
	return best
}

// Status tells how far the index is. It asks an embedder of which nothing is known
// yet, for as long as a query would wait.
func (s *Service) Status(ctx context.Context) (*Status, error) {
	if s.embedder != nil {
		s.meet(ctx)
	}
	state, generation, err := s.look(ctx, 0)
	unread, noVectors := errors.AsType[vectorsError](err)
	if err != nil && !noVectors {
		return nil, storeError(err)
	}
	status := &Status{Embedder: modelName(s.embedder), Healthy: true, Documents: state.Documents, Behind: state.Behind, Failures: s.health.counted()}
	if s.embedder == nil {
		return status, nil
	}
	status.LastError, status.Retry = s.trouble()
	if noVectors { // every text is found by its words only
		status.LastError, status.Healthy, status.Missing = unread.Error(), false, state.Documents
		return status, nil
	}
	status.Healthy = status.LastError == ""
	status.SetAside, status.PerSecond = s.setAsideCount(), s.filler.rate.perSecond()
	status.Missing, status.Vectors = missingIn(state, generation), generation.Vectors
	if generation.Vectors > 0 {
		status.Generation = generationName(generation)
	}
	if !generation.Active && status.Missing > status.SetAside {
		status.Filling = fillingName(s.embedder)
	}
	others := s.others()
	s.lookBeside(others)
	status.Notice = s.filler.beside.notice(others)
	return status, nil
}

// others are the generations beside ours when it was last looked.
func (s *Service) others() []store.Generation {
	p := &s.snapshot
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.others
}

// trouble is why vectors are not made, or not kept, and for how long it is waited;
// "": they are.
func (s *Service) trouble() (says string, wait time.Duration) {
	says, wait = s.health.trouble()
	if lost := s.filler.lost.Load(); says == "" && lost != nil {
		says, wait = "vectors can't be stored: "+plainly(*lost), storeRetry
	}
	return says, wait
}

// missingIn is how many texts have no vectors in a generation, which may not have
// been begun.
func missingIn(state store.IndexState, g store.Generation) int64 {
	if g.ID == 0 {
		return state.Documents
	}
	return g.Missing
}

func generationName(g store.Generation) string {
	return embed.Model{Provider: g.Provider, Name: g.Model, Width: g.Width}.String()
}

// fillingName is the model whose generation is filled; how wide its vectors are may
// not be known yet.
func fillingName(e embed.Embedder) string {
	if e.Model().Width == 0 {
		return modelName(e)
	}
	return e.Model().String()
}

func (s *Service) setAsideCount() int64 {
	s.filler.asideMu.Lock()
	defer s.filler.asideMu.Unlock()
	return int64(len(s.filler.aside))
}
