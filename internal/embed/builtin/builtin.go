// Package builtin is the embedder that is always there: a static model, embedded in
// the program, that needs no download, no network and no other process.
//
// The model has one vector a WordPiece token; a text's vector is the sum of its
// tokens' vectors, brought to length 1. How much a token weighs is in the length of
// its vector. tools/embedding-model makes the data, and says from what; NOTICE names
// licences and origin.
//
// # What it promises
//
// The same text gives the same bits on every platform. Every text with a letter,
// digit or sign in it has a vector, whatever its bytes; only a blank one has none,
// which is an *embed.TextError. No text is too long. The data is read at first use, in
// a few milliseconds, and takes about 3 MB beside the program.
//
// # What it does not
//
// It knows no word order and no context, and English best: words that no token covers
// are known only when they are the same. It makes no difference between queries and
// documents. What a letter or a sign is, Go's Unicode tables say; they are newer than
// those of the reference tokenizer, which takes some 900 rare characters otherwise.
package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"tapedeck/internal/embed"
)

const (
	provider = "builtin"

	// window: a sum over many tokens says less and less about each of them, so this is
	// no limit of the model but where search is best. Of the sizes that
	// tools/embedding-model measures, 800 and 1200 bytes find documents best; shorter
	// and longer chunks are up to .01 nDCG@10 worse.
	window = 800

	batch = 64
)

//go:embed model.bin
var data string

// load reads the embedded model, once a process.
var load = sync.OnceValues(func() (*model, error) {
	m, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("the embedded model: %w; the program was built wrong", err)
	}
	return m, nil
})

// New returns the embedder. It costs nothing until it is used.
func New() embed.Embedder { return embedder{} }

type embedder struct{}

func (embedder) Model() embed.Model {
	m, err := load()
	if err != nil {
		return embed.Model{Provider: provider} // Embed says why
	}
	return embed.Model{Provider: provider, Name: m.name, Width: m.width}
}

func (embedder) Window() int { return window }

func (embedder) Batch() int { return batch }

func (embedder) Embed(ctx context.Context, _ embed.Purpose, texts []string) ([][]float32, error) {
	m, err := load()
	if err != nil {
		return nil, err
	}
	s := newSummer(m)
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if vectors[i] = s.vector(text); vectors[i] == nil {
			return nil, &embed.TextError{Text: i, Detail: "it is blank: expected a letter, digit or sign at least"}
		}
	}
	return vectors, nil
}
