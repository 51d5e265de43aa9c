package sqlite

import (
	"context"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const streamColumns = `SELECT harness, key, parent_harness, parent_key, fork_harness, fork_key, version, records, derived, deriver,
	checkpoints, fresh_order, fresh_pos, fresh_key, shared FROM stream `

func scanStream(r *row) store.Stream {
	return store.Stream{
		Ref: r.ref(), Facts: r.facts(), Version: r.int(), Records: r.int(), Derived: r.int(), Deriver: r.text(),
		Checkpoints: r.blob(), Fresh: session.Place{Order: r.int(), Pos: r.int(), Key: r.text()}, Shared: r.bool(),
	}
}

// Streams are all streams after one.
func (s *Store) Streams(ctx context.Context, after session.Ref, limit int) (list []store.Stream, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.each(streamColumns+"WHERE deleted_by IS NULL AND (harness, key) > (?, ?) ORDER BY harness, key LIMIT ?",
			[]any{after.Harness, after.Key, noneBelow1(limit)}, func(r *row) error {
				list = append(list, scanStream(r))
				return nil
			})
	})
	return list, err
}

// noneBelow1 is the limit as SQLite has it: negative is none.
func noneBelow1(limit int) int {
	if limit < 1 {
		return -1
	}
	return limit
}

// Pending are streams that are to be derived.
func (s *Store) Pending(ctx context.Context, deriver string, limit int) (list []store.Stream, err error) {
	take := func(r *row) error {
		list = append(list, scanStream(r))
		return nil
	}
	err = s.read(ctx, func(c *conn) error {
		// Each part is in order by an index, and ends at the limit.
		err := c.each(streamColumns+"WHERE derived <> version AND records > 0 ORDER BY version, id LIMIT ?", []any{noneBelow1(limit)}, take)
		if err != nil {
			return err
		}
		others, err := c.derivers(deriver)
		if err != nil {
			return err
		}
		for _, other := range others {
			err := c.each(streamColumns+"WHERE deriver = ? AND derived = version AND records > 0 ORDER BY version, id LIMIT ?",
				[]any{other, noneBelow1(limit)}, take)
			if err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b store.Stream) int { return int(a.Version - b.Version) })
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list, err
}

// derivers are those that derived anything, but one.
func (c *conn) derivers(but string) (list []string, err error) {
	err = c.each(`WITH RECURSIVE d (name) AS (SELECT min(deriver) FROM stream UNION ALL
		SELECT (SELECT min(deriver) FROM stream WHERE deriver > d.name) FROM d WHERE d.name IS NOT NULL)
		SELECT name FROM d WHERE name IS NOT NULL AND name <> ?`, []any{but}, func(r *row) error {
		list = append(list, r.text())
		return nil
	})
	return list, err
}

// Rederive marks streams to be derived again.
func (s *Store) Rederive(ctx context.Context, sessionID string) (n int, err error) {
	err = s.write(ctx, func(c *conn) error {
		var one int64 // 0: all
		if sessionID != "" {
			found, err := c.resolve(sessionID, withStreams)
			if err != nil {
				return err
			}
			one = found.stream
		}
		change, err := c.number("UPDATE counter SET change = change + 1 RETURNING change")
		if err != nil {
			return err
		}
		changed, err := c.exec(`UPDATE stream SET version = ?1, fresh_order = 0, fresh_pos = 0, fresh_key = ''
			WHERE records > 0 AND (?2 = 0 OR id = ?2)`, change, one)
		n = int(changed)
		return err
	})
	return n, err
}
