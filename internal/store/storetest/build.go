package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// harness of the streams that tests make.
const harness = "claude-code"

// deriver of the projections that tests make.
const deriver = "test"

func ref(key string) session.Ref { return session.Ref{Harness: harness, Key: key} }

// record is a record with a place and a body of its own.
func record(key string, order int64) session.Record {
	return session.Record{Key: key, Order: order, Pos: order, At: session.Time(order), Body: []byte(`{"key":"` + key + `"}`)}
}

// copied is a record that other streams may hold too.
func copied(origin string, order int64) session.Record {
	r := record(origin, order)
	r.Origin = origin
	return r
}

// about is a record that tells of another.
func about(key, origin string) session.Record {
	return session.Record{Key: key, About: origin, Body: []byte(`{"title":"` + key + `"}`)}
}

func batch(ref session.Ref, records ...session.Record) store.Batch {
	return store.Batch{Streams: []store.StreamRecords{{Ref: ref, Records: records}}}
}

// childBatch is of a sub-agent's stream.
func childBatch(ref, parent session.Ref, records ...session.Record) store.Batch {
	b := batch(ref, records...)
	b.Streams[0].Facts.Parent = &parent
	return b
}

func appendTo(t *testing.T, s store.Store, batches ...store.Batch) store.Appended {
	t.Helper()
	var sum store.Appended
	for _, b := range batches {
		n, err := s.Append(t.Context(), b)
		if err != nil {
			t.Fatalf("append: %v", err)
		}
		sum.New += n.New
		sum.Known += n.Known
		sum.Deleted += n.Deleted
	}
	return sum
}

// streamOf is a stream's state, nil if there is none.
func streamOf(t *testing.T, s store.Store, ref session.Ref) *store.Stream {
	t.Helper()
	all, err := s.Streams(t.Context(), session.Ref{}, 0)
	if err != nil {
		t.Fatalf("streams: %v", err)
	}
	for _, stream := range all {
		if stream.Ref == ref {
			return &stream
		}
	}
	return nil
}

// keys are those of the records that count, in order.
func keys(t *testing.T, s store.Store, ref session.Ref, from session.Place) string {
	t.Helper()
	var keys []string
	for r, err := range s.Records(t.Context(), ref, from) {
		if err != nil {
			t.Fatalf("records: %v", err)
		}
		keys = append(keys, r.Key)
	}
	return strings.Join(keys, " ")
}

// project derives, as it were, a stream into p.
func project(t *testing.T, s store.Store, ref session.Ref, p session.Projection) {
	t.Helper()
	stream := streamOf(t, s, ref)
	if stream == nil {
		t.Fatalf("project: there is no stream %v", ref)
	}
	if err := s.Project(t.Context(), *stream, deriver, p); err != nil {
		t.Fatalf("project: %v", err)
	}
}

// with appends a record to a new stream for each projection, and projects it.
func with(t *testing.T, s store.Store, projections map[session.Ref]session.Projection) {
	t.Helper()
	refs := make([]session.Ref, 0, len(projections))
	for ref := range projections {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b session.Ref) int { return strings.Compare(a.String(), b.String()) })
	for _, ref := range refs {
		appendTo(t, s, batch(ref, record("r", 1)))
		project(t, s, ref, projections[ref])
	}
}

// A turn is a trace that tests make.
type turn struct {
	prompt string
	model  string
	at     session.Time
	tokens int64
	tools  int
}

// derived is a projection of one session with these turns, whose sums agree.
func derived(ref session.Ref, turns ...turn) session.Projection {
	p := session.Projection{
		Sessions:    []session.ProjectedSession{projectedSession(ref, turns)},
		Checkpoints: []byte("at " + fmt.Sprint(len(turns))),
	}
	return p
}

func projectedSession(ref session.Ref, turns []turn) session.ProjectedSession {
	s := session.Session{
		ID: ref.SessionID(), Harness: ref.Harness, HarnessSessionID: ref.Key, HarnessVersion: "1.2.3",
		Title: "Untitled " + ref.Key, Cwd: "/home/ann/Café", Project: "Café", GitBranch: "main",
		Status: session.StatusUnknown, Models: []session.ModelUsage{},
	}
	p := session.ProjectedSession{Session: s}
	for i, turn := range turns {
		p.Traces = append(p.Traces, projectedTrace(s.ID, i, turn))
		p.Links = append(p.Links, feeds(p.Traces[i])...)
		p.Session = counted(p.Session, p.Traces[i].Trace)
		p.Daily = daily(p.Daily, turn, p.Traces[i].Trace)
	}
	return p
}

// counted is the session with the trace's sums in it.
func counted(s session.Session, t session.Trace) session.Session {
	if s.StartedAt == 0 {
		s.StartedAt, s.Title = t.StartedAt, t.UserPrompt
	}
	s.EndedAt, s.Status = t.EndedAt, t.Status
	s.Usage.Add(t.Usage)
	s.Counts.Add(t.Counts)
	s.Counts.Records, s.Counts.Traces = s.Counts.Records+3, s.Counts.Traces+1
	model := t.Models[0]
	i := slices.IndexFunc(s.Models, func(m session.ModelUsage) bool { return m.Model == model })
	if i < 0 {
		i = len(s.Models)
		s.Models = append(s.Models, session.ModelUsage{Model: model})
	}
	s.Models[i].Calls++
	s.Models[i].Usage.Add(t.Usage)
	slices.SortFunc(s.Models, func(a, b session.ModelUsage) int { return strings.Compare(a.Model, b.Model) })
	return s
}

func daily(days []session.DayUsage, turn turn, t session.Trace) []session.DayUsage {
	i := slices.IndexFunc(days, func(d session.DayUsage) bool { return d.Day == turn.at.Day() && d.Model == turn.model })
	if i < 0 {
		i = len(days)
		days = append(days, session.DayUsage{Day: turn.at.Day(), Model: turn.model})
	}
	days[i].Usage.Add(t.Usage)
	days[i].Prompts += t.Counts.Prompts
	days[i].Messages += t.Counts.Messages
	days[i].ToolCalls += t.Counts.ToolCalls
	days[i].ToolErrors += t.Counts.ToolErrors
	return days
}

func projectedTrace(sessionID string, seq int, turn turn) session.ProjectedTrace {
	usage := session.Usage{
		InputTokens: turn.tokens, CacheReadTokens: 2 * turn.tokens, CacheWriteTokens: 3, OutputTokens: 5,
		ReasoningTokens: 1, Cost: session.USD(turn.tokens * 1_000_003), Unpriced: turn.tokens%2 == 1,
	}
	t := session.Trace{
		ID: session.TraceID(sessionID, fmt.Sprint("prompt ", seq)), SessionID: sessionID, Seq: seq,
		UserPrompt: turn.prompt, Response: "Done: " + turn.prompt, Origin: session.Typed, Status: session.StatusOK,
		StartedAt: turn.at, EndedAt: turn.at + 1500, Cwd: "/home/ann/Café", GitBranch: "main",
		Models: []string{turn.model}, SpanCount: turn.tools + 2, Usage: usage,
		Counts: session.Counts{Prompts: 1, Messages: 1, ToolCalls: int64(turn.tools), ToolResults: int64(turn.tools)},
	}
	return session.ProjectedTrace{Trace: t, Spans: projectedSpans(t, turn)}
}

// projectedSpans are a root, an llm span and its tools.
func projectedSpans(t session.Trace, turn turn) []session.ProjectedSpan {
	root := session.Span{ID: session.AgentID(t.SessionID, t.ID), Kind: session.KindAgent, Name: harness, Status: t.Status}
	llm := session.Span{
		ID: session.LLMID(t.SessionID, fmt.Sprint("message ", t.Seq)), ParentID: root.ID, Kind: session.KindLLM,
		Name: turn.model, Model: turn.model, Provider: "anthropic", StopReason: "end_turn", MessageID: "msg_1",
		Status: session.StatusOK, Usage: t.Usage, Records: []string{"a", "b"},
	}
	spans := []session.ProjectedSpan{
		{Span: root},
		{Span: llm, Input: packed(session.Text, turn.prompt), Output: packed(session.Text, "Done: "+turn.prompt)},
	}
	for i := range turn.tools {
		call := fmt.Sprintf("call %d of %d", i, t.Seq)
		spans = append(spans, session.ProjectedSpan{
			Span: session.Span{
				ID: session.ToolID(t.SessionID, call), ParentID: llm.ID, Kind: session.KindTool, Name: "Bash", CallID: call,
				Status: session.StatusError, Error: "exit 1 🙈", Attributes: map[string]string{"cwd": "/tmp", "code": "1"},
			},
			Input: packed(session.ToolCall, "ls"), Output: packed(session.ToolResult, "no such file \uFFFD"),
		})
	}
	for i := range spans {
		s := &spans[i].Span
		s.TraceID, s.SessionID, s.Seq, s.StartedAt, s.EndedAt = t.ID, t.SessionID, i, t.StartedAt, t.EndedAt
	}
	return spans
}

func packed(kind session.PartType, text string) session.Packed {
	p, err := session.Pack([]session.Part{{Type: kind, Text: text}})
	if err != nil {
		panic(err)
	}
	return p
}

// feeds are links from a trace's tools to its llm span.
func feeds(t session.ProjectedTrace) []session.Link {
	var links []session.Link
	for _, s := range t.Spans[2:] {
		links = append(links, session.Link{
			Kind:          session.LinkFeeds,
			FromSessionID: t.Trace.SessionID, FromTraceID: t.Trace.ID, FromSpanID: s.Span.ID,
			ToSessionID: t.Trace.SessionID, ToTraceID: t.Trace.ID, ToSpanID: t.Spans[1].Span.ID,
		})
	}
	return links
}

// asSubagentOf makes the projection's session one that the parent started.
func asSubagentOf(p session.Projection, parent session.Ref) session.Projection {
	p.Sessions[0].Session.Parent = &session.Origin{SessionID: parent.SessionID(), Relation: session.Subagent}
	return p
}

// same fails the test where got is not what is wanted; nil and empty are one.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.FilterValues(emptyBoth, cmp.Ignore())); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func emptyBoth(a, b any) bool {
	return empty(a) && empty(b)
}

func empty(v any) bool {
	switch v := v.(type) {
	case []string:
		return len(v) == 0
	case map[string]string:
		return len(v) == 0
	case []session.Part:
		return len(v) == 0
	}
	return false
}

// all is every item of a listing, read in pages of the given size.
func all[T any](t *testing.T, size int, list func(store.Page) (store.List[T], error)) []T {
	t.Helper()
	items, err := allPages(size, list)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// everySession is a filter that leaves out none.
var everySession = store.SessionFilter{Children: true, Internal: true}

func sessionIDs(t *testing.T, s store.Store, f store.SessionFilter) []string {
	t.Helper()
	ids := []string{}
	for _, item := range all(t, store.MaxLimit, func(p store.Page) (store.List[session.Session], error) {
		return s.Sessions(t.Context(), f, p)
	}) {
		ids = append(ids, item.ID)
	}
	return ids
}

// sound fails the test if Check finds anything.
func sound(t *testing.T, s store.Store) {
	t.Helper()
	problems, err := s.Check(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	for _, p := range problems {
		t.Errorf("check: %s: %s", p.Where, p.What)
	}
}
