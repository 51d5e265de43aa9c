package search

import "context"

// followApart has vectors that lie apart follow the documents until ctx is done: what
// is deleted goes there too, also while nothing is embedded.
func (s *Service) followApart(ctx context.Context) {
	var down complaint
	for {
		wait := pollEvery
		switch err := s.distant.Follow(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			down.make(s.log, "the vectors do not follow what changes: it is tried again", "where", s.distant.Location(), "error", err)
			wait = storeRetry
		default:
			down.over()
		}
		if !pause(ctx, nil, wait) {
			return
		}
	}
}
