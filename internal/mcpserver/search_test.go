package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/deck"
	"tapedeck/internal/search"
)

// find calls search and reads its answer, whose text must keep to maxBytes.
func find(t *testing.T, ops *fakeSearch, maxBytes int, args string) *search.Answer {
	t.Helper()
	result := callTool(t, connect(t, &fake{}, Options{Search: ops, MaxAnswerBytes: maxBytes}, nil), "search", args)
	said := blocks(t, result)
	if result.IsError {
		t.Fatalf("search %s: %s", args, said[0])
	}
	if len(said[0]) > maxBytes {
		t.Errorf("search %s: %d bytes, want at most %d", args, len(said[0]), maxBytes)
	}
	var found search.Answer
	if err := json.Unmarshal([]byte(said[0]), &found); err != nil {
		t.Fatal(err)
	}
	if found.Notice != "" && (len(said) != 2 || said[1] != found.Notice) {
		t.Errorf("blocks %q, want the notice as the second", said[1:])
	}
	return &found
}

func TestSearchRefuses(t *testing.T) {
	ops := &fakeSearch{}
	mcp := connect(t, &fake{}, Options{Search: ops}, nil)
	for _, tc := range []struct{ args, says, hint, nearest string }{
		{`{}`, "query is missing", "search takes query (required), top_k", ""},
		{`{"query":""}`, "query is missing", "", ""},
		{`{"query":" \n"}`, "query is blank", "", ""},
		{`{"query":["a"]}`, "it takes a string", "", ""},
		{`{"query":"a","top_k":0}`, "top_k is 0; it takes 1 to 100", "", ""},
		{`{"query":"a","top_k":101}`, "top_k is 101; it takes 1 to 100", "", ""},
		{`{"query":"a","top_k":"x"}`, `top_k is "x"; it takes a number`, "", ""},
		{`{"query":"a","top_k":2.5}`, "it takes whole numbers", "", ""},
		{`{"query":"a","min_score":1.5}`, "it takes 0 to 1", "", ""},
		{`{"query":"a","mode":"semntic"}`, "it takes hybrid or semantic or lexical", "", "semantic"},
		{`{"query":"a","scope":"tool"}`, "it takes main or subagents or tools or all", "", "tools"},
		{`{"query":"a","topk":3}`, "there is no parameter", "", "top_k"},
	} {
		e := wantError(t, callTool(t, mcp, "search", tc.args), deck.CodeBadArgument)
		if !strings.Contains(e.Message, tc.says) || !strings.Contains(e.Hint, tc.hint) || !strings.Contains(strings.Join(e.Nearest, " "), tc.nearest) {
			t.Errorf("search %s: %q (%q, nearest %q), want %q (%q, %q)", tc.args, e.Message, e.Hint, e.Nearest, tc.says, tc.hint, tc.nearest)
		}
	}
	if len(ops.asked) != 1 {
		t.Errorf("the search was asked for %v; only the blank query is its to refuse", ops.asked)
	}
}

func TestSearchErrorsKeepTheirForm(t *testing.T) {
	ops := &fakeSearch{err: &search.Error{
		Code: search.CodeArgument, Message: `project "uplod": no recorded session has it`, Nearest: []string{"upload"}, Allowed: []string{"upload", "web"},
	}}
	got := wantError(t, callTool(t, connect(t, &fake{}, Options{Search: ops}, nil), "search", `{"query":"a","project":"uplod"}`), search.CodeArgument)
	want := &deck.Error{Code: search.CodeArgument, Message: `project "uplod": no recorded session has it`, Hint: "it takes upload, web", Nearest: []string{"upload"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The text is what the document promises, key by key and in its order, with our
// own fields behind.
func TestSearchHasThePromisedShape(t *testing.T) {
	result := callTool(t, connect(t, &fake{}, Options{Search: &fakeSearch{}}, nil), "search", `{"query":"how to configure logging","top_k":3}`)
	const want = `{"query":"how to configure logging","count":1,"results":[{` +
		`"session_id":"7a0c52f4-0c5e-5d0b-9d3c-2f6a1c1f9b1e","trace_id":"trc_0b8f1a52-6a4b-5c5f-8f0e-9f5d0d6a7c11","span_id":"tool_1c2d3e4f-6a4b-5c5f-8f0e-9f5d0d6a7c11",` +
		`"score":0.89,"user_prompt":"How do I set up logging?","snippet":"To configure <logging>, you'll need to…",` +
		`"model":"claude-sonnet-4-5","started_at":"2025-06-15T15:06:40.000Z",` +
		`"kind":"llm","title":"Set up logging","harness":"claude-code","project":"upload","similar":2,"highlights":[[3,12],[14,21]]}],` +
		`"mode":"hybrid","notice":""}`
	if diff := cmp.Diff([]string{want}, blocks(t, result)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCallsReachTheSearch(t *testing.T) {
	for _, tc := range []struct {
		args string
		want search.Request
	}{
		{`{"query":"a"}`, search.Request{Query: "a"}},
		{`{"query":"a","top_k":"7","mode":"","project":null}`, search.Request{Query: "a", TopK: 7}},
		{`{"query":"a","top_k":100,"mode":"lexical","scope":"all","session_id":"7a0c52","project":"p","harness":"h","model":"m","after":"7d","before":"2026-01-01","min_score":0.5}`,
			search.Request{Query: "a", TopK: 100, Mode: "lexical", Scope: "all", SessionID: "7a0c52", Project: "p", Harness: "h", Model: "m",
				After: "7d", Before: "2026-01-01", MinScore: 0.5}},
	} {
		ops := &fakeSearch{}
		find(t, ops, 80_000, tc.args)
		if diff := cmp.Diff([]search.Request{tc.want}, ops.asked); diff != "" {
			t.Errorf("search %s (-want +asked):\n%s", tc.args, diff)
		}
	}
}

// A long answer keeps its hits as long as it can, and says what is cut.
func TestSearchFits(t *testing.T) {
	long := strings.Repeat("ü\x01", 1000)
	for _, tc := range []struct {
		room, hits int
		all        bool
		says       string
	}{
		{400_000, 20, true, ""},
		{80_000, 20, true, "snippets end at 300 bytes"},
		{80_000, 100, false, "of 100 hits fit"},
		{1000, 5, false, "of 5 hits fit"},
	} {
		ops := &fakeSearch{hits: tc.hits, prompt: long, snippet: long, notice: "7 texts have no vectors yet"}
		found := find(t, ops, tc.room, `{"query":"a","top_k":100}`)
		if found.Count != len(found.Results) || (found.Count == tc.hits) != tc.all {
			t.Errorf("%d bytes: %d hits of %d", tc.room, len(found.Results), tc.hits)
		}
		if !strings.HasPrefix(found.Notice, ops.notice) || !strings.Contains(found.Notice, tc.says) {
			t.Errorf("%d bytes: notice %q, want %q", tc.room, found.Notice, tc.says)
		}
		for _, h := range found.Results {
			if !utf8.ValidString(h.Snippet) || h.Highlights == nil {
				t.Errorf("%d bytes: snippet %q with highlights %v", tc.room, h.Snippet, h.Highlights)
			}
		}
	}
	if found := find(t, &fakeSearch{hits: 1, prompt: "p", snippet: "s"}, 1000, fmt.Sprintf(`{"query":%q}`, strings.Repeat("q ", 2000))); found.Count != 1 {
		t.Errorf("a long query leaves room for %d hits, want 1", found.Count)
	}
}

func TestHighlightsStayInsideOfASnippet(t *testing.T) {
	text, inside := cutSnippet("one two three", [][2]int{{0, 3}, {4, 7}, {8, 13}}, 7)
	if text != "one two…" || !cmp.Equal(inside, [][2]int{{0, 3}, {4, 7}}) {
		t.Errorf("%q with %v", text, inside)
	}
}

// Where nothing is to be served the server stays and lists no tools.
func TestNoop(t *testing.T) {
	session := connect(t, nil, Options{NoRecordings: true}, nil)
	result, err := session.ListTools(t.Context(), nil)
	if err != nil || len(result.Tools) != 0 || result.Tools == nil {
		t.Errorf("tools are %v, %v; want an empty list", result, err)
	}
	if said := instructions(Options{NoRecordings: true}.complete()); said != "" {
		t.Errorf("instructions for no tools: %s", said)
	}
}

func TestSearchIsTaughtWhereItIs(t *testing.T) {
	for _, tc := range []struct {
		opt      Options
		tools    int
		has, not string
	}{
		{Options{Archive: &fakeArchive{}, Search: &fakeSearch{}}, 10, "search finds a step", "no search"},
		{Options{Archive: &fakeArchive{}}, 9, "list_sessions", "search finds"},
		{Options{Archive: &fakeArchive{}, Search: &fakeSearch{}, NoRecordings: true}, 4, "search finds", "load_recording"},
	} {
		opt := tc.opt.complete()
		if n := len(opt.tools()); n != tc.tools {
			t.Errorf("%+v: %d tools, want %d", tc.opt, n, tc.tools)
		}
		if said := instructions(opt); !strings.Contains(said, tc.has) || strings.Contains(said, tc.not) {
			t.Errorf("%+v is taught: %s", tc.opt, said)
		}
	}
}
