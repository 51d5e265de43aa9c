package embedtest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
)

// Ollama returns a server that speaks as Ollama does, in the words of its sources.
func Ollama() *Server {
	return &Server{Model: "embeddinggemma", Width: 768, Window: 8192, wire: ollama{}}
}

type ollama struct{}

func (ollama) path() string { return "/api/embed" }

func (ollama) answer(w io.Writer, model string, vectors [][]float64) {
	_ = json.NewEncoder(w).Encode(map[string]any{ // who asks may be gone
		"model": model, "embeddings": vectors, "total_duration": 14143917, "load_duration": 1019500, "prompt_eval_count": 8,
	})
}

func (ollama) refusals() map[Fault]Reply {
	plain := map[string]string{"Content-Type": "text/plain"}
	return map[Fault]Reply{
		WrongPath:    {http.StatusNotFound, plain, "404 page not found"},
		Unauthorized: {http.StatusUnauthorized, nil, `{"error":"unauthorized"}`}, // of Ollama's cloud, and of proxies
		ModelMissing: {http.StatusNotFound, nil, `{"error":"model \"embeddinggemma\" not found, try pulling it first"}`},
		TooLong:      {http.StatusBadRequest, nil, `{"error":"the input length exceeds the context length"}`},
		NoVector:     {http.StatusInternalServerError, nil, `{"error":"failed to encode response: json: unsupported value: NaN"}`},
		RateLimit:    {http.StatusTooManyRequests, map[string]string{"Retry-After": "20"}, `{"error":"too many requests"}`},
		Busy:         {http.StatusServiceUnavailable, nil, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`},
		Crashed:      {http.StatusInternalServerError, nil, `{"error":"llama runner process has terminated: exit status 2"}`},
	}
}

// OpenAI returns a server that speaks as OpenAI does. It wants Key, and answers in
// another order than it was asked.
func OpenAI() *Server {
	return &Server{Model: "text-embedding-3-small", Key: "sk-test-0123456789abcdef", Width: 1536, Window: 24 << 10, wire: openAI{}}
}

type openAI struct{}

func (openAI) path() string { return "/v1/embeddings" }

func (openAI) answer(w io.Writer, model string, vectors [][]float64) {
	data := make([]map[string]any, 0, len(vectors))
	for i, v := range slices.Backward(vectors) {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // who asks may be gone
		"object": "list", "data": data, "model": model, "usage": map[string]int{"prompt_tokens": 8, "total_tokens": 8},
	})
}

func (openAI) refusals() map[Fault]Reply {
	problem := func(message, kind string, code any) string {
		text, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}})
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	return map[Fault]Reply{
		WrongPath: {http.StatusNotFound, nil, problem("Invalid URL (POST /embeddings)", "invalid_request_error", nil)},
		Unauthorized: {http.StatusUnauthorized, nil, problem(
			"Incorrect API key provided: sk-test-************cdef. You can find your API key at https://platform.openai.com/account/api-keys.",
			"invalid_request_error", "invalid_api_key")},
		ModelMissing: {http.StatusNotFound, nil, problem(
			"The model `text-embedding-3-small` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found")},
		// https://github.com/pingcap/autoflow/issues/265
		TooLong: {http.StatusBadRequest, nil, problem(
			"This model's maximum context length is 8192 tokens, however you requested 8610 tokens (8610 in your prompt; 0 for the completion). "+
				"Please reduce your prompt; or completion length.", "invalid_request_error", nil)},
		// Of Ollama behind this interface: https://github.com/ollama/ollama/issues/14657
		NoVector: {http.StatusInternalServerError, nil, problem("failed to encode response: json: unsupported value: NaN", "api_error", nil)},
		Quota: {http.StatusTooManyRequests, nil, problem(
			"You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota")},
		RateLimit: {http.StatusTooManyRequests, nil, problem(
			"Rate limit reached for text-embedding-3-small in organization org-x on tokens per min (TPM): Limit 1000000, Used 990000, Requested 20000. "+
				"Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more.", "tokens", "rate_limit_exceeded")},
		Busy: {http.StatusServiceUnavailable, nil, problem(
			"The engine is currently overloaded, please try again later.", "server_error", "server_is_overloaded")},
		Crashed: {http.StatusInternalServerError, nil, problem(
			"The server had an error while processing your request. Sorry about that!", "server_error", nil)},
	}
}
