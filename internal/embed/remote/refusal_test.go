package remote

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestReadRefusal(t *testing.T) {
	tests := []struct {
		name, body          string
		code, kind, message string
		api                 bool
	}{
		{"OpenAI", `{"error":{"message":"m","type":"t","code":"c"}}`, "c", "t", "m", true},
		{"a number as code", `{"error":{"message":"m","code":404}}`, "404", "", "m", true},
		{"Ollama", `{"error":"m"}`, "", "", "m", true},
		{"vLLM", `{"object":"error","message":"m","type":"t","code":404}`, "404", "t", "m", false},
		{"FastAPI", `{"detail":"m"}`, "", "", "m", false},
		{"FastAPI, a list", `{"detail":[{"msg":"m"}]}`, "", "", `[{"msg":"m"}]`, false},
		{"wrong types", `{"error":{"message":7,"type":[],"code":null}}`, "", "[]", "7", true},
		{"an error without a message", `{"error":{"reason":"m"}}`, "", "", `{"reason":"m"}`, true},
		{"null", `null`, "", "", "null", false},
		{"text", "  a\tb\r\nc\x1b[31m  ", "", "", "a b c [31m", false},
		{"not UTF-8", "a\xff", "", "", "a�", false},
		{"nothing", "", "", "", "", false},
		{"long", strings.Repeat("ü", 1000), "", "", strings.Repeat("ü", 300) + "…", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, api := readRefusal(http.StatusBadRequest, nil, []byte(tt.body), "")
			if r.Code != tt.code || r.Type != tt.kind || r.Message != tt.message || api != tt.api {
				t.Errorf("readRefusal = %q, %q, %q, %t; want %q, %q, %q, %t", r.Code, r.Type, r.Message, api, tt.code, tt.kind, tt.message, tt.api)
			}
		})
	}
}

// A key is taken out before a message is cut, so that no beginning of it remains.
func TestScrub(t *testing.T) {
	const key = "sk-0123456789"
	for _, tt := range []struct{ text, want string }{
		{"key " + key + ", " + key, "key [key], [key]"},
		{"key sk-0****6789.", "key [key]"},
		{"2 ** 3 and a*b", "2 ** 3 and a*b"},
		{strings.Repeat(".", longestMessage-2) + key, strings.Repeat(".", longestMessage-2) + "[k…"},
	} {
		if got := cut(scrub(tt.text, key), longestMessage); got != tt.want {
			t.Errorf("%q becomes %q; want %q", tt.text, got, tt.want)
		}
	}
	if got := scrub("an example", "x"); got != "an example" {
		t.Errorf("the key x, which is none, makes %q", got)
	}
}

func FuzzRefusal(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"message":"try again in 1m30.5s, input[3]","code":429}}`, `{"error":"x"}`, `{"detail":[[[[`, `{"error":{"error":{}}}`,
		`retry after 999999999 seconds`, `try again in 999999999h999999999h`, `sk-0123****`, "\xff\x00", "",
	} {
		f.Add(400, seed, seed)
	}
	const key = "sk-0123456789"
	f.Fuzz(func(t *testing.T, status int, header, body string) {
		r, _ := readRefusal(status, http.Header{"Retry-After": {header}, "Location": {header}}, []byte(body), key)
		if strings.Contains(r.Message, key) || utf8.RuneCountInString(r.Message) > longestMessage+1 || strings.ContainsFunc(r.Message, unicode.IsControl) {
			t.Errorf("%q becomes %q", body, r.Message)
		}
		if r.after < 0 || r.after > 24*time.Hour || r.text < -1 {
			t.Errorf("%q and %q mean after %v, text %d", header, body, r.after, r.text)
		}
		if _, kind := r.kind(); kind == nil {
			t.Errorf("HTTP %d and %q mean nothing", status, body)
		}
	})
}
