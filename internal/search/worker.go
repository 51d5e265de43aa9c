package search

import (
	"context"
	"errors"
	"sync"
	"time"

	"tapedeck/internal/search/document"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const (
	// pollEvery is how often it is looked for changes that nobody told of: those of
	// other processes.
	pollEvery = time.Second
	// changesPage is how many changed traces are taken at a time.
	changesPage = 64
	// spansPage is how many spans are read with their content at a time: a page of
	// the largest must not be in memory whole.
	spansPage = 20
	// putBytes is how much text is gathered before it is stored.
	putBytes = 4 << 20
	// lookAgain is how often it is looked how far the index really is: another
	// process may have made it anew.
	lookAgain = 30 * time.Second
	// storeRetry is how long is waited after the store failed.
	storeRetry = 5 * time.Second
	// readTries is how often a trace is read that can't be read, before the others
	// go on without it. Deriving it again brings it back.
	readTries = 3
)

// A follower makes the documents of changed traces.
type follower struct {
	wake chan struct{}

	mu       sync.Mutex // held during a step
	followed int64      // up to which change
	looked   time.Time  // when followed was read from the store
	stuck    stuck
}

// stuck counts how often a change could not be read.
type stuck struct {
	seq   int64
	tries int
}

// follow makes documents until ctx is done.
func (s *Service) follow(ctx context.Context) {
	var down complaint
	for {
		wait := pollEvery
		made, err := s.followStep(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			down.make(s.log, "documents can't be made: it is tried again", "error", err)
			wait = storeRetry
		case made > 0:
			down.over()
			continue
		default:
			down.over()
		}
		if !pause(ctx, s.follower.wake, wait) {
			return
		}
	}
}

// followStep makes the documents of the next changed traces. It returns 0
// when there are none.
func (s *Service) followStep(ctx context.Context) (int, error) {
	f := &s.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) >= lookAgain {
		if _, err := s.lookHowFar(ctx); err != nil {
			return 0, err
		}
	}
	changes, err := s.store.Changes(ctx, f.followed, changesPage)
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	// Another process may have been faster; then its documents are there.
	if moved, err := s.lookHowFar(ctx); err != nil || moved {
		poke(s.filler.wake)
		return 1, err
	}
	return s.document(ctx, changes)
}

// lookHowFar reads how far changes were followed, and reports whether that is not
// what was known.
func (s *Service) lookHowFar(ctx context.Context) (moved bool, err error) {
	state, err := s.store.IndexState(ctx)
	if err != nil {
		return false, err
	}
	moved = state.Followed != s.follower.followed
	s.follower.followed, s.follower.looked = state.Followed, time.Now()
	return moved, nil
}

// document makes the documents of changes and stores them, not too many at once.
func (s *Service) document(ctx context.Context, changes []store.TraceChange) (int, error) {
	f := &s.follower
	var traces []store.TraceDocuments
	size := 0
	for i, change := range changes {
		trace, err := s.traceDocuments(ctx, change)
		if err != nil {
			return 0, err
		}
		traces = append(traces, trace)
		for _, d := range trace.Documents {
			size += len(d.Text)
		}
		if size < putBytes && i+1 < len(changes) {
			continue
		}
		if err := s.store.PutDocuments(ctx, change.Seq, traces); err != nil {
			return 0, err
		}
		f.followed, traces, size = change.Seq, nil, 0
		s.filler.changed.Store(true)
		poke(s.filler.wake)
	}
	if len(changes) < changesPage { // those were all
		s.snapshot.drop()
	}
	return len(changes), nil
}

// traceDocuments are the documents of a changed trace. One that can't be read must
// not hold up the others for ever.
func (s *Service) traceDocuments(ctx context.Context, change store.TraceChange) (store.TraceDocuments, error) {
	trace := store.TraceDocuments{TraceID: change.TraceID}
	if change.Gone {
		return trace, nil
	}
	documents, err := s.documentsOf(ctx, change.TraceID)
	if err == nil {
		trace.Documents = documents
		return trace, nil
	}
	stuck := &s.follower.stuck
	if stuck.seq != change.Seq {
		stuck.seq, stuck.tries = change.Seq, 0
	}
	stuck.tries++
	if ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) || stuck.tries < readTries {
		return trace, err
	}
	s.log.Error("a trace can't be read and is not searched", "trace", change.TraceID, "error", err)
	return trace, nil
}

// documentsOf reads a trace's spans page by page; a trace that is gone has none.
func (s *Service) documentsOf(ctx context.Context, traceID string) ([]store.IndexDocument, error) {
	var documents []store.IndexDocument
	page := store.Page{Limit: spansPage}
	for {
		spans, err := s.store.Spans(ctx, traceID, true, page)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		documents = appendDocuments(documents, spans.Items)
		if spans.Next == "" {
			return documents, nil
		}
		page.Cursor = spans.Next
	}
}

func appendDocuments(documents []store.IndexDocument, spans []session.Span) []store.IndexDocument {
	for _, span := range spans {
		if d, ok := document.Of(span); ok {
			documents = append(documents, store.IndexDocument{SpanID: d.SpanID, Text: d.Text, Hash: d.Hash})
		}
	}
	return documents
}
