package clients

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/sample"
	"tapedeck/internal/sessiontest"
)

// Sessions of package sample, by the names that their harnesses gave them.
const (
	batterySession = "b340a5bf-fb20-4795-a762-15d7409ea7a6"
	codexSession   = "019784e5-7ccd-7470-aef8-c6e30008ae6f"
)

// storeIn is where a user with this home has the store.
func storeIn(home string) string { return filepath.Join(home, "store") }

// importInto imports logs into the store of a home.
func importInto(tb testing.TB, home, logs string) {
	tb.Helper()
	cmd := exec.Command(program, "import", logs)
	cmd.Env = environment(home)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("import: %v\n%s", err, out)
	}
}

// homeWithSamples is a new home whose store has the sample sessions.
func homeWithSamples(t *testing.T) string {
	t.Helper()
	home, logs := t.TempDir(), t.TempDir()
	if _, err := sample.WriteSessions(logs); err != nil {
		t.Fatal(err)
	}
	importInto(t, home, logs)
	return home
}

// many makes the logs of manySessions once.
var many = sync.OnceValues(func() (logs string, err error) {
	logs = filepath.Join(scratch, "logs")
	if _, err := (sessiontest.Logs{Sessions: 2000, Turns: 2, Prompt: 500, Result: 300}).Write(logs); err != nil {
		return "", err
	}
	_, err = sessiontest.Logs{Seed: 1, Sessions: 1, Turns: 600, Prompt: 3000, Result: 50_000}.Write(logs)
	return logs, err
})

var importMany sync.Once

// manySessions is a home whose store has 2,000 sessions, and one of 600 turns.
func manySessions(tb testing.TB) (home string) {
	tb.Helper()
	logs, err := many()
	if err != nil {
		tb.Fatal(err)
	}
	home = filepath.Join(scratch, "home")
	importMany.Do(func() { importInto(tb, home, logs) })
	return home
}

// opened is what tests look at in an answer of get_session or get_span.
type opened struct{ gjson.Result }

// open calls a tool and returns its structured form.
func open(t *testing.T, session *mcp.ClientSession, tool string, a args) opened {
	t.Helper()
	var raw rawJSON
	mustAsk(t, session, tool, a, &raw)
	return opened{gjson.ParseBytes(raw)}
}

// rawJSON keeps an answer as it came.
type rawJSON []byte

func (r *rawJSON) UnmarshalJSON(text []byte) error {
	*r = append((*r)[:0], text...)
	return nil
}

// all are the values at a path.
func (o opened) all(path string) []string {
	var texts []string
	for _, v := range o.Get(path).Array() {
		texts = append(texts, v.String())
	}
	return texts
}

// parts are those of a span.
func (o opened) parts() []gjson.Result {
	return append(o.Get("span.input").Array(), o.Get("span.output").Array()...)
}

// An agent finds a session, opens it, a trace of it, and reads a text to its end.
func TestGoClientReadsSessions(t *testing.T) {
	home := homeWithSamples(t)
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			session := dial(t, transport(t, home))
			if got := open(t, session, "list_sessions", args{}); got.Get("total").Int() != 3 || len(got.all("sessions")) != 3 {
				t.Fatalf("list_sessions: %s", got)
			}
			if got := open(t, session, "list_sessions", args{"subagents": true, "limit": 200}).Get("total").Int(); got != 4 {
				t.Errorf("%d sessions with sub-agents, want 4", got)
			}
			found := open(t, session, "list_sessions", args{"title": "BATTERY", "harness": "claude-code", "since": "2025-01-01"})
			if got := found.all("sessions.#.harness_session_id"); len(found.all("sessions")) != 1 {
				t.Fatalf("the session of the battery: %v %s", got, found)
			}
			id := found.Get("sessions.0.session_id").String()

			skeleton := open(t, session, "get_session", args{"session_id": id})
			if by := open(t, session, "get_session", args{"session_id": batterySession}); by.Raw != skeleton.Raw {
				t.Errorf("by the harness' identifier: %s, want %s", by, skeleton)
			}
			if !strings.Contains(skeleton.Get("traces.0.user_prompt").String(), "battery") || skeleton.Get("session.children_total").Int() != 1 {
				t.Errorf("the skeleton: %s", skeleton)
			}
			walkTrace(t, session, id, skeleton.Get("traces.0.trace_id").String())
		})
	}
}

// walkTrace opens a trace with each content, page by page, and reads its spans.
func walkTrace(t *testing.T, session *mcp.ClientSession, id, trace string) {
	t.Helper()
	whole := open(t, session, "get_session", args{"session_id": id, "trace_id": trace, "content": "full", "limit": 200})
	spans := whole.all("spans.#.span_id")
	if total := whole.Get("total").Int(); len(spans) < 4 || total != int64(len(spans)) {
		t.Fatalf("%d spans of %d", len(spans), total)
	}
	bare := open(t, session, "get_session", args{"trace_id": trace, "content": "none", "limit": 200})
	if len(bare.all("spans.#.input")) > 0 || len(whole.all("spans.#.input")) == 0 || len(bare.Raw) >= len(whole.Raw) {
		t.Errorf("content none: %d bytes, full: %d", len(bare.Raw), len(whole.Raw))
	}
	var paged []string
	for a := (args{"trace_id": trace, "limit": 2}); ; {
		page := open(t, session, "get_session", a)
		paged = append(paged, page.all("spans.#.span_id")...)
		if a["cursor"] = page.Get("next_cursor").String(); a["cursor"] == "" {
			break
		}
	}
	if !slices.Equal(paged, spans) {
		t.Errorf("in pages %v, at once %v", paged, spans)
	}
	for _, span := range spans {
		readSpan(t, session, trace, span)
	}
}

// readSpan reads each text of a span in small pieces, which must make the whole.
func readSpan(t *testing.T, session *mcp.ClientSession, trace, span string) {
	t.Helper()
	whole := open(t, session, "get_span", args{"trace_id": trace, "span_id": span})
	for _, part := range whole.parts() {
		text := part.Get("text").String()
		if text == "" {
			continue
		}
		name := part.Get("part").String()
		var pieces strings.Builder
		for a := (args{"trace_id": trace, "span_id": span, "part": name, "max_bytes": 150}); ; {
			got := open(t, session, "get_span", a).parts()[0]
			pieces.WriteString(got.Get("text").String())
			a["offset"] = got.Get("next_offset").Int()
			if a["offset"] == int64(0) {
				break
			}
		}
		if pieces.String() != text {
			t.Errorf("%s of %s in pieces is %q, at once %q", name, span, pieces.String(), text)
		}
	}
}

func TestSessionToolsSayWhatIsWrong(t *testing.T) {
	session := dial(t, transports["stdio"](t, homeWithSamples(t)))
	trace := open(t, session, "get_session", args{"session_id": batterySession}).Get("traces.0.trace_id").String()
	for _, c := range []struct {
		tool string
		args args
		says string
	}{
		{"list_sessions", args{"limit": 0}, "limit"},
		{"list_sessions", args{"limit": "many"}, "limit"},
		{"list_sessions", args{"sort": "colour"}, "last_active"},
		{"list_sessions", args{"since": "yesterday"}, "36h"},
		{"list_sessions", args{"harness": "no such"}, "claude-code"},
		{"list_sessions", args{"cursor": "x"}, "cursor"},
		{"list_sessions", args{"titel": "x"}, "title"},
		{"get_session", args{}, "list_sessions"},
		{"get_session", args{"session_id": "no such session"}, `"code":"session_not_found"`},
		{"get_session", args{"session_id": batterySession, "content": "full"}, "trace_id"},
		{"get_session", args{"trace_id": "trc_x"}, `"code":"trace_not_found"`},
		{"get_session", args{"session_id": codexSession, "trace_id": trace}, `"code":"trace_not_found"`},
		{"get_span", args{"trace_id": trace}, "span_id"},
		{"get_span", args{"trace_id": trace, "span_id": "llm_x"}, `"code":"span_not_found"`},
		{"get_span", args{"trace_id": trace, "span_id": "llm_x", "offset": 7}, "part"},
	} {
		err := ask(session, c.tool, c.args, &rawJSON{})
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"error":`) {
			t.Errorf("%s %v: %v, want an error that says %s", c.tool, c.args, err, c.says)
		}
	}
}

// A bare request needs no initialize, and no header but what curl sends.
func TestBarePostListsSessions(t *testing.T) {
	url := httpServer(t, homeWithSamples(t))
	got, err := http.Post(url, "application/x-www-form-urlencoded",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{"project":"rover"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := gjson.ParseBytes(body)
	if media := got.Header.Get("Content-Type"); got.StatusCode != http.StatusOK || media != "application/json" ||
		answer.Get("id").Int() != 1 || answer.Get("result.structuredContent.total").Int() != 2 ||
		gjson.Get(answer.Get("result.content.0.text").String(), "sessions.#").Int() != 2 {
		t.Errorf("%d %s: %s", got.StatusCode, media, body)
	}
}
