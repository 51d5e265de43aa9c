package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"tapedeck/internal/embed"
)

const (
	// widest is the width that the answer to a first request may have.
	widest = 16384
	// bytesPerNumber is what a number takes at most in an answer: Go, Python and
	// JavaScript write no more than 24 characters and a separator.
	bytesPerNumber = 32
	// envelope is what an answer, or a refusal, may have beside the vectors.
	envelope = 64 << 10
)

// newClient returns a client that sends through t, or through a transport of our own.
func newClient(t http.RoundTripper) *http.Client {
	if t == nil {
		t = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: envelope,
		}
	}
	return &http.Client{
		Transport: t,
		// Texts and key are for the target alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// exchange sends one request and reads its answer.
func (e *Embedder) exchange(ctx context.Context, timeout time.Duration, texts []string) ([][]float32, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := e.send(limited, texts)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited.Err() != nil:
		return nil, fmt.Errorf("%w: %s gives no answer within %v", embed.ErrUnreachable, e.server(), timeout)
	case err != nil:
		return nil, err
	}
	vectors, err := e.protocol.Vectors(answer, len(texts))
	if err != nil {
		// Some gateways tell of failures with HTTP 200.
		if r, ok := readRefusal(http.StatusOK, nil, answer, e.options.Key); ok {
			return nil, e.refused(r, len(texts))
		}
		return nil, fmt.Errorf("%w: the answer of %s is none (%s); look at the setting embedding_target", embed.ErrRefused, e.server(), e.plain(err.Error()))
	}
	return e.check(vectors, len(texts))
}

// send sends one request and returns the body of the answer to it.
func (e *Embedder) send(ctx context.Context, texts []string) ([]byte, error) {
	body, err := json.Marshal(e.protocol.Request(texts))
	if err != nil {
		return nil, fmt.Errorf("write a request for %s: %w", e.server(), err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("write a request for %s: %w", e.server(), err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "tapedeck")
	if e.options.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.options.Key)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, e.unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		// As much as is there: a refusal that breaks off is one as well.
		text, _ := io.ReadAll(io.LimitReader(resp.Body, envelope))
		r, _ := readRefusal(resp.StatusCode, resp.Header, text, e.options.Key)
		return nil, e.refused(r, len(texts))
	}
	return e.readAnswer(resp.Body, len(texts))
}

// readAnswer reads an answer to so many texts, if it is no larger than it can be.
func (e *Embedder) readAnswer(body io.Reader, texts int) ([]byte, error) {
	width := int(e.width.Load())
	if width == 0 {
		width = widest
	}
	limit := int64(texts)*(int64(width)*bytesPerNumber+envelope) + envelope
	answer, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, e.unreachable(fmt.Errorf("reading the answer: %w", err))
	}
	if int64(len(answer)) > limit {
		return nil, fmt.Errorf("%w: %s answers with more than %d bytes for %d texts", embed.ErrRefused, e.server(), limit, texts)
	}
	return answer, nil
}

// unreachable tells of a request that got no answer.
func (e *Embedder) unreachable(err error) error {
	var wrapped *url.Error // says what we say: whom was asked
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		if e.protocol.Start != "" {
			return fmt.Errorf("%w: no %s listens at %s; %s", embed.ErrUnreachable, e.protocol.Server, e.shown, e.protocol.Start)
		}
		return fmt.Errorf("%w: nothing listens at %s", embed.ErrUnreachable, e.shown)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %s breaks off the connection", embed.ErrUnreachable, e.server())
	}
	return fmt.Errorf("%w: %s: %s", embed.ErrUnreachable, e.server(), e.plain(err.Error()))
}

// server is the server as people know it.
func (e *Embedder) server() string { return e.protocol.Server + " at " + e.shown }

// plain makes foreign text fit for a line.
func (e *Embedder) plain(text string) string { return cut(scrub(text, e.options.Key), longestMessage) }
