package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
	"tapedeck/internal/search"
)

const jsonType = "application/json"

func TestAPIRefuses(t *testing.T) {
	type headers = map[string]string
	sent := headers{"Content-Type": jsonType}
	for _, tc := range []struct {
		method, path, body string
		headers            headers
		status             int
		code, says         string
	}{
		{"GET", "/v1/sessions?limt=5", "", nil, 400, "bad_argument", `there is no parameter \"limt\"; did you mean limit?`},
		{"GET", "/v1/sessions?zzz=5", "", nil, 400, "bad_argument", "GET /v1/sessions takes since, until"},
		{"GET", "/v1/sessions?limit=0", "", nil, 400, "bad_argument", "it takes whole numbers from 1 to 200"},
		{"GET", "/v1/sessions?limit=201", "", nil, 400, "bad_argument", "from 1 to 200"},
		{"GET", "/v1/sessions?limit=ten", "", nil, 400, "bad_argument", "from 1 to 200"},
		{"GET", "/v1/sessions?limit=5&limit=6", "", nil, 400, "bad_argument", "limit is given 2 times"},
		{"GET", "/v1/sessions?subagents=maybe", "", nil, 400, "bad_argument", "it takes true or false"},
		{"GET", "/v1/sessions?sort=size", "", nil, 400, "bad_argument", `"allowed":["last_active","started_at"`},
		{"GET", "/v1/sessions?status=done", "", nil, 400, "bad_argument", "ok, error, interrupted"},
		{"GET", "/v1/sessions?project=%zz", "", nil, 400, "bad_argument", "can't be read"},
		{"GET", "/v1/sessions?id=x", "", nil, 400, "bad_argument", "there is no parameter"},
		{"GET", "/v1/sessions/" + oneSession + "?x=y", "", nil, 400, "bad_argument", "takes no parameters"},
		{"GET", "/v1/sessions/" + oneSession + "/export?format=pdf", "", nil, 400, "bad_argument", `"allowed":["jsonl","markdown"]`},
		{"GET", "/v1/stats?by=hour", "", nil, 400, "bad_argument", `"allowed":["day","model"`},
		{"GET", "/v1/traces/t?max_bytes=5", "", nil, 400, "bad_argument", "from 1000 to"},

		{"GET", "/v1/sessions/none", "", nil, 404, "session_not_found", "GET /v1/sessions shows all"},
		{"GET", "/v1/sessions/none/export", "", nil, 404, "session_not_found", ""},
		{"GET", "/v1/session", "", nil, 404, "not_found", "openapi.json"},
		{"GET", "/v1/sessions/", "", nil, 404, "not_found", ""},
		{"POST", "/v1/sessions", "{}", nil, 405, "method_not_allowed", "takes GET, HEAD"},
		{"PUT", "/v1/sessions/x", "{}", nil, 405, "method_not_allowed", "takes GET, HEAD, PATCH, DELETE"},

		{"PATCH", "/v1/sessions/x", "", sent, 400, "bad_request", "no JSON object with display_name"},
		{"PATCH", "/v1/sessions/x", "null", sent, 400, "bad_request", "no JSON object"},
		{"PATCH", "/v1/sessions/x", "[]", sent, 400, "bad_request", "no JSON object"},
		{"PATCH", "/v1/sessions/x", "{}", sent, 400, "bad_request", "lacks"},
		{"PATCH", "/v1/sessions/x", `{"display_name":"a"} {}`, sent, 400, "bad_request", "no JSON object"},
		{"PATCH", "/v1/sessions/x", `{"display_name":7}`, sent, 400, "bad_request", "display_name is a number; it takes a string"},
		{"PATCH", "/v1/sessions/x", `{"display_nam":"a"}`, sent, 400, "bad_request", `"nearest":["display_name"]`},
		{"PATCH", "/v1/sessions/x", `{"display_name":"` + strings.Repeat("a", maxChange) + `"}`, sent, 413, "request_too_large", ""},
		{"PATCH", "/v1/sessions/x", `{"display_name":"a"}`, headers{"Content-Type": "text/xml"}, 415, "unsupported_media_type", "application/json"},
		{"PATCH", "/v1/sessions/x", `{"display_name":"a"}`, headers{"Sec-Fetch-Site": "same-origin"}, 415, "unsupported_media_type", ""},
		{"DELETE", "/v1/sessions/x", "", headers{"Origin": "http://evil.com"}, 403, "forbidden", ""},
	} {
		ops := &fakeArchive{}
		got := do(t, handler(api(ops)), tc.method, tc.path, tc.body, tc.headers)
		text := read(t, got)
		got.Body = http.NoBody
		var failure struct{ Code, Error string }
		if err := json.Unmarshal([]byte(text), &failure); err != nil || failure.Error == "" {
			t.Errorf("%s %s: %q is no failure", tc.method, tc.path, text)
		}
		if got.StatusCode != tc.status || failure.Code != tc.code || !strings.Contains(text, tc.says) {
			t.Errorf("%s %s %.40s: %d %s; want %d, %s, %q", tc.method, tc.path, tc.body, got.StatusCode, text, tc.status, tc.code, tc.says)
		}
		if tc.status != 404 && len(ops.asked) > 0 {
			t.Errorf("%s %s: the archive was asked for %v", tc.method, tc.path, ops.asked)
		}
	}
}

// What the archive says against a request has one status each, on every route.
func TestArchiveFailuresHaveTheirStatus(t *testing.T) {
	for code, status := range map[string]int{
		archive.CodeSessionNotFound: 404, archive.CodeTraceNotFound: 404, archive.CodeSpanNotFound: 404,
		archive.CodeSessionAmbiguous: 409, archive.CodeArgument: 400, archive.CodeStore: 503, archive.CodeInternal: 500,
	} {
		h := handler(api(&fakeArchive{err: &archive.Error{Code: code, Message: "no", Candidates: []string{"a", "b"}}}))
		for _, r := range routes {
			if strings.HasPrefix(r.path, "/v1/") {
				body, path := bodyFor(r), strings.NewReplacer("{id}", oneSession, "{trace}", oneTrace, "{span}", oneSpan).Replace(r.path)
				if strings.HasPrefix(path, "/v1/search/spans") {
					path += "?query=a"
				}
				got := do(t, h, r.method, path, body, map[string]string{"Content-Type": jsonType})
				wantFailure(t, got, status, code)
			}
		}
	}
	wantFailure(t, do(t, handler(api(&fakeArchive{err: errors.New("disk full")})), "GET", "/v1/sessions", "", nil), 500, "internal")
}

func bodyFor(r route) string {
	if r.takes != nil {
		return `{"display_name":"a"}`
	}
	return ""
}

func TestWithoutAnArchiveRoutesSaySo(t *testing.T) {
	got := do(t, handler(Options{MCP: testServer(&fake{})}), "GET", "/v1/sessions", "", nil)
	wantFailure(t, got, http.StatusServiceUnavailable, archive.CodeStore)
	if got := do(t, handler(Options{MCP: testServer(&fake{})}), "GET", "/readyz", "", nil); got.StatusCode != 200 {
		t.Errorf("a server without an archive is not ready: %d", got.StatusCode)
	}
}

func TestRequestsReachTheArchive(t *testing.T) {
	page := archive.PageRequest{Limit: 50}
	for _, tc := range []struct {
		method, path, body string
		want               any
	}{
		{"GET", "/v1/sessions", "", archive.ListRequest{Sort: "last_active", PageRequest: page}},
		{"GET", "/v1/sessions?since=7d&until=2026-01-01&project=p&harness=h&model=m&status=error&title=t&subagents=1&internal=true&sort=cost&ascending=true&limit=3&cursor=c", "",
			archive.ListRequest{Since: "7d", Until: "2026-01-01", Project: "p", Harness: "h", Model: "m", Status: "error", Title: "t",
				Subagents: true, Internal: true, Sort: "cost", Ascending: true, PageRequest: archive.PageRequest{Limit: 3, Cursor: "c"}}},
		{"GET", "/v1/sessions?project=&limit=", "", archive.ListRequest{Sort: "last_active", PageRequest: page}},
		{"GET", "/v1/sessions/7a0c52", "", "7a0c52"},
		{"GET", "/v1/sessions/7a0c52%2Fchild", "", "7a0c52/child"},
		{"PATCH", "/v1/sessions/s", `{"display_name":"new"}`, [2]string{"s", "new"}},
		{"PATCH", "/v1/sessions/s", `{"display_name":null}`, [2]string{"s", ""}},
		{"DELETE", "/v1/sessions/s", "", "s"},
		{"GET", "/v1/sessions/s/traces?cursor=c", "", archive.PageRequest{Limit: 50, Cursor: "c"}},
		{"GET", "/v1/sessions/s/raw?bodies=true&max_bytes=2000", "",
			archive.RawRequest{SessionID: "s", Bodies: true, MaxBytes: 2000, PageRequest: page}},
		{"GET", "/v1/traces/t", "", archive.TraceRequest{TraceID: "t", Content: "preview", MaxBytes: 1 << 20, PageRequest: page}},
		{"GET", "/v1/traces/t?content=full&limit=2", "",
			archive.TraceRequest{TraceID: "t", Content: "full", MaxBytes: 1 << 20, PageRequest: archive.PageRequest{Limit: 2}}},
		{"GET", "/v1/traces/t/spans/s", "", archive.SpanRequest{TraceID: "t", SpanID: "s", MaxBytes: 1 << 20}},
		{"GET", "/v1/stats?by=day&since=30d&project=p&harness=h&model=m", "",
			archive.StatsRequest{Since: "30d", By: "day", Project: "p", Harness: "h", Model: "m", PageRequest: archive.PageRequest{Limit: 200}}},
		{"GET", "/v1/search/spans?query=a+b", "", search.Request{Query: "a b", TopK: 5, Mode: "hybrid"}},
		{"GET", "/v1/search/spans?query=a&top_k=100&mode=lexical&scope=all&session_id=7a0c52&project=p&harness=h&model=m&after=7d&before=2026-01-01&min_score=0.5", "",
			search.Request{Query: "a", TopK: 100, Mode: "lexical", Scope: "all", SessionID: "7a0c52", Project: "p", Harness: "h", Model: "m",
				After: "7d", Before: "2026-01-01", MinScore: 0.5}},
		{"GET", "/v1/search/status", "", "status"},
		{"GET", "/v1/sessions/s/children?limit=2&cursor=c", "", []any{"children", "s", archive.PageRequest{Limit: 2, Cursor: "c"}}},
	} {
		ops := &fakeArchive{}
		got := do(t, handler(api(ops)), tc.method, tc.path, tc.body, nil)
		if diff := cmp.Diff([]any{tc.want}, ops.asked); diff != "" {
			t.Errorf("%s %s (-want +asked):\n%s", tc.method, tc.path, diff)
		}
		if kind := got.Header.Get("Content-Type"); got.StatusCode != 200 && got.StatusCode != 404 || kind != jsonType {
			t.Errorf("%s %s: %d %s", tc.method, tc.path, got.StatusCode, kind)
		}
	}
}

func TestHeadAnswersAsGetDoes(t *testing.T) {
	h := handler(api(&fakeArchive{}))
	for _, path := range []string{"/v1/sessions", "/v1/sessions/" + oneSession, "/v1/stats", "/openapi.json", "/metrics"} {
		got := do(t, h, "HEAD", path, "", nil)
		if text := read(t, got); got.StatusCode != 200 || text != "" || got.ContentLength == 0 {
			t.Errorf("HEAD %s: %d, %d bytes, body %.20q", path, got.StatusCode, got.ContentLength, text)
		}
	}
	got := do(t, h, "HEAD", "/v1/sessions/"+oneSession+"/export?format=markdown", "", nil)
	if kind := got.Header.Get("Content-Type"); got.StatusCode != 200 || kind != mediaMarkdown {
		t.Errorf("HEAD of an export: %d %s", got.StatusCode, kind)
	}
}

func TestExport(t *testing.T) {
	ops := &fakeArchive{}
	got := do(t, handler(api(ops)), "GET", "/v1/sessions/7a0c52/export", "", nil)
	text := read(t, got)
	want := []string{mediaJSONL, `attachment; filename="session-` + oneSession + `.jsonl"`, `{"type":"session"}` + "\n"}
	if diff := cmp.Diff(want, []string{got.Header.Get("Content-Type"), got.Header.Get("Content-Disposition"), text}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"7a0c52", [2]string{oneSession, archive.FormatJSONL}}, ops.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// A part of an export must not be taken for the whole.
func TestAnExportThatBreaksOffCutsTheConnection(t *testing.T) {
	server := httptest.NewServer(handler(api(&fakeArchive{output: "breaks off"})))
	defer server.Close()
	response, err := http.Get(server.URL + "/v1/sessions/" + oneSession + "/export")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err == nil || len(text) == 0 {
		t.Errorf("%d bytes, error %v; want a beginning that can't be taken for the whole", len(text), err)
	}
}

// Lists of long items become shorter rather than long.
func TestAnswersKeepToTheirSize(t *testing.T) {
	ops := &fakeArchive{traces: 200, prompt: strings.Repeat("\x01", 2048)} // six bytes each, as JSON
	text := read(t, do(t, handler(api(ops)), "GET", "/v1/sessions/s/traces?limit=200", "", nil))
	var list archive.TraceList
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	if len(text) > mostAnswer || len(list.Traces) < 30 || list.NextCursor == "" || list.Total != 200 {
		t.Errorf("%d bytes with %d of %d traces, next %q", len(text), len(list.Traces), list.Total, list.NextCursor)
	}

	ops = &fakeArchive{output: strings.Repeat("\x01", 100_000)}
	for _, most := range []int{50_000, 3000} {
		text = read(t, do(t, handler(api(ops)), "GET", fmt.Sprintf("/v1/traces/t/spans/s?max_bytes=%d", most), "", nil))
		if len(text) > most || len(text) < most/3 {
			t.Errorf("%d bytes, at most %d were asked for", len(text), most)
		}
	}
	if text = read(t, do(t, handler(api(ops)), "GET", "/v1/traces/t/spans/s?max_bytes=2000000", "", nil)); len(text) < 600_000 {
		t.Errorf("only %d bytes, though more were asked for", len(text))
	}
}

func TestAPanicIsAnswered(t *testing.T) {
	got := do(t, handler(api(&panics{})), "GET", "/v1/sessions", "", nil)
	wantFailure(t, got, 500, "internal")
}

type panics struct{ archive.Operations } // every operation is nil

func (panics) Session(context.Context, string) (*archive.SessionDetail, error) {
	return &archive.SessionDetail{}, nil
}

func (panics) Export(_ context.Context, _, _ string, w io.Writer) error {
	_, _ = io.WriteString(w, strings.Repeat("line\n", 100_000))
	panic("out of range")
}

// An error must not end up as the last lines of an export.
func TestAPanicCutsAnAnswerThatHasBegun(t *testing.T) {
	server := httptest.NewServer(handler(api(&panics{})))
	defer server.Close()
	response, err := http.Get(server.URL + "/v1/sessions/s/export")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err == nil || strings.Contains(string(text), "internal") {
		t.Errorf("the export seems whole: it ends with %q", text[max(len(text)-100, 0):])
	}
}

func TestReadyAsksTheStore(t *testing.T) {
	h := handler(api(&fakeArchive{err: errors.New("the database is gone")}))
	got := do(t, h, "GET", "/readyz", "", nil)
	wantFailure(t, got, http.StatusServiceUnavailable, "not_ready")
	if got := do(t, h, "GET", "/healthz", "", nil); got.StatusCode != 200 {
		t.Errorf("the process lives all the same, but: %d", got.StatusCode)
	}
}

func TestMetrics(t *testing.T) {
	h := handler(api(&fakeArchive{}))
	do(t, h, "GET", "/v1/sessions/"+oneSession, "", nil)
	do(t, h, "GET", "/v1/sessions/none", "", nil)
	do(t, h, "BREW", "/nothing/secret", "", nil)
	do(t, h, "GET", "/v1/sessions", "", map[string]string{"Host": "evil.com"})
	text := read(t, do(t, h, "GET", "/metrics", "", nil))
	for _, line := range []string{
		`tapedeck_http_requests_total{method="GET",route="/v1/sessions/{id}",status="200"} 1`,
		`tapedeck_http_requests_total{method="GET",route="/v1/sessions/{id}",status="404"} 1`,
		`tapedeck_http_requests_total{method="other",route="other",status="404"} 1`,
		`tapedeck_http_requests_total{method="GET",route="other",status="403"} 1`,
		`tapedeck_http_request_duration_seconds_count{method="GET",route="/v1/sessions/{id}"} 2`,
		`tapedeck_http_requests_in_flight 1`,
		`tapedeck_store_up 1`, `tapedeck_store_pending_streams 3`, `tapedeck_store_sessions 17`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("a path of a client became a label")
	}
	text = read(t, do(t, handler(api(&fakeArchive{err: errors.New("gone")})), "GET", "/metrics", "", nil))
	if !strings.Contains(text, "tapedeck_store_up 0\n") {
		t.Error("a store that is gone is not told")
	}
}
