package openai_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/embed"
	"tapedeck/internal/embed/embedtest"
	"tapedeck/internal/embed/openai"
	"tapedeck/internal/embed/remote"
)

func embedder(t *testing.T, o openai.Options) embed.Embedder {
	t.Helper()
	e, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFaults(t *testing.T) {
	embedtest.RunFaults(t, embedtest.OpenAI, func(t *testing.T, o remote.Options) embed.Embedder { return embedder(t, o) })
}

func TestConformance(t *testing.T) {
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		s := embedtest.OpenAI()
		return embedder(t, openai.Options{Target: s.Listen(t), Key: s.Key})
	})
}

// What a refusal means is in its code, its type or its words, depending on the server.
func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		is     error
		says   string
	}{
		{"quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, embed.ErrQuota, "the bill"},
		{"spend limit", 429, `{"error":{"message":"Limit","type":"insufficient_quota","code":"project_spend_limit_exceeded"}}`, embed.ErrQuota, "the bill"},
		{"no balance", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, embed.ErrQuota, "Insufficient"},
		{"no access", 403, `{"error":{"message":"Project p does not have access to model m","type":"invalid_request_error","code":"model_not_found"}}`, embed.ErrModelMissing, "access"},
		{"country", 403, `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`, embed.ErrUnauthorized, "Country"},
		{"vLLM: no model", 404, `{"object":"error","message":"The model ` + "`m`" + ` does not exist.","type":"NotFoundError","param":null,"code":404}`, embed.ErrModelMissing, "/v1/models"},
		{"LM Studio: no model", 400, `{"error":"No models loaded. Please load a model in the developer page"}`, embed.ErrModelMissing, "No models loaded"},
		{"FastAPI: no path", 404, `{"detail":"Not Found"}`, embed.ErrRefused, "look at the target"},
		{"long, by code", 400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`, embed.ErrTooLong, "too long"},
		{"TEI: long", 413, `{"error":"Input validation error: ` + "`inputs`" + ` must have less than 512 tokens. Given: 601","error_type":"Validation"}`, embed.ErrTooLong, "Given: 601"},
		{"body too large", 413, `<html>413 Request Entity Too Large</html>`, embed.ErrTooLong, "413"},
		{"no matryoshka", 400, `{"object":"error","message":"Model \"m\" does not support matryoshka representation, changing output dimensions will lead to poor results.","type":"BadRequestError","code":400}`, embed.ErrRefused, "leave the dimensions out"},
		{"no arrays", 422, `{"detail":[{"type":"string_type","loc":["body","input"],"msg":"Input should be a valid string"}]}`, embed.ErrRefused, "Input should be a valid string"},
		{"no encoding_format", 400, `{"error":{"message":"Unrecognized request argument supplied: encoding_format","type":"invalid_request_error"}}`, embed.ErrRefused, "encoding_format"},
		{"with HTTP 200", 200, `{"error":{"message":"No auth credentials found","code":401}}`, embed.ErrUnauthorized, "No auth"},
		{"with HTTP 200, no code", 200, `{"error":"no provider"}`, embed.ErrRefused, "no provider"},
		{"no key", 401, `{"error":{"message":"You didn't provide an API key."}}`, embed.ErrUnauthorized, "none is set"},
		{"numbered wrongly", 200, `{"data":[{"index":1,"embedding":[1]}]}`, embed.ErrRefused, "numbered"},
		{"too many", 200, `{"data":[{"embedding":[1]},{"embedding":[1]}]}`, embed.ErrRefused, "found 2"},
		{"nothing", 200, `{}`, embed.ErrRefused, "found 0"},
		{"null", 200, `{"data":[null]}`, embed.ErrRefused, "empty vector"},
		{"dimensions ignored", 200, `{"data":[{"embedding":[3,4]}]}`, embed.ErrWidth, "leave the dimensions out"},
		{"bad base64", 200, `{"data":[{"embedding":"AAA"}]}`, embed.ErrRefused, "base64"},
		{"odd base64", 200, `{"data":[{"embedding":"AAAA"}]}`, embed.ErrRefused, "3 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := embedtest.OpenAI()
			s.Reply(embedtest.Reply{Status: tt.status, Body: tt.body})
			e := embedder(t, openai.Options{Transport: s, Attempts: 1, Dimensions: 256})
			_, err := e.Embed(t.Context(), embed.ForDocument, []string{"a text"})
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Embed fails with %v; want %v and %q", err, tt.is, tt.says)
			}
			if got := len(s.Requests()); got != 1 {
				t.Errorf("it asks %d times; want 1", got)
			}
		})
	}
}

// A server says in several ways when to come back.
func TestRetryAfter(t *testing.T) {
	limited := func(message string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"tokens","code":"rate_limit_exceeded"}}`, message)
	}
	tests := []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": "7"}, limited("slow down"), 7 * time.Second},
		{"milliseconds", map[string]string{"Retry-After-Ms": "350", "Retry-After": "1"}, limited("slow down"), 350 * time.Millisecond},
		{"date", map[string]string{"Retry-After": "Sat, 01 Jan 2000 00:01:00 GMT"}, limited("slow down"), time.Minute}, // the bubble's time begins in 2000
		{"words", nil, limited("Please try again in 20s. Visit"), 20 * time.Second},
		{"words, two units", nil, limited("Please try again in 1m30.5s."), 90500 * time.Millisecond},
		{"words of Azure", nil, limited("Please retry after 45 seconds."), 45 * time.Second},
		{"far too long", map[string]string{"Retry-After": "2000000000"}, limited("slow down"), 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := embedtest.OpenAI()
				s.Reply(embedtest.Reply{Status: http.StatusTooManyRequests, Header: tt.header, Body: tt.body})
				_, err := embedder(t, openai.Options{Transport: s}).Embed(t.Context(), embed.ForQuery, []string{"a query"})
				var told *embed.RetryError
				if !errors.As(err, &told) || told.After != tt.want {
					t.Errorf("Embed fails with %#v; want a *RetryError after %v", err, tt.want)
				}
			})
		})
	}
}

// The text that a server names is believed, if there is one.
func TestNamedText(t *testing.T) {
	tests := []struct {
		named    string
		is, asks int
	}{
		{"input[2]", 2, 1},
		{"input[77]", 0, 3}, // of 3 texts: the server refuses whatever it is asked
		{"input[99999999999999999999]", 0, 3},
	}
	for _, tt := range tests {
		t.Run(tt.named, func(t *testing.T) {
			s := embedtest.OpenAI()
			s.Reply(embedtest.Reply{Status: 400, Body: `{"error":{"message":"Invalid '` + tt.named + `': maximum context length is 8192 tokens."}}`})
			_, err := embedder(t, openai.Options{Transport: s, Key: s.Key}).Embed(t.Context(), embed.ForDocument, []string{"a", "b", "c"})
			var long *embed.TooLongError
			if !errors.As(err, &long) || long.Text != tt.is {
				t.Errorf("Embed fails with %#v; want a *TooLongError for text %d", err, tt.is)
			}
			if got := len(s.Requests()); got > tt.asks {
				t.Errorf("it asks %d times; want %d at most", got, tt.asks)
			}
		})
	}
}

// A server that takes less at once than is asked gets several requests.
func TestDividedRequests(t *testing.T) {
	for _, refusal := range []embedtest.Reply{
		{Status: 400, Body: `{"error":{"message":"Requested 309209 tokens, max 300000 tokens per request","type":"max_tokens_per_request","param":null,"code":"max_tokens_per_request"}}`},
		{Status: 422, Body: `{"error":"batch size 10 > maximum allowed batch size 8","error_type":"Validation"}`},
		{Status: 413, Body: `too large`},
	} {
		s := embedtest.OpenAI()
		s.Reply(refusal, refusal)
		e := embedder(t, openai.Options{Transport: s, Key: s.Key})
		texts := strings.Split("a b c d e f g h i j", " ")
		vectors, err := e.Embed(t.Context(), embed.ForDocument, texts)
		if err != nil || len(vectors) != len(texts) {
			t.Fatalf("Embed = %d vectors, %v; want %d", len(vectors), err, len(texts))
		}
		for i, text := range texts {
			alone, err := e.Embed(t.Context(), embed.ForDocument, []string{text})
			if err != nil || !slices.Equal(alone[0], vectors[i]) {
				t.Errorf("vector %d is not that of its text (%v)", i, err)
			}
		}
	}
}

func TestRequest(t *testing.T) {
	s := embedtest.OpenAI()
	plain := embedder(t, openai.Options{Transport: s, Key: s.Key + "\n"}) // as files have it
	short := embedder(t, openai.Options{Transport: s, Key: s.Key, Dimensions: 512})
	for _, e := range []embed.Embedder{plain, short} {
		if _, err := e.Embed(t.Context(), embed.ForDocument, []string{"a text"}); err != nil {
			t.Fatal(err)
		}
	}
	want := []map[string]any{
		{"model": "text-embedding-3-small", "input": []any{"a text"}, "encoding_format": "float"},
		{"model": "text-embedding-3-small", "input": []any{"a text"}, "encoding_format": "float", "dimensions": 512.0},
	}
	var got []map[string]any
	for _, r := range s.Requests() {
		got = append(got, r.Body)
		if auth := r.Header.Get("Authorization"); auth != "Bearer "+s.Key {
			t.Errorf("Authorization: %s; want the key", auth)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got := plain.Model(); got != (embed.Model{Provider: "openai", Name: "text-embedding-3-small", Width: 1536}) {
		t.Errorf("Model() = %v", got)
	}
}

// A target is the address of the server, or the base URL that OpenAI's clients take.
func TestTargets(t *testing.T) {
	for target, want := range map[string]string{
		"":                              "/v1/embeddings",
		"https://h":                     "/v1/embeddings",
		"h:8000":                        "/v1/embeddings",
		"http://h/":                     "/v1/embeddings",
		"http://h/v1":                   "/v1/embeddings",
		"http://h/v1/":                  "/v1/embeddings",
		"http://h/v1/embeddings":        "/v1/embeddings",
		"http://h/openai":               "/openai/v1/embeddings",
		"http://h/api/paas/v4":          "/api/paas/v4/embeddings",
		"http://user:password@h/proxy/": "/proxy/v1/embeddings",
	} {
		s := embedtest.OpenAI()
		_, err := embedder(t, openai.Options{Target: target, Transport: s}).Embed(t.Context(), embed.ForQuery, []string{"a query"})
		if got := s.Requests()[0].Path; got != want {
			t.Errorf("target %q: asks %s; want %s", target, got, want)
		}
		if err == nil || strings.Contains(err.Error(), "password") {
			t.Errorf("target %q: %v; want an error without the password", target, err)
		}
	}
}

// Servers that answer in base64 whatever they are asked for, or without numbers.
func TestOtherAnswers(t *testing.T) {
	var packed []byte
	for _, x := range []float32{3, -4} {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
	}
	base64 := base64.StdEncoding.EncodeToString(packed)
	for _, body := range []string{
		`{"data":[{"index":1,"embedding":[1, 0]},{"index":0,"embedding":[3,-4]}]}`,
		`{"data":[{"index":1,"embedding":[1e0,0]},{"index":0,"embedding":"` + base64 + `"}]}`,
		`{"data":[{"embedding":[3,-4]},{"embedding":[1,0]}]}`,
	} {
		s := embedtest.OpenAI()
		s.Reply(embedtest.Reply{Status: http.StatusOK, Body: body})
		vectors, err := embedder(t, openai.Options{Transport: s}).Embed(t.Context(), embed.ForDocument, []string{"a", "b"})
		if diff := cmp.Diff([][]float32{{.6, -.8}, {1, 0}}, vectors); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
	}
}
