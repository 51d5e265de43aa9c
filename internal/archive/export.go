package archive

import (
	"bufio"
	"context"
	"io"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// formats are those of Export.
var formats = []string{FormatJSONL, FormatMarkdown}

// An exporter writes a session in one format. It is called in the order of the
// session: it never has more than a page of spans.
type exporter interface {
	session(session.Session) error
	trace(session.Trace) error
	span(session.Span) error
	links([]session.Link) error // of the trace, or first, before all traces, of the session
}

// Export writes a whole session, page by page.
func (a *Archive) Export(ctx context.Context, id, format string, w io.Writer) error {
	if _, err := oneOf("format", format, formats); err != nil {
		return err
	}
	s, err := a.session(ctx, id)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	var to exporter = newJSONLExport(out)
	if format == FormatMarkdown {
		to = &markdownExport{w: out, titles: a.titles()}
	}
	if err := a.export(ctx, s, to); err != nil {
		return storeError(err)
	}
	return out.Flush()
}

// titles are the names of the harnesses as people know them.
func (a *Archive) titles() map[string]string {
	titles := map[string]string{}
	for _, importer := range a.importers {
		titles[importer.Harness()] = importer.Title()
	}
	return titles
}

func (a *Archive) export(ctx context.Context, s session.Session, to exporter) error {
	if err := to.session(s); err != nil {
		return err
	}
	links, err := a.store.Links(ctx, s.ID, "")
	if err != nil {
		return err
	}
	perTrace := linksByTrace(s.ID, links)
	if err := to.links(perTrace[""]); err != nil {
		return err
	}
	return pages(store.MaxLimit, func(page store.Page) (store.List[session.Trace], error) {
		return a.store.Traces(ctx, s.ID, page)
	}, func(t session.Trace) error {
		if err := a.exportTrace(ctx, t, to); err != nil {
			return err
		}
		return to.links(perTrace[t.ID])
	})
}

func (a *Archive) exportTrace(ctx context.Context, t session.Trace, to exporter) error {
	if err := to.trace(t); err != nil {
		return err
	}
	return pages(contentPage, func(page store.Page) (store.List[session.Span], error) {
		return a.store.Spans(ctx, t.ID, true, page)
	}, to.span)
}

// linksByTrace has each link once: with the trace that it goes out from, or else
// with the one that it comes to; "" for those of the session as a whole.
func linksByTrace(sessionID string, links []session.Link) map[string][]session.Link {
	by := map[string][]session.Link{}
	for _, l := range links {
		at := l.ToTraceID
		if l.FromSessionID == sessionID {
			at = l.FromTraceID
		}
		by[at] = append(by[at], l)
	}
	return by
}

// pages calls use for each item of a listing.
func pages[T any](limit int, list func(store.Page) (store.List[T], error), use func(T) error) error {
	page := store.Page{Limit: limit}
	for {
		part, err := list(page)
		if err != nil {
			return err
		}
		for _, item := range part.Items {
			if err := use(item); err != nil {
				return err
			}
		}
		if part.Next == "" {
			return nil
		}
		page.Cursor = part.Next
	}
}
