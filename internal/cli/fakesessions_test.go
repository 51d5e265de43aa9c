package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// fakeSessions is an archive with sessions that are all alike, the first of
// which has two turns.
type fakeSessions struct {
	fakeArchive
	sessions int
	stats    *store.Stats
	broken   bool // exports break off
}

func (f *fakeSessions) run(t *testing.T, args ...string) outcome {
	t.Helper()
	o := runWithArchive(t, func(context.Context, archiveOptions) (openedArchive, error) { return f, nil }, args...)
	if len(f.asked) > 0 && !f.closed {
		t.Error("the archive was left open")
	}
	return o
}

const firstSession = "7a0c52f4-0c5e-5d0b-9d3c-2f6a1c1f9b1e"

func (f *fakeSessions) item(i int) archive.SessionItem {
	s := session.Session{
		ID: firstSession, Harness: "claude-code", HarnessVersion: "2.1", Project: "upload", Cwd: "/work/upload", GitBranch: "main",
		Status: session.StatusOK, StartedAt: session.TimeOf(time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)),
		EndedAt: session.TimeOf(time.Date(2026, 1, 2, 10, 5, 30, 0, time.UTC)),
		Models:  []session.ModelUsage{{Model: "opus", Calls: 3, Usage: session.Usage{InputTokens: 1200, CacheReadTokens: 98_000, OutputTokens: 800, Cost: session.Dollars(0.25)}}},
		Counts:  session.Counts{Traces: 2, ToolCalls: 3, ToolErrors: 1},
	}
	s.Usage = s.Models[0].Usage
	if i > 0 {
		s.ID = fmt.Sprintf("7a0c52f4%02d", i)
	}
	return archive.SessionItem{Session: s, DisplayTitle: "Fix the \x1b[31mupload"}
}

func (f *fakeSessions) ListSessions(_ context.Context, r archive.ListRequest) (*archive.SessionList, error) {
	f.asked = append(f.asked, r)
	if f.err != nil {
		return nil, f.err
	}
	begin := 0
	fmt.Sscanf(r.Cursor, "c%d", &begin)
	list := &archive.SessionList{Sessions: []archive.SessionItem{}, Total: int64(f.sessions)}
	end := min(begin+r.Limit, f.sessions)
	for i := begin; i < end; i++ {
		list.Sessions = append(list.Sessions, f.item(i))
	}
	if end < f.sessions {
		list.NextCursor = fmt.Sprintf("c%d", end)
	}
	return list, nil
}

func (f *fakeSessions) Session(_ context.Context, id string) (*archive.SessionDetail, error) {
	f.asked = append(f.asked, id)
	if !strings.HasPrefix(firstSession, id) {
		return nil, &archive.Error{Code: archive.CodeSessionNotFound, Message: "there is no session " + id, Hint: "list_sessions shows all"}
	}
	return &archive.SessionDetail{
		SessionItem: f.item(0),
		Subagents:   store.Rollup{Sessions: 1, Counts: session.Counts{ToolCalls: 4}, Usage: session.Usage{OutputTokens: 50, Unpriced: true}},
	}, f.err
}

func (f *fakeSessions) Rename(_ context.Context, id, name string) (*archive.SessionItem, error) {
	f.asked = append(f.asked, [2]string{id, name})
	item := f.item(0)
	item.DisplayTitle = name
	return &item, f.err
}

func (f *fakeSessions) Delete(_ context.Context, id string) (*archive.Deleted, error) {
	f.asked = append(f.asked, "delete "+id)
	return &archive.Deleted{Sessions: []string{id, "its sub-agent"}}, f.err
}

func (f *fakeSessions) Stats(_ context.Context, r archive.StatsRequest) (*archive.StatsList, error) {
	f.asked = append(f.asked, r)
	if f.stats == nil {
		return nil, f.err
	}
	return &archive.StatsList{Stats: *f.stats, GroupsTotal: int64(len(f.stats.Groups))}, f.err
}

func (f *fakeSessions) Export(_ context.Context, id, format string, w io.Writer) error {
	f.asked = append(f.asked, [2]string{id, format})
	if f.broken {
		return &archive.Error{Code: archive.CodeStore, Message: "the store is gone"}
	}
	_, err := io.WriteString(w, "# "+id+"\n")
	return err
}

func (f *fakeSessions) Traces(_ context.Context, id string, page archive.PageRequest) (*archive.TraceList, error) {
	list := &archive.TraceList{SessionID: id, Total: 2}
	first, second := f.turns()
	if page.Cursor == "" {
		list.Traces, list.NextCursor = []session.Trace{first.Trace}, "c1"
	} else {
		list.Traces = []session.Trace{second.Trace}
	}
	return list, nil
}

func (f *fakeSessions) Trace(_ context.Context, r archive.TraceRequest) (*archive.TraceDetail, error) {
	f.asked = append(f.asked, r)
	first, second := f.turns()
	whole := second
	switch r.TraceID {
	case first.Trace.ID:
		whole = first
	case second.Trace.ID:
	default:
		return nil, &archive.Error{Code: archive.CodeTraceNotFound, Message: "there is no trace " + r.TraceID}
	}
	shown := *whole
	shown.Spans = whole.Spans[:min(2, len(whole.Spans))]
	if r.Cursor != "" {
		shown.Spans = whole.Spans[2:]
	} else if len(whole.Spans) > 2 {
		shown.NextCursor = "rest"
	}
	return &shown, nil
}

// turns are the two of the first session.
func (f *fakeSessions) turns() (first, second *archive.TraceDetail) {
	at := func(seconds int) session.Time {
		return session.TimeOf(time.Date(2026, 1, 2, 10, 0, seconds, 0, time.UTC))
	}
	text := func(kind session.PartType, text string) []session.Part {
		return []session.Part{{Type: kind, Text: text}}
	}
	call := func(name, input string) []session.Part {
		return []session.Part{{Type: session.ToolCall, Name: name, Input: []byte(input)}}
	}
	first = &archive.TraceDetail{
		Trace: session.Trace{
			ID: "trc_1", UserPrompt: "Fix the upload\nplease", Origin: session.Typed, Status: session.StatusOK, StartedAt: at(0), EndedAt: at(42),
			Counts: session.Counts{ToolCalls: 3, ToolErrors: 1}, Usage: session.Usage{InputTokens: 1000, OutputTokens: 700, Cost: session.Dollars(0.2)},
		},
		Spans: []session.Span{
			{ID: "root", Kind: session.KindAgent, Status: session.StatusOK, Input: text(session.Text, "Fix the upload\nplease, all of it")},
			{ID: "l1", Kind: session.KindLLM, Output: []session.Part{
				{Type: session.Thinking, Text: "where is it?"}, {Type: session.Text, Text: "I look\nat it."}, {Type: session.ToolCall, Name: "Bash"},
			}},
			{ID: "t1", Kind: session.KindTool, Name: "Bash", Status: session.StatusOK, StartedAt: at(1), EndedAt: at(3),
				Input: call("Bash", `{"command":"go test\n ./...","timeout":5}`), Output: text(session.ToolResult, "ok \x1b[32mupload")},
			{ID: "t2", Kind: session.KindTool, Name: "Edit", Status: session.StatusError, Error: "String not found",
				Input: call("Edit", `{"file_path":"a.go","old_string":"x"}`)},
			{ID: "t3", Kind: session.KindTool, Name: "Task", Status: session.StatusPending, Input: call("Task", `{"odd":1,"b":[2]}`)},
			{ID: "e1", Kind: session.KindEvent, Name: "compaction", Status: session.StatusOK, Attributes: map[string]string{"trigger": "auto", "pre_tokens": "9000"}},
			{ID: "e2", Kind: session.KindEvent, Name: "hook_error", Status: session.StatusError, Error: "lint failed", Output: text(session.Text, "lint failed: 2 files")},
			{ID: "l2", Kind: session.KindLLM, Output: text(session.Text, strings.Repeat("line\n", 30))},
		},
		Links: []session.Link{{Kind: session.LinkSpawns, FromSpanID: "t3", ToSessionID: "0123456789ab"}},
	}
	second = &archive.TraceDetail{
		Trace: session.Trace{ID: "trc_2", Seq: 1, UserPrompt: "/compact", Origin: session.Command, Status: session.StatusInterrupted},
		Spans: []session.Span{{ID: "root2", Kind: session.KindAgent, Status: session.StatusInterrupted, Error: "stopped by the user"}},
	}
	return first, second
}
