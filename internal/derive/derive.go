// Package derive makes sessions, traces, spans and links out of a stream's raw
// records.
//
// # What it promises
//
// It is pure: the same records give the same projection, byte for byte, whatever
// happened before. Going on from checkpoints gives what deriving everything
// gives. It does not read files or stores, nor the clock.
package derive

import (
	"context"
	"errors"
	"iter"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// Version names this deriver, its prices and the interpreters: what an earlier
// one derived is derived again. It changes with what they give.
const Version = "1"

// An Input is one stream, and what its derivation needs to know of others.
type Input struct {
	Ref      session.Ref
	Facts    session.StreamFacts
	Importer transcript.Importer // whose interpreter and replay rule hold

	// Records gives the records that count: all without a place, then those not
	// before from (see store.Log).
	Records func(from session.Place) iter.Seq2[session.Record, error]
	// Replayed reports whether an earlier session holds the record with this
	// Origin; nil: none does.
	Replayed func(origin string) bool
	// ReplayedOrigins is the number of Origins of this stream of which Replayed
	// reports true. Derivation goes on from a checkpoint only if it adds up.
	ReplayedOrigins int
	// Earlier are the streams that Replayed speaks of, the nearest kin first: of
	// a fork that names no source, the first is where it came from.
	Earlier []session.Ref

	// Checkpoints are those of the last projection, Fresh the first record since;
	// with none, or the zero Place, everything is derived.
	Checkpoints []byte
	Fresh       session.Place
	// HasSpan reports whether a trace before beforeSeq holds a span, as derived last.
	HasSpan func(spanID string, beforeSeq int) (bool, error)
}

// errReachesBack tells that going on from a checkpoint can't be right: what is
// new changes something before it.
var errReachesBack = errors.New("a record reaches back before the checkpoint")

// Derive derives the stream: what follows the last checkpoint that nothing new
// reaches back before, or everything.
func Derive(ctx context.Context, in Input) (session.Projection, error) {
	digest, points := readCheckpoints(in)
	for i := len(points) - 1; i >= 0; i-- {
		if !points[i].Place.Before(in.Fresh) {
			continue
		}
		p, err := resume(ctx, in, digest, points[:i+1])
		if !errors.Is(err, errReachesBack) {
			return p, err
		}
	}
	return deriveAll(ctx, in)
}

func deriveAll(ctx context.Context, in Input) (session.Projection, error) {
	r := newRun(ctx, in)
	if err := r.read(session.Place{}); err != nil {
		return session.Projection{}, err
	}
	return r.project()
}

// resume goes on at the last of the points.
func resume(ctx context.Context, in Input, digest string, points []point) (session.Projection, error) {
	r := newRun(ctx, in)
	at := points[len(points)-1]
	r.goOnAt(at, digest, points[:len(points)-1])
	if err := r.read(at.Base); err != nil {
		return session.Projection{}, err
	}
	return r.project()
}
