package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
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

// writeError answers with a failure as JSON.
func writeError(w http.ResponseWriter, status int, message string) {
	code, ok := codes[status]
	if !ok {
		code = "internal"
	}
	body, _ := json.Marshal(struct { // strings always marshal
		Code  string `json:"code"`
		Error string `json:"error"`
	}{code, message})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// A failureWriter turns the failures that the SDK writes as text into JSON.
type failureWriter struct {
	http.ResponseWriter
	failed int // status of a failure whose text is yet to come
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
	writeError(w.ResponseWriter, w.failed, strings.TrimSpace(string(text)))
	w.failed = 0
	return len(text), nil
}

// Unwrap lets http.ResponseController reach the connection, to flush events.
func (w *failureWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
