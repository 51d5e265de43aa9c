package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/deck"
	"tapedeck/internal/mcpserver"
)

// fake is a deck of which the tests here use the version, loads and queries.
type fake struct {
	deck.Operations
	load  func(context.Context, deck.Progress) (*deck.LoadResult, error)
	query func(context.Context) (*deck.QueryResult, error)
}

func (f *fake) Version() deck.Version { return deck.Version{Version: "1.2.3"} }

func (f *fake) Load(ctx context.Context, _ deck.LoadRequest, p deck.Progress) (*deck.LoadResult, error) {
	return f.load(ctx, p)
}

func (f *fake) Query(ctx context.Context, _ deck.QueryRequest) (*deck.QueryResult, error) {
	return f.query(ctx)
}

func testServer(ops deck.Operations) *mcp.Server {
	return mcpserver.New(ops, mcpserver.Options{Version: "1.2.3"})
}

// handler is what Serve answers with.
func handler(opt Options) http.Handler { return newService(opt).handler() }

// do sends one request to a handler, with headers.
func do(t *testing.T, h http.Handler, method, path, body string, headers map[string]string) *http.Response {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		if name == "Host" {
			request.Host = value
		} else {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	response.Body = io.NopCloser(strings.NewReader(string(text)))
	return response
}

// read is the body of a response.
func read(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantFailure checks that a response is a failure in the form of this server.
func wantFailure(t *testing.T, r *http.Response, status int, code string) {
	t.Helper()
	text := read(t, r)
	if r.StatusCode != status {
		t.Errorf("status %d, want %d: %s", r.StatusCode, status, text)
		return
	}
	var failure struct{ Code, Error string }
	if err := json.Unmarshal([]byte(text), &failure); err != nil || failure.Error == "" {
		t.Errorf("failure %q, want JSON with code and error", text)
	}
	if failure.Code != code {
		t.Errorf("code %q, want %q: %s", failure.Code, code, failure.Error)
	}
}
