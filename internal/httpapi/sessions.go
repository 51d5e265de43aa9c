package httpapi

import (
	"context"
	"net/http"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// Names of parameters that are more than an argument of one route.
const (
	paramLimit    = "limit"
	paramMaxBytes = "max_bytes"
	paramID       = "id"
)

// Parameters that several routes have.
var (
	sessionID = param{name: paramID, kind: text, about: "session_id, its beginning (6 characters at least), or the harness' own identifier"}
	limit     = param{name: paramLimit, kind: integer, min: 1, max: store.MaxLimit, preset: 50, about: "most items of the answer"}
	cursor    = param{name: "cursor", kind: text, about: "next_cursor of the answer before"}
	since     = param{name: "since", kind: moment, about: "active at or after this: RFC 3339, a date, or an age such as 36h or 7d"}
	until     = param{name: "until", kind: moment, about: "active before this"}
	project   = param{name: "project", kind: text, about: "project, or working folder, ignoring case"}
	harness   = param{name: "harness", kind: text, about: "program that ran the session, such as claude-code"}
	model     = param{name: "model", kind: text, about: "a model that took part, ignoring case"}
	maxBytes  = param{name: paramMaxBytes, kind: integer, min: leastAnswer, max: 256 << 20, preset: mostAnswer, about: "most bytes of the answer; cut tells what that left out"}
)

// sessionRoutes are the routes of what is known of sessions.
var sessionRoutes = []route{
	{
		method: http.MethodGet, path: "/v1/sessions", name: "listSessions",
		summary: "List sessions",
		about:   "Sessions that the filters choose, the last active first unless sort says otherwise. Sub-agents' sessions, and the harness' own, are left out unless asked for.",
		params: []param{
			since, until, project, harness, model,
			{name: "status", kind: text, about: "how the session's last turn ended", allowed: texts(statuses)},
			{name: "title", kind: text, about: "a part of the title or display name, ignoring case"},
			{name: "subagents", kind: boolean, preset: false, about: "with the sessions of sub-agents"},
			{name: "internal", kind: boolean, preset: false, about: "with the harness' own sessions"},
			{name: "sort", kind: text, preset: string(store.SortActive), allowed: texts(store.SessionSorts), about: "what the list is ordered by"},
			{name: "ascending", kind: boolean, preset: false, about: "least first"},
			limit, cursor,
		},
		operation: answers(listSessions),
	},
	{
		method: http.MethodGet, path: "/v1/sessions/{id}", name: "getSession",
		summary:   "Show a session, with sums over its sub-agents",
		params:    []param{sessionID},
		fails:     noSuchSession,
		operation: answers(getSession),
	},
	{
		method: http.MethodPatch, path: "/v1/sessions/{id}", name: "renameSession",
		summary:   "Give a session a display name, or take it away with null",
		params:    []param{sessionID},
		fails:     append([]int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}, noSuchSession...),
		operation: changes(renameSession),
	},
	{
		method: http.MethodDelete, path: "/v1/sessions/{id}", name: "deleteSession",
		summary: "Delete a session for good",
		about:   "Its raw records go too, and the sessions of its sub-agents; importers do not bring them back. The answer names all that is gone.",
		params:  []param{sessionID},
		fails:   noSuchSession, operation: answers(deleteSession),
	},
	{
		method: http.MethodGet, path: "/v1/sessions/{id}/traces", name: "listTraces",
		summary: "List a session's traces: its user turns",
		params:  []param{sessionID, limit, cursor},
		fails:   noSuchSession, operation: answers(listTraces),
	},
	{
		method: http.MethodGet, path: "/v1/sessions/{id}/children", name: "listChildren",
		summary: "List the sessions that came from one: its sub-agents and forks",
		params:  []param{sessionID, limit, cursor},
		fails:   noSuchSession, operation: answers(listChildren),
	},
	{
		method: http.MethodGet, path: "/v1/sessions/{id}/raw", name: "listRawRecords",
		summary: "List a session's raw records, as they were captured",
		params: []param{
			sessionID,
			{name: "bodies", kind: boolean, preset: false, about: "with what the records hold: body where that is UTF-8, else body_base64"},
			maxBytes, limit, cursor,
		},
		fails: noSuchSession, operation: answers(listRaw),
	},
	{
		method: http.MethodGet, path: "/v1/sessions/{id}/export", name: "exportSession",
		summary: "Export a whole session",
		about:   "jsonl has a line for the session, then one a trace, span and link; markdown is to be read by people. The answer is streamed, and as long as the session is.",
		params: []param{
			sessionID,
			{name: "format", kind: text, preset: archive.FormatJSONL, allowed: []string{archive.FormatJSONL, archive.FormatMarkdown}, about: "form of the export"},
		},
		fails: noSuchSession, operation: says(exportSession, content{mediaType: mediaJSONL}, content{mediaType: mediaMarkdown}),
	},
	{
		method: http.MethodGet, path: "/v1/stats", name: "getStats",
		summary: "Sum up sessions: prompts, tool calls, tokens by kind, cost",
		about:   "Sub-agents' sessions count too. The sums stand for the days from since until until, in UTC.",
		params: []param{
			{name: "by", kind: text, about: "what the groups are of; without it there is the total alone",
				allowed: texts([]store.StatsBy{store.ByDay, store.ByModel, store.ByProject, store.ByHarness})},
			since, until, project, harness, model,
			{name: paramLimit, kind: integer, min: 1, max: store.MaxLimit, preset: store.MaxLimit, about: "most groups of the answer"},
			cursor,
		},
		operation: answers(getStats),
	},
}

// noSuchSession are the ways in which an identifier of a session can fail.
var noSuchSession = []int{http.StatusNotFound, http.StatusConflict}

var statuses = []session.Status{
	session.StatusOK, session.StatusError, session.StatusInterrupted, session.StatusPending, session.StatusUnknown,
}

// texts are words of any type.
func texts[S ~string](words []S) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

func (c *call) page() archive.PageRequest {
	return archive.PageRequest{Limit: c.limit, Cursor: c.args.text("cursor")}
}

func listSessions(ctx context.Context, c *call) (*archive.SessionList, error) {
	return c.ops.ListSessions(ctx, archive.ListRequest{
		Since: c.args.text("since"), Until: c.args.text("until"),
		Project: c.args.text("project"), Harness: c.args.text("harness"), Model: c.args.text("model"),
		Status: c.args.text("status"), Title: c.args.text("title"),
		Subagents: c.args.boolean("subagents"), Internal: c.args.boolean("internal"),
		Sort: c.args.text("sort"), Ascending: c.args.boolean("ascending"),
		PageRequest: c.page(),
	})
}

func getSession(ctx context.Context, c *call) (*archive.SessionDetail, error) {
	return c.ops.Session(ctx, c.args.text(paramID))
}

// nameChange is the body of a PATCH: a name, or null for none.
type nameChange struct {
	DisplayName *string `json:"display_name"`
}

func renameSession(ctx context.Context, c *call, to nameChange) (*archive.SessionItem, error) {
	name := ""
	if to.DisplayName != nil {
		name = *to.DisplayName
	}
	return c.ops.Rename(ctx, c.args.text(paramID), name)
}

func deleteSession(ctx context.Context, c *call) (*archive.Deleted, error) {
	return c.ops.Delete(ctx, c.args.text(paramID))
}

func listTraces(ctx context.Context, c *call) (*archive.TraceList, error) {
	return c.ops.Traces(ctx, c.args.text(paramID), c.page())
}

func listChildren(ctx context.Context, c *call) (*archive.SessionList, error) {
	return c.ops.Children(ctx, c.args.text(paramID), c.page())
}

func listRaw(ctx context.Context, c *call) (*archive.RawList, error) {
	return c.ops.Raw(ctx, archive.RawRequest{
		SessionID: c.args.text(paramID), Bodies: c.args.boolean("bodies"),
		MaxBytes: c.maxBytes, PageRequest: c.page(),
	})
}

func getStats(ctx context.Context, c *call) (*archive.StatsList, error) {
	return c.ops.Stats(ctx, archive.StatsRequest{
		Since: c.args.text("since"), Until: c.args.text("until"),
		Project: c.args.text("project"), Harness: c.args.text("harness"), Model: c.args.text("model"),
		By: c.args.text("by"), PageRequest: c.page(),
	})
}
