// Package embedtest is for tests of embedders and of what uses them: servers that
// speak the real wire formats, failures included, and suites that every embedder
// passes.
//
// The wire formats are those of the vendors' public documentation and, for what
// that leaves out, of failures that users reported; the source is at each.
package embedtest

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A Server stands for an embedding server. Its vectors are those of the words of a
// text: texts with the same words are near each other. The fields may be set until
// it is first asked.
type Server struct {
	Model  string // the only one that it has
	Key    string // without which it answers nothing; empty: it wants none
	Width  int    // of its vectors, unless other dimensions are asked for
	Window int    // how many bytes a text may have

	wire wire

	mu       sync.Mutex
	handler  http.HandlerFunc // what it does instead of answering; nil: it answers
	times    int              // how often it does that; 0: until Mend
	requests []Request
}

// A Request is one that a Server got.
type Request struct {
	Path   string
	Header http.Header
	Texts  []string
	Body   map[string]any // all of it
}

// A wire is how a kind of server speaks.
type wire interface {
	path() string
	// answer writes the answer with vectors.
	answer(w io.Writer, model string, vectors [][]float64)
	// refusals are what it says when it does not answer.
	refusals() map[Fault]Reply
}

// A Reply is an answer word for word.
type Reply struct {
	Status int
	Header map[string]string
	Body   string
}

// Listen has the server listen, and returns its address.
func (s *Server) Listen(t testing.TB) string {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL
}

// RoundTrip answers without any network, for tests in a bubble of testing/synctest.
func (s *Server) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			resp, err = nil, syscall.ECONNRESET
		} else if p != nil {
			panic(p)
		}
	}()
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

// Requests are those that the server got.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Reply has the server give the replies, one each request, and then answer again.
// One reply only is given until Mend.
func (s *Server) Reply(replies ...Reply) {
	if len(replies) == 1 {
		s.instead(0, replies[0].write)
		return
	}
	next := 0
	s.instead(len(replies), func(w http.ResponseWriter, r *http.Request) {
		reply := replies[next]
		next++
		reply.write(w, r)
	})
}

func (r Reply) write(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.Status)
	_, _ = io.WriteString(w, r.Body) // who asks may be gone
}

// Mend has the server answer again.
func (s *Server) Mend() { s.instead(0, nil) }

func (s *Server) instead(times int, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times, s.handler = times, h
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, err := readRequest(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if broken := s.begin(request); broken != nil {
		broken(w, r)
		return
	}
	if fault, failed := s.judge(request); failed {
		s.wire.refusals()[fault].write(w, r)
		return
	}
	width := s.Width
	if d, ok := request.Body["dimensions"].(float64); ok {
		width = int(d)
	}
	s.write(w, width, request.Texts)
}

// write answers texts with vectors.
func (s *Server) write(w http.ResponseWriter, width int, texts []string) {
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		vectors[i] = vector(text, width)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	s.wire.answer(w, s.Model, vectors)
}

// begin notes a request, and returns what is to be done with it when the server is
// broken.
func (s *Server) begin(r Request) http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	h := s.handler
	if s.times--; s.times == 0 {
		s.handler = nil
	}
	return h
}

// judge says what is wrong with a request.
func (s *Server) judge(r Request) (Fault, bool) {
	switch {
	case r.Path != s.wire.path():
		return WrongPath, true
	case s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key:
		return Unauthorized, true
	case r.Body["model"] != s.Model:
		return ModelMissing, true
	}
	for _, text := range r.Texts {
		if len(text) > s.Window {
			return TooLong, true
		}
	}
	return 0, false
}

func readRequest(r *http.Request) (Request, error) {
	request := Request{Path: r.URL.Path, Header: r.Header.Clone()}
	if r.Method != http.MethodPost {
		return request, errors.New("method not allowed")
	}
	if err := json.NewDecoder(r.Body).Decode(&request.Body); err != nil {
		return request, err
	}
	list, _ := request.Body["input"].([]any)
	for _, text := range list {
		s, ok := text.(string)
		if !ok {
			return request, errors.New("input must be a list of strings")
		}
		request.Texts = append(request.Texts, s)
	}
	return request, nil
}

// vector has a number for each word, at the place of its hash. It is not of length
// 1: not all servers' are.
func vector(text string, width int) []float64 {
	v := make([]float64, width)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		h := fnv.New64a()
		_, _ = io.WriteString(h, strings.Trim(word, ".,;:?!")) // never fails
		v[h.Sum64()%uint64(width)] += 1.5
	}
	return v
}

// slowness is how long a slow server takes.
const slowness = 30 * time.Second
