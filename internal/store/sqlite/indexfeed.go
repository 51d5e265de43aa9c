package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

var _ store.Index = (*Store)(nil)

// Changes are traces that were derived, or went.
func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]store.TraceChange, error) {
	if limit < 1 {
		limit = -1
	}
	changes := []store.TraceChange{}
	err := s.read(ctx, func(c *conn) error {
		return c.each("SELECT seq, sid, ident, digest IS NULL FROM trace_change WHERE seq > ? ORDER BY seq LIMIT ?", []any{after, limit},
			func(r *row) error {
				changes = append(changes, store.TraceChange{Seq: r.int(), SessionID: r.text(), TraceID: r.ident(), Gone: r.bool()})
				return nil
			})
	})
	return changes, err
}

// IndexState says how far changes were followed.
func (s *Store) IndexState(ctx context.Context) (state store.IndexState, err error) {
	err = s.read(ctx, func(c *conn) error {
		_, err := c.one(`SELECT followed, (SELECT coalesce(max(seq), 0) FROM trace_change),
			(SELECT count(*) FROM trace_change WHERE seq > followed), (SELECT count(*) FROM document) FROM index_state`, nil,
			func(r *row) {
				state = store.IndexState{Followed: r.int(), Latest: r.int(), Behind: r.int(), Documents: r.int()}
			})
		return err
	})
	return state, err
}

// noteTrace notes that a trace was written. It is a change only if it differs from
// what was there: a whole session is written anew when it grows.
func (c *conn) noteTrace(session int64, pt session.ProjectedTrace) error {
	ident, digest := packIdent(pt.Trace.ID), digestOf(session, pt)
	same, err := c.exec("UPDATE trace_change SET open = 0 WHERE ident = ? AND digest = ?", ident, digest)
	if same > 0 || err != nil {
		return err
	}
	_, err = c.exec("REPLACE INTO trace_change (ident, sid, digest, open) SELECT ?, sid, ?, 1 FROM session WHERE id = ?", ident, digest, session)
	return err
}

// digestOf is a hash of what documents and filters take from a trace. The session's
// row is in it because documents refer to it.
func digestOf(session int64, pt session.ProjectedTrace) []byte {
	d := digester{sha256.New()}
	d.number(session)
	d.number(int64(len(pt.Trace.Models)))
	for _, model := range pt.Trace.Models {
		d.text(model)
	}
	d.text(pt.Trace.UserPrompt)
	for _, p := range pt.Spans {
		s := p.Span
		for _, text := range []string{s.ID, s.ParentID, string(s.Kind), s.Name, string(s.Status), s.Error, s.Model, s.StopReason, string(p.Input), string(p.Output)} {
			d.text(text)
		}
		d.number(int64(s.StartedAt))
		d.number(int64(len(s.Attributes)))
		for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
			d.text(name)
			d.text(s.Attributes[name])
		}
	}
	return d.Sum(nil)[:16]
}

type digester struct{ hash.Hash }

func (d digester) number(n int64) {
	d.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func (d digester) text(text string) {
	d.number(int64(len(text)))
	d.Write([]byte(text))
}

// settle ends what a transaction did to traces: it notes those that are gone, and
// removes the documents of spans that are.
func (c *conn) settle() error {
	open, err := c.number("SELECT EXISTS (SELECT 1 FROM trace_change WHERE open)")
	if open == 0 || err != nil {
		return err
	}
	r := newRemoval(c)
	// CROSS JOIN: by the span, which is one, not through all of the trace.
	err = r.documents(`SELECT d.id, d.text FROM trace_change c CROSS JOIN document d ON d.trace = c.ident WHERE c.open AND NOT EXISTS (
		SELECT 1 FROM span p CROSS JOIN trace t ON t.id = p.trace WHERE p.ident = d.span AND t.ident = d.trace AND t.session = d.session)`)
	if err != nil {
		return err
	}
	if err := r.texts(); err != nil {
		return err
	}
	if _, err := c.exec(`REPLACE INTO trace_change (ident, sid, digest, open) SELECT ident, sid, NULL, 0 FROM trace_change c
		WHERE open AND NOT EXISTS (SELECT 1 FROM trace t WHERE t.ident = c.ident) ORDER BY seq`); err != nil {
		return err
	}
	_, err = c.exec("UPDATE trace_change SET open = 0 WHERE open")
	return err
}
