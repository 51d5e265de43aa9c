package ollama_test

import (
	"encoding/json"
	"errors"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/embed"
	"tapedeck/internal/embed/embedtest"
	"tapedeck/internal/embed/ollama"
	"tapedeck/internal/embed/remote"
)

func embedder(t *testing.T, o ollama.Options) embed.Embedder {
	t.Helper()
	e, err := ollama.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFaults(t *testing.T) {
	embedtest.RunFaults(t, embedtest.Ollama, func(t *testing.T, o remote.Options) embed.Embedder {
		return embedder(t, ollama.Options{Options: o})
	})
}

func TestConformance(t *testing.T) {
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		return embedder(t, ollama.Options{Options: remote.Options{Target: embedtest.Ollama().Listen(t)}})
	})
}

// What people have to do is in the errors.
func TestAdvice(t *testing.T) {
	tests := []struct {
		status   int
		body     string
		is       error
		says     string
		requests int
	}{
		{404, `{"error":"model \"embeddinggemma\" not found, try pulling it first"}`, embed.ErrModelMissing, "ollama pull embeddinggemma", 1},
		{404, "404 page not found", embed.ErrRefused, "no Ollama 0.3 or later", 1},
		{400, `{"error":"\"llama3\" does not support embeddings"}`, embed.ErrRefused, "such as embeddinggemma", 1},
		{501, `{"error":"This server does not support embeddings. Start it with --embeddings"}`, embed.ErrRefused, "such as embeddinggemma", 1},
		{400, `{"error":"input length exceeds maximum context length"}`, embed.ErrTooLong, "maximum context length", 1},
		{400, `{"error":"{\"error\":{\"code\":400,\"message\":\"request (2622 tokens) exceeds the available context size (512 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}"}`, embed.ErrTooLong, "2622 tokens", 1},
		{500, `{"error":"input (596 tokens) is too large to process. increase the physical batch size (current batch size: 512)"}`, embed.ErrTooLong, "596 tokens", 1},
		{500, `{"error":"do embedding request: Post \"http://127.0.0.1:1/embedding\": EOF"}`, embed.ErrUnreachable, "EOF", 1},
		{200, `{"embeddings":[]}`, embed.ErrRefused, "expected 1 vectors", 1},
		{200, `{"embeddings":[[]]}`, embed.ErrRefused, "empty vector", 1},
		{200, `{"embeddings":[[1,2],[3,4]]}`, embed.ErrRefused, "found 2", 1},
		{200, `{"embeddings":[[1,"2"]]}`, embed.ErrRefused, "array of numbers", 1},
		{200, `{"embeddings":[[1,NaN]]}`, embed.ErrRefused, "invalid character 'N'", 1},
		{200, `{"embeddings":[[1,1e999]]}`, embed.ErrRefused, "NaN or infinite", 1},
		{200, `{"embeddings":[[0,0]]}`, embed.ErrRefused, "zeros", 1},
		{200, ``, embed.ErrRefused, "unexpected end", 1},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			s := embedtest.Ollama()
			s.Reply(embedtest.Reply{Status: tt.status, Body: tt.body})
			e := embedder(t, ollama.Options{Options: remote.Options{Transport: s, Attempts: 1}})
			_, err := e.Embed(t.Context(), embed.ForDocument, []string{"a text"})
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Embed fails with %v; want %v and %q", err, tt.is, tt.says)
			}
			if got := len(s.Requests()); got != tt.requests {
				t.Errorf("it asks %d times; want %d", got, tt.requests)
			}
		})
	}
}

func TestNothingListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	e := embedder(t, ollama.Options{Options: remote.Options{Target: l.Addr().String()}})
	_, err = e.Embed(t.Context(), embed.ForQuery, []string{"a query"})
	if !errors.Is(err, embed.ErrUnreachable) || !strings.Contains(err.Error(), "start it with: ollama serve") {
		t.Errorf("Embed fails with %v; want ErrUnreachable and how to start Ollama", err)
	}
}

func TestRequest(t *testing.T) {
	s := embedtest.Ollama()
	e := embedder(t, ollama.Options{Options: remote.Options{Transport: s, Dimensions: 256}, KeepAlive: "30m"})
	if _, err := e.Embed(t.Context(), embed.ForDocument, []string{"a text", "<another>"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), embed.ForQuery, []string{"a query"}); err != nil {
		t.Fatal(err)
	}
	body := func(input ...any) map[string]any {
		return map[string]any{"model": "embeddinggemma", "input": input, "truncate": false, "dimensions": 256.0, "keep_alive": "30m"}
	}
	want := []map[string]any{
		body("title: none | text: a text", "title: none | text: <another>"),
		body("task: search result | query: a query"),
	}
	var got []map[string]any
	for _, r := range s.Requests() {
		got = append(got, r.Body)
		if auth := r.Header.Get("Authorization"); auth != "" {
			t.Errorf("the request has the header Authorization: %s; want none without a key", auth)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got := e.Model(); got != (embed.Model{Provider: "ollama", Name: "embeddinggemma", Width: 256}) {
		t.Errorf("Model() = %v", got)
	}
}

// What is not set is not sent: servers may not know it.
func TestPlainRequest(t *testing.T) {
	s := embedtest.Ollama()
	s.Model = "all-minilm"
	e := embedder(t, ollama.Options{Options: remote.Options{Transport: s, Model: "all-minilm"}})
	if _, err := e.Embed(t.Context(), embed.ForQuery, []string{"a query"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"model": "all-minilm", "input": []any{"a query"}, "truncate": false}
	if diff := cmp.Diff(want, s.Requests()[0].Body); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// A request is small enough for a slow machine to answer it in time.
func TestRequestsAreSmall(t *testing.T) {
	s := embedtest.Ollama()
	e := embedder(t, ollama.Options{Options: remote.Options{Transport: s}})
	texts := slices.Repeat([]string{strings.Repeat("word ", 600)}, e.Batch())
	if _, err := e.Embed(t.Context(), embed.ForDocument, texts); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests() {
		if size := len(strings.Join(r.Texts, "")); size > 16<<10 {
			t.Errorf("a request has %d bytes of text; want 16 KiB at most", size)
		}
	}
}

// A vector that a real Ollama gave comes through, at length 1.
func TestRecordedVector(t *testing.T) {
	path := corpustest.Path(t, "agents/provider/ollama/embeddings")
	text, err := os.ReadFile(filepath.Join(path, "response.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct { // of the endpoint that /api/embed came after
		Embedding json.RawMessage `json:"embedding"`
	}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	s := embedtest.Ollama()
	s.Reply(embedtest.Reply{Status: http.StatusOK, Body: `{"model":"llama3","embeddings":[` + string(recorded.Embedding) + `]}`})
	e := embedder(t, ollama.Options{Options: remote.Options{Transport: s, Model: "llama3"}})
	vectors, err := e.Embed(t.Context(), embed.ForDocument, []string{"all-minilm"})
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	if err := json.Unmarshal(recorded.Embedding, &want); err != nil {
		t.Fatal(err)
	}
	var length float64
	for _, x := range want {
		length += x * x
	}
	length = math.Sqrt(length)
	if len(vectors[0]) != len(want) || len(want) != 4096 {
		t.Fatalf("the vector has %d numbers; want the %d recorded", len(vectors[0]), len(want))
	}
	for i, x := range vectors[0] {
		if math.Abs(float64(x)-want[i]/length) > 1e-6 {
			t.Fatalf("number %d is %v; want %v", i, x, want[i]/length)
		}
	}
}
