package sqlite

import (
	"fmt"

	"tapedeck/internal/store"
)

// found is what an identifier of a session means.
type found struct {
	session   int64 // 0: it is not derived yet
	sid       string
	stream    int64
	streamSID string // of the stream's own session
	own       bool
}

// What resolve looks among.
const (
	onlySessions = false
	withStreams  = true // those that are not derived yet have an identifier too
)

const (
	// shortest is how much of an identifier must be given.
	shortest = 6
	// maxCandidates is how many sessions an AmbiguousError names.
	maxCandidates = 10
)

// resolve finds the session that an identifier, its beginning or the harness' own
// names.
func (c *conn) resolve(id string, streams bool) (found, error) {
	const columns = "SELECT s.id, s.sid, s.stream, t.sid, s.own FROM session s JOIN stream t ON t.id = s.stream WHERE "
	for _, meaning := range []struct {
		query string
		args  []any
		holds bool
	}{
		{columns + "s.sid = ?", []any{id}, id != ""},
		{columns + "s.sid >= ? AND s.sid < ? ORDER BY s.sid LIMIT ?", []any{id, id + "\U0010FFFF", maxCandidates}, len(id) >= shortest},
		{columns + "s.id IN (SELECT session FROM session_rest WHERE native = ?) ORDER BY s.sid LIMIT ?", []any{id, maxCandidates}, id != ""},
		{"SELECT 0, sid, id, sid, 1 FROM stream WHERE sid = ? AND deleted_by IS NULL", []any{id}, streams},
	} {
		if !meaning.holds {
			continue
		}
		var hits []found
		err := c.each(meaning.query, meaning.args, func(r *row) error {
			hits = append(hits, found{r.int(), r.text(), r.int(), r.text(), r.bool()})
			return nil
		})
		switch {
		case err != nil:
			return found{}, err
		case len(hits) == 1:
			return hits[0], nil
		case len(hits) > 1:
			return found{}, ambiguous(id, hits)
		}
	}
	return found{}, fmt.Errorf("session %.60q: %w", id, store.ErrNotFound)
}

func ambiguous(id string, hits []found) error {
	e := &store.AmbiguousError{ID: id}
	for _, hit := range hits {
		e.Candidates = append(e.Candidates, hit.sid)
	}
	return e
}
