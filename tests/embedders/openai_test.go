// Package embedders tests the embedders against a real server, the one of
// `go run ./scripts/embedder`.
package embedders

import (
	"errors"
	"os"
	"testing"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/embedtest"
	"tapedeck/internal/embed/openai"
	"tapedeck/internal/embed/remote"
)

// model and width are what the server has, whatever it is asked for.
const (
	model = "multilingual-e5-small-q4"
	width = 384
)

// server is the address of the server.
func server(t *testing.T) string {
	t.Helper()
	url := os.Getenv("TAPEDECK_TEST_EMBEDDER")
	if url == "" {
		t.Skip("no embedding server: run the tests with `go run ./scripts/embedder -- go test ./tests/embedders`")
	}
	return url
}

// embedder asks the server. No prefixes are sent: the server has its own.
func embedder(t *testing.T, o openai.Options) embed.Embedder {
	t.Helper()
	o.Model, o.Prefixes = model, &remote.Prefixes{}
	e, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	url := server(t)
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return embedder(t, openai.Options{Target: url, Key: "not-needed"}) })
}

// Meanings are found that no word gives away.
func TestMeaning(t *testing.T) {
	e := embedder(t, openai.Options{Target: server(t) + "/v1"})
	documents := []string{
		"The test suite is red since the timezone of the build machine was switched to UTC.",
		"We store the access token in the keychain and refresh it an hour before it expires.",
		"The robot arm halts when the torque in the elbow joint exceeds its limit.",
		"Dropping the unused index made inserts twice as fast.",
	}
	questions := []string{
		"Why do the unit checks fail since the clock settings of the CI server changed?",
		"How do we keep users logged in?",
		"What stops the manipulator in case of overload?",
		"How did we speed up writing to the database?",
	}
	vectors, err := e.Embed(t.Context(), embed.ForDocument, documents)
	if err != nil {
		t.Fatal(err)
	}
	for i, question := range questions {
		query, err := e.Embed(t.Context(), embed.ForQuery, []string{question})
		if err != nil {
			t.Fatal(err)
		}
		best := 0
		for j, v := range vectors {
			if dot(query[0], v) > dot(query[0], vectors[best]) {
				best = j
			}
		}
		if best != i {
			t.Errorf("%q finds %q; want %q", question, documents[best], documents[i])
		}
	}
	if got, want := e.Model(), (embed.Model{Provider: "openai", Name: model, Width: width}); got != want {
		t.Errorf("Model() = %v; want %v", got, want)
	}
}

// The server has one width, and no other addresses.
func TestRefusals(t *testing.T) {
	url := server(t)
	for _, tt := range []struct {
		o  openai.Options
		is error
	}{
		{openai.Options{Target: url, Dimensions: 256}, embed.ErrWidth}, // it ignores dimensions
		{openai.Options{Target: url, Width: 1536}, embed.ErrWidth},
		{openai.Options{Target: url + "/elsewhere"}, embed.ErrRefused},
	} {
		if _, err := embedder(t, tt.o).Embed(t.Context(), embed.ForQuery, []string{"a query"}); !errors.Is(err, tt.is) {
			t.Errorf("%+v: Embed fails with %v; want %v", tt.o, err, tt.is)
		}
	}
}

// dot is the cosine between two vectors of length 1.
func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// BenchmarkEmbed measures the way through the client and a real server.
func BenchmarkEmbed(b *testing.B) {
	url := os.Getenv("TAPEDECK_TEST_EMBEDDER")
	if url == "" {
		b.Skip("no embedding server: run the benchmark with `go run ./scripts/embedder -- go test -bench . ./tests/embedders`")
	}
	e, err := openai.New(openai.Options{Target: url, Model: model, Prefixes: &remote.Prefixes{}})
	if err != nil {
		b.Fatal(err)
	}
	texts := make([]string, e.Batch())
	for i := range texts {
		texts[i] = "go test ./internal/store failed: the database is locked"
	}
	for b.Loop() {
		if _, err := e.Embed(b.Context(), embed.ForDocument, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "texts/s")
}
