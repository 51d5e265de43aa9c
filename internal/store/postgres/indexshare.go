package postgres

import (
	"sync"

	"tapedeck/internal/store"
)

// shares remembers which share of the nearest chunks a filter chose when it was last
// used, so that a search asks for enough of them at once.
type shares struct {
	mu     sync.Mutex
	chosen map[store.IndexFilter]float64
}

// mostShares bounds how many filters are remembered.
const mostShares = 1000

// of is the share of a filter; 1 where it is not known.
func (s *shares) of(f store.IndexFilter) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if share, known := s.chosen[timeless(f)]; known {
		return share
	}
	return 1
}

func (s *shares) note(f store.IndexFilter, share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen == nil || len(s.chosen) >= mostShares {
		s.chosen = map[store.IndexFilter]float64{}
	}
	s.chosen[timeless(f)] = share
}

// timeless is a filter without the times, which are others each time that they are
// given as an age.
func timeless(f store.IndexFilter) store.IndexFilter {
	f.After, f.Before = min(f.After, 1), min(f.Before, 1)
	return f
}
