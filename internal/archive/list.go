package archive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// statuses are those that a session can have.
var statuses = []session.Status{
	session.StatusOK, session.StatusError, session.StatusInterrupted, session.StatusPending, session.StatusUnknown,
}

// ListSessions is a part of the sessions that r chooses.
func (a *Archive) ListSessions(ctx context.Context, r ListRequest) (*SessionList, error) {
	filter, err := a.filter(r)
	if err != nil {
		return nil, err
	}
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	list, err := a.store.Sessions(ctx, filter, page)
	if err != nil {
		return nil, storeError(err)
	}
	return &SessionList{Sessions: items(list.Items), Total: list.Total, NextCursor: list.Next}, nil
}

func (a *Archive) filter(r ListRequest) (store.SessionFilter, error) {
	f := store.SessionFilter{
		Project: session.Folder(r.Project), Harness: r.Harness, Model: r.Model, Title: r.Title,
		Children: r.Subagents, Internal: r.Internal, Ascending: r.Ascending,
	}
	var err error
	if f.Since, f.Until, err = parseWindow(r.Since, r.Until); err != nil {
		return f, err
	}
	if err := a.checkHarness(r.Harness); err != nil {
		return f, err
	}
	if f.Status, err = oneOf("status", r.Status, statuses); err != nil {
		return f, err
	}
	f.Sort, err = oneOf("sort", r.Sort, store.SessionSorts)
	return f, err
}

// oneOf is value if it is among those allowed; "" is none.
func oneOf[T ~string](argument, value string, allowed []T) (T, error) {
	if value == "" || slices.Contains(allowed, T(value)) {
		return T(value), nil
	}
	names := make([]string, len(allowed))
	for i, name := range allowed {
		names[i] = string(name)
	}
	return "", badArgument(argument, value, "one of "+strings.Join(names, ", "), names...)
}

// page checks what a caller asks for.
func (r PageRequest) page() (store.Page, error) {
	if r.Limit < 0 || r.Limit > store.MaxLimit {
		return store.Page{}, &Error{Code: CodeArgument, Message: fmt.Sprintf("limit %d: want a number from 1 to %d", r.Limit, store.MaxLimit)}
	}
	return store.Page{Limit: r.Limit, Cursor: r.Cursor}, nil
}

// item is a session as lists show it.
func item(s session.Session) SessionItem {
	title := s.DisplayName
	if title == "" {
		title = s.Title
	}
	s.Models = emptied(s.Models)
	return SessionItem{Session: s, DisplayTitle: title}
}

func items(sessions []session.Session) []SessionItem {
	list := make([]SessionItem, len(sessions))
	for i, s := range sessions {
		list[i] = item(s)
	}
	return list
}
