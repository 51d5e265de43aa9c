package archive

import (
	"context"
	"strings"
	"unicode/utf8"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// maxDisplayName bounds the name that a person gives a session, in bytes.
const maxDisplayName = 500

// Session is a session with what came from it.
func (a *Archive) Session(ctx context.Context, id string) (*SessionDetail, error) {
	s, err := a.session(ctx, id)
	if err != nil {
		return nil, err
	}
	rollup, err := a.store.Rollup(ctx, s.ID)
	if err != nil {
		return nil, sessionError(id, err)
	}
	children, err := a.store.Children(ctx, s.ID, store.Page{})
	if err != nil {
		return nil, sessionError(id, err)
	}
	if s.Parent, err = a.startedBy(ctx, s); err != nil {
		return nil, sessionError(id, err)
	}
	return &SessionDetail{
		SessionItem: item(s), DurationS: duration(s.StartedAt, s.EndedAt),
		Subagents: rollup, Children: items(children.Items), ChildrenTotal: children.Total,
	}, nil
}

// startedBy is where a session came from, with the span that started it where
// only its parent's records name that.
func (a *Archive) startedBy(ctx context.Context, s session.Session) (*session.Origin, error) {
	if s.Parent == nil || s.Parent.SpanID != "" {
		return s.Parent, nil
	}
	links, err := a.store.Links(ctx, s.ID, "")
	if err != nil {
		return nil, err
	}
	origin := *s.Parent
	for _, l := range links {
		if l.Kind == session.LinkSpawns && l.ToSessionID == s.ID && l.FromSessionID == origin.SessionID {
			origin.TraceID, origin.SpanID = l.FromTraceID, l.FromSpanID
			break
		}
	}
	return &origin, nil
}

// Children is a part of the sessions that came from one.
func (a *Archive) Children(ctx context.Context, id string, r PageRequest) (*SessionList, error) {
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	s, err := a.session(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := a.store.Children(ctx, s.ID, page)
	if err != nil {
		return nil, sessionError(id, err)
	}
	return &SessionList{Sessions: items(list.Items), Total: list.Total, NextCursor: list.Next}, nil
}

// session finds a session by whichever identifier a caller gave.
func (a *Archive) session(ctx context.Context, id string) (session.Session, error) {
	if strings.TrimSpace(id) == "" {
		return session.Session{}, badArgument("session_id", id, "the identifier of a session, or at least its first 6 characters")
	}
	s, err := a.store.Session(ctx, id)
	if err != nil {
		return session.Session{}, sessionError(id, err)
	}
	return s, nil
}

// Rename gives a session a display name; "" takes it away.
func (a *Archive) Rename(ctx context.Context, id, name string) (*SessionItem, error) {
	name = strings.Join(strings.Fields(name), " ")
	if len(name) > maxDisplayName || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return nil, badArgument("display_name", session.Clip(session.Clean(name), 80), "at most 500 bytes of UTF-8")
	}
	known, err := a.session(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := a.store.Rename(ctx, known.ID, name)
	if err != nil {
		return nil, sessionError(id, err)
	}
	renamed := item(s)
	return &renamed, nil
}

// Delete removes a session and its sub-agents' for good.
func (a *Archive) Delete(ctx context.Context, id string) (*Deleted, error) {
	known, err := a.session(ctx, id)
	if err != nil {
		return nil, err
	}
	gone, err := a.store.Delete(ctx, known.ID)
	if err != nil {
		return nil, sessionError(id, err)
	}
	a.derived()
	if err := a.deleted(ctx, gone); err != nil {
		a.log.Warn("what is kept of deleted sessions elsewhere goes later", "sessions", len(gone), "error", err)
	}
	return &Deleted{Sessions: emptied(gone)}, nil
}

// Traces is a part of a session's traces, in order.
func (a *Archive) Traces(ctx context.Context, id string, r PageRequest) (*TraceList, error) {
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	s, err := a.session(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := a.store.Traces(ctx, s.ID, page)
	if err != nil {
		return nil, sessionError(id, err)
	}
	for i := range list.Items {
		list.Items[i].Models = emptied(list.Items[i].Models)
	}
	return &TraceList{SessionID: s.ID, Traces: list.Items, Total: list.Total, NextCursor: list.Next}, nil
}

// duration is how long something took, in seconds; 0 when not known.
func duration(began, ended session.Time) float64 {
	if began == 0 || ended < began {
		return 0
	}
	return float64(ended-began) / 1e3
}
