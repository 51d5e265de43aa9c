package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	h := handler(Options{MCP: testServer(&fake{})})
	for _, tc := range []struct {
		method, path string
		status       int
		says         string // in the body, or the code of a failure
		allow        string
	}{
		{"GET", "/", 200, "/v1/mcp", ""},
		{"HEAD", "/healthz", 200, "", ""},
		{"GET", "/healthz", 200, "ok", ""},
		{"GET", "/readyz", 200, "ready", ""},
		{"GET", "/nothing", 404, "not_found", ""},
		{"POST", "/v1/mcp/more", 404, "not_found", ""},
		{"POST", "/healthz", 405, "method_not_allowed", "GET, HEAD"},
		{"POST", "/", 405, "method_not_allowed", "GET, HEAD"},
		{"GET", "/v1/mcp", 405, "method_not_allowed", "POST, DELETE"},
		{"PUT", "/v1/mcp", 405, "method_not_allowed", "POST, DELETE"},
		{"OPTIONS", "/v1/mcp", 405, "method_not_allowed", "POST, DELETE"},
		{"DELETE", "/v1/mcp", 204, "", ""},
	} {
		got := do(t, h, tc.method, tc.path, "", nil)
		if allow := got.Header.Get("Allow"); allow != tc.allow {
			t.Errorf("%s %s: Allow %q, want %q", tc.method, tc.path, allow, tc.allow)
		}
		if tc.status >= http.StatusBadRequest {
			wantFailure(t, got, tc.status, tc.says)
			continue
		}
		if text := read(t, got); got.StatusCode != tc.status || !strings.Contains(text, tc.says) {
			t.Errorf("%s %s: %d %q", tc.method, tc.path, got.StatusCode, text)
		}
	}
}

func TestRequestsAreLoggedWithoutTheirContents(t *testing.T) {
	var log bytes.Buffer
	h := handler(Options{
		Token: "s3cret", MCP: testServer(&fake{}),
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_version","arguments":{"word":"hidden"}}}`
	do(t, h, "POST", "/v1/mcp?also=hidden", body, map[string]string{"Authorization": "Bearer s3cret", "Content-Type": "application/json"})
	if !strings.Contains(log.String(), "method=POST path=/v1/mcp status=200") {
		t.Errorf("the request is not logged: %s", log.String())
	}
	if strings.Contains(log.String(), "hidden") || strings.Contains(log.String(), "s3cret") {
		t.Errorf("the log holds contents: %s", log.String())
	}
}
