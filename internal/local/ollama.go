package local

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/embed/ollama"
)

// Where an Ollama is, and the model that is fetched, when nobody says otherwise.
const (
	DefaultTarget = ollama.DefaultTarget
	DefaultModel  = ollama.DefaultModel
)

// answerTimeout is how long an Ollama may take to say which models it has.
const answerTimeout = 5 * time.Second

// maxLine bounds a line of a pull's progress, and an answer.
const maxLine = 4 << 20

// A Server is an Ollama, wherever it runs: https://docs.ollama.com/api.
type Server struct {
	base string
}

// NewServer returns the Ollama at a target, whose scheme may be left out.
func NewServer(target string) (*Server, error) {
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return nil, errors.New("the target of Ollama is no URL: want http://HOST:PORT")
	}
	return &Server{strings.TrimRight(target, "/")}, nil
}

// Version is that of the Ollama that answers; an error: none does.
func (s *Server) Version(ctx context.Context) (string, error) {
	var answer struct{ Version string }
	if err := s.get(ctx, "/api/version", &answer); err != nil {
		return "", err
	}
	if answer.Version == "" {
		return "", errors.New("what answers is no Ollama")
	}
	return answer.Version, nil
}

// Has reports whether a model is there. A model without a tag is its latest.
func (s *Server) Has(ctx context.Context, model string) (bool, error) {
	var answer struct{ Models []struct{ Name string } }
	if err := s.get(ctx, "/api/tags", &answer); err != nil {
		return false, err
	}
	return slices.ContainsFunc(answer.Models, func(m struct{ Name string }) bool {
		return m.Name == model || m.Name == model+":latest"
	}), nil
}

func (s *Server) get(ctx context.Context, path string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	response, err := s.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(io.LimitReader(response.Body, maxLine)).Decode(answer); err != nil {
		return errors.New("what answers is no Ollama")
	}
	return nil
}

// send asks for something, and returns the answer if it is one.
func (s *Server) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the target of Ollama is no URL: want http://HOST:PORT")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) { // it repeats the target, which may hold a password
			err = failed.Err
		}
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, fmt.Errorf("it answers %s%s", response.Status, refusal(response.Body))
	}
	return response, nil
}

// refusal is what an Ollama says against a request.
func refusal(body io.Reader) string {
	var answer struct{ Error string }
	if json.NewDecoder(io.LimitReader(body, maxLine)).Decode(&answer) != nil || answer.Error == "" {
		return ""
	}
	return ": " + answer.Error
}

// Pull fetches a model. Progress counts bytes.
func (s *Server) Pull(ctx context.Context, model string, report func(done, total uint64, what string)) error {
	body, err := json.Marshal(map[string]any{"model": model, "stream": true})
	if err != nil {
		return err
	}
	response, err := s.send(ctx, http.MethodPost, "/api/pull", body)
	if err != nil {
		return fmt.Errorf("fetching the model %s: %w", model, err)
	}
	defer response.Body.Close()
	if err := follow(response.Body, model, report); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("fetching the model %s: %w", model, err)
	}
	return nil
}

// A step is a line of a pull's progress; its numbers are those of one layer.
type step struct {
	Status    string
	Digest    string
	Total     uint64
	Completed uint64
	Error     string
}

// follow reads a pull's progress to its end.
func follow(lines io.Reader, model string, report func(done, total uint64, what string)) error {
	layers := map[string]step{}
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, maxLine)
	last := ""
	for scanner.Scan() {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var s step
		if err := json.Unmarshal(scanner.Bytes(), &s); err != nil {
			return fmt.Errorf("its progress can't be read: %w", err)
		}
		if s.Error != "" {
			return errors.New(s.Error)
		}
		last = s.Status
		if s.Digest == "" {
			continue
		}
		layers[s.Digest] = s
		var done, total uint64
		for _, layer := range layers {
			done, total = done+layer.Completed, total+layer.Total
		}
		if report != nil {
			report(done, total, "fetching "+model)
		}
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	if last != "success" {
		return errors.New("it broke off: try again, what has come is kept")
	}
	return nil
}
