package archive

import (
	"cmp"
	"context"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// contents are those that a TraceRequest can ask for.
var contents = []string{ContentNone, ContentPreview, ContentFull}

// contentPage is how many spans are read with their content at a time: a page
// of the largest must not be in memory whole.
const contentPage = 20

// Trace is a trace with a part of its spans.
func (a *Archive) Trace(ctx context.Context, r TraceRequest) (*TraceDetail, error) {
	content, err := oneOf("content", r.Content, contents)
	if err != nil {
		return nil, err
	}
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	space, err := newRoom(r.MaxBytes)
	if err != nil {
		return nil, err
	}
	trace, err := a.store.Trace(ctx, r.TraceID)
	if err != nil {
		return nil, partError(CodeTraceNotFound, "trace", r.TraceID, err)
	}
	trace.Models = emptied(trace.Models)
	spans, err := a.spans(ctx, trace.ID, cmp.Or(content, ContentPreview), page, space)
	if err != nil {
		return nil, partError(CodeTraceNotFound, "trace", r.TraceID, err)
	}
	links, err := a.store.Links(ctx, trace.SessionID, trace.ID)
	if err != nil {
		return nil, storeError(err)
	}
	return &TraceDetail{
		Trace: trace, Spans: spans.Items, SpansTotal: spans.Total, NextCursor: spans.Next,
		Links: linksOf(links, trace, spans.Items, page.Cursor == ""), Cut: space.cut,
	}, nil
}

// spans is a page of a trace's spans with as much content as there is room for.
func (a *Archive) spans(ctx context.Context, traceID, content string, page store.Page, space *room) (store.List[session.Span], error) {
	all := store.List[session.Span]{Items: []session.Span{}}
	wanted := cmp.Or(page.Limit, defaultLimit)
	for {
		with := content != ContentNone && space.left > 0
		page.Limit = wanted - len(all.Items)
		if with {
			page.Limit = min(page.Limit, contentPage)
		}
		list, err := a.store.Spans(ctx, traceID, with, page)
		if err != nil {
			return all, err
		}
		for _, s := range list.Items {
			all.Items = append(all.Items, shownSpan(s, content, space))
		}
		space.cut = space.cut || !with && content != ContentNone && len(list.Items) > 0
		all.Total, all.Next = list.Total, list.Next
		if list.Next == "" || len(all.Items) >= wanted {
			return all, nil
		}
		page.Cursor = list.Next
	}
}

// defaultLimit is the size of a page whose caller names none: see store.Page.
const defaultLimit = 50

// shownSpan is a span as answers have it, with the content that was asked for.
func shownSpan(s session.Span, content string, space *room) session.Span {
	space.take(s)
	perText := 0
	switch content {
	case ContentNone:
		s.Input, s.Output = nil, nil
	case ContentPreview:
		perText = session.MaxPreview
	}
	s.Input, s.Output = space.fit(s.Input, perText), space.fit(s.Output, perText)
	return whole(s)
}

// linksOf are the links of these spans, and on a trace's first page those of the
// trace or session as a whole.
func linksOf(links []session.Link, t session.Trace, spans []session.Span, first bool) []session.Link {
	shown := map[string]bool{"": first}
	for _, s := range spans {
		shown[s.ID] = true
	}
	ours := func(sessionID, spanID string) bool { return sessionID == t.SessionID && shown[spanID] }
	return slices.DeleteFunc(emptied(links), func(l session.Link) bool {
		return !ours(l.FromSessionID, l.FromSpanID) && !ours(l.ToSessionID, l.ToSpanID)
	})
}
