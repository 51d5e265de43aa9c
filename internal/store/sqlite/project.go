package sqlite

import (
	"context"
	"fmt"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Project replaces what was derived from a stream.
func (s *Store) Project(ctx context.Context, st store.Stream, deriver string, p session.Projection) error {
	return s.write(ctx, func(c *conn) error {
		pr := projector{conn: c, ref: st.Ref}
		if err := pr.begin(st.Version); err != nil {
			return err
		}
		if err := pr.sessions(p); err != nil {
			return err
		}
		_, err := c.exec("UPDATE stream SET derived = version, deriver = ?, checkpoints = ?, fresh_order = ?, fresh_pos = 0, fresh_key = '' WHERE id = ?",
			deriver, p.Checkpoints, store.AfterAll.Order, pr.stream)
		return err
	})
}

// HasSpan reports whether a trace before one holds a span.
func (s *Store) HasSpan(ctx context.Context, sessionID, spanID string, beforeSeq int) (bool, error) {
	var n int64
	err := s.read(ctx, func(c *conn) (err error) {
		// CROSS JOIN: by the span, which is one, not through all of the session.
		n, err = c.number(`SELECT EXISTS (SELECT 1 FROM span p CROSS JOIN trace t ON t.id = p.trace CROSS JOIN session s ON s.id = t.session
			WHERE p.ident = ? AND s.sid = ? AND t.seq < ?)`, packIdent(spanID), sessionID, beforeSeq)
		return err
	})
	return n != 0, err
}

// projector writes one projection.
type projector struct {
	conn   *conn
	ref    session.Ref
	stream int64
}

// begin finds the stream, at the version that was derived.
func (pr *projector) begin(version int64) error {
	var now int64
	found, err := pr.conn.one("SELECT id, version FROM stream WHERE harness = ? AND key = ? AND deleted_by IS NULL", []any{pr.ref.Harness, pr.ref.Key},
		func(r *row) { pr.stream, now = r.int(), r.int() })
	switch {
	case err != nil:
		return err
	case !found || now != version:
		return fmt.Errorf("stream %v: %w", pr.ref, store.ErrChanged)
	}
	return nil
}

func (pr *projector) sessions(p session.Projection) error {
	var kept []string
	for i, ps := range p.Sessions {
		from := 0
		if i == 0 {
			from = p.From
		}
		free, err := pr.free(ps.Session.ID)
		if err != nil {
			return err
		}
		if !free {
			continue
		}
		kept = append(kept, ps.Session.ID)
		if err := pr.session(ps, from); err != nil {
			return fmt.Errorf("session %s: %w", ps.Session.ID, err)
		}
	}
	if p.From > 0 {
		return nil
	}
	return pr.removeOthers(kept)
}

// free reports whether the session is this stream's to derive, and makes it so
// where another stream, that is not its own, derived it.
func (pr *projector) free(sid string) (bool, error) {
	if sid == pr.ref.SessionID() {
		return true, pr.takeOver(sid)
	}
	owned, err := pr.conn.number("SELECT EXISTS (SELECT 1 FROM stream WHERE sid = ? AND id <> ? AND (records > 0 OR deleted_by IS NOT NULL))", sid, pr.stream)
	if owned != 0 || err != nil {
		return false, err
	}
	var other session.Ref
	found, err := pr.conn.one("SELECT t.harness, t.key FROM session s JOIN stream t ON t.id = s.stream WHERE s.sid = ? AND t.id <> ?",
		[]any{sid, pr.stream}, func(r *row) { other = r.ref() })
	if err != nil || found && compareRefs(other, pr.ref) < 0 {
		return false, err
	}
	return true, pr.takeOver(sid)
}

func (pr *projector) takeOver(sid string) error {
	_, err := pr.conn.exec("DELETE FROM session WHERE sid = ? AND stream <> ?", sid, pr.stream)
	return err
}

// removeOthers removes the stream's sessions that are no longer derived.
func (pr *projector) removeOthers(kept []string) error {
	var gone []int64
	err := pr.conn.each("SELECT id, sid FROM session WHERE stream = ?", []any{pr.stream}, func(r *row) error {
		if id, sid := r.int(), r.text(); !slices.Contains(kept, sid) {
			gone = append(gone, id)
		}
		return nil
	})
	for _, id := range gone {
		if err == nil {
			_, err = pr.conn.exec("DELETE FROM session WHERE id = ?", id)
		}
	}
	return err
}

// session writes a session with its traces from one on.
func (pr *projector) session(ps session.ProjectedSession, from int) error {
	id, err := pr.putSession(ps.Session)
	if err != nil {
		return err
	}
	if err := pr.cutTraces(id, from); err != nil {
		return err
	}
	if err := pr.putModels(id, ps.Session.Models); err != nil {
		return err
	}
	if err := pr.putDaily(id, ps); err != nil {
		return err
	}
	seqs := make(map[string]int, len(ps.Traces))
	for _, t := range ps.Traces {
		seqs[t.Trace.ID] = t.Trace.Seq
	}
	if err := pr.putTraces(id, ps.Traces); err != nil {
		return err
	}
	return pr.putLinks(id, ps.Session.ID, ps.Links, seqs)
}

// cutTraces removes the traces from one on; those before it must be there.
func (pr *projector) cutTraces(id int64, from int) error {
	if from > 0 {
		there, err := pr.conn.number("SELECT count(*) FROM trace WHERE session = ? AND seq < ?", id, from)
		if err != nil {
			return err
		}
		if there != int64(from) {
			return fmt.Errorf("it goes on behind %d traces, of which the store has %d: derive it from its start", from, there)
		}
	}
	if _, err := pr.conn.exec("DELETE FROM link WHERE session = ? AND seq >= ?", id, linksFrom(from)); err != nil {
		return err
	}
	_, err := pr.conn.exec("DELETE FROM trace WHERE session = ? AND seq >= ?", id, from)
	return err
}

// linksFrom is the first place of links that go with the traces from one on: all
// of them, with those of no trace, when it is the first.
func linksFrom(from int) int {
	if from == 0 {
		return noTrace
	}
	return from
}
