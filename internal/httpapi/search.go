package httpapi

import (
	"context"
	"net/http"

	"tapedeck/internal/archive"
	"tapedeck/internal/search"
	"tapedeck/internal/store"
)

// codeSearchOff: the server was started without search.
const codeSearchOff = "search_off"

// searchRoutes are the routes of the search.
var searchRoutes = []route{
	{
		method: http.MethodGet, path: "/v1/search/spans", name: "searchSpans",
		summary: "Find spans by meaning and by words",
		about:   "The answer is that of the MCP tool search. Where vectors can't be had it is that of the words alone, and notice says why.",
		params: []param{
			{name: "query", kind: text, required: true, about: `question or words; "quoted" words, names and error codes are found as written`},
			{name: "top_k", kind: integer, min: 1, max: search.MaxTopK, preset: search.DefaultTopK, about: "number of hits"},
			{name: "mode", kind: text, preset: search.ModeHybrid, allowed: []string{search.ModeHybrid, search.ModeSemantic, search.ModeLexical},
				about: "whether meaning, words or both are searched"},
			{name: "scope", kind: text, allowed: texts([]store.Scope{store.ScopeMain, store.ScopeSubagents, store.ScopeTools, store.ScopeAll}),
				about: "which spans: those of models in main conversations, which is the default, in sub-agents' too, those of tools, or all"},
			{name: "session_id", kind: text, about: "only of this session: session_id or its beginning"},
			project, harness,
			{name: "model", kind: text, about: "only spans of this model, ignoring case"},
			{name: "after", kind: moment, about: "at or after this: RFC 3339, a date, or an age such as 36h or 7d"},
			{name: "before", kind: moment, about: "before this"},
			{name: "min_score", kind: number, max: 1, preset: 0.0, about: "hits whose score is lower are left out"},
		},
		fails:     noSuchSession,
		operation: answers(searchSpans),
	},
	{
		method: http.MethodGet, path: "/v1/search/status", name: "getSearchStatus",
		summary:   "Tell how far the index of the search is, and how the embedder does",
		operation: answers(getSearchStatus),
	},
}

func searchSpans(ctx context.Context, c *call) (*search.Answer, error) {
	ops, err := c.searching()
	if err != nil {
		return nil, err
	}
	return ops.Search(ctx, search.Request{
		Query: c.args.text("query"), TopK: c.args.integer("top_k"), Mode: c.args.text("mode"), Scope: c.args.text("scope"),
		SessionID: c.args.text("session_id"), Project: c.args.text("project"), Harness: c.args.text("harness"), Model: c.args.text("model"),
		After: c.args.text("after"), Before: c.args.text("before"), MinScore: c.args.number("min_score"),
	})
}

func getSearchStatus(ctx context.Context, c *call) (*search.Status, error) {
	ops, err := c.searching()
	if err != nil {
		return nil, err
	}
	return ops.Status(ctx)
}

// searching is the search, where there is one.
func (c *call) searching() (search.Operations, error) {
	if c.search == nil {
		return nil, &archive.Error{
			Code: codeSearchOff, Message: "search is off",
			Hint: "start the server with an embedding_provider; builtin needs nothing",
		}
	}
	return c.search, nil
}
