package clients

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// indexing is how long a server may take until what it was started on is found;
// on an idle machine it takes a moment.
const indexing = time.Minute

// What an agent finds it can open, over both transports; wrong arguments are told
// in words.
func TestGoClientSearches(t *testing.T) {
	home := homeWithSamples(t)
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			session := dial(t, transport(t, home))
			var hit gjson.Result
			for began := time.Now(); !hit.Exists(); {
				found := open(t, session, "search", args{"query": "why did the resumed upload race", "top_k": 3})
				hit = found.Get("results.0")
				if time.Since(began) > indexing {
					t.Fatalf("nothing is found: %s", found)
				}
			}
			span := open(t, session, "get_span", args{"trace_id": hit.Get("trace_id").Str, "span_id": hit.Get("span_id").Str})
			if !strings.Contains(span.Raw, "Resume") || span.Get("span.session_id").Str != hit.Get("session_id").Str {
				t.Errorf("the hit %s opens as %s", hit, span)
			}
			for says, a := range map[string]args{
				"query": {"query": "  "},
				"top_k": {"query": "x", "top_k": 101},
				"100":   {"query": "x", "top_k": 0},
				"mode":  {"query": "x", "mode": "both"},
			} {
				if err := ask(session, "search", a, &struct{}{}); err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("%v: %v, want an error that says %s", a, err, says)
				}
			}
		})
	}
}

// The request of the document that search implements works as it is printed
// there: bare, without initialize.
func TestBarePostSearches(t *testing.T) {
	url := httpServer(t, homeWithSamples(t))
	request := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
  "params": {"name": "search", "arguments": {"query": "battery dropped below 22 V", "top_k": 3}}}`
	var text string
	for began := time.Now(); gjson.Get(text, "count").Int() == 0; {
		if time.Since(began) > indexing {
			t.Fatalf("nothing is found: %s", text)
		}
		got, err := http.Post(url, "application/x-www-form-urlencoded", strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(got.Body)
		got.Body.Close()
		if err != nil || got.StatusCode != http.StatusOK {
			t.Fatalf("%d %v: %s", got.StatusCode, err, body)
		}
		text = gjson.GetBytes(body, "result.content.0.text").Str
	}
	if !strings.HasPrefix(text, fmt.Sprintf(`{"query":"battery dropped below 22 V","count":%d,"results":[{"session_id":`, gjson.Get(text, "count").Int())) {
		t.Errorf("the answer begins otherwise: %.200s", text)
	}
	for _, field := range []string{"session_id", "trace_id", "span_id", "score", "user_prompt", "snippet", "model", "started_at"} {
		if !gjson.Get(text, "results.0."+field).Exists() {
			t.Errorf("the hit has no %s: %s", field, text)
		}
	}
}
