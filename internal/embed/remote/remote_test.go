package remote

import (
	"strings"
	"testing"
	"time"

	"tapedeck/internal/embed"
)

// protocol is the least that an embedder can speak.
var protocol = Protocol{
	Provider: "test",
	Server:   "Test",
	Endpoint: func(path string) string { return path + "/embed" },
	Limits:   Limits{Texts: 8, Bytes: 1000},
}

func TestBadOptions(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no target", Options{Model: "m"}, "http://HOST:PORT"},
		{"no URL", Options{Target: "http://user:secret@%zz", Model: "m"}, "no URL"},
		{"another scheme", Options{Target: "ftp://user:secret@h", Model: "m"}, "user:xxxxx@h"},
		{"a query", Options{Target: "https://h/v1?api-version=1", Model: "m"}, "api-version"},
		{"no model", Options{Target: "h"}, "no embedding model"},
		{"a broken key", Options{Target: "h", Model: "m", Key: "secret\nkey"}, "copy it again"},
		{"a key with text", Options{Target: "h", Model: "m", Key: "‘secret’"}, "copy it again"},
		{"no width", Options{Target: "h", Model: "m", Dimensions: -1}, "-1"},
		{"no batch", Options{Target: "h", Model: "m", Batch: -1}, "1 at least"},
		{"no attempts", Options{Target: "h", Model: "m", Attempts: -1}, "1 at least"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(protocol, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("New fails with %v; want %q, and no secret", err, tt.want)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	e, err := New(protocol, Options{Target: "h", Model: "m", Batch: 100, Width: 384})
	if err != nil {
		t.Fatal(err)
	}
	if e.Batch() != 8 {
		t.Errorf("Batch() = %d; want 8, the most that the server takes", e.Batch())
	}
	if got := e.Model(); got != (embed.Model{Provider: "test", Name: "m", Width: 384}) {
		t.Errorf("Model() = %v; want the width that was agreed", got)
	}
	if e.endpoint != "http://h/embed" {
		t.Errorf("requests go to %s; want http://h/embed", e.endpoint)
	}
}

func TestWindow(t *testing.T) {
	for _, tt := range []struct {
		model  string
		tokens int // of the server
		want   int
	}{
		{"embeddinggemma", 0, 4096 - len("task: search result | query: ")},
		{"nomic-embed-text", 2048, 4096 - len("search_document: ")},
		{"something-new", 0, 1024},
		{"text-embedding-3-large", 0, 16384},
	} {
		p := protocol
		p.Limits.Tokens = tt.tokens
		e, err := New(p, Options{Target: "h", Model: tt.model})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Window(); got != tt.want {
			t.Errorf("Window() of %s = %d; want %d", tt.model, got, tt.want)
		}
	}
}

// Waits become longer, and differ from client to client.
func TestWait(t *testing.T) {
	for attempt := 1; attempt <= 100; attempt++ {
		full := time.Second << min(attempt-1, 10)
		if got := wait(attempt, embed.ErrUnreachable); got < full/2 || got > full {
			t.Errorf("after %d failures it waits %v; want %v to %v", attempt, got, full/2, full)
		}
	}
	one, other := wait(5, embed.ErrUnreachable), wait(5, embed.ErrUnreachable)
	if one == other {
		t.Error("two clients wait equally long")
	}
	if got := wait(1, &embed.RetryError{After: time.Minute}); got < time.Minute || got > time.Minute+time.Second {
		t.Errorf("told to wait a minute, it waits %v", got)
	}
}
