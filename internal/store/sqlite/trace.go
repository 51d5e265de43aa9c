package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const traceColumns = `SELECT t.id, t.ident, s.sid, t.seq, t.origin, t.status, t.started, t.ended, t.cwd, t.branch, t.models, t.spans,
	t.input_tokens, t.cache_read, t.cache_write, t.output_tokens, t.reasoning, t.cost, t.partial, t.unpriced,
	t.records, t.traces, t.prompts, t.messages, t.tool_calls, t.tool_results, t.tool_errors, t.unanswered, t.subagents, t.compactions, t.replayed,
	t.prompt, t.response FROM trace t JOIN session s ON s.id = t.session `

func scanTrace(r *row) (id int64, t session.Trace, err error) {
	id = r.int()
	t = session.Trace{
		ID: r.ident(), SessionID: r.text(), Seq: int(r.int()), Origin: session.PromptOrigin(r.text()), Status: session.Status(r.text()),
		StartedAt: session.Time(r.int()), EndedAt: session.Time(r.int()), Cwd: r.text(), GitBranch: r.text(), Models: []string{},
	}
	err = r.json(&t.Models)
	t.SpanCount, t.Usage, t.Counts = int(r.int()), r.usage(), r.counts()
	t.UserPrompt, t.Response = r.text(), r.text()
	return id, t, err
}

// json reads the next column into a value, which stays as it is where the column
// is NULL.
func (r *row) json(into any) error {
	if r.null() {
		return nil
	}
	if err := json.Unmarshal([]byte(r.text()), into); err != nil {
		return fmt.Errorf("%w: stored JSON: %w", store.ErrUnavailable, err)
	}
	return nil
}

// jsonOrNull is the JSON of a list or map, or NULL where it is empty.
func jsonOrNull(n int, value any) (any, error) {
	if n == 0 {
		return nil, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// putTraces writes traces with their spans.
func (pr *projector) putTraces(id int64, traces []session.ProjectedTrace) error {
	spans := newSpanWriter(pr.conn)
	for _, pt := range traces {
		t := pt.Trace
		models, err := jsonOrNull(len(t.Models), t.Models)
		if err != nil {
			return err
		}
		args := []any{id, t.Seq, packIdent(t.ID), string(t.Origin), string(t.Status), int64(t.StartedAt), int64(t.EndedAt), t.Cwd, t.GitBranch,
			models, t.SpanCount}
		args = append(append(args, usageArgs(t.Usage)...), countArgs(t.Counts)...)
		trace, err := pr.conn.number(insertTrace, append(args, t.UserPrompt, t.Response)...)
		if err != nil {
			return fmt.Errorf("trace %d: %w", t.Seq, err)
		}
		if err := pr.conn.noteTrace(id, pt); err != nil {
			return fmt.Errorf("trace %d: %w", t.Seq, err)
		}
		for _, span := range pt.Spans {
			if err := spans.add(trace, span); err != nil {
				return fmt.Errorf("trace %d: span %d: %w", t.Seq, span.Span.Seq, err)
			}
		}
	}
	return spans.rows.flush()
}

var insertTrace = insert("trace", []string{
	"session", "seq", "ident", "origin", "status", "started", "ended", "cwd", "branch", "models", "spans",
	"input_tokens", "cache_read", "cache_write", "output_tokens", "reasoning", "cost", "partial", "unpriced",
	"records", "traces", "prompts", "messages", "tool_calls", "tool_results", "tool_errors", "unanswered", "subagents", "compactions", "replayed",
	"prompt", "response",
}) + " RETURNING id"

// Traces is a page of a session's traces.
func (s *Store) Traces(ctx context.Context, sessionID string, page store.Page) (store.List[session.Trace], error) {
	list := store.List[session.Trace]{Items: []session.Trace{}}
	err := s.read(ctx, func(c *conn) error {
		found, err := c.resolve(sessionID, onlySessions)
		if err != nil {
			return err
		}
		listing := "traces of " + found.sid
		from, err := afterSeq(page, listing)
		if err != nil {
			return err
		}
		if list.Total, err = c.number("SELECT count(*) FROM trace WHERE session = ?", found.session); err != nil {
			return err
		}
		return c.each(traceColumns+"WHERE t.session = ? AND t.seq > ? ORDER BY t.seq LIMIT ?", []any{found.session, from, page.Size() + 1}, func(r *row) error {
			if len(list.Items) == page.Size() {
				list.Next = seqCursor(list.Items[page.Size()-1].Seq, listing)
				return nil
			}
			_, t, err := scanTrace(r)
			list.Items = append(list.Items, t)
			return err
		})
	})
	return list, err
}

// afterSeq is the place that a page follows; -1 for the first.
func afterSeq(page store.Page, listing string) (int64, error) {
	position, err := page.After(listing, 1, 0)
	if err != nil || position == nil {
		return -1, err
	}
	return position.Numbers[0], nil
}

func seqCursor(seq int, listing string) string {
	return store.Position{Numbers: []int64{int64(seq)}}.Cursor(listing)
}

// Trace is one trace.
func (s *Store) Trace(ctx context.Context, traceID string) (t session.Trace, err error) {
	err = s.read(ctx, func(c *conn) error {
		_, t, err = c.trace(traceID)
		return err
	})
	return t, err
}

func (c *conn) trace(traceID string) (id int64, t session.Trace, err error) {
	found := false
	err = c.each(traceColumns+"WHERE t.ident = ?", []any{packIdent(traceID)}, func(r *row) (err error) {
		found = true
		id, t, err = scanTrace(r)
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("trace %.60q: %w", traceID, store.ErrNotFound)
	}
	return id, t, err
}
