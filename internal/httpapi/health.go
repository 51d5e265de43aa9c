package httpapi

import (
	"context"
	"net/http"
	"time"
)

const mediaText = "text/plain; charset=utf-8"

// readyTimeout is how long the store may take to say that it is there.
const readyTimeout = 3 * time.Second

// healthRoutes are the routes for those who look after the server.
var healthRoutes = []route{
	{
		method: http.MethodGet, path: "/healthz", name: "health",
		summary: "Tell that the process lives", operation: says(healthy, content{mediaType: mediaText}),
	},
	{
		method: http.MethodGet, path: "/readyz", name: "ready",
		summary: "Tell whether the server takes requests", operation: says(ready, content{mediaType: mediaText}),
	},
	{
		method: http.MethodGet, path: "/metrics", name: "metrics",
		summary: "Show counts for Prometheus", operation: says(showMetrics, content{mediaType: mediaText}),
	},
	{
		method: http.MethodGet, path: "/openapi.json", name: "openapi",
		summary: "Show this description", operation: says(showDocument, content{mediaType: mediaJSON}),
	},
}

func healthy(_ *service, w http.ResponseWriter, _ *http.Request, _ arguments) error {
	writeText(w, http.StatusOK, "ok\n")
	return nil
}

func ready(s *service, w http.ResponseWriter, r *http.Request, _ arguments) error {
	if s.draining.Load() {
		return refuse(http.StatusServiceUnavailable, "the server is being stopped")
	}
	if s.opt.Archive != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		if err := s.opt.Archive.Ready(ctx); err != nil {
			return refuse(http.StatusServiceUnavailable, "%v", err)
		}
	}
	writeText(w, http.StatusOK, "ready\n")
	return nil
}

func showMetrics(s *service, w http.ResponseWriter, r *http.Request, _ arguments) error {
	s.metrics.handler.ServeHTTP(w, r)
	return nil
}

func showDocument(s *service, w http.ResponseWriter, _ *http.Request, _ arguments) error {
	body, err := encode(document(s.routes, s.opt.Version))
	if err != nil {
		return err
	}
	writeBody(w, http.StatusOK, body)
	return nil
}
