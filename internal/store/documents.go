package store

import (
	"context"

	"tapedeck/internal/session"
)

// Documents are looked up by the hash of their text, for vectors that lie in another
// database and so know nothing but that. Both stores implement it.
type Documents interface {
	// Identity is made with the store, at random: it tells one store's vectors from
	// another's in a database that keeps those of several.
	Identity(context.Context) (string, error)
	// Followed is that of IndexState, without counting anything.
	Followed(context.Context) (int64, error)
	// Changes and IndexState are those of Index: documents are made of changes up to
	// IndexState.Followed.
	Changes(ctx context.Context, after int64, limit int) ([]TraceChange, error)
	IndexState(context.Context) (IndexState, error)
	// TraceTexts are the texts of all documents of traces.
	TraceTexts(ctx context.Context, traceIDs []string) ([]TraceText, error)
	// TextsByHash are texts by their hash; those that are gone are left out.
	TextsByHash(ctx context.Context, hashes []string) (map[string]string, error)
	// ChosenHashes are the hashes, each once, of documents that a filter chooses, if
	// these are at most limit; otherwise they are many, and none are returned.
	ChosenHashes(ctx context.Context, f IndexFilter, limit int) (hashes []string, many bool, err error)
	// ChosenHits are the documents with these hashes that a filter chooses, in no
	// order, without a score or chunk.
	ChosenHits(ctx context.Context, hashes []string, f IndexFilter) ([]IndexHit, error)
	// DropGenerations drops all vectors that lie beside the documents.
	DropGenerations(context.Context) error
}

// A TraceText is the text of a trace's document.
type TraceText struct {
	TraceID   string
	SessionID string
	Hash      string
	StartedAt session.Time // of the document
}

// DistantVectors is a VectorIndex that lies in another database than the documents,
// which it follows.
type DistantVectors interface {
	VectorIndex
	// Follow takes over which texts documents have: vectors of those that are gone
	// go, new ones are Missing. Missing does so by itself.
	Follow(context.Context) error
	// Forget drops the vectors of deleted sessions at once, but for texts that others
	// have.
	Forget(ctx context.Context, sessionIDs []string) error
	// Location is where they lie, without a password.
	Location() string
	Close() error
}
