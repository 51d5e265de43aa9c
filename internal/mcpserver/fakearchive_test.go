package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

const (
	oneSession = "7a0c52f4-0c5e-5d0b-9d3c-2f6a1c1f9b1e"
	oneTrace   = "trc_0b8f1a52-6a4b-5c5f-8f0e-9f5d0d6a7c11"
	oneSpan    = "tool_1c2d3e4f-6a4b-5c5f-8f0e-9f5d0d6a7c11"
)

// fakeArchive holds sessions that are all alike, with as many traces and spans
// as a test wants, and keeps what it was asked for.
type fakeArchive struct {
	archive.Operations
	err                     error
	asked                   []any
	sessions, traces, spans int // none: 1
	prompt, output          string
	input                   string // JSON
}

func (f *fakeArchive) note(request any) error {
	f.asked = append(f.asked, request)
	return f.err
}

// part is what a page of total items holds: how many, and the next cursor.
func part(page archive.PageRequest, total int) (n int, total64 int64, next string) {
	total = max(total, 1)
	begin := 0
	fmt.Sscanf(page.Cursor, "c%d", &begin)
	n = max(min(page.Limit, total-begin), 0)
	if begin+n < total {
		next = fmt.Sprintf("c%d", begin+n)
	}
	return n, int64(total), next
}

func (f *fakeArchive) item() archive.SessionItem {
	return archive.SessionItem{
		Session: session.Session{
			ID: oneSession, Harness: "claude-code", HarnessSessionID: "h-1", Project: "upload", Cwd: "/work/upload",
			Status: session.StatusOK, StartedAt: 1750000000000, EndedAt: 1750000060000,
			Models: []session.ModelUsage{{Model: "opus", Calls: 2}},
			Usage:  session.Usage{InputTokens: 10, OutputTokens: 5, Cost: session.Dollars(0.25), Unpriced: true},
			Counts: session.Counts{Traces: 3, ToolCalls: 7},
		},
		DisplayTitle: "Fix <b> the upload",
	}
}

func (f *fakeArchive) ListSessions(_ context.Context, r archive.ListRequest) (*archive.SessionList, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	n, total, next := part(r.PageRequest, f.sessions)
	list := &archive.SessionList{Total: total, NextCursor: next}
	for range n {
		list.Sessions = append(list.Sessions, f.item())
	}
	return list, nil
}

func (f *fakeArchive) Session(_ context.Context, id string) (*archive.SessionDetail, error) {
	if err := f.note(id); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(oneSession, id) {
		return nil, &archive.Error{Code: archive.CodeSessionNotFound, Message: fmt.Sprintf("there is no session %q", id), Hint: "list_sessions shows all"}
	}
	child := f.item()
	child.Parent = &session.Origin{SessionID: oneSession, Relation: session.Subagent, SpanID: oneSpan}
	return &archive.SessionDetail{
		SessionItem: f.item(), DurationS: 60, Subagents: store.Rollup{Sessions: 1, Usage: session.Usage{OutputTokens: 3}},
		Children: []archive.SessionItem{child}, ChildrenTotal: 30,
	}, nil
}

func (f *fakeArchive) trace(seq int) session.Trace {
	return session.Trace{
		ID: oneTrace, SessionID: oneSession, Seq: seq, UserPrompt: session.Clip(f.prompt, session.MaxPreview), Origin: session.Typed,
		Status: session.StatusOK, SpanCount: max(f.spans, 1),
	}
}

func (f *fakeArchive) Traces(_ context.Context, id string, page archive.PageRequest) (*archive.TraceList, error) {
	if err := f.note(page); err != nil {
		return nil, err
	}
	n, total, next := part(page, f.traces)
	list := &archive.TraceList{SessionID: oneSession, Total: total, NextCursor: next}
	for i := range n {
		list.Traces = append(list.Traces, f.trace(i))
	}
	return list, nil
}

func (f *fakeArchive) span() session.Span {
	input := f.input
	if input == "" {
		input = `{"command":"ls"}`
	}
	return session.Span{
		ID: oneSpan, TraceID: oneTrace, SessionID: oneSession, Kind: session.KindTool, Name: "Bash", Status: session.StatusOK, CallID: "call-1",
		Input:  []session.Part{{Type: session.ToolCall, ID: "call-1", Name: "Bash", Input: []byte(input)}},
		Output: []session.Part{{Type: session.ToolResult, Text: f.output}, {Type: session.Blob, MediaType: "image/png", Bytes: 9, SHA256: "ab"}},
	}
}

func (f *fakeArchive) Trace(_ context.Context, r archive.TraceRequest) (*archive.TraceDetail, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	n, total, next := part(r.PageRequest, f.spans)
	detail := &archive.TraceDetail{Trace: f.trace(0), SpansTotal: total, NextCursor: next}
	for i := range n {
		s := f.span()
		s.Seq = i
		if r.Content == archive.ContentNone {
			s.Input, s.Output = nil, nil
		}
		detail.Spans = append(detail.Spans, s)
	}
	return detail, nil
}

func (f *fakeArchive) Span(_ context.Context, r archive.SpanRequest) (*archive.SpanDetail, error) {
	if err := f.note(r); err != nil {
		return nil, err
	}
	return &archive.SpanDetail{Span: f.span(), Links: []session.Link{{Kind: session.LinkSpawns, FromSpanID: oneSpan, ToSessionID: "child"}}}, nil
}
