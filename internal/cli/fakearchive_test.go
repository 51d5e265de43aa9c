package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"tapedeck/internal/archive"
	"tapedeck/internal/deck"
	"tapedeck/internal/store"
)

// fakeArchive answers with what a test put in, and keeps what it was asked.
type fakeArchive struct {
	archive.Operations // what no test asks for

	opt       archiveOptions
	search    *fakeSearch // nil: none
	imported  *archive.ImportResult
	rederived *archive.RederiveResult
	checked   *archive.CheckResult
	info      *store.Info
	err       error // of every operation

	asked   []any
	watched bool
	closed  bool
}

func (f *fakeArchive) Import(_ context.Context, r archive.ImportRequest, _ archive.Progress) (*archive.ImportResult, error) {
	f.asked = append(f.asked, r)
	return f.imported, f.err
}

func (f *fakeArchive) Rederive(_ context.Context, id string, _ archive.Progress) (*archive.RederiveResult, error) {
	f.asked = append(f.asked, id)
	return f.rederived, f.err
}

func (f *fakeArchive) Check(context.Context) (*archive.CheckResult, error) { return f.checked, f.err }

func (f *fakeArchive) Info(context.Context) (*store.Info, error) { return f.info, f.err }

func (f *fakeArchive) Ready(context.Context) error { return f.err }

func (f *fakeArchive) Watch(ctx context.Context) error {
	f.watched = true
	<-ctx.Done()
	return nil
}

func (f *fakeArchive) Searcher() searcher {
	if f.search == nil {
		return nil
	}
	return f.search
}

func (f *fakeArchive) Close() error {
	f.closed = true
	return nil
}

// opened is what opens f in place of a store.
func (f *fakeArchive) opened(_ context.Context, opt archiveOptions) (openedArchive, error) {
	f.opt = opt
	return f, nil
}

// runWithArchive runs a command line against an archive, without configuration
// from outside.
func runWithArchive(t *testing.T, opened archiveOpener, args ...string) outcome {
	t.Helper()
	withoutSettings(t)
	var out, errOut bytes.Buffer
	a := &app{
		in: strings.NewReader(""), out: &out, err: &errOut, openArchive: opened,
		open: func(deck.Options) (openedDeck, error) { return &fakeDeck{}, nil },
	}
	return outcome{a.run(t.Context(), args), out.String(), errOut.String()}
}
