package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"tapedeck/internal/archive"
	"tapedeck/internal/config"
	"tapedeck/internal/deck"
	embedopen "tapedeck/internal/embed/open"
	"tapedeck/internal/query"
	"tapedeck/internal/search"
	"tapedeck/internal/store"
	"tapedeck/internal/store/open"
	"tapedeck/internal/transcript/registry"
)

// openedDeck is an open deck.
type openedDeck interface {
	deck.Operations
	Stream(ctx context.Context, r deck.QueryRequest, sink query.Sink) (query.Summary, error)
	Export(ctx context.Context, sql, format, path string) (rows int64, err error)
	Close()
}

// opener opens a deck; tests put a made-up one in its place.
type opener func(deck.Options) (openedDeck, error)

func openDeck(opt deck.Options) (openedDeck, error) { return deck.Open(opt) }

// openedArchive is an open archive of agent sessions.
type openedArchive interface {
	archive.Operations
	Watch(context.Context) error
	Searcher() searcher // nil: it is not searched
	Close() error
}

// archiveOpener opens an archive; tests put a made-up one in its place.
type archiveOpener func(context.Context, archiveOptions) (openedArchive, error)

// archiveOptions say which archive to open, and how it is searched.
type archiveOptions struct {
	Store    open.Options
	Embedder *embedopen.Options // nil: it is not searched
}

// archiveWithSearch owns the stores that both of its parts work on.
type archiveWithSearch struct {
	*archive.Archive
	vectors store.DistantVectors // nil: they lie in the store
	search  *search.Service      // nil: none
}

// Close closes the stores.
func (a archiveWithSearch) Close() error {
	err := a.Archive.Close()
	if a.vectors != nil {
		err = errors.Join(err, a.vectors.Close())
	}
	return err
}

// Searcher is what searches the archive.
func (a archiveWithSearch) Searcher() searcher {
	if a.search == nil {
		return nil
	}
	return a.search
}

func openArchive(ctx context.Context, opt archiveOptions) (openedArchive, error) {
	stored, err := open.Open(ctx, opt.Store)
	if err != nil {
		return nil, err
	}
	opened, err := openParts(ctx, stored, opt)
	if err == nil {
		return opened, nil
	}
	if opened.vectors != nil {
		err = errors.Join(err, opened.vectors.Close())
	}
	return nil, errors.Join(err, stored.Close())
}

// openParts opens what works on a store.
func openParts(ctx context.Context, stored store.Store, opt archiveOptions) (opened archiveWithSearch, err error) {
	settings := archive.Options{Store: stored, Importers: registry.All(), Log: opt.Store.Log}
	if opened.vectors, err = open.Vectors(ctx, stored, opt.Store); err != nil {
		return opened, err
	}
	if opened.vectors != nil {
		settings.Deleted = opened.vectors.Forget
	}
	if opt.Embedder != nil {
		if opened.search, err = openSearch(ctx, stored, opened.vectors, opt); err != nil {
			return opened, err
		}
		settings.Derived = opened.search.Notify
	}
	opened.Archive, err = archive.Open(ctx, settings)
	return opened, err
}

// deckOptions translates settings to what a deck is opened with.
func deckOptions(c *config.Config, log *slog.Logger) deck.Options {
	return deck.Options{
		Folders:        c.DataDirs,
		Recursive:      c.Recursive,
		CacheDir:       c.CacheDir,
		CacheMaxMB:     c.CacheMaxMB,
		MemoryBudgetMB: c.MemoryBudgetMB,
		FlattenDepth:   c.FlattenDepth,
		Pool: query.Options{
			MaxWorkers: c.QueryWorkers,
			MemoryMB:   c.WorkerMemoryMB,
			Limits: query.Limits{
				DefaultRows: c.DefaultRowLimit,
				MaxRows:     c.MaxRowLimit,
				MaxBytes:    c.MaxAnswerBytes,
				Timeout:     time.Duration(c.QueryTimeoutS) * time.Second,
			},
			Log: log,
		},
		Version: buildInfo().Version,
		Log:     log,
	}
}

// storeOptions translates settings to where agent sessions are kept.
func storeOptions(c *config.Config, log *slog.Logger) open.Options {
	return open.Options{Postgres: c.Postgres, Dir: c.StoreDir, Vectors: c.VectorStoreTarget, Log: log}
}

// withDeck opens a deck for as long as use runs: for a command that answers and
// ends, which says what is wrong itself. Adjust changes the options for this one
// command; it may be nil.
func (a *app) withDeck(adjust func(*deck.Options), use func(openedDeck) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	return a.withDeckOf(c, newLogger(a.err, c, slog.LevelWarn), adjust, use)
}

// withArchive opens the archive of agent sessions for as long as use runs.
func (a *app) withArchive(ctx context.Context, use func(archive.Operations) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	opened, err := a.openArchive(ctx, archiveOptions{Store: storeOptions(c, newLogger(a.err, c, slog.LevelWarn))})
	if err != nil {
		return err
	}
	return errors.Join(use(opened), opened.Close())
}

// served is what a server serves.
type served struct {
	deck    openedDeck
	archive openedArchive // nil: no agent sessions
	search  searcher      // nil: no search
	config  *config.Config
	log     *slog.Logger
}

// operations are the archive's as faces take them: nil when there is none.
func (s served) operations() archive.Operations {
	if s.archive == nil {
		return nil
	}
	return s.archive
}

// withServed opens deck and archive for a server, whose log tells what goes on.
func (a *app) withServed(ctx context.Context, adjust func(*deck.Options), use func(served) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	log := newLogger(a.err, c, slog.LevelInfo)
	for _, dir := range c.DataDirs {
		if _, err := os.Stat(dir); err != nil {
			log.Warn("a data folder can't be read", keyFolder, dir, keyError, causeOf(err))
		}
	}
	opened, err := a.openServedArchive(ctx, c, log)
	if err != nil {
		return err
	}
	var searching searcher
	if opened != nil {
		defer opened.Close()
		searching = opened.Searcher()
	}
	return a.withDeckOf(c, log, adjust, func(s openedDeck) error {
		return use(served{deck: s, archive: opened, search: searching, config: c, log: log})
	})
}

// openServedArchive opens the archive for a server. Where nobody said where it
// is, recordings are served without it: a home that can't be written must not
// stop them.
func (a *app) openServedArchive(ctx context.Context, c *config.Config, log *slog.Logger) (openedArchive, error) {
	opened, err := a.openArchive(ctx, archiveOptions{Store: storeOptions(c, log), Embedder: embedderOptions(c)})
	if err == nil || c.IsSet("store_dir") || c.IsSet("postgres") || errors.Is(err, config.ErrInvalid) {
		return opened, err
	}
	log.Warn("agent sessions can't be served: the store does not open", keyFolder, c.StoreDir, keyError, err)
	return nil, nil
}

func (a *app) withDeckOf(c *config.Config, log *slog.Logger, adjust func(*deck.Options), use func(openedDeck) error) error {
	opt := deckOptions(c, log)
	if adjust != nil {
		adjust(&opt)
	}
	s, err := a.open(opt)
	if err != nil {
		return err
	}
	defer s.Close()
	return use(s)
}
