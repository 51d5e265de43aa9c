package embedtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// A Library is an Ollama with a library to fetch models from, as
// https://docs.ollama.com/api/pull describes it. The fields may be set until it is
// first asked.
type Library struct {
	*Server
	Models  []string // that it has, with their tags
	PullErr string   // what fetching ends with; empty: it works

	mu     sync.Mutex
	pulled []string
}

// NewLibrary returns an Ollama that has no model yet.
func NewLibrary() *Library { return &Library{Server: Ollama()} }

// Pulled are the models that were asked for.
func (l *Library) Pulled() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.pulled)
}

// ServeHTTP implements http.Handler.
func (l *Library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "GET /api/version":
		_, _ = fmt.Fprint(w, `{"version":"0.12.6"}`) // who asks may be gone
	case "GET /api/tags":
		l.tags(w)
	case "POST /api/pull":
		l.pull(w, r)
	default:
		l.Server.ServeHTTP(w, r)
	}
}

func (l *Library) tags(w http.ResponseWriter) {
	models := []map[string]any{}
	for _, name := range l.Models {
		models = append(models, map[string]any{"name": name, "model": name, "size": 621875917, "digest": "85462619ee72"})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"models": models})
}

func (l *Library) pull(w http.ResponseWriter, r *http.Request) {
	var request struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, `{"error":"invalid request"}`, http.StatusBadRequest)
		return
	}
	l.pulled = append(l.pulled, request.Model)
	w.Header().Set("Content-Type", "application/x-ndjson")
	_, _ = fmt.Fprintln(w, `{"status":"pulling manifest"}`)
	for _, done := range []int{0, 300, 1000} {
		_, _ = fmt.Fprintf(w, `{"status":"pulling 0800cbac9c20","digest":"sha256:0800cbac9c20","total":1000,"completed":%d}`+"\n", done)
	}
	if l.PullErr != "" {
		_ = json.NewEncoder(w).Encode(map[string]string{"error": l.PullErr})
		return
	}
	_, _ = fmt.Fprint(w, `{"status":"pulling 4d1a6a66bf93","digest":"sha256:4d1a6a66bf93","total":24,"completed":24}`+"\n"+
		`{"status":"verifying sha256 digest"}`+"\n"+`{"status":"writing manifest"}`+"\n"+`{"status":"success"}`+"\n")
	l.Models = append(l.Models, request.Model+":latest")
}
