// Package open opens the embedder that the configuration asks for. It knows the
// implementations so that nobody else needs to.
package open

import (
	"fmt"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/builtin"
	"tapedeck/internal/embed/ollama"
	"tapedeck/internal/embed/openai"
	"tapedeck/internal/embed/remote"
)

// Options say which embedder to open. Empty fields are the provider's usual ones;
// the one that is built in has nothing to choose.
type Options struct {
	Provider   string // builtin, ollama or openai
	Target     string // where the provider is
	Model      string
	Dimensions int // that a vector is to have; 0: as many as the model gives
	Key        string
}

// openers open the embedders, by provider.
var openers = map[string]func(remote.Options) (embed.Embedder, error){
	"builtin": func(remote.Options) (embed.Embedder, error) { return builtin.New(), nil },
	"ollama": func(o remote.Options) (embed.Embedder, error) {
		e, err := ollama.New(ollama.Options{Options: o})
		if err != nil {
			return nil, err
		}
		return e, nil
	},
	"openai": func(o remote.Options) (embed.Embedder, error) {
		e, err := openai.New(o)
		if err != nil {
			return nil, err
		}
		return e, nil
	},
}

// Open opens an embedder. It asks nothing yet.
func Open(o Options) (embed.Embedder, error) {
	open, ok := openers[o.Provider]
	if !ok {
		return nil, fmt.Errorf("there is no embedder %q: want builtin, ollama or openai", o.Provider)
	}
	return open(remote.Options{Target: o.Target, Model: o.Model, Dimensions: o.Dimensions, Key: o.Key})
}
