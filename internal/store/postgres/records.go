package postgres

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/body"
)

// Bounds of what is read of a stream's bodies at a time.
const (
	readRecords = 256
	readBytes   = 8 << 20
)

// Records implements store.Log. What records there are is read at once, their
// bodies some at a time, each in a transaction of its own: whoever reads may take
// long, and ask the store other things meanwhile. Project finds out whether the
// stream changed in between.
func (s *Store) Records(ctx context.Context, ref session.Ref, from session.Place) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		var rows []*row
		err := s.read(ctx, func(tx pgx.Tx) error {
			var err error
			rows, err = effectiveRows(ctx, tx, ref, from)
			return err
		})
		for err == nil && len(rows) > 0 {
			part := rows[:portionOf(rows)]
			rows = rows[len(part):]
			var bodies [][]byte
			if bodies, err = s.bodiesOf(ctx, part); err != nil {
				break
			}
			for i, r := range part {
				if !yield(r.record(bodies[i]), nil) {
					return
				}
			}
		}
		if err != nil {
			yield(session.Record{}, fmt.Errorf("records of %s: %w", ref, err))
		}
	}
}

// portionOf is how many of the rows are read next: at least one.
func portionOf(rows []*row) int {
	var bytes int64
	for i, r := range rows {
		if bytes += r.size; i > 0 && (i == readRecords || bytes > readBytes) {
			return i
		}
	}
	return len(rows)
}

// bodiesOf reads the bodies of rows.
func (s *Store) bodiesOf(ctx context.Context, rows []*row) ([][]byte, error) {
	var bodies [][]byte
	err := s.read(ctx, func(tx pgx.Tx) error {
		var err error
		bodies, err = readRowBodies(ctx, tx, rows)
		return err
	})
	return bodies, err
}

func readRowBodies(ctx context.Context, tx pgx.Tx, rows []*row) ([][]byte, error) {
	roots := make([]body.ID, len(rows))
	sizes := make([]int64, len(rows))
	for i, r := range rows {
		roots[i], sizes[i] = body.Root(r.sum), r.size
	}
	return readBodies(ctx, tx, roots, sizes)
}

func (r *row) record(body []byte) session.Record {
	return session.Record{
		Key: r.key, Version: r.version, Origin: r.origin, About: r.about, Order: r.order, Pos: r.pos, At: r.at, Body: body,
	}
}

// effectiveRows are the rows of a stream's records, in their order: its own
// without those about something else, and what all streams tell of its origins.
func effectiveRows(ctx context.Context, tx pgx.Tx, ref session.Ref, from session.Place) ([]*row, error) {
	var stream int64
	there, err := found(tx.QueryRow(ctx, "SELECT id FROM tapedeck.stream WHERE session_id = $1", ref.SessionID()).Scan(&stream))
	if err != nil || !there {
		return nil, err
	}
	told, err := selectRows(ctx, tx, `WHERE counts AND about_id IN (
		SELECT origin_id FROM tapedeck.record WHERE stream = $1 AND origin_id IS NOT NULL)`, stream)
	if err != nil {
		return nil, err
	}
	var where conditions
	where.add("stream = $ AND counts AND about_id IS NULL", stream)
	if from != (session.Place{}) {
		where.add("(ord = 0 OR (ord, pos, key) >= ($, $, $))", from.Order, from.Pos, []byte(from.Key))
	}
	own, err := selectRows(ctx, tx, where.sql(), where.args...)
	if err != nil {
		return nil, err
	}
	if len(told) > 0 {
		if own, err = mergeTold(ctx, tx, stream, own, told, from); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(own, comparePlaces)
	return own, nil
}

// mergeTold adds what is told to a stream's own rows; of those with one key one
// counts, wherever it stands.
func mergeTold(ctx context.Context, tx pgx.Tx, stream int64, own, told []*row, from session.Place) ([]*row, error) {
	best := make(map[digest]*row, len(told))
	keys := make([][16]byte, 0, len(told))
	for _, r := range told {
		keys = append(keys, r.keyID)
		if b := best[r.keyID]; b == nil || cmp.Or(r.rank(b), comparePlaces(r, b)) < 0 {
			best[r.keyID] = r
		}
	}
	rivals, err := selectRows(ctx, tx, "WHERE stream = $1 AND key_id = ANY($2::uuid[]) AND counts AND about_id IS NULL", stream, keys)
	if err != nil {
		return nil, err
	}
	for _, r := range rivals {
		if r.rank(best[r.keyID]) <= 0 {
			delete(best, r.keyID)
		}
	}
	own = slices.DeleteFunc(own, func(r *row) bool { return best[r.keyID] != nil })
	for _, r := range best {
		if r.order == 0 || from == (session.Place{}) || !r.place().Before(from) {
			own = append(own, r)
		}
	}
	return own, nil
}

// Siblings implements store.Log.
func (s *Store) Siblings(ctx context.Context, ref session.Ref) ([]store.Sibling, error) {
	siblings := []store.Sibling{}
	err := s.read(ctx, func(tx pgx.Tx) error {
		var stream int64
		there, err := found(tx.QueryRow(ctx, "SELECT id FROM tapedeck.stream WHERE session_id = $1", ref.SessionID()).Scan(&stream))
		if err != nil || !there {
			return err
		}
		others, err := selectStreams(ctx, tx, "WHERE id IN (SELECT other FROM tapedeck.sibling WHERE stream = $1) ORDER BY harness, key", stream)
		if err != nil || len(others) == 0 {
			return err
		}
		ids := []int64{stream}
		index := make(map[int64]*store.Sibling, len(others))
		for _, other := range others {
			siblings = append(siblings, store.Sibling{Stream: other.Stream, Shared: map[string]bool{}})
		}
		for i, other := range others {
			ids = append(ids, other.id)
			index[other.id] = &siblings[i]
		}
		firsts, err := selectFirstOwn(ctx, tx, ids)
		if err != nil {
			return err
		}
		for id, sibling := range index {
			sibling.FirstOwn, sibling.FirstOwnOther = firsts[pair{stream, id}], firsts[pair{id, stream}]
		}
		return readShared(ctx, tx, stream, index)
	})
	return siblings, err
}

// readShared reads the origins that a stream shares with each of the others.
func readShared(ctx context.Context, tx pgx.Tx, stream int64, others map[int64]*store.Sibling) error {
	rows, err := tx.Query(ctx, `SELECT DISTINCT other.stream, own.origin FROM tapedeck.record own
		JOIN tapedeck.record other ON other.origin_id = own.origin_id AND other.stream <> own.stream WHERE own.stream = $1`, stream)
	if err != nil {
		return err
	}
	var other int64
	var origin []byte
	_, err = pgx.ForEachRow(rows, []any{&other, &origin}, func() error {
		if sibling := others[other]; sibling != nil {
			sibling.Shared[string(origin)] = true
		}
		return nil
	})
	return err
}

// Raw implements store.Log.
func (s *Store) Raw(ctx context.Context, sessionID string, withBodies bool, page store.Page) (store.List[store.RawRecord], error) {
	list := store.List[store.RawRecord]{Items: []store.RawRecord{}}
	err := s.read(ctx, func(tx pgx.Tx) error {
		stream, err := streamOf(ctx, tx, sessionID)
		if err != nil {
			return err
		}
		var sessionID string
		if err := tx.QueryRow(ctx, "SELECT session_id FROM tapedeck.stream WHERE id = $1", stream).Scan(&sessionID); err != nil {
			return err
		}
		listing := "raw of " + sessionID
		where, err := rawAfter(listing, stream, page)
		if err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM tapedeck.record WHERE stream = $1", stream).Scan(&list.Total); err != nil {
			return err
		}
		rows, err := selectRows(ctx, tx, where.sql()+fmt.Sprint(" ORDER BY ord <> 0, ord, pos, key, version, sum LIMIT ", page.Size()+1), where.args...)
		if err != nil {
			return err
		}
		if len(rows) > page.Size() {
			rows = rows[:page.Size()]
			list.Next = rawPosition(rows[len(rows)-1]).Cursor(listing)
		}
		bodies := make([][]byte, len(rows))
		if withBodies {
			if bodies, err = readRowBodies(ctx, tx, rows); err != nil {
				return err
			}
		}
		for i, r := range rows {
			list.Items = append(list.Items, store.RawRecord{
				Key: r.key, Version: r.version, At: r.at, Bytes: r.size, SHA256: hex.EncodeToString(r.sum[:]), Body: bodies[i],
			})
		}
		return nil
	})
	return list, err
}

// rawPosition is where a listing of raw records ends with this row.
func rawPosition(r *row) store.Position {
	placed := int64(0)
	if r.order != 0 {
		placed = 1
	}
	return store.Position{Numbers: []int64{placed, r.order, r.pos, r.version}, Texts: []string{r.key, hex.EncodeToString(r.sum[:])}}
}

// rawAfter are the conditions of a page of a stream's raw records.
func rawAfter(listing string, stream int64, page store.Page) (conditions, error) {
	var where conditions
	where.add("stream = $", stream)
	after, err := page.After(listing, 4, 2)
	if err != nil || after == nil {
		return where, err
	}
	sum, err := hex.DecodeString(after.Texts[1])
	if err != nil {
		return where, fmt.Errorf("%w: %.40q", store.ErrCursor, page.Cursor)
	}
	n := after.Numbers
	where.add("(ord <> 0, ord, pos, key, version, sum) > ($, $, $, $, $, $)", n[0] != 0, n[1], n[2], []byte(after.Texts[0]), n[3], sum)
	return where, nil
}
