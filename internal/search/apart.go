package search

import (
	"context"
	"log/slog"
)

// followApart has vectors that lie apart follow the documents until ctx is done: what
// is deleted goes there too, also while nothing is embedded.
func (s *Service) followApart(ctx context.Context) {
	level := slog.LevelWarn
	for {
		wait := pollEvery
		switch err := s.distant.Follow(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.log.Log(ctx, level, "the vectors do not follow what changes: it is tried again", "where", s.distant.Location(), "error", err)
			level, wait = slog.LevelDebug, storeRetry // once is enough to know
		default:
			level = slog.LevelWarn
		}
		if !pause(ctx, nil, wait) {
			return
		}
	}
}
