package derive

import (
	"strings"
	"testing"

	"tapedeck/internal/session"
)

func TestTitle(t *testing.T) {
	title := func(s string, rank session.TitleRank) *session.Title { return &session.Title{Text: s, Rank: rank} }
	for _, test := range []struct {
		name string
		want string
		what []session.What
	}{
		{"the highest rank", "person", []session.What{typed("ask"), title("person", session.TitlePerson), title("model", session.TitleModel)}},
		{"then the latest", "new", []session.What{typed("ask"), title("old", session.TitleModel), title("new", session.TitleModel), title(" ", session.TitlePerson)}},
		{"the first prompt", "ask me", []session.What{&session.Facts{Name: "slug"}, typed("ask\n\n  me"), typed("again")}},
		{"not a command, if something was asked", "ask", []session.What{prompts(session.Command, "/clear"), typed("ask")}},
		{"a command", "/init", []session.What{&session.Facts{Name: "slug"}, prompts(session.Command, "/init"), says("m", "x")}},
		{"no JSON", "ask", []session.What{typed(`{"a": [1, 2]}`), typed("ask")}},
		{"braces that are no JSON", "{name} is missing", []session.What{typed("{name} is missing")}},
		{"no code, if there is prose", "Why?", []session.What{typed("Why?\n```go\nx := 1\n```\n")}},
		{"code, if there is nothing else", "x := 1", []session.What{typed("```go\nx := 1\n```")}},
		{"no heading's mark", "Task: do", []session.What{typed("# Task: do")}},
		{"the harness' name", "slug", []session.What{&session.Facts{Name: "slug"}, says("m", "x")}},
		{"none", untitled, []session.What{says("m", "x")}},
		{"200 bytes of a long one", strings.Repeat("é", 98) + "…", []session.What{typed(strings.Repeat("é", 3000))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var records []session.Record
			for n, what := range test.what {
				records = append(records, told(n+1, what))
			}
			if got := only(t, records...).Session.Title; got != test.want {
				t.Errorf("title %q, want %q", got, test.want)
			}
		})
	}
}

func TestTitlesWithAndWithoutAPlace(t *testing.T) {
	rank := func(r session.TitleRank, s string) *session.Title { return &session.Title{Text: s, Rank: r} }
	asked := told(1, typed("ask"))
	for _, test := range []struct {
		placed, unplaced session.TitleRank
		want             string
	}{
		{session.TitleModel, session.TitleModel, "placed"},
		{session.TitleSummary, session.TitleModel, "unplaced"},
		{session.TitlePerson, session.TitleModel, "placed"},
	} {
		s := only(t, unplaced("u", rank(test.unplaced, "unplaced")), asked, told(2, rank(test.placed, "placed")))
		if s.Session.Title != test.want {
			t.Errorf("ranks %d and %d: title %q, want %q", test.placed, test.unplaced, s.Session.Title, test.want)
		}
	}
}
