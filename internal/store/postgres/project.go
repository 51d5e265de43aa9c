package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Project implements store.Derived.
func (s *Store) Project(ctx context.Context, of store.Stream, deriver string, p session.Projection) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		stream, err := lockStream(ctx, tx, of)
		if err != nil {
			return err
		}
		own := of.Ref.SessionID()
		sessions, err := withoutStreams(ctx, tx, own, p.Sessions)
		if err != nil {
			return err
		}
		if p.From == 0 {
			if err := forgetOthers(ctx, tx, stream, sessions); err != nil {
				return err
			}
		}
		for i, projected := range sessions {
			from := 0
			if i == 0 && projected.Session.ID == own {
				from = p.From
			}
			if err := replaceSession(ctx, tx, stream, projected, from); err != nil {
				return err
			}
		}
		return noteDerived(ctx, tx, stream, deriver, p.Checkpoints)
	})
}

// withoutStreams leaves out the sessions, other than the stream's own, that have
// streams of their own, or had and were deleted.
func withoutStreams(ctx context.Context, tx pgx.Tx, own string, sessions []session.ProjectedSession) ([]session.ProjectedSession, error) {
	others := make([]string, 0, len(sessions))
	for _, s := range sessions {
		if s.Session.ID != own {
			others = append(others, s.Session.ID)
		}
	}
	if len(others) == 0 {
		return sessions, nil
	}
	rows, err := tx.Query(ctx, `SELECT session_id FROM tapedeck.stream WHERE session_id = ANY($1)
		UNION ALL SELECT session_id FROM tapedeck.tombstone WHERE session_id = ANY($1)`, others)
	if err != nil {
		return nil, err
	}
	taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return slices.DeleteFunc(slices.Clone(sessions), func(s session.ProjectedSession) bool {
		return slices.Contains(taken, s.Session.ID)
	}), err
}

// forgetOthers removes the sessions of a stream that are not derived any more.
func forgetOthers(ctx context.Context, tx pgx.Tx, stream int64, kept []session.ProjectedSession) error {
	ids := make([]string, len(kept))
	for i, s := range kept {
		ids[i] = s.Session.ID
	}
	_, err := deleteSessions(ctx, tx, "stream = $1 AND id <> ALL($2)", stream, ids)
	return err
}

// deleteSessions deletes what was derived of sessions, from the index too, and
// returns which.
func deleteSessions(ctx context.Context, tx pgx.Tx, which string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, "SELECT id FROM tapedeck.session WHERE "+which, args...)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	if err := forgetSessions(ctx, tx, ids); err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, "DELETE FROM tapedeck.session WHERE id = ANY($1)", ids)
	return ids, err
}

// replaceSession replaces a session, and its traces from Seq from on.
func replaceSession(ctx context.Context, tx pgx.Tx, stream int64, p session.ProjectedSession, from int) error {
	num, err := putSession(ctx, tx, stream, p.Session)
	if err != nil {
		return err
	}
	var batch pgx.Batch
	for _, table := range []string{"session_model", "day"} {
		batch.Queue("DELETE FROM tapedeck."+table+" WHERE session = $1", num)
	}
	batch.Queue("DELETE FROM tapedeck.link WHERE session = $1 AND seq >= $2", num, from)
	if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
		return err
	}
	before, err := deleteTraces(ctx, tx, num, from)
	if err != nil {
		return err
	}
	if err := checkJoint(ctx, tx, num, from); err != nil {
		return err
	}
	if err := putModels(ctx, tx, num, p.Session); err != nil {
		return err
	}
	if err := putDays(ctx, tx, num, p); err != nil {
		return err
	}
	if err := putTraces(ctx, tx, num, p.Traces); err != nil {
		return err
	}
	if err := noteTraces(ctx, tx, p.Session.ID, before, p.Traces); err != nil {
		return err
	}
	return putLinks(ctx, tx, num, from, p)
}

// deleteTraces deletes a session's traces from Seq from on, and returns which.
func deleteTraces(ctx context.Context, tx pgx.Tx, num int64, from int) ([]string, error) {
	rows, err := tx.Query(ctx, "DELETE FROM tapedeck.trace WHERE session = $1 AND seq >= $2 RETURNING id", num, from)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// checkJoint checks that the traces that stay are those before Seq from.
func checkJoint(ctx context.Context, tx pgx.Tx, num int64, from int) error {
	if from == 0 {
		return nil
	}
	var stay int
	err := tx.QueryRow(ctx, "SELECT count(*) FROM tapedeck.trace WHERE session = $1", num).Scan(&stay)
	if err == nil && stay != from {
		err = fmt.Errorf("a projection that goes on behind trace %d finds %d traces", from, stay)
	}
	return err
}

// derivedColumns are those of a session that are made from its others.
const derivedColumns = "title_folded, display_folded, cwd_folded, project_folded, tokens, duration, subagent"

// putSession inserts or replaces a session; its display name stays.
func putSession(ctx context.Context, tx pgx.Tx, stream int64, s session.Session) (num int64, err error) {
	columns := "stream, display_name, " + parentColumns + ", " + sessionColumns + ", " + derivedColumns
	if s.DisplayName, err = displayName(ctx, tx, s.ID); err != nil {
		return 0, err
	}
	args := []any{stream, s.DisplayName, nil, "", "", ""}
	if s.Parent != nil {
		args = append(args[:2], &s.Parent.SessionID, &s.Parent.Relation, &s.Parent.TraceID, &s.Parent.SpanID)
	}
	args = append(append(args, sessionFields(&s)...), folded(s.Title), folded(s.DisplayName), folded(s.Cwd), folded(s.Project),
		s.Usage.Total(), store.Duration(s), s.Parent != nil && s.Parent.Relation == session.Subagent)
	err = tx.QueryRow(ctx, "INSERT INTO tapedeck.session ("+columns+") VALUES ("+placeholders(columns)+
		") ON CONFLICT (id) DO UPDATE SET ("+columns+") = ROW ("+names(columns, "excluded.")+") RETURNING num", args...).Scan(&num)
	return num, err
}

// displayName is the name that people gave a session; "": none.
func displayName(ctx context.Context, tx pgx.Tx, id string) (string, error) {
	var name string
	_, err := found(tx.QueryRow(ctx, "SELECT name FROM tapedeck.display_name WHERE session_id = $1", id).Scan(&name))
	return name, err
}

// folded is a text as it is stored, folded.
func folded(text string) string { return store.Fold(session.Clean(text)) }

func putModels(ctx context.Context, tx pgx.Tx, num int64, s session.Session) error {
	columns := "session, model, model_folded, calls, " + usageColumns
	return copyIn(ctx, tx, "session_model", columns, s.Models, func(m *session.ModelUsage) []any {
		return append([]any{num, clean(&m.Model), folded(m.Model), m.Calls}, usageFields(&m.Usage)...)
	})
}

// putDays inserts what a session took by day and model.
func putDays(ctx context.Context, tx pgx.Tx, num int64, p session.ProjectedSession) error {
	s := &p.Session
	columns := "session, harness, project, project_folded, cwd_folded, day, model, model_folded, first, first_of_day, first_of_model, " +
		dayCounts + ", " + usageColumns
	days, models := map[string]bool{}, map[string]bool{}
	return copyIn(ctx, tx, "day", columns, p.Daily, func(d *session.DayUsage) []any {
		model := session.Clean(d.Model)
		values := []any{num, clean(&s.Harness), clean(&s.Project), folded(s.Project), folded(s.Cwd), d.Day, model, store.Fold(model),
			len(days) == 0, !days[d.Day], !models[model], d.Prompts, d.Messages, d.ToolCalls, d.ToolErrors}
		days[d.Day], models[model] = true, true
		return append(values, usageFields(&d.Usage)...)
	})
}

// putTraces inserts traces with their spans.
func putTraces(ctx context.Context, tx pgx.Tx, num int64, traces []session.ProjectedTrace) error {
	if len(traces) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, "SELECT nextval('tapedeck.trace_num') FROM generate_series(1, $1)", len(traces))
	if err != nil {
		return err
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	type span struct {
		trace int64
		*session.ProjectedSpan
	}
	var spans []span
	next := 0
	err = copyIn(ctx, tx, "trace", "num, session, "+traceColumns, traces, func(t *session.ProjectedTrace) []any {
		n := numbers[next]
		next++
		for i := range t.Spans {
			spans = append(spans, span{n, &t.Spans[i]})
		}
		return append([]any{n, num}, traceFields(&t.Trace)...)
	})
	if err != nil {
		return err
	}
	return copyIn(ctx, tx, "span", "trace, input, output, "+spanColumns, spans, func(s *span) []any {
		return append([]any{s.trace, []byte(s.Input), []byte(s.Output)}, spanFields(&s.Span)...)
	})
}

// putLinks inserts the links of a session's new traces. A link goes with the
// trace that it leaves, or enters, or else with the first of the new ones.
func putLinks(ctx context.Context, tx pgx.Tx, num int64, from int, p session.ProjectedSession) error {
	seqs := make(map[string]int, len(p.Traces))
	for _, t := range p.Traces {
		seqs[t.Trace.ID] = t.Trace.Seq
	}
	return copyIn(ctx, tx, "link", "session, seq, "+linkColumns, p.Links, func(l *session.Link) []any {
		seq, known := seqs[l.FromTraceID]
		if !known {
			if seq, known = seqs[l.ToTraceID]; !known {
				seq = from
			}
		}
		return append([]any{num, seq}, linkFields(l)...)
	})
}

// copyIn inserts rows by COPY.
func copyIn[T any](ctx context.Context, tx pgx.Tx, table, columns string, items []T, row func(*T) []any) error {
	if len(items) == 0 {
		return nil
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"tapedeck", table}, split(columns), pgx.CopyFromSlice(len(items), func(i int) ([]any, error) {
		return row(&items[i]), nil
	}))
	return err
}
