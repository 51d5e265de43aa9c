package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/mcpserver"
	"tapedeck/internal/search"
	"tapedeck/internal/session"
)

// fakeSearch finds one span, and notes in an archive what it was asked for.
type fakeSearch struct {
	search.Operations
	archive *fakeArchive
}

func (f *fakeSearch) Search(_ context.Context, r search.Request) (*search.Answer, error) {
	if r.Query == "" {
		return nil, &search.Error{Code: search.CodeArgument, Message: "query is blank: want words, or a question"}
	}
	if err := f.archive.note(r); err != nil {
		return nil, err
	}
	return &search.Answer{Query: r.Query, Count: 2, Mode: search.ModeLexical, Notice: "the embedder gives no vectors for now", Results: []search.Hit{
		{SessionID: oneSession, TraceID: oneTrace, SpanID: oneSpan, Score: 0.89, UserPrompt: "Fix <b> & the upload", Snippet: "the flaky upload",
			Model: "opus", StartedAt: session.Time(1750000000000), Kind: session.KindLLM, Title: "Upload", Highlights: [][2]int{{4, 9}}},
		{SessionID: oneSession, TraceID: oneTrace, SpanID: oneSpan, Kind: session.KindTool, Highlights: [][2]int{}},
	}}, nil
}

func (f *fakeSearch) Status(context.Context) (*search.Status, error) {
	if err := f.archive.note("status"); err != nil {
		return nil, err
	}
	return &search.Status{
		Embedder: "ollama/embeddinggemma", LastError: "the embedder does not have the model", Documents: 12, Behind: 3, Missing: 4, SetAside: 1,
		Failures: map[string]int64{search.FailureQuota: 0, search.FailureUnauthorized: 7},
		Vectors:  20, PerSecond: 2.5, Filling: "ollama/embeddinggemma (768)",
	}, nil
}

func TestSearchRefuses(t *testing.T) {
	for _, tc := range []struct{ query, says string }{
		{"", "query is blank"},
		{"?query=", "query is blank"},
		{"?query=a&top_k=0", "top_k is \\\"0\\\"; it takes whole numbers from 1 to 100"},
		{"?query=a&top_k=101", "from 1 to 100"},
		{"?query=a&top_k=x", "from 1 to 100"},
		{"?query=a&mode=semntic", `"allowed":["hybrid","semantic","lexical"]`},
		{"?query=a&scope=tool", `"allowed":["main","subagents","tools","all"]`},
		{"?query=a&min_score=1.5", "it takes numbers from 0 to 1"},
		{"?query=a&min_score=NaN", "it takes numbers from 0 to 1"},
		{"?q=a", "there is no parameter"},
	} {
		ops := &fakeArchive{}
		got := do(t, handler(api(ops)), "GET", "/v1/search/spans"+tc.query, "", nil)
		if text := read(t, got); got.StatusCode != 400 || !strings.Contains(text, tc.says) || !strings.Contains(text, `"code":"bad_argument"`) {
			t.Errorf("%s: %d %s; want 400, %q", tc.query, got.StatusCode, text, tc.says)
		}
		if len(ops.asked) > 0 {
			t.Errorf("%s: the search was asked for %v", tc.query, ops.asked)
		}
	}
}

func TestSearchThatIsOffSaysSo(t *testing.T) {
	h := handler(Options{MCP: testServer(&fake{}), Archive: &fakeArchive{}})
	for _, path := range []string{"/v1/search/spans?query=a", "/v1/search/spans", "/v1/search/status"} {
		wantFailure(t, do(t, h, "GET", path, "", nil), http.StatusServiceUnavailable, codeSearchOff)
	}
}

func TestSearchFailuresHaveTheirStatus(t *testing.T) {
	for code, status := range map[string]int{
		search.CodeSessionNotFound: 404, search.CodeSessionAmbiguous: 409, search.CodeArgument: 400, search.CodeStore: 503, search.CodeInternal: 500,
	} {
		failed := &search.Error{Code: code, Message: "no", Nearest: []string{"a"}}
		h := handler(api(&fakeArchive{err: errors.Join(errors.New("searching"), failed)}))
		wantFailure(t, do(t, h, "GET", "/v1/search/spans?query=a", "", nil), status, code)
	}
}

// Both faces say the same, byte for byte; and the request is the one that the
// document of the endpoint prints.
func TestSearchIsThatOfMCP(t *testing.T) {
	ops := &fakeArchive{}
	opt := api(ops)
	opt.MCP = mcpserver.New(&fake{}, mcpserver.Options{Archive: ops, Search: opt.Search})
	h := handler(opt)
	const request = `{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/call",
  "params": {
    "name": "search",
    "arguments": {
      "query": "how to configure logging",
      "top_k": 3
    }
  }
}`
	var answer struct {
		Result struct {
			Content []struct{ Type, Text string }
		}
	}
	text := read(t, do(t, h, "POST", "/v1/mcp", request, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}))
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Result.Content) == 0 {
		t.Fatalf("%s: %v", text, err)
	}
	got := read(t, do(t, h, "GET", "/v1/search/spans?query=how+to+configure+logging&top_k=3", "", nil))
	if got != answer.Result.Content[0].Text+"\n" {
		t.Errorf("HTTP says\n%sMCP says\n%s", got, answer.Result.Content[0].Text)
	}
}

func TestEndpointWithoutTools(t *testing.T) {
	h := handler(Options{MCP: mcpserver.New(nil, mcpserver.Options{NoRecordings: true})})
	got := read(t, do(t, h, "POST", "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil))
	if !strings.Contains(got, `"tools":[]`) {
		t.Errorf("tools/list is %s; want an empty list", got)
	}
	got = read(t, do(t, h, "POST", "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"a"}}}`, nil))
	if !strings.Contains(got, `unknown tool`) {
		t.Errorf("a call of search is answered with %s", got)
	}
}

func TestSearchMetrics(t *testing.T) {
	text := read(t, do(t, handler(api(&fakeArchive{})), "GET", "/metrics", "", nil))
	for _, line := range []string{
		"tapedeck_search_up 1", "tapedeck_search_embedder_up 0", "tapedeck_search_documents 12", "tapedeck_search_vectors 20",
		"tapedeck_search_backlog_traces 3", "tapedeck_search_backlog_texts 4", "tapedeck_search_set_aside_texts 1", "tapedeck_search_texts_per_second 2.5",
		`tapedeck_search_embedder_failures_total{kind="quota"} 0`, `tapedeck_search_embedder_failures_total{kind="unauthorized"} 7`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	text = read(t, do(t, handler(api(&fakeArchive{err: errors.New("gone")})), "GET", "/metrics", "", nil))
	if !strings.Contains(text, "tapedeck_search_up 0\n") {
		t.Error("an index that does not answer is not told")
	}
	if text = read(t, do(t, handler(Options{MCP: &mcp.Server{}}), "GET", "/metrics", "", nil)); strings.Contains(text, "tapedeck_search") {
		t.Error("counts of a search that is off")
	}
}
