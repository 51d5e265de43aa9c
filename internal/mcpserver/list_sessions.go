package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// How many items a page has when the caller does not say.
const (
	defaultPage  = 50
	defaultSpans = 20 // with their texts
)

// mostTitle is how many bytes an answer shows of a title.
const mostTitle = 300

// sessionList is a list of sessions as an agent reads it: in few words.
type sessionList struct {
	Sessions   []sessionLine `json:"sessions"`
	Total      int64         `json:"total"`
	NextCursor string        `json:"next_cursor,omitempty"`
	Note       string        `json:"note,omitempty"`
}

// sessionLine is what tells one session from another. Tokens and cost are its
// own, without those of sub-agents.
type sessionLine struct {
	ID         string          `json:"session_id"`
	Title      string          `json:"title"`
	Harness    string          `json:"harness"`
	Project    string          `json:"project,omitempty"`
	GitBranch  string          `json:"git_branch,omitempty"`
	AgentType  string          `json:"agent_type,omitempty"`
	Status     session.Status  `json:"status"`
	StartedAt  session.Time    `json:"started_at,omitempty"`
	EndedAt    session.Time    `json:"ended_at,omitempty"`
	Models     []string        `json:"models"`
	Traces     int64           `json:"traces"`
	ToolCalls  int64           `json:"tool_calls"`
	ToolErrors int64           `json:"tool_errors,omitempty"`
	Subagents  int64           `json:"subagents,omitempty"`
	Tokens     int64           `json:"tokens"`
	Cost       session.USD     `json:"cost_usd"`
	LowerBound bool            `json:"lower_bound,omitempty"` // tokens or cost may be more
	Parent     *session.Origin `json:"parent,omitempty"`
}

func listSessions(Options) tool {
	return tool{
		name:  "list_sessions",
		title: "List agent sessions",
		description: "Find earlier AI-agent sessions (Claude Code, Codex and others), the last active first: title, " +
			"project, models, turns, tokens, cost. Then get_session.",
		params: []param{
			{name: "since", kind: text, about: "Active at or after this: RFC 3339, a date, or an age such as 36h or 7d"},
			{name: "until", kind: text, about: "Active before this"},
			{name: "project", kind: text, about: "Project or working folder"},
			{name: "harness", kind: text, about: "Program that ran the session, such as claude-code or codex"},
			{name: "model", kind: text, about: "A model that took part"},
			{name: "status", kind: text, enum: names(sessionStatuses), about: "How the last turn ended"},
			{name: "title", kind: text, about: "A part of the title"},
			{name: "subagents", kind: boolean, about: "With the sessions of sub-agents"},
			{name: "internal", kind: boolean, about: "With the harness' own sessions"},
			{name: "sort", kind: text, enum: names(store.SessionSorts), about: "Order; last_active unless given"},
			{name: "ascending", kind: boolean, about: "Least first"},
			pageLimit, pageCursor,
		},
		output: outputSchema[sessionList](),
		run:    runListSessions,
	}
}

var sessionStatuses = []session.Status{
	session.StatusOK, session.StatusError, session.StatusInterrupted, session.StatusPending, session.StatusUnknown,
}

// Parameters of all lists of the agent road.
var (
	pageLimit  = param{name: "limit", kind: integer, min: 1, max: store.MaxLimit, about: "Most items to return"}
	pageCursor = param{name: "cursor", kind: text, about: "next_cursor of the answer before, for the next page"}
)

// names are words of any type.
func names[S ~string](words []S) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

func runListSessions(ctx context.Context, c *call) (*answer, error) {
	shown, err := fitPage(c, defaultPage, func(page archive.PageRequest) (*sessionList, int, error) {
		found, err := c.archive.ListSessions(ctx, archive.ListRequest{
			Since: c.args.text("since"), Until: c.args.text("until"),
			Project: c.args.text("project"), Harness: c.args.text("harness"), Model: c.args.text("model"),
			Status: c.args.text("status"), Title: c.args.text("title"),
			Subagents: c.args.boolean("subagents"), Internal: c.args.boolean("internal"),
			Sort: c.args.text("sort"), Ascending: c.args.boolean("ascending"),
			PageRequest: page,
		})
		if err != nil {
			return nil, 0, err
		}
		list := &sessionList{Sessions: make([]sessionLine, len(found.Sessions)), Total: found.Total, NextCursor: found.NextCursor}
		for i, s := range found.Sessions {
			list.Sessions[i] = lineOf(s)
		}
		list.Note = pageNote(len(list.Sessions), list.Total, list.NextCursor, "sessions")
		return list, size(list), nil
	})
	if err != nil {
		return nil, err
	}
	if shown.Total == 0 {
		shown.Note = "No session found: leave filters out, or ask for subagents or internal ones too."
	}
	return &answer{data: shown, note: shown.Note}, nil
}

func lineOf(s archive.SessionItem) sessionLine {
	line := sessionLine{
		ID: s.ID, Title: cutText(s.DisplayTitle, mostTitle), Harness: s.Harness, Project: s.Project, GitBranch: s.GitBranch,
		AgentType: s.AgentType, Status: s.Status, StartedAt: s.StartedAt, EndedAt: s.EndedAt, Models: []string{},
		Traces: s.Counts.Traces, ToolCalls: s.Counts.ToolCalls, ToolErrors: s.Counts.ToolErrors, Subagents: s.Counts.Subagents,
		Tokens: s.Usage.Total(), Cost: s.Usage.Cost, LowerBound: s.Usage.Partial || s.Usage.Unpriced, Parent: s.Parent,
	}
	for _, m := range s.Models {
		line.Models = append(line.Models, m.Model)
	}
	return line
}

// pageNote says how to go on behind a part of a list.
func pageNote(shown int, total int64, next, what string) string {
	if next == "" {
		return ""
	}
	return fmt.Sprintf("%d of %d %s shown: go on with cursor=%s.", shown, total, what, next)
}

// fitPage asks for fewer items until the bytes that ask says they need fit into
// an answer. Only who made a cursor can make one that points behind fewer items.
func fitPage[T any](c *call, preset int, ask func(archive.PageRequest) (found *T, need int, err error)) (*T, error) {
	page := archive.PageRequest{Limit: cmp.Or(c.args.integer("limit"), preset), Cursor: c.args.text("cursor")}
	for {
		found, need, err := ask(page)
		if err != nil || need <= c.maxBytes || page.Limit == 1 {
			return found, err
		}
		page.Limit = max(1, page.Limit*c.maxBytes*9/10/need)
	}
}
