package open

import (
	"strings"
	"testing"

	"tapedeck/internal/embed"
)

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		opt  Options
		says string
	}{
		{Options{}, "want builtin, ollama or openai"},
		{Options{Provider: "none"}, "want builtin, ollama or openai"},
		{Options{Provider: "ollama", Target: "ftp://host"}, "http://HOST:PORT"},
		{Options{Provider: "openai", Key: "two words"}, "the key for OpenAI"},
	} {
		e, err := Open(tt.opt)
		if e != nil || err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("Open(%+v) = %v, %v; want %q", tt.opt, e, err, tt.says)
		}
	}
}

// Naming a provider is enough.
func TestUsualModels(t *testing.T) {
	for provider, model := range map[string]string{"ollama": "embeddinggemma", "openai": "text-embedding-3-small"} {
		e, err := Open(Options{Provider: provider})
		if err != nil {
			t.Fatal(err)
		}
		if want := (embed.Model{Provider: provider, Name: model}); e.Model() != want {
			t.Errorf("the model is %v, want %v", e.Model(), want)
		}
	}
	e, err := Open(Options{Provider: "builtin"})
	if err != nil || e.Model().Width == 0 || e.Model().Provider != "builtin" {
		t.Errorf("builtin is %v, %v", e, err)
	}
}

func TestChosenModel(t *testing.T) {
	e, err := Open(Options{Provider: "ollama", Model: "nomic-embed-text", Dimensions: 256})
	if err != nil {
		t.Fatal(err)
	}
	if want := (embed.Model{Provider: "ollama", Name: "nomic-embed-text", Width: 256}); e.Model() != want {
		t.Errorf("the model is %v, want %v", e.Model(), want)
	}
}
