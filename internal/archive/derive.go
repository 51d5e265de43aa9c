package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/internal/derive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const (
	// deriveBatch is how many streams are fetched at a time.
	deriveBatch = 100
	// deriveTries bounds how often a stream is derived that keeps changing under
	// it: what writes it derives it as well.
	deriveTries = 5
)

// Rederive derives again: one session, or all ("").
func (a *Archive) Rederive(ctx context.Context, sessionID string, p Progress) (*RederiveResult, error) {
	began := time.Now()
	if sessionID != "" {
		s, err := a.session(ctx, sessionID)
		if err != nil {
			return nil, err
		}
		sessionID = s.ID
	}
	done, err := a.begin(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	defer done()
	if _, err := a.store.Rederive(ctx, sessionID); err != nil {
		return nil, storeError(err)
	}
	a.broken.forget()
	var d derivation
	if err := a.derivePending(ctx, &d, allWorkers(), nil, p); err != nil {
		return nil, storeError(err)
	}
	return &RederiveResult{
		Streams: d.streams, Sessions: len(d.sessions), Broken: emptied(d.broken), TookS: time.Since(began).Seconds(),
	}, nil
}

// A derivation counts what was derived.
type derivation struct {
	mu       sync.Mutex
	streams  int
	sessions map[string]bool
	broken   []Broken
}

func (d *derivation) add(p session.Projection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams++
	if d.sessions == nil {
		d.sessions = map[string]bool{}
	}
	for _, s := range p.Sessions {
		d.sessions[s.Session.ID] = true
	}
}

// count is how many streams were derived so far.
func (d *derivation) count() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return uint64(d.streams)
}

// allWorkers is how many streams are derived at a time when nothing else is
// done: one waits for the store while another is interpreted.
func allWorkers() int { return max(2, runtime.GOMAXPROCS(0)) }

// derivePending derives the streams whose records changed, until none is left
// but those that can't be derived, and those to be left for later (nil: none).
func (a *Archive) derivePending(ctx context.Context, d *derivation, workers int, later func(session.Ref) bool, p Progress) error {
	tries := map[session.Ref]int{}
	for {
		todo, err := a.toDerive(ctx, tries, later)
		if err != nil || len(todo) == 0 {
			return err
		}
		work, within := errgroup.WithContext(ctx)
		work.SetLimit(workers)
		for i, s := range todo {
			tries[s.Ref]++
			if p != nil {
				done := d.count()
				p(done, done+uint64(len(todo)-i), "deriving sessions")
			}
			work.Go(func() error { return a.deriveStream(within, s, d) })
		}
		if err := work.Wait(); err != nil {
			return err
		}
	}
}

// toDerive are the next streams to derive. More are asked for while all that
// came are left out.
func (a *Archive) toDerive(ctx context.Context, tries map[session.Ref]int, later func(session.Ref) bool) ([]store.Stream, error) {
	for limit := deriveBatch; ; limit *= 2 {
		pending, err := a.store.Pending(ctx, deriver, limit)
		if err != nil {
			return nil, err
		}
		var todo []store.Stream
		for _, s := range pending {
			if tries[s.Ref] < deriveTries && (later == nil || !later(s.Ref)) && a.derivable(s) {
				todo = append(todo, s)
			}
		}
		if len(todo) > 0 || len(pending) < limit {
			return todo, nil
		}
	}
}

// derivable reports whether a stream can be derived as far as is known.
func (a *Archive) derivable(s store.Stream) bool {
	if a.broken.has(s) {
		return false
	}
	if a.importer(s.Ref.Harness) == nil {
		a.broken.add(s)
		a.log.Warn("a session is left as it is: no importer of its harness", keyStream, s.Ref.String())
		return false
	}
	return true
}

// deriveStream derives one stream. Its error ends all deriving: what is wrong
// with this stream alone is noted in d.
func (a *Archive) deriveStream(ctx context.Context, s store.Stream, d *derivation) error {
	p, err := a.project(ctx, s)
	switch {
	case err == nil:
		d.add(p)
		a.derived()
		return nil
	case errors.Is(err, store.ErrChanged): // it is pending again
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, store.ErrUnavailable):
		return err
	}
	a.broken.add(s)
	a.log.Error("a session can't be derived; its records are kept", keyStream, s.Ref.String(), keyError, err)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken = append(d.broken, Broken{Ref: s.Ref, SessionID: s.Ref.SessionID(), Reason: err.Error()})
	return nil
}

// project derives a stream and stores what came out.
func (a *Archive) project(ctx context.Context, s store.Stream) (session.Projection, error) {
	in, err := a.deriveInput(ctx, s)
	if err != nil {
		return session.Projection{}, err
	}
	p, err := deriveSafely(ctx, in, a.log)
	if err != nil {
		return p, err
	}
	return p, a.store.Project(ctx, s, deriver, p)
}

func (a *Archive) deriveInput(ctx context.Context, s store.Stream) (derive.Input, error) {
	in := derive.Input{
		Ref: s.Ref, Facts: s.Facts, Importer: a.importer(s.Ref.Harness),
		Records: func(from session.Place) iter.Seq2[session.Record, error] {
			return frugal(a.store.Records(ctx, s.Ref, from))
		},
		HasSpan: func(spanID string, beforeSeq int) (bool, error) {
			return a.store.HasSpan(ctx, s.Ref.SessionID(), spanID, beforeSeq)
		},
	}
	if s.Derived > 0 && s.Deriver == deriver { // else the checkpoints are another's
		in.Checkpoints, in.Fresh = s.Checkpoints, s.Fresh
	}
	if !s.Shared {
		return in, nil
	}
	siblings, err := a.earlier(ctx, s)
	if err != nil {
		return in, err
	}
	replayed := map[string]bool{}
	for _, other := range siblings {
		in.Earlier = append(in.Earlier, other.Stream.Ref)
		maps.Copy(replayed, other.Shared)
	}
	in.Replayed, in.ReplayedOrigins = func(origin string) bool { return replayed[origin] }, len(replayed)
	return in, nil
}

// hugeRecord is from where on what one record left behind in memory is cleared
// away before the next is taken: two of the longest lines are too much.
const hugeRecord = 8 << 20

// frugal are the records, with no more than one huge one in memory.
func frugal(records iter.Seq2[session.Record, error]) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		huge := false
		for r, err := range records {
			huge = len(r.Body) >= hugeRecord
			if !yield(r, err) {
				return
			}
			r = session.Record{}
			if huge {
				runtime.GC()
			}
		}
	}
}

// earlier are the streams whose records s holds copies of. The nearest, which
// shares most and went on last, comes first.
func (a *Archive) earlier(ctx context.Context, s store.Stream) ([]store.Sibling, error) {
	siblings, err := a.store.Siblings(ctx, s.Ref)
	if err != nil {
		return nil, err
	}
	siblings = slices.DeleteFunc(siblings, func(other store.Sibling) bool {
		return !derive.OtherIsEarlier(derive.Kinship{
			Self: s.Ref, Other: other.Stream.Ref,
			SelfFacts: s.Facts, OtherFacts: other.Stream.Facts,
			FirstOwn: other.FirstOwn, FirstOwnOther: other.FirstOwnOther,
		})
	})
	slices.SortFunc(siblings, func(x, y store.Sibling) int {
		return cmp.Or(
			cmp.Compare(len(y.Shared), len(x.Shared)),
			cmp.Compare(y.FirstOwnOther, x.FirstOwnOther),
			cmp.Compare(x.Stream.Ref.String(), y.Stream.Ref.String()),
		)
	})
	return siblings, nil
}

// deriveSafely keeps a fault in deriving one stream from ending the program.
func deriveSafely(ctx context.Context, in derive.Input, log *slog.Logger) (p session.Projection, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			log.Error("deriving panicked", keyStream, in.Ref.String(), keyError, fault, keyStack, string(debug.Stack()))
			err = fmt.Errorf("deriving panicked: %v", fault)
		}
	}()
	return derive.Derive(ctx, in)
}

// Keys of what is logged.
const (
	keyStream = "stream"
	keyPath   = "path"
	keyError  = "error"
	keyStack  = "stack"
)

// brokenStreams are those that can't be derived, at the version that was tried.
type brokenStreams struct {
	mu       *sync.Mutex
	versions map[session.Ref]int64
}

func newBrokenStreams() brokenStreams {
	return brokenStreams{mu: &sync.Mutex{}, versions: map[session.Ref]int64{}}
}

func (b brokenStreams) add(s store.Stream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.versions[s.Ref] = s.Version
}

func (b brokenStreams) has(s store.Stream) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	version, ok := b.versions[s.Ref]
	return ok && version == s.Version
}

// forget has all of them tried again.
func (b brokenStreams) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.versions)
}
