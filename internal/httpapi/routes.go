package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/archive"
)

const index = `tapedeck: question robot recordings and AI agent sessions.

POST /v1/mcp        Model Context Protocol, streamable HTTP
GET  /v1/sessions   agent sessions, to be listed and opened
GET  /v1/stats      what they took
GET  /v1/search/spans?query=…  steps of them, found by meaning and by words
GET  /openapi.json  all of the API
GET  /metrics       counts for Prometheus
GET  /healthz       the process lives
GET  /readyz        the server takes requests

Try: curl -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' http://HOST:PORT/v1/mcp
`

// routes are all routes of the API. MCP is a protocol of its own beside them.
var routes = slices.Concat(searchRoutes, sessionRoutes, traceRoutes, healthRoutes)

// handler is the whole service: log, guard, then the routes.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/mcp", newEndpoint(s.opt))
	mux.Handle("/{$}", get(func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, index) }))
	s.register(mux, s.routes)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeFailure(w, http.StatusNotFound, &archive.Error{
			Code: codes[http.StatusNotFound], Message: "nothing is at " + printable(r.URL.Path),
			Hint: "MCP is at /v1/mcp; GET /openapi.json tells the rest",
		})
	})
	return s.observed(newGuard(s.opt).protect(mux))
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
	w.Header().Set("Content-Type", mediaText)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// observed counts each request, and notes it at debug level without what it carries.
func (s *service) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		s.metrics.inFlight.Inc()
		defer func() {
			took := time.Since(began)
			s.metrics.inFlight.Dec()
			s.metrics.observe(r, seen.status, took)
			s.log.LogAttrs(r.Context(), slog.LevelDebug, "request",
				slog.String("method", r.Method), slog.String("path", r.URL.Path),
				slog.Int("status", seen.status), slog.Duration("took", took))
		}()
		next.ServeHTTP(seen, r)
	})
}

// statusWriter remembers the status of a response, and whether its body has begun.
type statusWriter struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (w *statusWriter) Write(body []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(body)
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection, to flush events.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
