package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const sessionHeader = "Mcp-Session-Id"

// An endpoint serves MCP's streamable HTTP transport. The SDK does the
// protocol, without sessions; the endpoint adds what plain callers need, and
// the one use of sessions that is left: to cancel a call by a later request.
type endpoint struct {
	events http.Handler // answers with text/event-stream
	plain  http.Handler // answers with application/json
	hosts  map[string]bool
	calls  calls
}

func newEndpoint(opt Options) *endpoint {
	opt.MCP.AddReceivingMiddleware(untilCallerLeaves)
	serve := func(plain bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(
			func(*http.Request) *mcp.Server { return opt.MCP },
			&mcp.StreamableHTTPOptions{
				Stateless:                    true,
				JSONResponse:                 plain,
				Logger:                       opt.Log,
				MaxRequestBodyBytes:          maxBody,
				PropagateRequestCancellation: true,
			})
	}
	return &endpoint{events: serve(false), plain: serve(true), hosts: configuredHosts(opt)}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		e.post(w, r)
	case http.MethodDelete:
		e.calls.cancelSession(r.Header.Get(sessionHeader))
		w.WriteHeader(http.StatusNoContent)
	default:
		// The server sends nothing of its own accord: there is no stream to GET.
		refuseMethod(w, r, http.MethodPost, http.MethodDelete)
	}
}

func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if !json.Valid(body) || !bytes.ContainsAny(bytes.TrimSpace(body)[:1], "{[") {
		writeError(w, http.StatusBadRequest, `the body is no JSON-RPC request; send one such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		return
	}
	var message envelope
	_ = json.Unmarshal(body, &message) // of another shape, such as a batch: left to the SDK

	session := r.Header.Get(sessionHeader)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	caller, leave := callerOf(ctx)
	defer leave()
	switch {
	case message.Method == "initialize":
		w.Header().Set(sessionHeader, rand.Text())
	case message.Method == "notifications/cancelled":
		e.calls.cancel(session, message.Params.RequestID)
	case len(message.ID) > 0:
		defer e.calls.add(session, message.ID, cancel)()
	}
	e.handlerFor(r).ServeHTTP(&failureWriter{ResponseWriter: w, request: message}, e.forSDK(r, body, withCaller(ctx, caller)))
}

// envelope is what the endpoint must know of a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// handlerFor is the one for events where the client says that it takes them.
func (e *endpoint) handlerFor(r *http.Request) http.Handler {
	for _, accept := range r.Header.Values("Accept") {
		for media := range strings.SplitSeq(accept, ",") {
			if name, _, err := mime.ParseMediaType(media); err == nil && name == "text/event-stream" {
				return e.events
			}
		}
	}
	return e.plain
}

// forSDK is the request as the SDK wants it: with both media types accepted,
// and the body declared as what it is. A client that is no browser may leave
// these out; curl -d, for one, calls every body a form. A browser may not: that
// a page can't send JSON to another site without asking is part of its walls.
func (e *endpoint) forSDK(r *http.Request, body []byte, ctx context.Context) *http.Request {
	sent := r.Clone(ctx)
	sent.Body = io.NopCloser(bytes.NewReader(body))
	sent.ContentLength = int64(len(body))
	sent.Header.Set("Accept", "application/json, text/event-stream")
	if !fromBrowser(r) && isCurlForm(r.Header.Get("Content-Type")) {
		sent.Header.Set("Content-Type", "application/json")
	}
	if e.hosts[hostname(r.Host)] {
		// A proxy on this machine sends the server's configured name. The SDK,
		// which knows no configuration, would take that for DNS rebinding.
		sent.Host = "localhost"
	}
	return sent
}

func fromBrowser(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
}

func isCurlForm(contentType string) bool {
	return contentType == "" || contentType == "application/x-www-form-urlencoded"
}

// readBody reads the body within its bounds of size and time, or answers why not.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyTimeout)) // not every writer can; Serve's do
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		writeError(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is over %d bytes", tooLarge.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		writeError(w, http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		writeError(w, http.StatusBadRequest, "the body could not be read")
	default:
		// The server goes on reading to see the client leave.
		_ = conn.SetReadDeadline(time.Time{})
	}
	return body, err == nil
}
