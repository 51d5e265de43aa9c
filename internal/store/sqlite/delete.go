package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/body"
)

// Delete removes a session for good.
func (s *Store) Delete(ctx context.Context, id string) ([]string, error) {
	var gone []string
	err := s.write(ctx, func(c *conn) error {
		found, err := c.resolve(id, withStreams)
		if err != nil {
			return err
		}
		if !found.own {
			return fmt.Errorf("session %s: %w: delete session %s", found.sid, store.ErrInside, found.streamSID)
		}
		ch := newChanges(c)
		st, err := ch.get(found.stream)
		if err != nil {
			return err
		}
		d := newDeletion(ch, st.id)
		if err := d.tree(st); err != nil {
			return err
		}
		gone = slices.Sorted(maps.Keys(d.gone))
		return ch.write()
	})
	if err != nil {
		return nil, err
	}
	s.emptyLog(ctx)
	return gone, nil
}

// emptyLog copies the write-ahead log into the file and empties it, so that what
// was deleted is in neither. While others read it stays until a later checkpoint.
func (s *Store) emptyLog(ctx context.Context) {
	select {
	case c := <-s.writer:
		c.ctx = context.WithoutCancel(ctx)
		c.script("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 60000")
		s.writer <- c
	case <-ctx.Done():
	}
}

// deletion removes streams with their sub-agents' and leaves tombstones.
type deletion struct {
	conn    *conn
	changes *changes
	pieces  *pieces
	root    int64           // the stream with which all others go
	gone    map[string]bool // identifiers of sessions
}

func newDeletion(ch *changes, root int64) *deletion {
	return &deletion{conn: ch.conn, changes: ch, pieces: newPieces(ch.conn), root: root, gone: map[string]bool{}}
}

// tree removes a stream, its sub-agents' streams and theirs.
func (d *deletion) tree(st *streamState) error {
	siblings := map[int64]*streamState{}
	for todo := []*streamState{st}; len(todo) > 0; todo = todo[1:] {
		if todo[0].deleted {
			continue
		}
		children, err := d.children(todo[0])
		if err != nil {
			return err
		}
		todo = append(todo, children...)
		if err := d.stream(todo[0], siblings); err != nil {
			return err
		}
	}
	for _, other := range siblings {
		if err := d.leftAlone(other); err != nil {
			return err
		}
	}
	return nil
}

// children are the streams of a stream's sub-agents: by facts, by ref, and as
// derived.
func (d *deletion) children(st *streamState) (list []*streamState, err error) {
	below := st.ref.Sub("")
	err = d.conn.each(`SELECT id FROM stream WHERE parent_harness = ?1 AND parent_key = ?2
		UNION SELECT id FROM stream WHERE harness = ?1 AND key >= ?3 AND key < ?4
		UNION SELECT c.stream FROM session p JOIN session_rest r ON r.parent = p.sid JOIN session c ON c.id = r.session AND c.subagent AND c.own
		WHERE p.stream = ?5 ORDER BY 1`,
		[]any{st.ref.Harness, st.ref.Key, below.Key, strings.TrimSuffix(below.Key, "/") + "0", st.id}, func(r *row) error {
			child, err := d.changes.get(r.int())
			list = append(list, child)
			return err
		})
	return list, err
}

// stream removes one stream and adds its siblings to those that were.
func (d *deletion) stream(st *streamState, siblings map[int64]*streamState) error {
	list, err := d.changes.siblings(st)
	if err != nil {
		return err
	}
	for _, other := range list {
		siblings[other.id] = other
	}
	if err := d.markTold(st); err != nil {
		return err
	}
	if st.records > 0 {
		d.gone[st.ref.SessionID()] = true
	}
	if err := d.bodies(st); err != nil {
		return err
	}
	if err := d.conn.each("SELECT sid FROM session WHERE stream = ?", []any{st.id}, func(r *row) error {
		d.gone[r.text()] = true
		return nil
	}); err != nil {
		return err
	}
	for _, statement := range []string{
		"DELETE FROM name WHERE sid IN (SELECT sid FROM session WHERE stream = ?1 UNION SELECT sid FROM stream WHERE id = ?1)",
		"DELETE FROM session WHERE stream = ?",
		"DELETE FROM record WHERE stream = ?",
		"UPDATE stream SET derived = 0, deriver = '', checkpoints = NULL WHERE id = ?",
	} {
		if _, err := d.conn.exec(statement, st.id); err != nil {
			return err
		}
	}
	st.deleted, st.records, st.shared = true, 0, false
	st.markAll()
	_, err = d.conn.exec("UPDATE stream SET deleted_by = ? WHERE id = ?", d.root, st.id)
	return err
}

// markTold marks the streams that the stream's records are about.
func (d *deletion) markTold(st *streamState) error {
	return d.conn.each(`SELECT DISTINCT o.stream FROM record r JOIN record o ON o.origin_hash = r.about_hash
		WHERE r.stream = ? AND r.about_hash IS NOT NULL`, []any{st.id}, func(r *row) error {
		told, err := d.changes.get(r.int())
		if err == nil {
			told.markAll()
		}
		return err
	})
}

// bodies lets go of the records' bodies.
func (d *deletion) bodies(st *streamState) error {
	var roots []body.ID
	err := d.conn.each("SELECT sum FROM record WHERE stream = ?", []any{st.id}, func(r *row) error {
		roots = append(roots, body.ID(r.blob()[:len(body.ID{})]))
		return nil
	})
	if err != nil {
		return err
	}
	return d.pieces.drop(roots)
}

// leftAlone marks a stream that shared records with one that is gone: it may now
// be the one that they count in.
func (d *deletion) leftAlone(st *streamState) error {
	if st.deleted {
		return nil
	}
	others, err := d.changes.siblings(st)
	st.shared = len(others) > 0
	st.markAll()
	return err
}

// bury deletes the stream if its parent is deleted.
func (a *appender) bury(st *streamState) error {
	if st.deleted {
		return nil
	}
	root, err := a.deletedAncestor(st)
	if root == 0 || err != nil {
		return err
	}
	return newDeletion(a.changes, root).tree(st)
}

// deletedAncestor is the stream with which an ancestor was deleted; 0: none was.
func (a *appender) deletedAncestor(st *streamState) (int64, error) {
	var ancestors []session.Ref
	if st.facts.Parent != nil {
		ancestors = append(ancestors, *st.facts.Parent)
	}
	for i, char := range st.ref.Key {
		if char == '/' {
			ancestors = append(ancestors, session.Ref{Harness: st.ref.Harness, Key: st.ref.Key[:i]})
		}
	}
	for _, ref := range ancestors {
		root, err := a.conn.number("SELECT deleted_by FROM stream WHERE harness = ? AND key = ?", ref.Harness, ref.Key)
		if root != 0 || err != nil {
			return root, err
		}
	}
	return 0, nil
}

// Restore lifts tombstones.
func (s *Store) Restore(ctx context.Context, refs ...session.Ref) (int, error) {
	lifted := 0
	err := s.write(ctx, func(c *conn) error {
		ids, err := c.tombstones(refs)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := c.exec("DELETE FROM source WHERE id IN (SELECT source FROM source_stream WHERE stream = ?)", id); err != nil {
				return err
			}
		}
		for _, id := range ids {
			if _, err := c.exec("DELETE FROM stream WHERE id = ?", id); err != nil {
				return err
			}
		}
		lifted = len(ids)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return lifted, nil
}

// tombstones are those of the refs and of what went with them; all without refs.
func (c *conn) tombstones(refs []session.Ref) (ids []int64, err error) {
	take := func(r *row) error {
		if id := r.int(); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		return nil
	}
	if len(refs) == 0 {
		return ids, c.each("SELECT id FROM stream WHERE deleted_by IS NOT NULL", nil, take)
	}
	for _, ref := range refs {
		err := c.each(`SELECT id FROM stream WHERE deleted_by IS NOT NULL AND (harness = ?1 AND key = ?2
			OR deleted_by = (SELECT id FROM stream WHERE harness = ?1 AND key = ?2))`, []any{ref.Harness, ref.Key}, take)
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}
