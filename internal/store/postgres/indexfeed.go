package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

var _ store.Index = (*Store)(nil)

// Changes implements store.Index.
func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]store.TraceChange, error) {
	changes := []store.TraceChange{}
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT seq, session_id, trace_id, digest IS NULL FROM tapedeck.trace_change WHERE seq > $1 ORDER BY seq"+limited(limit), after)
		if err != nil {
			return err
		}
		changes, err = pgx.AppendRows(changes, rows, pgx.RowToStructByPos[store.TraceChange])
		return err
	})
	return changes, err
}

// IndexState implements store.Index.
func (s *Store) IndexState(ctx context.Context) (store.IndexState, error) {
	var state store.IndexState
	err := s.read(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT followed, (SELECT coalesce(max(seq), 0) FROM tapedeck.trace_change),
			(SELECT count(*) FROM tapedeck.trace_change WHERE seq > followed), (SELECT count(*) FROM tapedeck.document)
			FROM tapedeck.index_state`).Scan(&state.Followed, &state.Latest, &state.Behind, &state.Documents)
	})
	return state, err
}

// noteTraces notes which of a session's traces that were written differ from what
// was there (a whole session is written anew when it grows), and which of those
// that were there are gone. Documents of spans that are gone go at once.
func noteTraces(ctx context.Context, tx pgx.Tx, sessionID string, before []string, traces []session.ProjectedTrace) error {
	ids := make([]string, len(traces))
	for i := range traces {
		ids[i] = traces[i].Trace.ID
	}
	gone := slices.DeleteFunc(before, func(id string) bool { return slices.Contains(ids, id) })
	if err := noteGone(ctx, tx, "trace_id = ANY($1)", gone); err != nil {
		return err
	}
	noted, err := digests(ctx, tx, ids)
	if err != nil {
		return err
	}
	var changed []string
	var now [][]byte
	for i := range traces {
		digest, err := traceDigest(&traces[i])
		if err != nil {
			return err
		}
		if !bytes.Equal(noted[ids[i]], digest) {
			changed, now = append(changed, ids[i]), append(now, digest)
		}
	}
	if len(changed) > 0 {
		_, err := tx.Exec(ctx, `INSERT INTO tapedeck.trace_change (trace_id, session_id, digest) SELECT id, $2, digest FROM unnest($1::text[], $3::bytea[]) v (id, digest)
			ON CONFLICT (trace_id) DO UPDATE SET seq = excluded.seq, digest = excluded.digest`, changed, sessionID, now)
		if err != nil {
			return err
		}
	}
	return dropDocuments(ctx, tx, `trace_id = ANY($1) AND NOT EXISTS (SELECT FROM tapedeck.trace JOIN tapedeck.span ON span.trace = trace.num
		WHERE trace.id = d.trace_id AND span.span_id = d.span_id)`, append(changed, gone...))
}

// digests are what is noted of traces, by identifier.
func digests(ctx context.Context, tx pgx.Tx, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, "SELECT trace_id, digest FROM tapedeck.trace_change WHERE trace_id = ANY($1)", ids)
	if err != nil {
		return nil, err
	}
	noted := make(map[string][]byte, len(ids))
	var id string
	var digest []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &digest}, func() error {
		noted[id] = digest
		return nil
	})
	return noted, err
}

// traceDigest is a hash of a trace with its spans. What is counted and summed up is
// left out: nothing that is searched comes from it.
func traceDigest(p *session.ProjectedTrace) ([]byte, error) {
	sum := sha256.New()
	to := json.NewEncoder(sum)
	trace := p.Trace
	trace.Usage, trace.Counts = session.Usage{}, session.Counts{}
	if err := to.Encode(trace); err != nil {
		return nil, err
	}
	for i := range p.Spans {
		span := p.Spans[i].Span
		span.Usage, span.Records = session.Usage{}, nil
		for _, part := range []any{span, []byte(p.Spans[i].Input), []byte(p.Spans[i].Output)} {
			if err := to.Encode(part); err != nil {
				return nil, err
			}
		}
	}
	return sum.Sum(nil)[:16], nil
}

// noteGone notes that traces are gone.
func noteGone(ctx context.Context, tx pgx.Tx, which string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, "UPDATE tapedeck.trace_change SET seq = DEFAULT, digest = NULL WHERE digest IS NOT NULL AND "+which, ids)
	return err
}

// forgetSessions takes sessions that are about to be deleted out of the index.
func forgetSessions(ctx context.Context, tx pgx.Tx, ids []string) error {
	if err := noteGone(ctx, tx, "session_id = ANY($1)", ids); err != nil {
		return err
	}
	return dropDocuments(ctx, tx, "session IN (SELECT num FROM tapedeck.session WHERE id = ANY($1))", ids)
}

// dropDocuments deletes documents (d), and the texts that no other has.
func dropDocuments(ctx context.Context, tx pgx.Tx, which string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, "DELETE FROM tapedeck.document d WHERE "+which+" RETURNING text", ids)
	if err != nil {
		return err
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	return dropTexts(ctx, tx, texts)
}
