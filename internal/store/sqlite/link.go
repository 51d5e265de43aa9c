package sqlite

import (
	"cmp"
	"context"
	"slices"

	"tapedeck/internal/session"
)

// noTrace is the place of links that belong to none of their session's traces.
const noTrace = -1

// putLinks writes the links that were derived with a session. seqs are the places
// of its new traces.
func (pr *projector) putLinks(id int64, sid string, links []session.Link, seqs map[string]int) error {
	rows := newBulk(pr.conn, "link", "session", "seq", "kind", "from_session", "to_session", "from_trace", "from_span", "to_trace", "to_span")
	for _, l := range links {
		seq := linkSeq(l, seqs)
		if known, err := pr.hasLink(id, seq, l); known || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		err := rows.add(id, seq, string(l.Kind), other(l.FromSessionID, sid), other(l.ToSessionID, sid),
			packIdent(l.FromTraceID), packIdent(l.FromSpanID), packIdent(l.ToTraceID), packIdent(l.ToSpanID))
		if err != nil {
			return err
		}
	}
	return rows.flush()
}

// hasLink reports whether a link of no trace is there: those stay when a part of
// the traces is replaced, and may be told again.
func (pr *projector) hasLink(id int64, seq int, l session.Link) (bool, error) {
	if seq != noTrace {
		return false, nil
	}
	known := false
	err := pr.conn.each(selectLinks+"WHERE l.session = ? AND l.seq = ?", []any{id, noTrace}, func(r *row) error {
		known = known || scanLink(r) == l
		return nil
	})
	return known, err
}

// linkSeq is the place of the trace that a link goes with: the later one, of the
// traces that are replaced.
func linkSeq(l session.Link, seqs map[string]int) int {
	seq := noTrace
	for _, trace := range []string{l.FromTraceID, l.ToTraceID} {
		if at, ok := seqs[trace]; ok {
			seq = max(seq, at)
		}
	}
	return seq
}

const selectLinks = `SELECT l.kind, s.sid, l.from_session, l.from_trace, l.from_span, l.to_session, l.to_trace, l.to_span
	FROM link l JOIN session s ON s.id = l.session `

// other is a side of a link, NULL where it is the session itself.
func other(side, sid string) any {
	if side == sid {
		return nil
	}
	if side == "" {
		return "" // of no session at all
	}
	return packIdent(side)
}

// Links are the links from and to a trace's spans or a session.
func (s *Store) Links(ctx context.Context, sessionID, traceID string) ([]session.Link, error) {
	links := []session.Link{}
	err := s.read(ctx, func(c *conn) error {
		found, err := c.resolve(sessionID, onlySessions)
		if err != nil {
			return err
		}
		ident := packIdent(found.sid)
		return c.each(selectLinks+`WHERE l.id IN (SELECT id FROM link WHERE session = ?1 UNION SELECT id FROM link WHERE from_session = ?2 UNION SELECT id FROM link WHERE to_session = ?2)`,
			[]any{found.session, ident}, func(r *row) error {
				if l := scanLink(r); concerns(l, found.sid, traceID) {
					links = append(links, l)
				}
				return nil
			})
	})
	slices.SortFunc(links, compareLinks)
	return slices.Compact(links), err
}

func scanLink(r *row) session.Link {
	l := session.Link{Kind: session.LinkKind(r.text())}
	sid := r.text()
	side := func() string {
		if r.null() {
			return sid
		}
		return r.ident()
	}
	l.FromSessionID, l.FromTraceID, l.FromSpanID = side(), r.ident(), r.ident()
	l.ToSessionID, l.ToTraceID, l.ToSpanID = side(), r.ident(), r.ident()
	return l
}

// concerns reports whether a link joins the session, in the trace if one is given.
func concerns(l session.Link, sid, traceID string) bool {
	from, to := l.FromSessionID == sid, l.ToSessionID == sid
	if traceID == "" {
		return from || to
	}
	return from && l.FromTraceID == traceID || to && l.ToTraceID == traceID
}

func compareLinks(a, b session.Link) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.FromSessionID, b.FromSessionID), cmp.Compare(a.FromTraceID, b.FromTraceID), cmp.Compare(a.FromSpanID, b.FromSpanID),
		cmp.Compare(a.ToSessionID, b.ToSessionID), cmp.Compare(a.ToTraceID, b.ToTraceID), cmp.Compare(a.ToSpanID, b.ToSpanID))
}
