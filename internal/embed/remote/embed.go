package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tapedeck/internal/embed"
)

// ErrTooMuch is a refusal of a request for its size: the same texts may pass in
// several requests. Callers of Embed never see it.
var ErrTooMuch = fmt.Errorf("%w: too much at once", embed.ErrRefused)

// Embed implements embed.Embedder. Texts that are too many for one request go out
// in several, one after the other. When the server does not say which text it
// refuses, that one is found by asking for fewer.
func (e *Embedder) Embed(ctx context.Context, purpose embed.Purpose, texts []string) ([][]float32, error) {
	p := e.patience(purpose)
	prefix := e.prefixes.Document
	if purpose == embed.ForQuery {
		prefix = e.prefixes.Query
	}
	inputs := make([]string, len(texts))
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return nil, &embed.TextError{Text: i, Detail: "the text is blank"}
		}
		inputs[i] = prefix + text
	}
	vectors := make([][]float32, 0, len(texts))
	for len(vectors) < len(texts) {
		done := len(vectors)
		some, err := e.divide(ctx, p, inputs[done:done+e.next(inputs[done:])])
		if err != nil {
			return nil, shift(err, done)
		}
		vectors = append(vectors, some...)
	}
	return vectors, nil
}

// next is how many of the texts go into the next request: one at least.
func (e *Embedder) next(texts []string) int {
	n, size := 0, 0
	for n < len(texts) && n < e.options.Batch {
		size += len(texts[n])
		if n > 0 && size > e.protocol.Limits.Bytes {
			break
		}
		n++
	}
	return n
}

// divide asks for texts, and for each half of them when the request is refused for
// its size or for one of the texts that the server does not name.
func (e *Embedder) divide(ctx context.Context, p patience, texts []string) ([][]float32, error) {
	vectors, err := e.persist(ctx, p, texts)
	if err == nil || !divisible(err) {
		return vectors, err
	}
	if len(texts) == 1 {
		return nil, only(err)
	}
	half := len(texts) / 2
	left, err := e.divide(ctx, p, texts[:half])
	if err != nil {
		return nil, err
	}
	right, err := e.divide(ctx, p, texts[half:])
	if err != nil {
		return nil, shift(err, half)
	}
	return append(left, right...), nil
}

// divisible reports whether err may hold for a part of the texts only.
func divisible(err error) bool {
	var long *embed.TooLongError
	var none *embed.TextError
	return errors.Is(err, ErrTooMuch) || errors.As(err, &long) && long.Text < 0 || errors.As(err, &none) && none.Text < 0
}

// only makes err, which is divisible, one about the only text there is.
func only(err error) error {
	var long *embed.TooLongError
	var none *embed.TextError
	switch {
	case errors.As(err, &long):
		return &embed.TooLongError{Text: 0, Detail: long.Detail}
	case errors.As(err, &none):
		return &embed.TextError{Text: 0, Detail: none.Detail}
	}
	detail := strings.TrimPrefix(err.Error(), ErrTooMuch.Error()+": ")
	return &embed.TooLongError{Text: 0, Detail: detail}
}

// shift moves the index in err by n texts.
func shift(err error, n int) error {
	var long *embed.TooLongError
	var none *embed.TextError
	switch {
	case errors.As(err, &long) && long.Text >= 0:
		return &embed.TooLongError{Text: long.Text + n, Detail: long.Detail}
	case errors.As(err, &none) && none.Text >= 0:
		return &embed.TextError{Text: none.Text + n, Detail: none.Detail}
	}
	return err
}

// A patience is how long one Embed goes on trying.
type patience struct {
	timeout  time.Duration // of a request
	attempts int           // of each request
	until    time.Time     // no attempt begins later
}

// persistence is how long a request for documents is tried again.
const persistence = 30 * time.Second

// patience: who asks waits for the answer, documents have time.
func (e *Embedder) patience(purpose embed.Purpose) patience {
	if purpose == embed.ForQuery {
		return patience{timeout: e.options.QueryTimeout, attempts: 1}
	}
	return patience{timeout: e.options.Timeout, attempts: e.options.Attempts, until: time.Now().Add(persistence)}
}
