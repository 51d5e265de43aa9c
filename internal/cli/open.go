package cli

import (
	"context"
	"log/slog"
	"os"
	"time"

	"tapedeck/internal/config"
	"tapedeck/internal/deck"
	"tapedeck/internal/query"
)

// session is an open deck.
type session interface {
	deck.Operations
	Stream(ctx context.Context, r deck.QueryRequest, sink query.Sink) (query.Summary, error)
	Export(ctx context.Context, sql, format, path string) (rows int64, err error)
	Close()
}

// opener opens a deck; tests put a made-up one in its place.
type opener func(deck.Options) (session, error)

func openDeck(opt deck.Options) (session, error) { return deck.Open(opt) }

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

// withDeck opens a deck for as long as use runs: for a command that answers and
// ends, which says what is wrong itself. Adjust changes the options for this one
// command; it may be nil.
func (a *app) withDeck(adjust func(*deck.Options), use func(session) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	return a.withDeckOf(c, newLogger(a.err, c, slog.LevelWarn), adjust, use)
}

// withServedDeck opens a deck for a server, whose log tells what goes on.
func (a *app) withServedDeck(adjust func(*deck.Options), use func(session, *config.Config, *slog.Logger) error) error {
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
	return a.withDeckOf(c, log, adjust, func(s session) error { return use(s, c, log) })
}

func (a *app) withDeckOf(c *config.Config, log *slog.Logger, adjust func(*deck.Options), use func(session) error) error {
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
