package sessions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"tapedeck/internal/archive"
)

// Both stores answer the same to the whole API, cursors and all, and again after
// the same changes.
func TestBothStoresAnswerTheSame(t *testing.T) {
	for name, folder := range logs {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			sides, dir := bothSides(t), folder(t)
			for _, s := range sides {
				s.take(t, archive.ImportRequest{Paths: []string{dir}})
				s.sound(t)
			}
			c := newClient(t, sides)
			table := c.table()
			sessions, traces, spans := c.walk()
			listings := c.lists(table.allowed("GET /v1/sessions", "sort"))
			sums := c.stats(table.allowed("GET /v1/stats", "by"))
			c.tools()
			c.searches()
			c.health()
			c.errors()
			c.changes(dir)
			table.allUsed(c)
			fmt.Printf("sessions: %s: SQLite and PostgreSQL gave equal answers to %d requests (%d MB): %d sessions, %d traces, %d spans, %d listings, %d sums; %.0f s\n",
				name, c.asked.Load(), c.bytes.Load()>>20, sessions, traces, spans, listings, sums, time.Since(began).Seconds())
		})
	}
}

// A table is the API's own description of its routes.
type table struct{ gjson.Result }

func (c *client) table() table {
	return table{gjson.GetBytes(c.must(request{operation: "GET /openapi.json"}), "paths")}
}

// parameters are those of an operation.
func (t table) parameters(operation string) gjson.Result {
	method, path, _ := strings.Cut(operation, " ")
	return t.Get(gjson.Escape(path)).Get(strings.ToLower(method)).Get("parameters")
}

// allowed are the values that a parameter can have.
func (t table) allowed(operation, parameter string) []string {
	var all []string
	for _, p := range t.parameters(operation).Array() {
		if p.Get("name").String() == parameter {
			for _, v := range p.Get("schema.enum").Array() {
				all = append(all, v.String())
			}
		}
	}
	return all
}

// allUsed fails the test for an operation, or a parameter, that was never asked
// for: a new one must be compared too.
func (t table) allUsed(c *client) {
	n := 0
	t.ForEach(func(path, methods gjson.Result) bool {
		methods.ForEach(func(method, _ gjson.Result) bool {
			operation := strings.ToUpper(method.String()) + " " + path.String()
			wanted := []string{operation}
			for _, p := range t.parameters(operation).Array() {
				if p.Get("in").String() == "query" {
					wanted = append(wanted, operation+" "+p.Get("name").String())
				}
			}
			for _, what := range wanted {
				if _, ok := c.used.Load(what); !ok {
					c.t.Errorf("%s was not asked for", what)
				}
				n++
			}
			return true
		})
		return true
	})
	if n < 40 {
		c.t.Errorf("the API describes %d operations and parameters, want at least 40", n)
	}
}

// health asks for what tells of the server. Counts are of each side's own.
func (c *client) health() {
	for _, path := range []string{"GET /healthz", "GET /readyz", "GET /"} {
		c.must(request{operation: path})
	}
	c.used.Store("GET /metrics", true)
	for _, s := range c.sides {
		if a, _ := c.send(s, request{operation: "GET /metrics"}); !strings.Contains(string(a.body), "tapedeck_") {
			c.t.Errorf("%s: GET /metrics: %d %.200s", s.name, a.status, a.body)
		}
	}
}

// tools calls the MCP tools over the same server.
func (c *client) tools() {
	call := func(tool, arguments string) gjson.Result {
		a := c.must(request{operation: "POST /v1/mcp", body: fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)})
		return gjson.GetBytes(a, "result.structuredContent")
	}
	call("list_sessions", `{"limit":200,"subagents":true,"internal":true}`)
	call("list_sessions", `{"title":"no such title"}`)
	each(some(call("list_sessions", `{"subagents":true,"limit":200}`).Get("sessions.#.session_id").Array(), 40), func(id gjson.Result) {
		for _, trace := range some(call("get_session", fmt.Sprintf(`{"session_id":%q}`, id.Str)).Get("traces.#.trace_id").Array(), 3) {
			for _, span := range some(call("get_session", fmt.Sprintf(`{"trace_id":%q,"content":"full"}`, trace.Str)).Get("spans.#.span_id").Array(), 3) {
				call("get_span", fmt.Sprintf(`{"trace_id":%q,"span_id":%q}`, trace.Str, span.Str))
			}
		}
	})
	call("get_session", `{"session_id":"no such session"}`)
}
