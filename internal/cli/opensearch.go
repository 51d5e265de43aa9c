package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"tapedeck/internal/config"
	embedopen "tapedeck/internal/embed/open"
	"tapedeck/internal/search"
	"tapedeck/internal/store"
)

// errSearchOff: the settings say that nothing is searched.
var errSearchOff = errors.New("search is off: embedding_provider is none")

// searcher finds spans, and keeps the index up to date while it runs.
type searcher interface {
	search.Operations
	Run(context.Context)
}

// embedderOptions translates settings to what embeds, if the archive is searched;
// nil: it is not.
func embedderOptions(c *config.Config) *embedopen.Options {
	if c.EmbeddingProvider == config.ProviderNone {
		return nil
	}
	return &embedopen.Options{
		Provider: c.EmbeddingProvider, Target: c.EmbeddingTarget, Model: c.EmbeddingModel,
		Dimensions: c.EmbeddingDimensions, Key: c.EmbeddingKey,
	}
}

// openSearch opens what searches a store. It fails for mistakes in the settings
// only: whether the embedder answers shows when it is asked.
func openSearch(ctx context.Context, stored store.Store, vectors store.DistantVectors, opt archiveOptions) (*search.Service, error) {
	embedder, err := embedopen.Open(*opt.Embedder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", config.ErrInvalid, err)
	}
	indexed, ok := stored.(search.Store)
	if !ok {
		return nil, fmt.Errorf("a store of kind %T keeps no index", stored)
	}
	return search.Open(ctx, search.Options{Store: indexed, Vectors: vectors, Embedder: embedder, Log: opt.Store.Log})
}

// withSearch opens the search for as long as use runs.
func (a *app) withSearch(ctx context.Context, use func(searcher) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	embedder := embedderOptions(c)
	if embedder == nil {
		return fmt.Errorf("%w\nHint: --embedding-provider builtin needs nothing else", errSearchOff)
	}
	opened, err := a.openArchive(ctx, archiveOptions{Store: storeOptions(c, newLogger(a.err, c, slog.LevelError)), Embedder: embedder})
	if err != nil {
		return err
	}
	return errors.Join(use(opened.Searcher()), opened.Close())
}

// searching is the search as faces take it: nil when there is none.
func (s served) searching() search.Operations {
	if s.search == nil {
		return nil
	}
	return s.search
}

// indexing runs f, and beside it what keeps the index up to date.
func (s served) indexing(ctx context.Context, f func(context.Context) error) error {
	if s.search == nil {
		return f(ctx)
	}
	return beside(ctx, s.search.Run, f)
}

// beside runs f, and beside it a worker, which has ended when beside returns.
func beside(ctx context.Context, worker func(context.Context), f func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer stop()
	work.Go(func() { worker(ctx) })
	return f(ctx)
}
