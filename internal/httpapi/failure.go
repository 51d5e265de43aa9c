package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"tapedeck/internal/archive"
)

// codes are the stable words for the statuses that this server answers with.
var codes = map[int]string{
	http.StatusBadRequest:            "bad_request",
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              "not_found",
	http.StatusMethodNotAllowed:      "method_not_allowed",
	http.StatusRequestTimeout:        "request_timeout",
	http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusUnsupportedMediaType:  "unsupported_media_type",
	http.StatusServiceUnavailable:    "not_ready",
}

// statusOfCode has the statuses of the archive's failures, by code.
var statusOfCode = map[string]int{
	archive.CodeSessionNotFound:  http.StatusNotFound,
	archive.CodeTraceNotFound:    http.StatusNotFound,
	archive.CodeSpanNotFound:     http.StatusNotFound,
	archive.CodeSessionAmbiguous: http.StatusConflict,
	archive.CodeArgument:         http.StatusBadRequest,
	archive.CodePath:             http.StatusBadRequest,
	archive.CodeStore:            http.StatusServiceUnavailable,
	archive.CodeCancelled:        http.StatusServiceUnavailable,
	codeSearchOff:                http.StatusServiceUnavailable,
}

func statusOf(code string) int {
	if status, ok := statusOfCode[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// routeNames puts routes for the tools that the archive's hints speak of.
var routeNames = strings.NewReplacer(
	"list_sessions", "GET /v1/sessions",
	"get_session", "GET /v1/sessions/{id}/traces",
	"get_span", "GET /v1/traces/{trace}/spans/{span}",
)

// writeError answers with a failure of the server's own.
func writeError(w http.ResponseWriter, status int, message string) {
	code, ok := codes[status]
	if !ok {
		code = archive.CodeInternal
	}
	writeFailure(w, status, &archive.Error{Code: code, Message: message})
}

// writeFailure answers with a failure as JSON.
func writeFailure(w http.ResponseWriter, status int, e *archive.Error) {
	said := *e
	said.Hint = routeNames.Replace(e.Hint)
	body, err := encode(said)
	if err != nil { // strings always marshal
		body = []byte("{}\n")
	}
	writeBody(w, status, body)
}

// A failureWriter turns the failures that the SDK writes as text into JSON. What it
// says against a request itself becomes the answer to that request: a client
// that asks for a method that is not there must not take the server for broken.
type failureWriter struct {
	http.ResponseWriter
	request envelope
	failed  int // status of a failure whose text is yet to come
}

func (w *failureWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.failed = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *failureWriter) Write(text []byte) (int, error) {
	if w.failed == 0 {
		return w.ResponseWriter.Write(text)
	}
	said := strings.TrimSpace(string(text))
	code, ofRequest := requestFault(said)
	switch {
	case ofRequest && len(w.request.ID) > 0:
		writeAnswer(w.ResponseWriter, w.request.ID, code, said)
	case code == jsonrpc.CodeMethodNotFound && strings.HasPrefix(w.request.Method, "notifications/"):
		w.ResponseWriter.Header().Del("Content-Type")
		w.ResponseWriter.WriteHeader(http.StatusAccepted) // of a newer client; nothing to do here
	default:
		writeError(w.ResponseWriter, w.failed, said)
	}
	w.failed = 0
	return len(text), nil
}

// Unwrap lets http.ResponseController reach the connection, to flush events.
func (w *failureWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// requestFault knows the SDK's words for a request that is none of its methods,
// or lacks what its method needs.
func requestFault(said string) (code int, ok bool) {
	switch {
	case strings.HasPrefix(said, "JSON RPC not handled"):
		return jsonrpc.CodeMethodNotFound, true
	case strings.HasPrefix(said, "invalid request"):
		return jsonrpc.CodeInvalidRequest, true
	}
	return 0, false
}

// writeAnswer answers a request with an error, as JSON-RPC has it.
func writeAnswer(w http.ResponseWriter, id json.RawMessage, code int, message string) {
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	body, _ := json.Marshal(struct { // the id was read from JSON
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failure         `json:"error"`
	}{"2.0", id, failure{code, message}})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(append(body, '\n'))
}
