// Package openai is the embedder that asks OpenAI, or a server that speaks its
// endpoint /v1/embeddings: vLLM, llama.cpp, LM Studio, Text Embeddings Inference
// and many hosted ones.
//
// # What it promises
//
// The vectors come in the order of the texts, whatever the order of the answer. A
// field that a server may not know is sent only when it was set. What else holds is
// said in package remote.
package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"tapedeck/internal/embed/remote"
)

// Defaults of Options.
const (
	DefaultTarget = "https://api.openai.com"
	DefaultModel  = "text-embedding-3-small" // of 1536 numbers
)

// Options are what can be set of an embedder.
type Options = remote.Options

const (
	// mostTexts is what OpenAI takes in a request:
	// https://developers.openai.com/api/reference/resources/embeddings.md.
	mostTexts = 2048
	// mostBytes of text make fewer than the 300,000 tokens that OpenAI takes in a
	// request, at three bytes a token; if not, the request is divided.
	mostBytes = 900_000
	// Batches that are large enough for requests to cost little beside the work.
	// Others than OpenAI take fewer: Text Embeddings Inference 32.
	batchOpenAI = 256
	batchOther  = 32
)

// New returns the embedder. It asks nothing yet.
func New(o Options) (*remote.Embedder, error) {
	o.Target = cmp.Or(o.Target, DefaultTarget)
	o.Model = cmp.Or(o.Model, DefaultModel)
	server, batch := "the server", batchOther
	if u, err := url.Parse(o.Target); err == nil && u.Hostname() == "api.openai.com" {
		server, batch = "OpenAI", batchOpenAI
	}
	o.Batch = cmp.Or(o.Batch, batch)
	keyed := o.Key != ""
	return remote.New(remote.Protocol{
		Provider: "openai",
		Server:   server,
		Endpoint: endpoint,
		Request: func(texts []string) any {
			return request{Model: o.Model, Input: texts, EncodingFormat: "float", Dimensions: o.Dimensions}
		},
		Vectors: vectors,
		Failure: func(r remote.Refusal) (string, error) { return failure(r, keyed) },
		Limits:  remote.Limits{Texts: mostTexts, Bytes: mostBytes},
	}, o)
}

// versioned is a path that ends in a version, as base URLs for OpenAI's clients do.
var versioned = regexp.MustCompile(`/v\d+$`)

// endpoint is the path of requests for a target's path, whether this ends in the
// API's version or not.
func endpoint(path string) string {
	switch {
	case strings.HasSuffix(path, "/embeddings"):
		return path
	case versioned.MatchString(path):
		return path + "/embeddings"
	}
	return path + "/v1/embeddings"
}

// request is the body of a request.
type request struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
	Dimensions     int      `json:"dimensions,omitempty"`
}

// item is a vector in an answer.
type item struct {
	Index     *int          `json:"index"`
	Embedding remote.Vector `json:"embedding"`
}

// errOrder is returned for an answer that doesn't say which vector is which text's.
var errOrder = errors.New("its vectors are not numbered from 0 on, each number once")

// vectors reads an answer and puts it into the order of the texts.
func vectors(answer []byte, texts int) ([]remote.Vector, error) {
	var a struct {
		Data []item `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	if len(a.Data) != texts {
		return nil, fmt.Errorf("expected %d vectors in \"data\", found %d", texts, len(a.Data))
	}
	ordered, seen := make([]remote.Vector, texts), make([]bool, texts)
	for i, d := range a.Data {
		at := i // some servers do without numbers
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= texts || seen[at] {
			return nil, errOrder
		}
		ordered[at], seen[at] = d.Embedding, true
	}
	return ordered, nil
}
