// Package embed says what an embedder is: what turns texts into vectors whose
// angle tells how near their meanings are. Packages builtin, ollama and openai
// below it are the ones there are.
//
// # What it promises
//
// A vector has the width that Model names and length 1, so that the product of
// two is their cosine. Failures are told apart, so that callers know whether to
// try again, to tell a person, or to leave a text out; an embedder never gives a
// wrong vector in place of an error.
//
// # What it does not
//
// It keeps nothing, cuts nothing and masks nothing: chunks and secrets are the
// work of package search.
package embed

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrUnauthorized: the key is missing or refused (HTTP 401, 403).
	ErrUnauthorized = errors.New("the embedder refuses the key")
	// ErrQuota: the account's quota is used up; waiting seconds does not help.
	ErrQuota = errors.New("the embedder's quota is used up")
	// ErrModelMissing: the embedder runs, but does not have the model.
	ErrModelMissing = errors.New("the embedder does not have the model")
	// ErrWidth: vectors came with another width than was agreed.
	ErrWidth = errors.New("the embedder gives vectors of another width")
	// ErrUnreachable: nothing answers, or it does not answer in time, or it says
	// that it is overloaded or broken (HTTP 408, 429, 5xx); trying later may help.
	ErrUnreachable = errors.New("the embedder gives no vectors for now")
	// ErrTooLong: a text is longer than the model's window: see TooLongError.
	ErrTooLong = errors.New("a text is longer than the model takes")
	// ErrRefused: the embedder refuses the request for another reason, or its answer
	// is none.
	ErrRefused = errors.New("the embedder refuses the request")
)

// An Embedder turns texts into vectors. It may be used from several goroutines.
type Embedder interface {
	// Model names what makes the vectors. Width is 0 until it is known, which it is
	// after the first Embed.
	Model() Model
	// Window is how many bytes of ordinary text surely fit one text: callers cut at
	// that. It is an estimate from the model's window in tokens.
	Window() int
	// Batch is how many texts one call of Embed takes at best.
	Batch() int
	// Embed returns one vector a text, in their order. An error is for all of them:
	// one of the above, or the context's; a *TooLongError or a *TextError (a blank
	// text, say) is about one text.
	Embed(ctx context.Context, purpose Purpose, texts []string) ([][]float32, error)
}

// A Model names what makes vectors. Vectors of different models must never be
// compared.
type Model struct {
	Provider string `json:"provider"` // "builtin", "ollama", "openai"
	Name     string `json:"model"`
	Width    int    `json:"width"`
}

// String is the model as people read it.
func (m Model) String() string { return fmt.Sprintf("%s/%s (%d)", m.Provider, m.Name, m.Width) }

// A Purpose says what a vector is for: some models want a prefix that tells.
type Purpose int

const (
	ForDocument Purpose = iota
	ForQuery
)

// A TooLongError says which text is too long.
type TooLongError struct {
	Text   int // index into the texts; -1: not known
	Detail string
}

func (e *TooLongError) Error() string { return ErrTooLong.Error() + ": " + e.Detail }

// Unwrap makes it an ErrTooLong.
func (e *TooLongError) Unwrap() error { return ErrTooLong }

// A TextError says which text has no vector: it is blank, or the model computes
// numbers for it that are none. The other texts may well have one.
type TextError struct {
	Text   int // index into the texts; -1: not known
	Detail string
}

func (e *TextError) Error() string { return ErrRefused.Error() + ": " + e.Detail }

// Unwrap makes it an ErrRefused.
func (e *TextError) Unwrap() error { return ErrRefused }

// A RetryError is an ErrUnreachable that says when to try again.
type RetryError struct {
	After  time.Duration
	Detail string
}

func (e *RetryError) Error() string { return ErrUnreachable.Error() + ": " + e.Detail }

// Unwrap makes it an ErrUnreachable.
func (e *RetryError) Unwrap() error { return ErrUnreachable }
