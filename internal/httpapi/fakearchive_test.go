package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// fakeArchive holds one small session, and keeps what it was asked for. With err
// every operation fails.
type fakeArchive struct {
	archive.Operations
	err    error
	asked  []any
	traces int // of the session; 0: 1
	prompt string
	output string
}

const (
	oneSession = "7a0c52f4-0c5e-5d0b-9d3c-2f6a1c1f9b1e"
	oneTrace   = "trc_0b8f1a52-6a4b-5c5f-8f0e-9f5d0d6a7c11"
	oneSpan    = "llm_1c2d3e4f-6a4b-5c5f-8f0e-9f5d0d6a7c11"
)

func (f *fakeArchive) note(request any) error {
	f.asked = append(f.asked, request)
	return f.err
}

func (f *fakeArchive) item() archive.SessionItem {
	return archive.SessionItem{
		Session: session.Session{
			ID: oneSession, Harness: "claude-code", Title: "Fix <b> the upload", Project: "upload", Cwd: "/work/upload",
			Status: session.StatusOK, StartedAt: session.Time(1750000000000),
			Parent: &session.Origin{SessionID: "p", Relation: session.Fork},
			Models: []session.ModelUsage{{Model: "opus", Calls: 2, Usage: session.Usage{Cost: session.Dollars(0.25)}}},
		},
		DisplayTitle: "Fix <b> the upload",
	}
}

func (f *fakeArchive) ListSessions(_ context.Context, r archive.ListRequest) (*archive.SessionList, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	return &archive.SessionList{Sessions: []archive.SessionItem{f.item()}, Total: 1}, nil
}

func (f *fakeArchive) Session(_ context.Context, id string) (*archive.SessionDetail, error) {
	if err := f.note(id); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(oneSession, id) {
		return nil, &archive.Error{Code: archive.CodeSessionNotFound, Message: fmt.Sprintf("there is no session %q", id), Hint: "list_sessions shows all"}
	}
	return &archive.SessionDetail{SessionItem: f.item(), DurationS: 1.5, Children: []archive.SessionItem{}}, nil
}

func (f *fakeArchive) Rename(_ context.Context, id, name string) (*archive.SessionItem, error) {
	if err := f.note([2]string{id, name}); err != nil {
		return nil, err
	}
	item := f.item()
	item.DisplayName = name
	return &item, nil
}

func (f *fakeArchive) Delete(_ context.Context, id string) (*archive.Deleted, error) {
	return &archive.Deleted{Sessions: []string{oneSession}}, f.note(id)
}

func (f *fakeArchive) trace() session.Trace {
	return session.Trace{
		ID: oneTrace, SessionID: oneSession, UserPrompt: f.prompt, Origin: session.Typed, Status: session.StatusOK, Models: []string{"opus"},
	}
}

func (f *fakeArchive) Traces(_ context.Context, id string, page archive.PageRequest) (*archive.TraceList, error) {
	if err := f.note(page); err != nil {
		return nil, err
	}
	list := &archive.TraceList{SessionID: oneSession, Total: int64(max(f.traces, 1)), Traces: []session.Trace{}}
	for range min(page.Limit, max(f.traces, 1)) {
		list.Traces = append(list.Traces, f.trace())
	}
	if len(list.Traces) < f.traces {
		list.NextCursor = fmt.Sprintf("after-%d", len(list.Traces))
	}
	return list, nil
}

func (f *fakeArchive) span() session.Span {
	return session.Span{
		ID: oneSpan, TraceID: oneTrace, SessionID: oneSession, Kind: session.KindLLM, Status: session.StatusOK,
		Attributes: map[string]string{"a": "b"}, Records: []string{"r1"},
		Input:  []session.Part{{Type: session.ToolCall, Name: "Bash", Input: []byte(`{"command":"ls"}`)}},
		Output: []session.Part{{Type: session.Text, Text: f.output}},
	}
}

func (f *fakeArchive) Trace(_ context.Context, r archive.TraceRequest) (*archive.TraceDetail, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	return &archive.TraceDetail{
		Trace: f.trace(), Spans: []session.Span{f.span()}, SpansTotal: 1,
		Links: []session.Link{{Kind: session.LinkForks, FromSessionID: "a", ToSessionID: "b"}},
	}, nil
}

func (f *fakeArchive) Span(_ context.Context, r archive.SpanRequest) (*archive.SpanDetail, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	span := f.span()
	span.Output[0].Text = session.Clip(f.output, int(r.MaxBytes))
	return &archive.SpanDetail{Span: span, Links: []session.Link{}}, nil
}

func (f *fakeArchive) Raw(_ context.Context, r archive.RawRequest) (*archive.RawList, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	return &archive.RawList{
		SessionID: oneSession, Total: 1,
		Records: []archive.RawItem{{RawRecord: store.RawRecord{Key: "r1", Bytes: 2, At: 1}, Body: "{}"}},
	}, nil
}

func (f *fakeArchive) Export(_ context.Context, id, format string, w io.Writer) error {
	if err := f.note([2]string{id, format}); err != nil {
		return err
	}
	if f.output == "breaks off" {
		_, _ = io.WriteString(w, strings.Repeat("line\n", 100_000))
		return errors.New("the store is gone")
	}
	_, err := io.WriteString(w, `{"type":"session"}`+"\n")
	return err
}

func (f *fakeArchive) Stats(_ context.Context, r archive.StatsRequest) (*archive.StatsList, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	sums := store.Stats{By: store.StatsBy(r.By), Groups: []store.StatsRow{{Key: "2026-01-02", Usage: session.Usage{Partial: true}}}}
	return &archive.StatsList{Stats: sums, GroupsTotal: 1}, nil
}

func (f *fakeArchive) Children(_ context.Context, id string, page archive.PageRequest) (*archive.SessionList, error) {
	if err := f.note([]any{"children", id, page}); err != nil {
		return nil, err
	}
	return &archive.SessionList{Sessions: []archive.SessionItem{f.item()}, Total: 1}, nil
}

func (f *fakeArchive) Info(context.Context) (*store.Info, error) {
	return &store.Info{Kind: "sqlite", Pending: 3, Sessions: 17}, f.err
}

func (f *fakeArchive) Ready(context.Context) error { return f.err }

// api serves ops beside an empty deck, and a search that notes what it is asked
// for in ops.
func api(ops archive.Operations) Options {
	opt := Options{MCP: testServer(&fake{}), Archive: ops, Version: "1.2.3"}
	if noting, ok := ops.(*fakeArchive); ok {
		opt.Search = &fakeSearch{archive: noting}
	}
	return opt
}
