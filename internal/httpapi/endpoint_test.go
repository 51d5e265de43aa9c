package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/deck"
)

const getVersion = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_version"}}`

// A bare request, as in the document that the endpoint implements: no
// initialize, no session, no protocol headers, whatever curl adds.
func TestBareRequestsGetPlainJSON(t *testing.T) {
	h := handler(Options{MCP: testServer(&fake{})})
	type headers = map[string]string
	for name, sent := range map[string]headers{
		"nothing said":        {},
		"curl":                {"Accept": "*/*", "Content-Type": "application/x-www-form-urlencoded"},
		"curl -H":             {"Accept": "*/*", "Content-Type": "application/json"},
		"JSON only":           {"Accept": "application/json", "Content-Type": "application/json; charset=utf-8"},
		"a session of before": {"Mcp-Session-Id": "from-another-life", "Content-Type": "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := do(t, h, "POST", "/v1/mcp", getVersion, sent)
			text := read(t, got)
			if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
				t.Fatalf("%d %s: %s", got.StatusCode, got.Header.Get("Content-Type"), text)
			}
			var answer struct {
				JSONRPC string `json:"jsonrpc"`
				ID      int    `json:"id"`
				Result  struct {
					Content []struct{ Type, Text string } `json:"content"`
				} `json:"result"`
			}
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatal(err)
			}
			var version deck.Version
			if len(answer.Result.Content) != 1 || json.Unmarshal([]byte(answer.Result.Content[0].Text), &version) != nil {
				t.Fatalf("answer %s, want JSON in content[0].text", text)
			}
			if answer.JSONRPC != "2.0" || answer.ID != 1 || version.Version != "1.2.3" {
				t.Errorf("answer %s", text)
			}
		})
	}
}

func TestEventsForThoseWhoTakeThem(t *testing.T) {
	got := do(t, handler(Options{MCP: testServer(&fake{})}), "POST", "/v1/mcp", getVersion,
		map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json"})
	if kind, text := got.Header.Get("Content-Type"), read(t, got); kind != "text/event-stream" || !strings.Contains(text, "data: {") {
		t.Errorf("%s: %s", kind, text)
	}
}

func TestEndpointRefuses(t *testing.T) {
	h := handler(Options{MCP: testServer(&fake{})})
	type headers = map[string]string
	plain := headers{"Content-Type": "application/json"}
	for _, tc := range []struct {
		name, body string
		headers    headers
		status     int
		code       string
	}{
		{"no body", "", plain, 400, "bad_request"},
		{"no JSON", "{", plain, 400, "bad_request"},
		{"no message", `{}`, plain, 400, "bad_request"},
		{"a number", `7`, plain, 400, "bad_request"},
		{"a request without an id", `{"jsonrpc":"2.0","method":"tools/run"}`, plain, 400, "bad_request"},
		{"unknown version", listTools, headers{"Content-Type": "application/json", "MCP-Protocol-Version": "1999-01-01"}, 400, "bad_request"},
		{"another media type", listTools, headers{"Content-Type": "text/xml"}, 415, "unsupported_media_type"},
		{"a form sent by a browser", listTools,
			headers{"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}, 415, "unsupported_media_type"},
		{"over the limit", strings.Repeat(" ", maxBody) + listTools, plain, 413, "request_too_large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantFailure(t, do(t, h, "POST", "/v1/mcp", tc.body, tc.headers), tc.status, tc.code)
		})
	}
}

// Requests that are wrong are answered; only what is no request fails as HTTP.
func TestWrongRequestsAreAnswered(t *testing.T) {
	h := handler(Options{MCP: testServer(&fake{})})
	for name, tc := range map[string]struct {
		body string
		id   string
		code int
	}{
		"unknown method":      {`{"jsonrpc":"2.0","id":"x<1>","method":"tools/run"}`, `"x<1>"`, -32601},
		"no params":           {`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, `2`, -32600},
		"unknown tool":        {`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"guess"}}`, `3`, -32602},
		"an id where none is": {`{"jsonrpc":"2.0","id":4,"method":"notifications/initialized"}`, `4`, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			got := do(t, h, "POST", "/v1/mcp", tc.body, map[string]string{"Content-Type": "application/json"})
			text := read(t, got)
			var answer struct {
				JSONRPC string
				ID      any
				Error   struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(text), &answer); err != nil || got.StatusCode != http.StatusOK || answer.JSONRPC != "2.0" {
				t.Fatalf("%d %s: %v", got.StatusCode, text, err)
			}
			var id any
			if err := json.Unmarshal([]byte(tc.id), &id); err != nil {
				t.Fatal(err)
			}
			if answer.Error.Code != tc.code || answer.Error.Message == "" || answer.ID != id {
				t.Errorf("answer %s, want %d to %s", text, tc.code, tc.id)
			}
		})
	}
}

// A client may be newer than the server: what it tells is taken, be it known or not.
func TestNotificationsAreTaken(t *testing.T) {
	h := handler(Options{MCP: testServer(&fake{})})
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/of_tomorrow","params":{"x":1}}`,
	} {
		got := do(t, h, "POST", "/v1/mcp", body, map[string]string{"Content-Type": "application/json"})
		if text := read(t, got); got.StatusCode != http.StatusAccepted || text != "" {
			t.Errorf("%s: %d %q, want %d and no body", body, got.StatusCode, text, http.StatusAccepted)
		}
	}
}

// endless is a body without a length and without an end.
type endless struct{ sent atomic.Int64 }

func (b *endless) Read(p []byte) (int, error) {
	b.sent.Add(int64(len(p)))
	return copy(p, bytes.Repeat([]byte(" "), len(p))), nil
}

func TestEndlessBodiesAreCutOff(t *testing.T) {
	server := httptest.NewServer(handler(Options{MCP: testServer(&fake{})}))
	defer server.Close()
	body := &endless{}
	response, err := http.Post(server.URL+"/v1/mcp", "application/json", body)
	if err == nil { // the server may also have hung up before the answer was read
		wantFailure(t, response, http.StatusRequestEntityTooLarge, "request_too_large")
	}
	if sent := body.sent.Load(); sent > 64<<20 {
		t.Errorf("%d bytes were taken, want little more than %d", sent, maxBody)
	}
}

// A server may be stopped and started under its clients: sessions are no more
// than a name.
func TestInitializeNamesASession(t *testing.T) {
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	h := handler(Options{MCP: testServer(&fake{})})
	first := do(t, h, "POST", "/v1/mcp", initialize, nil).Header.Get(sessionHeader)
	second := do(t, h, "POST", "/v1/mcp", initialize, nil).Header.Get(sessionHeader)
	if first == "" || first == second {
		t.Errorf("sessions %q and %q, want two names", first, second)
	}
	if got := do(t, h, "POST", "/v1/mcp", getVersion, nil).Header.Get(sessionHeader); got != "" {
		t.Errorf("a bare request got a session: %q", got)
	}
}

// waiting is a deck whose queries last until they are cancelled.
func waiting() (ops *fake, started, ended chan struct{}) {
	started, ended = make(chan struct{}), make(chan struct{})
	return &fake{query: func(ctx context.Context) (*deck.QueryResult, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}}, started, ended
}

const longQuery = `{"jsonrpc":"2.0","id":"q7","method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT 1"}}}`

// post sends a request that ctx can end, with headers.
func post(ctx context.Context, url, body string, headers map[string]string) error {
	request, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	return err
}

func TestCallsEndWithTheirConnection(t *testing.T) {
	for _, accept := range []string{"application/json", "text/event-stream"} {
		ops, started, ended := waiting()
		server := httptest.NewServer(handler(Options{MCP: testServer(ops)}))
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			<-started
			leave()
		}()
		if err := post(ctx, server.URL+"/v1/mcp", longQuery, map[string]string{"Accept": accept}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want cancelled", accept, err)
		}
		<-ended
		server.Close()
	}
}

func TestSessionsCancelTheirOwnCalls(t *testing.T) {
	for name, cancel := range map[string]func(url, session string) error{
		"by notification": func(url, session string) error {
			return post(t.Context(), url, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q7"}}`,
				map[string]string{sessionHeader: session})
		},
		"by ending the session": func(url, session string) error {
			request, err := http.NewRequestWithContext(t.Context(), "DELETE", url, nil)
			if err != nil {
				return err
			}
			request.Header.Set(sessionHeader, session)
			response, err := http.DefaultClient.Do(request)
			if err == nil {
				response.Body.Close()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ops, started, ended := waiting()
			server := httptest.NewServer(handler(Options{MCP: testServer(ops)}))
			defer server.Close()
			url := server.URL + "/v1/mcp"
			answered := make(chan error, 1)
			go func() { answered <- post(t.Context(), url, longQuery, map[string]string{sessionHeader: "mine"}) }()
			<-started
			if err := cancel(url, "another's"); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
				t.Fatal("another session cancelled the call")
			default:
			}
			if err := cancel(url, "mine"); err != nil {
				t.Fatal(err)
			}
			<-ended
			<-answered
		})
	}
}

func TestProgressArrivesAsEvents(t *testing.T) {
	ops := &fake{load: func(_ context.Context, p deck.Progress) (*deck.LoadResult, error) {
		p(1, 2, "chunks")
		p(2, 2, "chunks")
		return &deck.LoadResult{Status: "loaded"}, nil
	}}
	got := do(t, handler(Options{MCP: testServer(ops)}), "POST", "/v1/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_recording","arguments":{"file":"a"},"_meta":{"progressToken":"p"}}}`,
		map[string]string{"Accept": "text/event-stream", "Content-Type": "application/json"})
	text := read(t, got)
	if n := strings.Count(text, "notifications/progress"); n != 2 || !strings.Contains(text, `"loaded"`) {
		t.Errorf("%d notifications in %s", n, text)
	}
}

// dial connects the SDK's client, which speaks each version that the SDK knows.
func dial(t *testing.T, url, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + "/v1/mcp"},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestEveryProtocolVersionIsServed(t *testing.T) {
	server := httptest.NewServer(handler(Options{MCP: testServer(&fake{})}))
	defer server.Close()
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			session := dial(t, server.URL, version)
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("version %s", got)
			}
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 6 {
				t.Fatalf("%v %v", tools, err)
			}
			if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_version"}); err != nil || result.IsError {
				t.Errorf("get_version: %v %v", result, err)
			}
		})
	}
}

// Older versions cancel by a notification, newer ones by hanging up.
func TestClientsOfEveryVersionCancelCalls(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			ops, started, ended := waiting()
			server := httptest.NewServer(handler(Options{MCP: testServer(ops)}))
			defer server.Close()
			session := dial(t, server.URL, version)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				cancel()
			}()
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "query", Arguments: map[string]any{"sql": "SELECT 1"}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want cancelled", err)
			}
			<-ended
			session.Close()
		})
	}
}
