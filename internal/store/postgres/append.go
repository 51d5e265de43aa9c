package postgres

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/body"
)

// Append implements store.Log.
func (s *Store) Append(ctx context.Context, b store.Batch) (store.Appended, error) {
	var done store.Appended
	sums := sumsOf(b) // before others have to wait
	err := s.write(ctx, func(tx pgx.Tx) error {
		a := appending{ctx: ctx, tx: tx, changes: newChanges(), portions: portionsOf(b, sums)}
		err := a.run(b.Source)
		done = a.done
		return err
	})
	if err != nil {
		return store.Appended{}, err
	}
	return done, nil
}

// A portion is what a batch has of one stream.
type portion struct {
	ref       session.Ref
	sessionID string
	facts     session.StreamFacts
	given     int // records, with repeated ones
	rows      []*row
	stream    int64
	keys      int64 // that are new
}

// sumsOf are the hashes of a batch's bodies, in order.
func sumsOf(b store.Batch) []body.Sum {
	var sums []body.Sum
	for _, sr := range b.Streams {
		for _, r := range sr.Records {
			sums = append(sums, sha256.Sum256(r.Body))
		}
	}
	return sums
}

// portionsOf are a batch's portions, one a stream, in the order of their first.
func portionsOf(b store.Batch, sums []body.Sum) []*portion {
	index := make(map[session.Ref]*portion, len(b.Streams))
	portions := make([]*portion, 0, len(b.Streams))
	for i := range b.Streams {
		sr := &b.Streams[i]
		p := index[sr.Ref]
		if p == nil {
			p = &portion{ref: sr.Ref, sessionID: sr.Ref.SessionID()}
			index[sr.Ref] = p
			portions = append(portions, p)
		}
		p.facts = mergeFacts(p.facts, sr.Facts)
		p.given += len(sr.Records)
		for k := range sr.Records {
			p.rows = append(p.rows, newRow(&sr.Records[k], sums[k]))
		}
		sums = sums[len(sr.Records):]
	}
	return portions
}

// mergeFacts adds what is not known yet. Of facts that disagree the lesser is
// kept, so that the order in which they come makes no difference.
func mergeFacts(a, b session.StreamFacts) session.StreamFacts {
	return session.StreamFacts{Parent: lesser(a.Parent, b.Parent), ForkedFrom: lesser(a.ForkedFrom, b.ForkedFrom)}
}

func lesser(a, b *session.Ref) *session.Ref {
	if a == nil || b != nil && (b.Harness < a.Harness || b.Harness == a.Harness && b.Key < a.Key) {
		return b
	}
	return a
}

// appending is one batch on its way into the store.
type appending struct {
	ctx      context.Context
	tx       pgx.Tx
	portions []*portion
	changes  *changes
	done     store.Appended

	fresh   []*row  // that are not in the database
	changed []*row  // that are there with another place, or counted otherwise
	touched []*row  // whose coming, going or moving concerns who reads them
	holders holders // of the origins that the batch brings or tells of
	arrived holders // those of them that came with the batch
}

func (a *appending) run(source *store.Source) error {
	for _, step := range []func() error{
		func() error { return noteSource(a.ctx, a.tx, source, a.portions) },
		a.leaveOutDeleted,
		a.openStreams,
		a.meetKnown,
		a.write,
		a.noteTold,
		a.noteSiblings,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return a.changes.apply(a.ctx, a.tx)
}

// openStreams makes the streams that are new, and merges facts.
func (a *appending) openStreams() error {
	ids := make([]string, len(a.portions))
	for i, p := range a.portions {
		ids[i] = p.sessionID
	}
	known, err := selectStreams(a.ctx, a.tx, "WHERE session_id = ANY($1)", ids)
	if err != nil {
		return err
	}
	index := make(map[session.Ref]*storedStream, len(known))
	for i := range known {
		index[known[i].Ref] = &known[i]
	}
	for _, p := range a.portions {
		stream := index[p.ref]
		if stream == nil {
			if p.stream, err = insertStream(a.ctx, a.tx, p); err != nil {
				return err
			}
			a.changes.bump(p.stream)
			continue
		}
		p.stream = stream.id
		merged := mergeFacts(stream.Facts, p.facts)
		if equalRefs(merged.Parent, stream.Facts.Parent) && equalRefs(merged.ForkedFrom, stream.Facts.ForkedFrom) {
			continue
		}
		if err := updateFacts(a.ctx, a.tx, p.stream, merged); err != nil {
			return err
		}
		a.changes.restart(p.stream)
		if err := a.restartSiblings(p.stream); err != nil {
			return err
		}
	}
	return nil
}

func equalRefs(a, b *session.Ref) bool { return a == b || a != nil && b != nil && *a == *b }

// restartSiblings has the siblings of a stream derived again from their start.
func (a *appending) restartSiblings(stream int64) error {
	rows, err := a.tx.Query(a.ctx, "SELECT other FROM tapedeck.sibling WHERE stream = $1", stream)
	if err != nil {
		return err
	}
	others, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, other := range others {
		a.changes.restart(other)
	}
	return err
}

// insertStream makes a stream. A session of its identifier may be there, derived
// from another stream: the first projection of this one takes it over.
func insertStream(ctx context.Context, tx pgx.Tx, p *portion) (int64, error) {
	var id int64
	err := tx.QueryRow(ctx, "INSERT INTO tapedeck.stream (session_id, harness, key, version) VALUES ($1, $2, $3, 0) RETURNING id",
		p.sessionID, []byte(p.ref.Harness), []byte(p.ref.Key)).Scan(&id)
	if err != nil || p.facts == (session.StreamFacts{}) {
		return id, err
	}
	return id, updateFacts(ctx, tx, id, p.facts)
}

func updateFacts(ctx context.Context, tx pgx.Tx, stream int64, f session.StreamFacts) error {
	var parentHarness, parentKey, forkedHarness, forkedKey []byte
	var parentID *string
	if f.Parent != nil {
		id := f.Parent.SessionID()
		parentHarness, parentKey, parentID = []byte(f.Parent.Harness), []byte(f.Parent.Key), &id
	}
	if f.ForkedFrom != nil {
		forkedHarness, forkedKey = []byte(f.ForkedFrom.Harness), []byte(f.ForkedFrom.Key)
	}
	_, err := tx.Exec(ctx, `UPDATE tapedeck.stream SET parent_harness = $2, parent_key = $3, parent_id = $4, forked_harness = $5,
		forked_key = $6 WHERE id = $1`, stream, parentHarness, parentKey, parentID, forkedHarness, forkedKey)
	return err
}

// A streamKey names the rows of one key in a stream.
type streamKey struct {
	stream int64
	key    digest
}

// meetKnown tells the rows that are new from those that are there, and which
// count.
func (a *appending) meetKnown() error {
	rows, err := a.sameKeys()
	if err != nil {
		return err
	}
	for _, p := range a.portions {
		met := map[streamKey]bool{}
		for _, r := range p.rows {
			r.stream = p.stream
			k := streamKey{r.stream, r.keyID}
			if rows[k] == nil {
				p.keys++
			}
			met[k] = true
			if i := slices.IndexFunc(rows[k], r.same); i >= 0 {
				rows[k][i].meet(r)
				a.done.Known++
				continue
			}
			rows[k] = append(rows[k], r)
			a.fresh = append(a.fresh, r)
			a.done.New++
		}
		for k := range met {
			a.settle(rows[k])
		}
	}
	return nil
}

// sameKeys are the rows in the database that have keys of the batch.
func (a *appending) sameKeys() (map[streamKey][]*row, error) {
	var streams []int64
	var keys [][16]byte
	asked := map[streamKey]bool{}
	for _, p := range a.portions {
		for _, r := range p.rows {
			if k := (streamKey{p.stream, r.keyID}); !asked[k] {
				asked[k] = true
				streams, keys = append(streams, k.stream), append(keys, k.key)
			}
		}
	}
	found := make(map[streamKey][]*row, len(asked))
	if len(asked) == 0 {
		return found, nil
	}
	rows, err := selectRows(a.ctx, a.tx, `JOIN unnest($1::bigint[], $2::uuid[]) AS asked (stream, key_id)
		ON record.stream = asked.stream AND record.key_id = asked.key_id`, streams, keys)
	for _, r := range rows {
		k := streamKey{r.stream, r.keyID}
		found[k] = append(found[k], r)
	}
	return found, err
}

// settle says which of a key's rows counts, and what that concerns.
func (a *appending) settle(rows []*row) {
	best := slices.MinFunc(rows, (*row).rank)
	for _, r := range rows {
		known, before := r.body == nil, r.counts
		r.counts = r == best
		if known && (r.moved || before != r.counts) {
			a.changed = append(a.changed, r)
		}
		if before != r.counts || r.counts && r.moved {
			a.touched = append(a.touched, r)
		}
	}
}

// write writes the rows.
func (a *appending) write() error {
	roots := make([]*body.Piece, len(a.fresh))
	for i, r := range a.fresh {
		roots[i] = body.Cut(r.body, r.sum)
	}
	if err := keepBodies(a.ctx, a.tx, roots); err != nil {
		return err
	}
	if err := a.rememberHolders(); err != nil {
		return err
	}
	if err := insertRows(a.ctx, a.tx, a.fresh); err != nil {
		return err
	}
	if err := a.updateRows(); err != nil {
		return err
	}
	var batch pgx.Batch
	for _, p := range a.portions {
		if p.keys > 0 {
			batch.Queue("UPDATE tapedeck.stream SET records = records + $2 WHERE id = $1", p.stream, p.keys)
		}
	}
	return a.tx.SendBatch(a.ctx, &batch).Close()
}

// updateRows writes the places and marks of rows that were there.
func (a *appending) updateRows() error {
	if len(a.changed) == 0 {
		return nil
	}
	var batch pgx.Batch
	for _, r := range a.changed {
		originColumns, aboutColumns := nullable(r.origin), nullable(r.about)
		batch.Queue(`UPDATE tapedeck.record SET ord = $5, pos = $6, at = $7, counts = $8, origin = $9, origin_id = $10, about = $11, about_id = $12
			WHERE stream = $1 AND key_id = $2 AND version = $3 AND body = $4`,
			r.stream, [16]byte(r.keyID), r.version, [16]byte(body.Root(r.sum)), r.order, r.pos, r.at, r.counts,
			originColumns[0], originColumns[1], aboutColumns[0], aboutColumns[1])
	}
	return a.tx.SendBatch(a.ctx, &batch).Close()
}
