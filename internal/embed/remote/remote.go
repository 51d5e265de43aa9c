// Package remote is what the embedders have in common that ask a server over
// HTTP: packages ollama and openai say only how their servers are asked, how they
// answer and what their refusals mean.
//
// # What it promises
//
// A vector is returned only when the answer has one for each text, of the width
// agreed and made of finite numbers; it is then brought to length 1. Everything
// else is one of package embed's errors, which says whom was asked, what is wrong
// and what to do. The key is in no error, and is sent nowhere but to the target:
// redirects are not followed. Requests, answers and waiting are bounded.
//
// # What it does not
//
// It sends no text in parallel and keeps no answers.
package remote

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"tapedeck/internal/embed"
)

// Options are what can be set of an embedder. The zero value of a field is its
// default.
type Options struct {
	Target string // where the server is
	Model  string // the model, as the server calls it
	Key    string // sent as a bearer token; empty: none is sent

	// Dimensions asks the server for vectors of this width. 0 leaves the width to
	// the server, which is what most models want.
	Dimensions int
	// Width is the width that vectors must have when Dimensions is 0. 0: that of
	// the first answer.
	Width int
	// Prefixes are put in front of the texts in place of those that the model is
	// known to want.
	Prefixes *Prefixes
	// Batch is how many texts go into one request at most.
	Batch int

	Timeout      time.Duration // how long one request for documents may take; 60 s
	QueryTimeout time.Duration // how long a request for a query may take; 10 s
	Attempts     int           // how often a request for documents is tried; 4

	// Transport sends the requests; nil: one of our own with limits.
	Transport http.RoundTripper
}

// A Protocol is how one kind of server is spoken to.
type Protocol struct {
	Provider string // as in embed.Model
	Server   string // what people call the server
	// Start says what to do when nothing listens at the target; may be empty.
	Start string
	// Endpoint is the path that requests go to, given that of the target.
	Endpoint func(path string) string
	// Request is the body of a request, which is sent as JSON.
	Request func(texts []string) any
	// Vectors reads an answer to a request of that many texts. It returns a vector
	// each, or an error that says what the answer is instead.
	Vectors func(answer []byte, texts int) ([]Vector, error)
	// Failure says which of package embed's errors a refusal is, or ErrTooMuch, and
	// what to do about it. Nil: what its status and words mean with any server.
	Failure func(Refusal) (advice string, kind error)
	Limits  Limits
}

// Limits bound what is asked for at once.
type Limits struct {
	Texts  int // in a request
	Bytes  int // of all texts of a request; one text may be longer
	Tokens int // of a text, when the server takes fewer than the model; 0: it does not
}

// An Embedder is an embed.Embedder that asks a server.
type Embedder struct {
	protocol Protocol
	options  Options
	prefixes Prefixes
	window   int
	endpoint string // for requests
	shown    string // the target for people, without a password
	client   *http.Client
	width    atomic.Int64 // 0: not known yet
}

var _ embed.Embedder = (*Embedder)(nil)

// New returns an embedder that speaks p. It asks nothing yet.
func New(p Protocol, o Options) (*Embedder, error) {
	target, err := parseTarget(o.Target)
	if err != nil {
		return nil, err
	}
	o.Key = strings.TrimSpace(o.Key)
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("the key for %s has characters that no key has; copy it again", p.Server)
	}
	if o.Model == "" {
		return nil, fmt.Errorf("no embedding model is named for %s", p.Server)
	}
	if o.Dimensions < 0 || o.Width < 0 {
		return nil, fmt.Errorf("the width of vectors can't be %d", min(o.Dimensions, o.Width))
	}
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.QueryTimeout = cmp.Or(o.QueryTimeout, 10*time.Second)
	o.Attempts = cmp.Or(o.Attempts, 4)
	o.Batch = min(cmp.Or(o.Batch, p.Limits.Texts), p.Limits.Texts)
	if o.Batch < 1 || o.Attempts < 1 {
		return nil, fmt.Errorf("batches of %d texts, tried %d times: both must be 1 at least", o.Batch, o.Attempts)
	}

	known := lookUp(o.Model)
	e := &Embedder{protocol: p, options: o, prefixes: known.prefixes, shown: target.Redacted(), client: newClient(o.Transport)}
	if o.Prefixes != nil {
		e.prefixes = *o.Prefixes
	}
	tokens := known.tokens
	if p.Limits.Tokens > 0 {
		tokens = min(tokens, p.Limits.Tokens)
	}
	e.window = tokens*bytesPerToken - max(len(e.prefixes.Query), len(e.prefixes.Document))
	e.width.Store(int64(cmp.Or(o.Dimensions, o.Width)))
	target.Path = p.Endpoint(strings.TrimRight(target.Path, "/"))
	e.endpoint = target.String()
	return e, nil
}

// parseTarget reads a target as people write it: the scheme may be left out.
func parseTarget(target string) (*url.URL, error) {
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	u, err := url.Parse(target)
	if err != nil { // the error has the target in it, which may hold a password
		return nil, fmt.Errorf("the embedding target is no URL: expected http://HOST:PORT")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the embedding target is %s: expected http://HOST:PORT or https://HOST", u.Redacted())
	}
	return u, nil
}

// Model implements embed.Embedder.
func (e *Embedder) Model() embed.Model {
	return embed.Model{Provider: e.protocol.Provider, Name: e.options.Model, Width: int(e.width.Load())}
}

// Window implements embed.Embedder.
func (e *Embedder) Window() int { return e.window }

// Batch implements embed.Embedder.
func (e *Embedder) Batch() int { return e.options.Batch }
