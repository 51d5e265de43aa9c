package mcpserver

import (
	"context"
	"fmt"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
)

const (
	mostSkeletonText = 300      // bytes of a prompt or response where a session's traces are listed
	mostChildren     = 20       // sub-agents and forks that a skeleton names
	mostContent      = 16 << 20 // bytes of content that a page of spans is made from
)

// sessionView is a session's skeleton, or with trace_id a trace with its spans.
type sessionView struct {
	Session    *sessionFacts  `json:"session,omitempty"`
	Traces     []traceLine    `json:"traces,omitempty"`
	Trace      *traceLine     `json:"trace,omitempty"`
	Spans      []spanLine     `json:"spans,omitempty"`
	Links      []session.Link `json:"links,omitempty"`
	Total      int64          `json:"total"` // of traces, or spans
	NextCursor string         `json:"next_cursor,omitempty"`
	Note       string         `json:"note,omitempty"`
}

// sessionFacts is what a skeleton says of the session as a whole.
type sessionFacts struct {
	sessionLine
	HarnessSessionID string        `json:"harness_session_id,omitempty"`
	HarnessVersion   string        `json:"harness_version,omitempty"`
	Cwd              string        `json:"cwd,omitempty"`
	DurationS        float64       `json:"duration_s"`
	Compactions      int64         `json:"compactions,omitempty"`
	Usage            session.Usage `json:"usage"`
	PartialReason    string        `json:"partial_reason,omitempty"`
	SubagentTokens   int64         `json:"subagent_tokens,omitempty"`
	SubagentCost     session.USD   `json:"subagent_cost_usd,omitempty"`
	Children         []childLine   `json:"children,omitempty"`
	ChildrenTotal    int64         `json:"children_total,omitempty"`
}

// childLine is a session that came from another.
type childLine struct {
	ID        string           `json:"session_id"`
	Title     string           `json:"title"`
	Relation  session.Relation `json:"relation,omitempty"`
	AgentType string           `json:"agent_type,omitempty"`
	SpanID    string           `json:"from_span_id,omitempty"`
}

// traceLine is one turn: what was asked, and what came of it.
type traceLine struct {
	ID         string               `json:"trace_id"`
	SessionID  string               `json:"session_id,omitempty"`
	Seq        int                  `json:"seq"`
	Prompt     string               `json:"user_prompt"`
	Response   string               `json:"response"`
	Origin     session.PromptOrigin `json:"origin,omitempty"`
	Status     session.Status       `json:"status"`
	StartedAt  session.Time         `json:"started_at,omitempty"`
	EndedAt    session.Time         `json:"ended_at,omitempty"`
	Models     []string             `json:"models,omitempty"`
	SpanCount  int                  `json:"span_count"`
	ToolCalls  int64                `json:"tool_calls"`
	ToolErrors int64                `json:"tool_errors,omitempty"`
	Tokens     int64                `json:"tokens"`
	Cost       session.USD          `json:"cost_usd"`
	LowerBound bool                 `json:"lower_bound,omitempty"`
}

func getSession(Options) tool {
	return tool{
		name:  "get_session",
		title: "Open an agent session",
		description: "With session_id: the skeleton of a session, its facts, sums and traces (user turns: prompt, response, " +
			"counts). With trace_id: one trace and its spans (model calls, tool calls, events) with the beginning of each text. " +
			"Read skeleton, then a trace, then get_span for a whole text.",
		params: []param{
			{name: "session_id", kind: text, about: "Identifier, its beginning, or the harness' own identifier"},
			{name: "trace_id", kind: text, about: "Open this trace of it"},
			{name: "content", kind: text, enum: []string{archive.ContentNone, archive.ContentPreview, archive.ContentFull},
				about: "Of spans: none, preview (default) or full, as far as the answer has room"},
			pageLimit, pageCursor,
		},
		output: outputSchema[sessionView](),
		run:    runGetSession,
	}
}

func runGetSession(ctx context.Context, c *call) (*answer, error) {
	ask, preset := skeletonOf, defaultPage
	switch {
	case c.args.text("trace_id") != "":
		ask, preset = traceOf, defaultSpans
	case c.args.text("session_id") == "":
		return nil, &archive.Error{Code: archive.CodeArgument, Message: "session_id is missing", Hint: "give session_id or trace_id; list_sessions shows all sessions"}
	case c.args.text("content") != "":
		return nil, &archive.Error{Code: archive.CodeArgument, Message: "content is of a trace's spans", Hint: "give trace_id with it"}
	}
	shown, err := fitPage(c, preset, func(page archive.PageRequest) (*sessionView, int, error) { return ask(ctx, c, page) })
	if err != nil {
		return nil, err
	}
	return &answer{data: shown, note: shown.Note}, nil
}

func skeletonOf(ctx context.Context, c *call, page archive.PageRequest) (view *sessionView, need int, err error) {
	found, err := c.archive.Session(ctx, c.args.text("session_id"))
	if err != nil {
		return nil, 0, err
	}
	traces, err := c.archive.Traces(ctx, found.ID, page)
	if err != nil {
		return nil, 0, err
	}
	view = &sessionView{Session: factsOf(found), Total: traces.Total, NextCursor: traces.NextCursor}
	cut := false
	for _, t := range traces.Traces {
		line := lineOfTrace(t, mostSkeletonText)
		line.SessionID = ""
		cut = cut || line.Prompt != t.UserPrompt || line.Response != t.Response
		view.Traces = append(view.Traces, line)
	}
	view.Note = pageNote(len(view.Traces), view.Total, view.NextCursor, "traces")
	if cut {
		view.Note = join(view.Note, fmt.Sprintf("Prompts and responses end at %d bytes: trace_id shows more of one.", mostSkeletonText))
	}
	if n := len(view.Session.Children); int64(n) < found.ChildrenTotal {
		view.Note = join(view.Note, fmt.Sprintf("children shows %d of %d: list_sessions with subagents has all.", n, found.ChildrenTotal))
	}
	return view, size(view), nil
}

// traceOf is a trace with a page of its spans.
func traceOf(ctx context.Context, c *call, page archive.PageRequest) (view *sessionView, need int, err error) {
	content := c.args.text("content")
	asked := archive.ContentFull // from which previews are cut here: so it is known how long a text is
	if content == archive.ContentNone {
		asked = content
	}
	found, err := c.archive.Trace(ctx, archive.TraceRequest{
		TraceID: c.args.text("trace_id"), Content: asked, MaxBytes: mostContent, PageRequest: page,
	})
	if err != nil {
		return nil, 0, err
	}
	if err := sameSession(ctx, c, found.Trace); err != nil {
		return nil, 0, err
	}
	trace := lineOfTrace(found.Trace, session.MaxPreview)
	view = &sessionView{Trace: &trace, Spans: make([]spanLine, len(found.Spans)), Links: keepThatFit(found.Links, c.maxBytes/10), Total: found.SpansTotal, NextCursor: found.NextCursor}
	for i, s := range found.Spans {
		view.Spans[i] = lineOfSpan(s, mostParts)
		if s.Kind == session.KindLLM {
			view.Spans[i].leaveToTools()
		}
	}
	perText := session.MaxPreview
	if content == archive.ContentFull {
		perText = c.maxBytes
	}
	parts, bare := partsOf(view.Spans), size(view)+noteRoomOf(c)
	cut := fitTexts(parts, perText, c.maxBytes-bare) || found.Cut
	view.Note = pageNote(len(view.Spans), view.Total, view.NextCursor, "spans")
	if cut {
		view.Note = join(view.Note, "Where text_bytes stands, a text is cut: get_span reads it whole, from next_offset on.")
	}
	return view, max(size(view), bare+leastTexts(parts)), nil
}

// sameSession checks that a trace is of the session that was named with it.
func sameSession(ctx context.Context, c *call, t session.Trace) error {
	id := c.args.text("session_id")
	if id == "" || id == t.SessionID {
		return nil
	}
	named, err := c.archive.Session(ctx, id)
	if err != nil {
		return err
	}
	if named.ID != t.SessionID {
		return &archive.Error{
			Code:    archive.CodeTraceNotFound,
			Message: fmt.Sprintf("session %s has no trace %s", named.ID, t.ID),
			Hint:    "it is of session " + t.SessionID,
		}
	}
	return nil
}

func factsOf(s *archive.SessionDetail) *sessionFacts {
	facts := &sessionFacts{
		sessionLine:      lineOf(s.SessionItem),
		HarnessSessionID: s.HarnessSessionID, HarnessVersion: s.HarnessVersion, Cwd: s.Cwd,
		DurationS: s.DurationS, Compactions: s.Counts.Compactions, Usage: s.Usage, PartialReason: s.PartialReason,
		SubagentTokens: s.Subagents.Usage.Total(), SubagentCost: s.Subagents.Usage.Cost, ChildrenTotal: s.ChildrenTotal,
	}
	for _, child := range keepFirst(s.Children, mostChildren) {
		line := childLine{ID: child.ID, Title: cutText(child.DisplayTitle, mostTitle), AgentType: child.AgentType}
		if child.Parent != nil {
			line.Relation, line.SpanID = child.Parent.Relation, child.Parent.SpanID
		}
		facts.Children = append(facts.Children, line)
	}
	return facts
}

func lineOfTrace(t session.Trace, most int) traceLine {
	return traceLine{
		ID: t.ID, SessionID: t.SessionID, Seq: t.Seq, Prompt: cutText(t.UserPrompt, most), Response: cutText(t.Response, most),
		Origin: t.Origin, Status: t.Status, StartedAt: t.StartedAt, EndedAt: t.EndedAt, Models: t.Models,
		SpanCount: t.SpanCount, ToolCalls: t.Counts.ToolCalls, ToolErrors: t.Counts.ToolErrors,
		Tokens: t.Usage.Total(), Cost: t.Usage.Cost, LowerBound: t.Usage.Partial || t.Usage.Unpriced,
	}
}

// join puts sentences together, of which some may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
