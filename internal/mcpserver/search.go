package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"tapedeck/internal/search"
	"tapedeck/internal/store"
)

// searchTools are the tools of the search.
var searchTools = []func(Options) tool{
	searchSpans,
}

func searchSpans(Options) tool {
	return tool{
		name:  "search",
		title: "Search agent sessions",
		description: "Find what was said and done in earlier AI-agent sessions, by meaning and by exact words: how something was " +
			"solved, which command failed, where a name came up. What models answered in main conversations is searched, " +
			"unless scope says otherwise: tools has commands, files and their output. " +
			"Each hit is a span with the prompt of its turn and the passage " +
			"that matched; get_span reads all of it, get_session with trace_id what went on around it.",
		params: []param{
			{name: "query", kind: text, required: true, about: `Question or words; "quoted" words, names and error codes are found as written`},
			{name: "top_k", kind: integer, min: 1, max: search.MaxTopK, about: "Number of hits; 5 unless given"},
			{name: "mode", kind: text, enum: []string{search.ModeHybrid, search.ModeSemantic, search.ModeLexical},
				about: "Search by meaning and words (hybrid, the default) or by one of them"},
			{name: "scope", kind: text, enum: names(searchScopes),
				about: "main (default): model spans of main conversations; subagents: theirs too; tools: tool spans; all"},
			{name: "session_id", kind: text, about: "Only this session: identifier or its beginning (6 characters at least)"},
			{name: "project", kind: text, about: "Only this project or working folder"},
			{name: "harness", kind: text, about: "Only this program, such as claude-code or codex"},
			{name: "model", kind: text, about: "Only spans of this model"},
			{name: "after", kind: text, about: "Only at or after this: RFC 3339, a date, or an age such as 36h or 7d"},
			{name: "before", kind: text, about: "Only before this"},
			{name: "min_score", kind: number, max: 1, about: "Leave out hits whose score is lower"},
		},
		output: searchSchema(),
		run:    runSearch,
	}
}

var searchScopes = []store.Scope{store.ScopeMain, store.ScopeSubagents, store.ScopeTools, store.ScopeAll}

// searchSchema differs from other outputs in that all fields are always there: a
// time that is not known is null.
func searchSchema() *jsonschema.Schema {
	s := outputSchema[search.Answer]()
	hit := s.Properties["results"].Items.Properties
	hit["started_at"] = &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "null"}},
	}
	for field, about := range map[string]string{
		"score":      "1: all words, or all that is to be found as written; compare within one answer",
		"similar":    "near-duplicates (forks, retries) that this hit stands for",
		"highlights": "byte ranges of snippet that match",
	} {
		hit[field].Description = about
	}
	return s
}

func runSearch(ctx context.Context, c *call) (*answer, error) {
	found, err := c.search.Search(ctx, search.Request{
		Query: c.args.text("query"), TopK: c.args.integer("top_k"),
		Mode: c.args.text("mode"), Scope: c.args.text("scope"), SessionID: c.args.text("session_id"),
		Project: c.args.text("project"), Harness: c.args.text("harness"), Model: c.args.text("model"),
		After: c.args.text("after"), Before: c.args.text("before"), MinScore: c.args.number("min_score"),
	})
	if err != nil {
		return nil, err
	}
	shown := fitHits(found, c.maxBytes)
	return &answer{data: shown, note: shown.Notice}, nil
}

// hitTexts are the bytes that each text of a hit may have, where there is less and
// less room.
var hitTexts = []int{1000, 300, 150}

// fitHits shortens an answer that does not fit into room: first the texts of the
// hits, then their number.
func fitHits(found *search.Answer, room int) *search.Answer {
	if size(found) <= room {
		return found
	}
	shown := *found
	shown.Query = cutText(found.Query, room/20)
	for _, most := range hitTexts {
		shown.Results = cutHits(found.Results, most)
		shown.Notice = alsoNote(found.Notice, "to fit, prompts and snippets end at %d bytes: get_span reads the whole text", most)
		if size(&shown) <= room {
			return &shown
		}
	}
	short := shown.Results
	keep := func(n int) int {
		shown.Results, shown.Count = keepFirst(short, n), n
		shown.Notice = alsoNote(found.Notice, "only the best %d of %d hits fit, with short texts: filters or a narrower query bring others", n, found.Count)
		return size(&shown)
	}
	keep(mostThatFit(len(short), func(n int) bool { return keep(n) <= room }))
	return &shown
}

// alsoNote is a note with another one behind it.
func alsoNote(note, format string, a ...any) string {
	return strings.TrimPrefix(note+"; "+fmt.Sprintf(format, a...), "; ")
}

// cutHits are hits whose texts have at most so many bytes.
func cutHits(hits []search.Hit, most int) []search.Hit {
	short := slices.Clone(hits)
	for i := range short {
		h := &short[i]
		h.UserPrompt, h.Title = cutText(h.UserPrompt, most), cutText(h.Title, most)
		h.Snippet, h.Highlights = cutSnippet(h.Snippet, h.Highlights, most)
	}
	return short
}

// cutSnippet cuts a snippet that is too long, with the words that match in what
// is left.
func cutSnippet(snippet string, highlights [][2]int, most int) (string, [][2]int) {
	if len(snippet) <= most {
		return snippet, highlights
	}
	inside := [][2]int{}
	for _, h := range highlights {
		if h[1] <= most {
			inside = append(inside, h)
		}
	}
	return cutText(snippet, most), inside
}
