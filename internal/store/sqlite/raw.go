package sqlite

import (
	"context"
	"encoding/hex"
	"fmt"

	"tapedeck/internal/store"
)

// Raw is a page of a session's raw records.
func (s *Store) Raw(ctx context.Context, sessionID string, withBodies bool, page store.Page) (store.List[store.RawRecord], error) {
	list := store.List[store.RawRecord]{Items: []store.RawRecord{}}
	err := s.read(ctx, func(c *conn) error {
		found, err := c.resolve(sessionID, withStreams)
		if err != nil {
			return err
		}
		listing := "raw of " + found.streamSID
		after, err := page.After(listing, 4, 2)
		if err != nil {
			return err
		}
		if list.Total, err = c.number("SELECT count(*) FROM record WHERE stream = ?", found.stream); err != nil {
			return err
		}
		rows, err := c.rawRows(found.stream, after, page.Size()+1)
		if err != nil {
			return err
		}
		if len(rows) > page.Size() {
			rows = rows[:page.Size()]
			list.Next = rawPosition(rows[len(rows)-1]).Cursor(listing)
		}
		for _, v := range rows {
			r := store.RawRecord{Key: v.Key, Version: v.Version, At: v.At, Bytes: v.size, SHA256: hex.EncodeToString(v.sum[:])}
			if withBodies {
				if r.Body, err = c.bodyOf(v); err != nil {
					return err
				}
			}
			list.Items = append(list.Items, r)
		}
		return nil
	})
	return list, err
}

// rawPosition is where a record stands among the raw ones.
func rawPosition(v *version) store.Position {
	placed := int64(0)
	if v.Order != 0 {
		placed = 1
	}
	return store.Position{Numbers: []int64{placed, v.Order, v.Pos, v.Version}, Texts: []string{v.Key, hex.EncodeToString(v.sum[:])}}
}

// rawRows are the next rows of a stream, all versions.
func (c *conn) rawRows(stream int64, after *store.Position, limit int) (rows []*version, err error) {
	const order = " ORDER BY r.ord, r.pos, r.key, r.version, r.sum LIMIT ?"
	if after == nil || after.Numbers[0] == 0 {
		where, args := "WHERE r.stream = ? AND r.ord = 0", []any{stream}
		if after != nil {
			sum, err := hex.DecodeString(after.Texts[1])
			if err != nil {
				return nil, fmt.Errorf("%w: %w", store.ErrCursor, err)
			}
			where += " AND (r.pos, r.key, r.version, r.sum) > (?, ?, ?, ?)"
			args = append(args, after.Numbers[2], after.Texts[0], after.Numbers[3], sum)
			after = nil
		}
		if rows, err = c.records(where+order, append(args, limit)...); err != nil || len(rows) == limit {
			return rows, err
		}
	}
	where, args := "WHERE r.stream = ? AND r.ord <> 0", []any{stream}
	if after != nil {
		sum, err := hex.DecodeString(after.Texts[1])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", store.ErrCursor, err)
		}
		where += " AND r.ord >= ? AND (r.ord, r.pos, r.key, r.version, r.sum) > (?, ?, ?, ?, ?)"
		args = append(args, after.Numbers[1], after.Numbers[1], after.Numbers[2], after.Texts[0], after.Numbers[3], sum)
	}
	placed, err := c.records(where+order, append(args, limit-len(rows))...)
	return append(rows, placed...), err
}
