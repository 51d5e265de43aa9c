package searchquality

import (
	"context"
	"flag"
	"os"
	"sync"
	"testing"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/builtin"
	"tapedeck/internal/embed/openai"
	"tapedeck/internal/embed/remote"
)

var withServer = flag.Bool("server", false, "measure the embedding server of TAPEDECK_TEST_EMBEDDER as well; it takes half an hour or more")

// builtinName is the embedder that sets have floors for.
const builtinName = "builtin"

// A candidate is an embedder that can be measured.
type candidate struct {
	name string
	open func(*testing.T) embed.Embedder
}

// embedders are those to measure.
func embedders() []candidate {
	list := []candidate{{builtinName, func(*testing.T) embed.Embedder { return builtin.New() }}}
	if *withServer {
		list = append(list, candidate{"e5-small", openServer})
	}
	return list
}

// openServer asks the server of scripts/embedder, which carries
// multilingual-e5-small. The model wants to be told which texts are queries; the
// server adds its prefixes by the name that the model is called by.
func openServer(t *testing.T) embed.Embedder {
	url := os.Getenv("TAPEDECK_TEST_EMBEDDER")
	if url == "" {
		t.Skip("no embedding server: run this by `make bench-search`, or by go run ./scripts/embedder -- go test ./tests/searchquality -args -server")
	}
	named := func(model string) embed.Embedder {
		e, err := openai.New(openai.Options{Target: url, Key: "not-needed", Model: model, Prefixes: &remote.Prefixes{}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	return &twofold{Embedder: named("e5-passage"), queries: named("e5-query"), known: map[string][]float32{}}
}

// A twofold embedder embeds queries apart from documents, and each document once:
// it is in every store.
type twofold struct {
	embed.Embedder // of documents
	queries        embed.Embedder

	mu    sync.Mutex
	known map[string][]float32 // of documents
}

func (e *twofold) Embed(ctx context.Context, purpose embed.Purpose, texts []string) ([][]float32, error) {
	if purpose == embed.ForQuery {
		return e.queries.Embed(ctx, purpose, texts)
	}
	vectors, unknown, places := e.recall(texts)
	if len(unknown) == 0 {
		return vectors, nil
	}
	embedded, err := e.Embedder.Embed(ctx, purpose, unknown)
	if err != nil {
		return e.Embedder.Embed(ctx, purpose, texts) // an error names a place among those asked
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, vector := range embedded {
		vectors[places[i]], e.known[unknown[i]] = vector, vector
	}
	return vectors, nil
}

// recall gives the vectors that are known, and the texts without one with their
// places.
func (e *twofold) recall(texts []string) (vectors [][]float32, unknown []string, places []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	vectors = make([][]float32, len(texts))
	for i, text := range texts {
		if vectors[i] = e.known[text]; vectors[i] == nil {
			unknown, places = append(unknown, text), append(places, i)
		}
	}
	return vectors, unknown, places
}
