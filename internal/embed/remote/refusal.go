package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tapedeck/internal/embed"
)

// A Refusal is what a server says instead of giving vectors.
type Refusal struct {
	Status  int    // HTTP's
	Code    string // the API's own, such as "model_not_found"; may be empty
	Type    string // the same, more general; may be empty
	Message string // one line, without the key
	API     bool   // the API itself speaks, not something else at the same address

	text     int // index of the text that it is about; -1: not said
	after    time.Duration
	location string // where it redirects to
}

// problem has the fields in which servers tell what is wrong: {"error": "…"},
// {"error": {"message": "…"}}, {"message": "…"}, {"detail": "…"}.
type problem struct {
	Error, Message, Detail, Code, Type json.RawMessage
}

// readRefusal reads a refusal. ok reports whether the body is one of the API.
func readRefusal(status int, header http.Header, body []byte, key string) (r Refusal, ok bool) {
	r = Refusal{Status: status, text: -1}
	var p problem
	if json.Unmarshal(body, &p) == nil {
		r.API = len(p.Error) > 0
		if inner := (problem{}); json.Unmarshal(p.Error, &inner) == nil && inner.Message != nil {
			p = inner
		}
		r.Code, r.Type = scalar(p.Code), scalar(p.Type)
		for _, text := range []json.RawMessage{p.Message, p.Error, p.Detail} {
			if r.Message == "" {
				r.Message = scalar(text)
			}
		}
	}
	if code, err := strconv.Atoi(r.Code); err == nil && status == http.StatusOK && code >= 400 && code < 600 {
		r.Status = code
	}
	if r.Message == "" {
		r.Message = string(body)
	}
	r.after = readAfter(header, r.Message)
	if m := indexed.FindStringSubmatch(r.Message); m != nil {
		r.text, _ = strconv.Atoi(m[1]) // it has few enough digits
	}
	r.Message = cut(scrub(r.Message, key), longestMessage)
	if at, err := url.Parse(header.Get("Location")); err == nil && at.Host != "" {
		r.location = (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: at.Path}).String()
	}
	return r, r.API
}

// indexed is how OpenAI names the text that is too long: "Invalid 'input[3]': …".
var indexed = regexp.MustCompile(`\binput\[(\d{1,6})\]`)

// scalar is a value as text; that of an array or object is its JSON.
func scalar(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	if bytes.Equal(value, []byte("null")) {
		return ""
	}
	return string(value)
}

// Says reports whether the message has one of the phrases, in any case.
func (r Refusal) Says(phrases ...string) bool {
	message := strings.ToLower(r.Message)
	for _, phrase := range phrases {
		if strings.Contains(message, phrase) {
			return true
		}
	}
	return false
}

// tooLong reports whether a text is longer than the model's window.
func (r Refusal) tooLong() bool {
	return r.Code == "context_length_exceeded" || r.Type == "exceed_context_size_error" || r.Says(
		"exceeds the context length",         // Ollama
		"exceeds maximum context length",     // Ollama before 0.12
		"maximum context length",             // OpenAI, vLLM
		"exceeds the available context size", // llama.cpp, which is in Ollama from 0.34 on
		"is too large to process",            // llama.cpp: "input (596 tokens) is too large to process"
		"must have less than",                // Text Embeddings Inference: "`inputs` must have less than 512 tokens"
	)
}

// kind is what to do about r, and the one of package embed's errors that it is.
func (r Refusal) kind() (string, error) {
	switch {
	case r.tooLong():
		return "", embed.ErrTooLong
	case r.Says("unsupported value: nan"): // Ollama, with HTTP 500: https://github.com/ollama/ollama/issues/14657
		return "", errNoVector
	case r.Status >= 300 && r.Status < 400:
		return "it redirects; name the address that it leads to as the target", embed.ErrRefused
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		return "", embed.ErrUnauthorized
	case r.Status == http.StatusPaymentRequired:
		return "", embed.ErrQuota
	case r.Status == http.StatusRequestEntityTooLarge:
		return "", ErrTooMuch
	case r.Status == http.StatusRequestTimeout, r.Status == http.StatusTooManyRequests, r.Status >= 500:
		return "", embed.ErrUnreachable
	}
	return "", embed.ErrRefused
}

// errNoVector is the kind of a refusal of a text for which the model has no vector.
var errNoVector = fmt.Errorf("%w: no vector", embed.ErrRefused)

// refused is the error that a refusal of a request for so many texts makes.
func (e *Embedder) refused(r Refusal, texts int) error {
	if r.text >= texts {
		r.text = -1
	}
	advice, kind := e.protocol.Failure(r)
	if kind == nil {
		advice, kind = r.kind()
	}
	if advice == "" && e.options.Dimensions > 0 && r.Says("dimension", "matryoshka") {
		advice = "leave the dimensions out: the model has one width only"
	}
	detail := fmt.Sprintf("%s says %q (HTTP %d)", e.server(), r.Message, r.Status)
	if r.Message == "" {
		detail = fmt.Sprintf("%s answers HTTP %d", e.server(), r.Status)
	}
	if r.location != "" {
		detail += ", and leads to " + r.location
	}
	if advice != "" {
		detail += "; " + advice
	}
	switch {
	case kind == embed.ErrTooLong:
		return &embed.TooLongError{Text: r.text, Detail: detail}
	case kind == errNoVector:
		return &embed.TextError{Text: r.text, Detail: detail}
	case kind == embed.ErrUnreachable && r.after > 0:
		return &embed.RetryError{After: r.after, Detail: detail}
	}
	return fmt.Errorf("%w: %s", kind, detail)
}

// longestAfter is the longest time to wait that is believed.
const longestAfter = 24 * time.Hour

// again is how OpenAI and Azure say when to come back: "Please try again in
// 1m30.5s.", "Please retry after 20 seconds."
var again = regexp.MustCompile(`(?i)(?:try again in|retry after) ((?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h))+|\d{1,9} seconds?)`)

// readAfter finds when to try again, 0 when it is not said.
func readAfter(header http.Header, message string) time.Duration {
	if ms, err := strconv.ParseInt(header.Get("Retry-After-Ms"), 10, 32); err == nil && ms > 0 { // Azure and OpenAI
		return min(time.Duration(ms)*time.Millisecond, longestAfter)
	}
	told := header.Get("Retry-After")
	if s, err := strconv.ParseInt(told, 10, 32); err == nil && s > 0 {
		return min(time.Duration(s)*time.Second, longestAfter)
	}
	if at, err := http.ParseTime(told); err == nil {
		return min(max(time.Until(at), 0), longestAfter)
	}
	m := again.FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	written := m[1]
	if n, _, seconds := strings.Cut(written, " "); seconds {
		written = n + "s"
	}
	d, err := time.ParseDuration(written)
	if err != nil {
		return 0
	}
	return min(d, longestAfter)
}

// masked is a key of which the middle is hidden, as OpenAI repeats it.
var masked = regexp.MustCompile(`\S*\*{3,}\S*`)

// shortestKey is the length from which on a key may be one; "none" and "x" are
// written where a server wants none.
const shortestKey = 4

// scrub takes the key out of text.
func scrub(text, key string) string {
	if len(key) >= shortestKey {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	return masked.ReplaceAllString(text, "[key]")
}

// longestMessage is how much of a server's words an error repeats.
const longestMessage = 300

// cut makes text one line of at most n characters.
func cut(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "�"))
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return string(runes)
}
