package search

import (
	"context"
	"fmt"
	"time"
)

// vectorsPatience is how long a query waits for vectors that lie apart.
const vectorsPatience = 5 * time.Second

// askVectors makes a call of the vectors for a query. Where they lie apart, on a
// machine that may not answer at all, it is given up after a while, and they are not
// asked again for a while: words are to be searched meanwhile.
func (s *Service) askVectors(ctx context.Context, call func(context.Context) error) error {
	if s.distant == nil {
		return call(ctx)
	}
	silent := fmt.Errorf("%s did not answer within %s; it is asked again in a few seconds", s.distant.Location(), vectorsPatience)
	if since := s.snapshot.silent.Load(); since != nil && time.Since(*since) < sparedFor {
		return silent
	}
	asked, cancel := context.WithTimeout(ctx, vectorsPatience)
	defer cancel()
	err := call(asked)
	if err != nil && asked.Err() != nil && ctx.Err() == nil {
		now := time.Now()
		s.snapshot.silent.Store(&now)
		return silent
	}
	return err
}

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
