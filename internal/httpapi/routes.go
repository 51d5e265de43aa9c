package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

const index = `tapedeck: question robot recordings from an AI agent.

POST /v1/mcp   Model Context Protocol, streamable HTTP
GET  /healthz  the process lives
GET  /readyz   the server takes requests

Try: curl -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' http://HOST:PORT/v1/mcp
`

// handler is the whole service: log, guard, then the routes.
func (s *service) handler() http.Handler {
	routes := http.NewServeMux()
	routes.Handle("/v1/mcp", newEndpoint(s.opt))
	routes.Handle("/{$}", get(func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, index) }))
	routes.Handle("/healthz", get(func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") }))
	routes.Handle("/readyz", get(s.ready))
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "nothing is at "+r.URL.Path+"; MCP is at /v1/mcp")
	})
	return s.logged(newGuard(s.opt).protect(routes))
}

func (s *service) ready(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		writeError(w, http.StatusServiceUnavailable, "the server is being stopped")
		return
	}
	writeText(w, http.StatusOK, "ready\n")
}

// get lets GET and HEAD through.
func get(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			refuseMethod(w, r, http.MethodGet, http.MethodHead)
			return
		}
		h(w, r)
	})
}

func refuseMethod(w http.ResponseWriter, r *http.Request, allowed ...string) {
	takes := strings.Join(allowed, ", ")
	w.Header().Set("Allow", takes)
	writeError(w, http.StatusMethodNotAllowed, r.URL.Path+" takes "+takes+", not "+r.Method)
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// logged notes each request at debug level, without what it carries.
func (s *service) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			s.log.LogAttrs(r.Context(), slog.LevelDebug, "request",
				slog.String("method", r.Method), slog.String("path", r.URL.Path),
				slog.Int("status", seen.status), slog.Duration("took", time.Since(began)))
		}()
		next.ServeHTTP(seen, r)
	})
}

// statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection, to flush events.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
