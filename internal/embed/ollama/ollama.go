// Package ollama is the embedder that asks an Ollama server, through the endpoint
// /api/embed of Ollama 0.3 and later.
//
// # What it promises
//
// Ollama is told not to cut texts: one that is too long for the model is an error,
// not a vector of its beginning. What else holds is said in package remote.
//
// # What it does not
//
// It pulls no model and starts no server; its errors say how to.
package ollama

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/remote"
)

// Defaults of Options.
const (
	DefaultTarget = "http://localhost:11434"
	DefaultModel  = "embeddinggemma" // of 768 numbers
)

// Options are what can be set of an embedder.
type Options struct {
	remote.Options
	// KeepAlive is how long Ollama keeps the model in memory after a request, such
	// as "30m"; empty: as long as Ollama does by itself.
	KeepAlive string
}

// limits: on a processor alone Ollama embeds in the order of a kilobyte a second,
// and a request has to be done within the time-out.
var limits = remote.Limits{
	Texts: 16,
	Bytes: 16 << 10,
	// A text must fit into Ollama's batch of tokens, however much the model takes:
	// https://github.com/JSONbored/loopover/pull/6394.
	Tokens: 2048,
}

// New returns the embedder. It asks nothing yet.
func New(o Options) (*remote.Embedder, error) {
	o.Target = cmp.Or(o.Target, DefaultTarget)
	o.Model = cmp.Or(o.Model, DefaultModel)
	return remote.New(remote.Protocol{
		Provider: "ollama",
		Server:   "Ollama",
		Start:    "start it with: ollama serve",
		Endpoint: func(path string) string { return path + "/api/embed" },
		Request: func(texts []string) any {
			return request{Model: o.Model, Input: texts, Dimensions: o.Dimensions, KeepAlive: o.KeepAlive}
		},
		Vectors: vectors,
		Failure: func(r remote.Refusal) (string, error) { return failure(r, o.Model) },
		Limits:  limits,
	}, o.Options)
}

// request is the body of a request: https://docs.ollama.com/api/embed.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Truncate   bool     `json:"truncate"` // false, and said: the default is true
	Dimensions int      `json:"dimensions,omitempty"`
	KeepAlive  string   `json:"keep_alive,omitempty"`
}

// vectors reads an answer.
func vectors(answer []byte, texts int) ([]remote.Vector, error) {
	var a struct {
		Embeddings []remote.Vector `json:"embeddings"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	if len(a.Embeddings) != texts {
		return nil, fmt.Errorf("expected %d vectors in \"embeddings\", found %d", texts, len(a.Embeddings))
	}
	return a.Embeddings, nil
}

// failure says what Ollama's refusals mean where others' don't.
func failure(r remote.Refusal, model string) (string, error) {
	switch {
	case r.Status == http.StatusNotFound && r.API:
		return "fetch it with: ollama pull " + model, embed.ErrModelMissing
	case r.Status == http.StatusNotFound:
		return "there is no Ollama 0.3 or later at that address; look at the target", embed.ErrRefused
	case r.Says("does not support embeddings", "this model does not support"):
		return "name an embedding model, such as " + DefaultModel, embed.ErrRefused
	}
	return "", nil
}
