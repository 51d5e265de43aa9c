package search

import (
	"context"
	"errors"
	"fmt"

	"tapedeck/internal/store"
)

// passingTries is how often an embedder that can't be reached is asked again
// before Index gives up: Run has more patience.
const passingTries = 3

// Index brings the index up to date. Another process, or Run in this one, may be
// at it as well.
func (s *Service) Index(ctx context.Context, p func(done, total uint64, what string)) (*Status, error) {
	if p == nil {
		p = func(uint64, uint64, string) {}
	}
	if err := s.followAll(ctx, p); err != nil {
		return nil, storeError(err)
	}
	var failure error
	if s.embedder != nil {
		failure = s.fillAll(ctx, p)
	}
	if ctx.Err() != nil {
		return nil, storeError(ctx.Err())
	}
	var ofEmbedder embedderError
	if failure != nil && !errors.As(failure, &ofEmbedder) {
		return nil, storeError(failure)
	}
	status, err := s.Status(ctx)
	if err == nil && failure != nil {
		err = &Error{Code: CodeEmbedder, Message: fmt.Sprintf("texts without vectors are left, which are found by their words only: %s", told(failure)),
			Hint: "once the embedder answers, go on with tapedeck search index; what was done is kept", Err: failure}
	}
	return status, err
}

// followAll makes all documents that are not made yet.
func (s *Service) followAll(ctx context.Context, p func(done, total uint64, what string)) error {
	const what = "traces read"
	begin, err := s.store.IndexState(ctx)
	if err != nil {
		return err
	}
	for done := int64(0); ; {
		followed, err := s.followStep(ctx)
		if err != nil {
			return err
		}
		done += int64(followed)
		total := max(begin.Behind, done)
		if followed == 0 {
			p(uint64(total), uint64(total), what)
			return nil
		}
		p(uint64(done), uint64(total), what)
	}
}

// fillAll embeds all that is missing. It waits for an embedder that can't be
// reached, but not for long.
func (s *Service) fillAll(ctx context.Context, p func(done, total uint64, what string)) error {
	const what = "texts embedded"
	state, generation, err := s.look(ctx, 0) // once: counting takes its time
	if err != nil {
		return err
	}
	missing := missingIn(state, generation)
	for done, tries := int64(0), 0; ; {
		texts, err := s.fillStep(ctx)
		done += int64(texts)
		total := max(missing, done)
		switch {
		case err != nil && (!isPassing(err) || ctx.Err() != nil || tries == passingTries):
			return err
		case err != nil:
			tries++
			wait, _ := s.health.now()
			pause(ctx, nil, min(wait, longestWait))
		case texts == 0:
			p(uint64(total), uint64(total), what)
			return nil
		default:
			tries = 0
			p(uint64(done), uint64(total), what)
		}
	}
}

var _ Operations = (*Service)(nil)
var _ store.Index = Store(nil)
