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

	// Checkpoints are those of the last projection, Fresh the first record since;
	// with none, or the zero Place, everything is derived.
	Checkpoints []byte
	Fresh       session.Place
	// HasSpan reports whether a trace before beforeSeq holds a span, as derived last.
	HasSpan func(spanID string, beforeSeq int) (bool, error)
}

// Derive derives the stream.
func Derive(ctx context.Context, in Input) (session.Projection, error) {
	return session.Projection{}, nil
}

// A Kinship is two streams that share records.
type Kinship struct {
	Self, Other           session.Ref
	SelfFacts, OtherFacts session.StreamFacts
	// FirstOwn and FirstOwnOther: see store.Sibling.
	FirstOwn, FirstOwnOther int64
}

// OtherIsEarlier reports whether the shared records are the other stream's, and
// this one's copies of them.
func OtherIsEarlier(k Kinship) bool { return false }
