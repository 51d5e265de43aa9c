package sqlite

import (
	"context"
	"fmt"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const (
	spanColumns = `SELECT ident, parent, seq, kind, name, status, error, model, provider, stop, call, message, started, ended,
		input_tokens, cache_read, cache_write, output_tokens, reasoning, cost, partial, unpriced, attributes, records`
	spanContent = spanColumns + ", input, output"
)

func scanSpan(r *row, t session.Trace, withContent bool) (session.Span, error) {
	p := session.Span{
		ID: r.ident(), TraceID: t.ID, SessionID: t.SessionID, ParentID: r.ident(), Seq: int(r.int()), Kind: session.Kind(r.text()),
		Name: r.text(), Status: session.Status(r.text()), Error: r.text(), Model: r.text(), Provider: r.text(), StopReason: r.text(),
		CallID: r.text(), MessageID: r.text(), StartedAt: session.Time(r.int()), EndedAt: session.Time(r.int()), Usage: r.usage(),
		Attributes: map[string]string{}, Records: []string{},
	}
	err := r.json(&p.Attributes)
	if err == nil {
		err = r.json(&p.Records)
	}
	if err != nil || !withContent {
		return p, err
	}
	if p.Input, err = session.Packed(r.blob()).Unpack(); err == nil {
		p.Output, err = session.Packed(r.blob()).Unpack()
	}
	return p, err
}

// spanWriter writes spans of one projection.
type spanWriter struct{ rows *bulk }

func newSpanWriter(c *conn) spanWriter {
	return spanWriter{newBulk(c, "span", "trace", "seq", "ident", "parent", "kind", "name", "status", "error", "model", "provider", "stop",
		"call", "message", "started", "ended", "input_tokens", "cache_read", "cache_write", "output_tokens", "reasoning", "cost", "partial",
		"unpriced", "attributes", "records", "input", "output")}
}

func (w spanWriter) add(trace int64, ps session.ProjectedSpan) error {
	p := ps.Span
	attributes, err := jsonOrNull(len(p.Attributes), p.Attributes)
	if err != nil {
		return err
	}
	records, err := jsonOrNull(len(p.Records), p.Records)
	if err != nil {
		return err
	}
	args := []any{trace, p.Seq, packIdent(p.ID), packIdent(p.ParentID), string(p.Kind), p.Name, string(p.Status), p.Error, p.Model, p.Provider,
		p.StopReason, p.CallID, p.MessageID, int64(p.StartedAt), int64(p.EndedAt)}
	args = append(append(args, usageArgs(p.Usage)...), attributes, records, []byte(ps.Input), []byte(ps.Output))
	return w.rows.add(args...)
}

// Spans is a page of a trace's spans.
func (s *Store) Spans(ctx context.Context, traceID string, withContent bool, page store.Page) (store.List[session.Span], error) {
	list := store.List[session.Span]{Items: []session.Span{}}
	columns := spanColumns
	if withContent {
		columns = spanContent
	}
	err := s.read(ctx, func(c *conn) error {
		id, t, err := c.trace(traceID)
		if err != nil {
			return err
		}
		listing := "spans of " + t.ID
		from, err := afterSeq(page, listing)
		if err != nil {
			return err
		}
		if list.Total, err = c.number("SELECT count(*) FROM span WHERE trace = ?", id); err != nil {
			return err
		}
		return c.each(columns+" FROM span WHERE trace = ? AND seq > ? ORDER BY seq LIMIT ?", []any{id, from, page.Size() + 1}, func(r *row) error {
			if len(list.Items) == page.Size() {
				list.Next = seqCursor(list.Items[page.Size()-1].Seq, listing)
				return nil
			}
			span, err := scanSpan(r, t, withContent)
			list.Items = append(list.Items, span)
			return err
		})
	})
	return list, err
}

// Span is one span with its content.
func (s *Store) Span(ctx context.Context, traceID, spanID string) (span session.Span, err error) {
	err = s.read(ctx, func(c *conn) error {
		id, t, err := c.trace(traceID)
		if err != nil {
			return err
		}
		found := false
		err = c.each(spanContent+" FROM span WHERE trace = ? AND ident = ? ORDER BY seq LIMIT 1", []any{id, packIdent(spanID)}, func(r *row) error {
			found = true
			span, err = scanSpan(r, t, true)
			return err
		})
		if err == nil && !found {
			err = fmt.Errorf("span %.60q of trace %.60q: %w", spanID, traceID, store.ErrNotFound)
		}
		return err
	})
	return span, err
}
