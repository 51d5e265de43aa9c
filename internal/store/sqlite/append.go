package sqlite

import (
	"context"
	"crypto/sha256"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/body"
)

// Append takes records.
func (s *Store) Append(ctx context.Context, b store.Batch) (store.Appended, error) {
	sums := make([][]body.Sum, len(b.Streams)) // hashed before others have to wait
	for i, stream := range b.Streams {
		sums[i] = make([]body.Sum, len(stream.Records))
		for j, r := range stream.Records {
			sums[i][j] = sha256.Sum256(r.Body)
		}
	}
	var n store.Appended
	err := s.write(ctx, func(c *conn) error {
		a := newAppender(c)
		if err := a.source(b.Source); err != nil {
			return err
		}
		for i, stream := range b.Streams {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := a.stream(stream, sums[i]); err != nil {
				return err
			}
		}
		n = a.count
		return a.changes.write()
	})
	if err != nil {
		return store.Appended{}, err
	}
	return n, nil
}

// appender takes one batch.
type appender struct {
	conn       *conn
	changes    *changes
	pieces     *pieces
	records    *bulk
	count      store.Appended
	sourceID   int64 // 0: none
	tombstones bool  // there are some
	abouts     bool  // there are records about others
	asked      bool  // both were looked up
}

func newAppender(c *conn) *appender {
	return &appender{
		conn: c, changes: newChanges(c), pieces: newPieces(c),
		records: newBulk(c, "record", "stream", "key_hash", "origin_hash", "about_hash", "counts", "version", "ord", "pos", "at",
			"size", "piece", "sum", "key", "origin", "about"),
	}
}

// stream takes the records of one stream.
func (a *appender) stream(in store.StreamRecords, sums []body.Sum) error {
	if err := a.ask(); err != nil {
		return err
	}
	st, err := a.changes.stream(in.Ref)
	if err != nil {
		return err
	}
	if err := a.noteSource(st); err != nil {
		return err
	}
	if err := a.facts(st, in.Facts); err != nil {
		return err
	}
	if a.tombstones {
		if err := a.bury(st); err != nil {
			return err
		}
	}
	if st.deleted {
		a.count.Deleted += len(in.Records)
		return nil
	}
	return a.take(st, in.Records, sums)
}

func (a *appender) ask() (err error) {
	if a.asked {
		return nil
	}
	a.asked = true
	_, err = a.conn.one(`SELECT EXISTS (SELECT 1 FROM stream WHERE deleted_by IS NOT NULL), EXISTS (SELECT 1 FROM record WHERE about_hash IS NOT NULL)`,
		nil, func(r *row) { a.tombstones, a.abouts = r.bool(), r.bool() })
	return err
}

// facts merges what is known of the stream.
func (a *appender) facts(st *streamState, f session.StreamFacts) error {
	parent, fork := lesser(st.facts.Parent, f.Parent), lesser(st.facts.ForkedFrom, f.ForkedFrom)
	if sameRef(parent, st.facts.Parent) && sameRef(fork, st.facts.ForkedFrom) {
		return nil
	}
	st.facts = session.StreamFacts{Parent: parent, ForkedFrom: fork}
	st.newFacts = true
	st.markAll()
	if !st.shared {
		return nil
	}
	return a.changes.markSiblings(st) // who is earlier may depend on facts
}

// lesser is the one of two facts that counts: the order in which they came makes
// no difference.
func lesser(a, b *session.Ref) *session.Ref {
	switch {
	case b == nil:
		return a
	case a == nil || compareRefs(*b, *a) < 0:
		ref := *b
		return &ref
	}
	return a
}

func sameRef(a, b *session.Ref) bool { return a == b || a != nil && b != nil && *a == *b }

// take takes records of a stream that is not deleted.
func (a *appender) take(st *streamState, records []session.Record, sums []body.Sum) error {
	versions, err := a.known(st, records)
	if err != nil {
		return err
	}
	for i, r := range records {
		if versions.add(r, sums[i]) {
			a.count.New++
		} else {
			a.count.Known++
		}
	}
	versions.settle()
	if len(versions.fresh)+len(versions.moved) == 0 {
		return nil
	}
	st.records += versions.newKeys
	if err := a.changes.before(st, versions); err != nil {
		return err
	}
	if err := a.insert(st, versions.fresh); err != nil {
		return err
	}
	for _, v := range versions.moved {
		if _, err := a.conn.exec("UPDATE record SET counts = ?, ord = ?, pos = ?, at = ?, origin = ?, origin_hash = ?, about = ?, about_hash = ? WHERE id = ?",
			v.counts, v.Order, v.Pos, int64(v.At), shortOrigin(v.Record), hashOrNull(v.Origin), orNull(v.About), hashOrNull(v.About), v.id); err != nil {
			return err
		}
	}
	return a.changes.after(st, versions, a.abouts)
}

// known are the versions that the stream has of the records' keys.
func (a *appender) known(st *streamState, records []session.Record) (*versions, error) {
	vs := newVersions(len(records))
	if st.records == 0 {
		return vs, nil
	}
	hashes := make([]any, len(records))
	for i, r := range records {
		hashes[i] = hash64(r.Key)
	}
	return vs, a.conn.lookup(recordColumns+"WHERE r.stream = ? AND r.key_hash", []any{st.id}, hashes, func(r *row) error {
		vs.known(scanRecord(r))
		return nil
	})
}

// origin is the next column's origin, which is stored as ” where it is the key.
func (r *row) origin(key string) string {
	if r.null() {
		return ""
	}
	if origin := r.text(); origin != "" {
		return origin
	}
	return key
}

func shortOrigin(r session.Record) any {
	if r.Origin == r.Key && r.Key != "" {
		return ""
	}
	return orNull(r.Origin)
}

// insert adds new records with their bodies.
func (a *appender) insert(st *streamState, fresh []*version) error {
	roots := make([]*body.Piece, len(fresh))
	for i, v := range fresh {
		roots[i] = body.Cut(v.Body, v.sum)
		a.abouts = a.abouts || v.About != ""
	}
	if err := a.pieces.keep(roots); err != nil {
		return err
	}
	for i, v := range fresh {
		if err := a.records.add(st.id, hash64(v.Key), hashOrNull(v.Origin), hashOrNull(v.About), v.counts, v.Version, v.Order, v.Pos,
			int64(v.At), v.size, a.pieces.id(roots[i].ID), v.sum[:], v.Key, shortOrigin(v.Record), orNull(v.About)); err != nil {
			return err
		}
	}
	return a.records.flush()
}
