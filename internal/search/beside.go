package search

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/store"
)

// Processes with different embedders may work on one store, by mistake or while a
// model is being tried. None of them may drop what another one fills: that one would
// fill it again, and so on for ever. A store does not know who uses a generation, but
// one that is used is filled with what is new.

// leftAfter is how long new texts must have been left out of a generation before
// nobody is thought to fill it.
const leftAfter = time.Hour

// beside watches the generations beside the one of our embedder.
type beside struct {
	mu   sync.Mutex
	seen map[int64]*sighting
}

// A sighting is how a generation was when it was last seen to be filled, or first
// seen at all.
type sighting struct {
	texts, missing int64
	since          time.Time
	filled         bool // it was seen to be
}

// look notes how the generations are that are not ours. It returns those that are
// seen to be filled for the first time.
func (b *beside) look(others []store.Generation) (filled []store.Generation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := map[int64]*sighting{}
	for _, g := range others {
		before := b.seen[g.ID]
		switch {
		case before == nil:
			before = &sighting{texts: g.Texts, missing: g.Missing, since: time.Now()}
		case g.Texts > before.texts:
			if !before.filled {
				filled = append(filled, g)
			}
			before = &sighting{texts: g.Texts, missing: g.Missing, since: time.Now(), filled: true}
		case g.Missing <= before.missing: // nothing new was left out
			before.since = time.Now()
		}
		seen[g.ID] = before
	}
	b.seen = seen
	return filled
}

// left reports whether nobody fills any of the generations that were seen last.
func (b *beside) left() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.seen {
		if time.Since(s.since) < leftAfter {
			return false
		}
	}
	return true
}

// notice says what the other generations are.
func (b *beside) notice(others []store.Generation) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var filled, idle []string
	for _, g := range others {
		if s := b.seen[g.ID]; s != nil && s.filled && time.Since(s.since) < besideEvery { // it has kept up
			filled = append(filled, generationName(g))
		} else {
			idle = append(idle, generationName(g))
		}
	}
	var says []string
	if len(filled) > 0 {
		says = append(says, fmt.Sprintf("another tapedeck fills vectors of %s: each searches its own, and every text is embedded for each; "+
			"the same embedding settings everywhere save that", strings.Join(filled, " and ")))
	}
	if len(idle) > 0 {
		says = append(says, fmt.Sprintf("vectors of %s are kept as well: they go when they have been left unfilled for %s", strings.Join(idle, " and "), leftAfterWords))
	}
	return strings.Join(says, "; ")
}

// leftAfterWords is leftAfter for people.
const leftAfterWords = "an hour"

// withLocal adds the generations that lie beside the documents where ours lies
// apart. They have numbers of their own, so they are told apart by a minus sign.
func (s *Service) withLocal(ctx context.Context, others []store.Generation) ([]store.Generation, error) {
	if s.distant == nil {
		return others, nil
	}
	local, err := s.store.Generations(ctx)
	for _, g := range local {
		g.ID = -g.ID
		others = append(others, g)
	}
	return others, err
}

// besides are the generations that are not the one with id.
func besides(generations []store.Generation, id int64) []store.Generation {
	var others []store.Generation
	for _, g := range generations {
		if g.ID != id {
			others = append(others, g)
		}
	}
	return others
}

// lookBeside notes how the other generations are, and tells of those that another
// process fills.
func (s *Service) lookBeside(others []store.Generation) {
	for _, g := range s.filler.beside.look(others) {
		s.log.Warn("another tapedeck fills vectors of another model in the same store: the same embedding settings everywhere save that",
			"model", modelName(s.embedder), "other", generationName(g))
	}
}
