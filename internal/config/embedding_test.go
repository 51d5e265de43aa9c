package config

import (
	"errors"
	"strings"
	"testing"
)

func TestBadEmbeddingSettings(t *testing.T) {
	for _, tt := range []struct{ variable, says string }{
		{"TAPEDECK_EMBEDDING_PROVIDER=cohere", "one of builtin, ollama, openai, none"},
		{"TAPEDECK_EMBEDDING_DIMENSIONS=-1", "from 0 to 16384"},
		{"TAPEDECK_VECTOR_STORE_TARGET=mysql://db", "postgres://"},
		{"TAPEDECK_TOOLS=recordings,serch", "of recordings, sessions, search"},
	} {
		_, err := Load(Sources{Dir: t.TempDir(), Environ: []string{tt.variable}})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v; want %q", tt.variable, err, tt.says)
		}
	}
}

// OpenAI's own variable is read for openai alone, and only where no other key is set.
func TestKeyOfOpenAI(t *testing.T) {
	const key = "sk-0123456789"
	for _, tt := range []struct {
		environ []string
		want    string
	}{
		{[]string{"TAPEDECK_EMBEDDING_PROVIDER=openai"}, key},
		{[]string{"TAPEDECK_EMBEDDING_PROVIDER=openai", "TAPEDECK_EMBEDDING_KEY=own"}, "own"},
		{[]string{"TAPEDECK_EMBEDDING_PROVIDER=ollama"}, ""},
		{nil, ""},
	} {
		s := newSources(t)
		s.env(append(tt.environ, "OPENAI_API_KEY="+key)...)
		c := s.load()
		if c.EmbeddingKey != tt.want {
			t.Errorf("%v: the key is %q, want %q", tt.environ, c.EmbeddingKey, tt.want)
		}
		for _, v := range c.Values() {
			if tt.want != "" && strings.Contains(v.Text(), tt.want) {
				t.Errorf("%s shows the key", v.Name)
			}
		}
	}
}

// A setting that the provider does not heed is told of.
func TestEmbeddingSettingsWithoutEffect(t *testing.T) {
	s := newSources(t)
	s.args("--embedding-model", "embeddinggemma")
	c := s.load()
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "embedding_model has no effect: embedding_provider is builtin") {
		t.Errorf("warnings are %q", c.Warnings)
	}
	s.args("--embedding-provider", "ollama")
	if c = s.load(); len(c.Warnings) != 0 {
		t.Errorf("warnings are %q, want none", c.Warnings)
	}
}

func TestPasswordOfATargetIsNotShown(t *testing.T) {
	s := newSources(t)
	s.env("TAPEDECK_EMBEDDING_TARGET=https://ada:s3cret@embed.example/v1")
	for _, v := range s.load().Values() {
		if strings.Contains(v.Text(), "s3cret") {
			t.Errorf("%s is shown as %s", v.Name, v.Text())
		}
	}
	_, err := Load(Sources{Dir: t.TempDir(), Environ: []string{"TAPEDECK_EMBEDDING_TARGET=http://ada:s3cret@a b"}})
	if !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("Load = %v; want an error without the password", err)
	}
}

func TestNoTools(t *testing.T) {
	s := newSources(t)
	s.args("--tools", "")
	if c := s.load(); len(c.Tools) != 0 {
		t.Errorf("tools are %q, want none", c.Tools)
	}
}
