package archive

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"tapedeck/internal/derive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/transcript"
)

// Options say what an archive works on.
type Options struct {
	Store       store.Store           // must be given; the archive closes it
	Importers   []transcript.Importer // in the order in which they are asked for a file
	Environment transcript.Environment
	Derived     func() // called when what was derived changed; must not wait. nil: nobody asks
	// Deleted is called when sessions were deleted; an error is logged. nil: nobody asks.
	Deleted func(ctx context.Context, sessionIDs []string) error
	Log     *slog.Logger // nil: none
}

// Archive brings importers, deriver and store together. It is safe for
// concurrent use.
type Archive struct {
	store     store.Store
	importers []transcript.Importer
	env       transcript.Environment
	derived   func()
	deleted   func(context.Context, []string) error
	log       *slog.Logger

	work   chan struct{} // holds a token while nobody imports or derives
	broken brokenStreams
}

// Open makes an archive. It reads nothing yet.
func Open(_ context.Context, opt Options) (*Archive, error) {
	if opt.Store == nil {
		return nil, errors.New("no store given")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Derived == nil {
		opt.Derived = func() {}
	}
	if opt.Deleted == nil {
		opt.Deleted = func(context.Context, []string) error { return nil }
	}
	if opt.Environment.Getenv == nil {
		opt.Environment.Getenv = os.Getenv
	}
	if opt.Environment.Home == "" {
		opt.Environment.Home, _ = os.UserHomeDir() // none: then there are no places in it
	}
	a := &Archive{
		store: opt.Store, importers: opt.Importers, env: opt.Environment, derived: opt.Derived, deleted: opt.Deleted, log: opt.Log,
		work: make(chan struct{}, 1), broken: newBrokenStreams(),
	}
	a.work <- struct{}{}
	return a, nil
}

// Close closes the store.
func (a *Archive) Close() error { return a.store.Close() }

// Ready tells why requests can't be served; nil: they can.
func (a *Archive) Ready(ctx context.Context) error {
	_, err := a.store.Streams(ctx, session.Ref{}, 1)
	return storeError(err)
}

// Info describes the store.
func (a *Archive) Info(ctx context.Context) (*store.Info, error) {
	info, err := a.store.Info(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	return &info, nil
}

// Check reads everything in the store and tells what is wrong.
func (a *Archive) Check(ctx context.Context) (*CheckResult, error) {
	problems, err := a.store.Check(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	info, err := a.store.Info(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	return &CheckResult{Sound: len(problems) == 0, Problems: emptied(problems), Info: info}, nil
}

// begin waits until nobody else in this process imports or derives; done lets
// the next one go on. Other processes are held apart by the store.
func (a *Archive) begin(ctx context.Context) (done func(), err error) {
	select {
	case <-a.work:
		return func() { a.work <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// importer is the one of a harness, nil when there is none.
func (a *Archive) importer(harness string) transcript.Importer {
	for _, i := range a.importers {
		if i.Harness() == harness {
			return i
		}
	}
	return nil
}

func (a *Archive) harnesses() []string {
	names := make([]string, len(a.importers))
	for i, importer := range a.importers {
		names[i] = importer.Harness()
	}
	return names
}

// checkHarness refuses a harness that no importer has.
func (a *Archive) checkHarness(name string) error {
	if name == "" || a.importer(name) != nil {
		return nil
	}
	return &Error{Code: CodeArgument, Message: fmt.Sprintf("harness %q: there is no importer of that name", name), Allowed: a.harnesses()}
}

// emptied is a list that JSON shows as [] when it has nothing.
func emptied[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// deriver is the name under which projections are stored.
const deriver = derive.Version
