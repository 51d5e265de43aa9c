package archive

import (
	"context"

	"tapedeck/internal/session"
)

// Span is one span with its content.
func (a *Archive) Span(ctx context.Context, r SpanRequest) (*SpanDetail, error) {
	space, err := newRoom(r.MaxBytes)
	if err != nil {
		return nil, err
	}
	trace, err := a.store.Trace(ctx, r.TraceID)
	if err != nil {
		return nil, partError(CodeTraceNotFound, "trace", r.TraceID, err)
	}
	span, err := a.store.Span(ctx, trace.ID, r.SpanID)
	if err != nil {
		return nil, partError(CodeSpanNotFound, "span", r.SpanID, err)
	}
	links, err := a.store.Links(ctx, trace.SessionID, trace.ID)
	if err != nil {
		return nil, storeError(err)
	}
	shown := shownSpan(span, ContentFull, space)
	return &SpanDetail{Span: shown, Links: linksOf(links, trace, []session.Span{shown}, false), Cut: space.cut}, nil
}
