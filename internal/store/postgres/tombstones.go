package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
)

// bury puts up a tombstone, unless there is one.
func bury(ctx context.Context, tx pgx.Tx, sessionID string, with *string) error {
	_, err := tx.Exec(ctx, "INSERT INTO tapedeck.tombstone (session_id, went_with) VALUES ($1, $2) ON CONFLICT DO NOTHING", sessionID, with)
	return err
}

// leaveOutDeleted leaves out the portions of streams that were deleted, or whose
// parents were.
func (a *appending) leaveOutDeleted() error {
	asked := map[string]bool{}
	for _, p := range a.portions {
		for _, id := range p.ancestry() {
			asked[id] = true
		}
	}
	ids := make([]string, 0, len(asked))
	for id := range asked {
		ids = append(ids, id)
	}
	rows, err := a.tx.Query(a.ctx, "SELECT session_id FROM tapedeck.tombstone WHERE session_id = ANY($1)", ids)
	if err != nil {
		return err
	}
	buried := map[string]bool{}
	var id string
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error {
		buried[id] = true
		return nil
	}); err != nil || len(buried) == 0 {
		return err
	}
	return a.buryChildren(buried)
}

// buryChildren does so for all portions that go with a tombstone, and those that
// go with them.
func (a *appending) buryChildren(buried map[string]bool) error {
	for more := true; more; {
		more = false
		var left []*portion
		for _, p := range a.portions {
			ancestry := p.ancestry()
			i := slices.IndexFunc(ancestry, func(id string) bool { return buried[id] })
			if i < 0 {
				left = append(left, p)
				continue
			}
			more = true
			a.done.Deleted += p.given
			if i > 0 {
				buried[p.sessionID] = true
				if err := a.deleteAfterAll(p, ancestry[i]); err != nil {
					return err
				}
			}
		}
		a.portions = left
	}
	return nil
}

// deleteAfterAll buries a stream that turns out to belong to a deleted one, with
// what is there of it.
func (a *appending) deleteAfterAll(p *portion, with string) error {
	if err := bury(a.ctx, a.tx, p.sessionID, &with); err != nil {
		return err
	}
	rows, err := a.tx.Query(a.ctx, "SELECT id FROM tapedeck.stream WHERE session_id = $1", p.sessionID)
	if err != nil {
		return err
	}
	streams, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(streams) == 0 {
		return err
	}
	_, err = deleteStreams(a.ctx, a.tx, []doomed{{stream: streams[0], sessionID: p.sessionID, with: &with}})
	return err
}

// maxDepth bounds how deep a ref may lie in others as a sub-agent's: a key of
// nothing but slashes would take for ever.
const maxDepth = 32

// ancestry is the session_id of a portion's stream and those of what it may
// belong to: its parent as a fact, and what its and the parent's refs are
// sub-agents of.
func (p *portion) ancestry() []string {
	ids := []string{p.sessionID}
	if p.facts.Parent != nil {
		ids = append(ids, p.facts.Parent.SessionID())
	}
	for _, ref := range []*session.Ref{&p.ref, p.facts.Parent} {
		if ref == nil {
			continue
		}
		key := ref.Key
		for range maxDepth {
			i := strings.LastIndexByte(key, '/')
			if i < 0 {
				break
			}
			key = key[:i]
			ids = append(ids, session.Ref{Harness: ref.Harness, Key: key}.SessionID())
		}
	}
	return ids
}

// Restore implements store.Log.
func (s *Store) Restore(ctx context.Context, refs ...session.Ref) (int, error) {
	var lifted int
	err := s.write(ctx, func(tx pgx.Tx) error {
		var where conditions
		if len(refs) > 0 {
			ids := make([]string, len(refs))
			for i, ref := range refs {
				ids[i] = ref.SessionID()
			}
			where.add("session_id = ANY($)", ids)
		}
		rows, err := tx.Query(ctx, `WITH RECURSIVE lifted (session_id) AS (
				SELECT session_id FROM tapedeck.tombstone`+where.sql()+`
				UNION
				SELECT child.session_id FROM tapedeck.tombstone child JOIN lifted ON child.went_with = lifted.session_id
			)
			DELETE FROM tapedeck.tombstone WHERE session_id IN (SELECT session_id FROM lifted) RETURNING session_id`, where.args...)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		lifted = len(ids)
		_, err = tx.Exec(ctx, `DELETE FROM tapedeck.source WHERE id IN (
			SELECT source FROM tapedeck.source_stream WHERE session_id = ANY($1))`, ids)
		return err
	})
	return lifted, err
}
