package httpapi

import (
	"context"
	"net/http"

	"tapedeck/internal/archive"
)

// traceRoutes are the routes of what happened in a session.
var traceRoutes = []route{
	{
		method: http.MethodGet, path: "/v1/traces/{id}", name: "getTrace",
		summary: "Show a trace with its spans",
		params: []param{
			{name: paramID, kind: text, about: "trace_id"},
			{name: "content", kind: text, preset: archive.ContentPreview, allowed: []string{archive.ContentNone, archive.ContentPreview, archive.ContentFull},
				about: "how much of the spans' input and output: nothing, the beginning of each text, or all that fits"},
			maxBytes, limit, cursor,
		},
		fails: []int{http.StatusNotFound}, operation: answers(getTrace),
	},
	{
		method: http.MethodGet, path: "/v1/traces/{trace}/spans/{span}", name: "getSpan",
		summary: "Show a span with its content",
		params: []param{
			{name: "trace", kind: text, about: "trace_id"},
			{name: "span", kind: text, about: "span_id"},
			maxBytes,
		},
		fails: []int{http.StatusNotFound}, operation: answers(getSpan),
	},
}

func getTrace(ctx context.Context, c *call) (*archive.TraceDetail, error) {
	return c.ops.Trace(ctx, archive.TraceRequest{
		TraceID: c.args.text(paramID), Content: c.args.text("content"),
		MaxBytes: c.maxBytes, PageRequest: c.page(),
	})
}

func getSpan(ctx context.Context, c *call) (*archive.SpanDetail, error) {
	return c.ops.Span(ctx, archive.SpanRequest{
		TraceID: c.args.text("trace"), SpanID: c.args.text("span"), MaxBytes: c.maxBytes,
	})
}
