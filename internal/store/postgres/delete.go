package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/body"
)

// Delete implements store.Reader.
func (s *Store) Delete(ctx context.Context, id string) ([]string, error) {
	var gone []string
	err := s.write(ctx, func(tx pgx.Tx) error {
		stream, err := streamOf(ctx, tx, id)
		if err != nil {
			return err
		}
		own, err := ownSession(ctx, tx, stream, id)
		if err != nil {
			return err
		}
		gone, err = deleteStreams(ctx, tx, []doomed{{stream: stream, sessionID: own}})
		return err
	})
	return gone, err
}

// ownSession is the session_id of a stream, which must be what id means: a thread
// inside of it can't be deleted alone.
func ownSession(ctx context.Context, tx pgx.Tx, stream int64, id string) (string, error) {
	var own string
	if err := tx.QueryRow(ctx, "SELECT session_id FROM tapedeck.stream WHERE id = $1", stream).Scan(&own); err != nil {
		return "", err
	}
	meant, err := resolve(ctx, tx, id)
	if err == nil && meant != own {
		return "", fmt.Errorf("session %s: %w; delete %s", meant, store.ErrInside, own)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	return own, nil
}

// A doomed stream is one that is being deleted.
type doomed struct {
	stream    int64
	sessionID string
	with      *string // session_id of the one that it goes with; nil: of none
}

// deleteStreams deletes streams with those of their sub-agents, and returns which
// sessions are gone, in order.
func deleteStreams(ctx context.Context, tx pgx.Tx, roots []doomed) ([]string, error) {
	all, err := withSubagents(ctx, tx, roots)
	if err != nil {
		return nil, err
	}
	streams := make([]int64, len(all))
	sessions := make([]string, len(all))
	for i, d := range all {
		streams[i], sessions[i] = d.stream, d.sessionID
		if err := bury(ctx, tx, d.sessionID, d.with); err != nil {
			return nil, err
		}
	}
	if err := changeNeighbours(ctx, tx, streams); err != nil {
		return nil, err
	}
	derived, err := deleteSessions(ctx, tx, "stream = ANY($1)", streams)
	if err != nil {
		return nil, err
	}
	sessions = append(sessions, derived...)
	slices.Sort(sessions)
	sessions = slices.Compact(sessions)
	if _, err := tx.Exec(ctx, "DELETE FROM tapedeck.display_name WHERE session_id = ANY($1)", sessions); err != nil {
		return nil, err
	}
	return sessions, deleteRecords(ctx, tx, streams)
}

// subagentsOf are the streams of sub-agents of streams $1, with the session_id
// that they belong to: by their facts, by their refs, and as derived.
const subagentsOf = `
	SELECT child.id, child.session_id, parent.session_id
	FROM tapedeck.stream parent JOIN tapedeck.stream child ON child.parent_id = parent.session_id
	WHERE parent.id = ANY($1)
	UNION ALL
	SELECT child.id, child.session_id, parent.session_id
	FROM tapedeck.stream parent JOIN tapedeck.stream child ON child.harness = parent.harness
		AND substring(child.key FROM 1 FOR 500) >= substring(parent.key || '/' FROM 1 FOR 500)
		AND substring(child.key FROM 1 FOR 500) <= substring(parent.key || '0' FROM 1 FOR 500)
		AND child.key > parent.key || '/' AND child.key < parent.key || '0' -- which follows "/"
	WHERE parent.id = ANY($1)
	UNION ALL
	SELECT child.id, child.session_id, parent.session_id
	FROM tapedeck.stream parent JOIN tapedeck.session above ON above.stream = parent.id
		JOIN tapedeck.stream child ON child.parent_id = above.id
	WHERE parent.id = ANY($1)
	UNION ALL
	SELECT child.id, child.session_id, parent.session_id
	FROM tapedeck.stream parent JOIN tapedeck.session above ON above.stream = parent.id
		JOIN tapedeck.session below ON below.parent_id = above.id AND below.parent_relation = 'subagent'
		JOIN tapedeck.stream child ON child.session_id = below.id
	WHERE parent.id = ANY($1)`

// withSubagents adds the streams of sub-agents, and of theirs.
func withSubagents(ctx context.Context, tx pgx.Tx, roots []doomed) ([]doomed, error) {
	var all []doomed
	known := map[int64]bool{}
	for level := roots; len(level) > 0; {
		var streams []int64
		for _, d := range level {
			if !known[d.stream] {
				known[d.stream] = true
				streams, all = append(streams, d.stream), append(all, d)
			}
		}
		rows, err := tx.Query(ctx, subagentsOf, streams)
		if err != nil {
			return nil, err
		}
		level, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (doomed, error) {
			var d doomed
			err := row.Scan(&d.stream, &d.sessionID, &d.with)
			return d, err
		})
		if err != nil {
			return nil, err
		}
		level = slices.DeleteFunc(level, func(d doomed) bool { return known[d.stream] })
	}
	return all, nil
}

// changeNeighbours has those streams derived again that took something from the
// ones that go: their siblings, and the holders of what they told of.
func changeNeighbours(ctx context.Context, tx pgx.Tx, streams []int64) error {
	c := newChanges()
	rows, err := tx.Query(ctx, "SELECT DISTINCT stream FROM tapedeck.sibling WHERE other = ANY($1) AND stream <> ALL($1) ORDER BY stream", streams)
	if err != nil {
		return err
	}
	siblings, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, stream := range siblings {
		c.restart(stream)
	}
	rows, err = tx.Query(ctx, `SELECT DISTINCT holder.stream, told.ord, told.pos, told.key
		FROM tapedeck.record told JOIN tapedeck.record holder ON holder.origin_id = told.about_id
		WHERE told.stream = ANY($1) AND told.counts AND told.about_id IS NOT NULL AND holder.stream <> ALL($1)
		ORDER BY holder.stream`, streams)
	if err != nil {
		return err
	}
	var holder int64
	var at session.Place
	var key []byte
	_, err = pgx.ForEachRow(rows, []any{&holder, &at.Order, &at.Pos, &key}, func() error {
		at.Key = string(key)
		c.touch(holder, at)
		return nil
	})
	if err != nil {
		return err
	}
	return c.apply(ctx, tx)
}

// deleteRecords deletes what the log has of streams.
func deleteRecords(ctx context.Context, tx pgx.Tx, streams []int64) error {
	if _, err := tx.Exec(ctx, "DELETE FROM tapedeck.sibling WHERE stream = ANY($1) OR other = ANY($1)", streams); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, "DELETE FROM tapedeck.record WHERE stream = ANY($1) RETURNING body", streams)
	if err != nil {
		return err
	}
	var roots []body.ID
	var root [16]byte
	if _, err := pgx.ForEachRow(rows, []any{&root}, func() error {
		roots = append(roots, root)
		return nil
	}); err != nil {
		return err
	}
	if err := dropBodies(ctx, tx, roots); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "DELETE FROM tapedeck.stream WHERE id = ANY($1)", streams)
	return err
}
