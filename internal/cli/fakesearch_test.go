package cli

import (
	"context"
	"sync"

	"tapedeck/internal/search"
)

// fakeSearch answers with what a test put in, and keeps what it was asked. The
// index is behind until it has run.
type fakeSearch struct {
	answer *search.Answer
	status search.Status
	others int64 // texts that others embed between two looks at the status
	err    error // of Search and Index

	mu    sync.Mutex
	asked []any
	ran   bool
	ended bool
}

func (f *fakeSearch) Search(_ context.Context, r search.Request) (*search.Answer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	return f.answer, f.err
}

func (f *fakeSearch) Status(context.Context) (*search.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	status := f.status
	f.status.Missing -= f.others
	if f.ran {
		status.Behind, status.Missing = 0, 0
	}
	return &status, nil
}

func (f *fakeSearch) Index(_ context.Context, p func(done, total uint64, what string)) (*search.Status, error) {
	f.asked = append(f.asked, "index")
	return &f.status, f.err
}

func (f *fakeSearch) Run(ctx context.Context) {
	f.mu.Lock()
	f.ran = true
	f.mu.Unlock()
	<-ctx.Done()
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
}
