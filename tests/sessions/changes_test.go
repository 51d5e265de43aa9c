package sessions

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/archive"
	"tapedeck/internal/sessiontest"
)

// errors asks for what is not there, or not so.
func (c *client) errors() {
	const (
		list, one, rename  = "GET /v1/sessions", "GET /v1/sessions/{id}", "PATCH /v1/sessions/{id}"
		traces, raw        = "GET /v1/sessions/{id}/traces", "GET /v1/sessions/{id}/raw"
		export, remove     = "GET /v1/sessions/{id}/export", "DELETE /v1/sessions/{id}"
		trace, span, stats = "GET /v1/traces/{id}", "GET /v1/traces/{trace}/spans/{span}", "GET /v1/stats"
	)
	all := c.sessions()
	id := []string{all[0].Get("session_id").String()}
	none := []string{"00000000-0000-0000-0000-000000000000"}
	first := gjson.GetBytes(c.must(request{operation: traces, ids: id}), "traces.0.trace_id").String()
	cursor := gjson.GetBytes(c.must(request{operation: list, query: values("limit", "1")}), "next_cursor").String()
	for _, e := range []struct {
		request
		status int
	}{
		{request{operation: one, ids: none}, 404},
		{request{operation: one, ids: []string{id[0][:5]}}, 404},
		{request{operation: one, ids: []string{"%"}}, 404},
		{request{operation: one, ids: []string{"a_b%'\\\"\x00é"}}, 404},
		{request{operation: one, ids: []string{strings.Repeat("x", 3000)}}, 404},
		{request{operation: one, ids: id, query: values("limit", "3")}, 400},
		{request{operation: traces, ids: none}, 404},
		{request{operation: traces, ids: id, query: values("cursor", cursor)}, 400},
		{request{operation: raw, ids: none}, 404},
		{request{operation: raw, ids: id, query: values("cursor", "x")}, 400},
		{request{operation: export, ids: none}, 404},
		{request{operation: export, ids: id, query: values("format", "pdf")}, 400},
		{request{operation: trace, ids: none}, 404},
		{request{operation: trace, ids: []string{first}, query: values("cursor", "é")}, 400},
		{request{operation: trace, ids: []string{first}, query: values("content", "some")}, 400},
		{request{operation: span, ids: []string{first, "llm_x"}}, 404},
		{request{operation: span, ids: []string{"trc_x", "llm_x"}}, 404},
		{request{operation: list, query: values("limit", "0")}, 400},
		{request{operation: list, query: values("limit", "201")}, 400},
		{request{operation: list, query: values("cursor", cursor, "status", "ok")}, 400},
		{request{operation: list, query: values("cursor", cursor, "ascending", "true")}, 400},
		{request{operation: list, query: values("cursor", strings.Repeat("A", 5000))}, 400},
		{request{operation: list, query: values("sort", "colour")}, 400},
		{request{operation: list, query: values("harness", "no such")}, 400},
		{request{operation: list, query: values("since", "yesterday")}, 400},
		{request{operation: list, query: values("since", "2026-02-01", "until", "2026-01-01")}, 400},
		{request{operation: list, query: values("titel", "x")}, 400},
		{request{operation: stats, query: values("by", "colour")}, 400},
		{request{operation: stats, query: values("until", "x")}, 400},
		{request{operation: rename, ids: none, body: `{"display_name":"x"}`}, 404},
		{request{operation: rename, ids: id, body: `{"display_name":7}`}, 400},
		{request{operation: rename, ids: id, body: `{"name":"x"}`}, 400},
		{request{operation: rename, ids: id, body: fmt.Sprintf(`{"display_name":%q}`, strings.Repeat("x", 501))}, 400},
		{request{operation: rename, ids: id, body: `{"display_name":"a\u0000b"}`}, 400},
		{request{operation: remove, ids: none}, 404},
		{request{operation: "POST /v1/sessions"}, 405},
		{request{operation: "GET /v1/session"}, 404},
	} {
		a := c.ask(e.request)
		if a.status != e.status || gjson.GetBytes(a.body, "code").String() == "" || gjson.GetBytes(a.body, "error").String() == "" {
			c.t.Errorf("%s: %d %s, want %d with code and error", e.request, a.status, a.body, e.status)
		}
	}
	c.ambiguous(all)
}

// ambiguous asks for a session by an identifier that two harnesses gave.
func (c *client) ambiguous(all []gjson.Result) {
	want := 0
	for _, s := range all {
		if s.Get("harness_session_id").String() == sessiontest.SharedID {
			want++
		}
	}
	if want == 0 {
		return // these logs have none
	}
	a := c.ask(request{operation: "GET /v1/sessions/{id}", ids: []string{sessiontest.SharedID}})
	if got := len(gjson.GetBytes(a.body, "candidates").Array()); a.status != http.StatusConflict || got != want || want < 2 {
		c.t.Errorf("%d sessions have one identifier: %d %s", want, a.status, a.body)
	}
}

// changes renames and deletes sessions, and imports again, with the same effects
// on both sides: in the end all is as it was.
func (c *client) changes(dir string) {
	before := [2]string{c.sides[0].dump(c.t), c.sides[1].dump(c.t)}
	sameDump(c.t, before[0], before[1])
	all := c.sessions()

	renamed := some(all, 9)
	for i, s := range renamed {
		name := fmt.Sprintf(" Zürich  %d \"x\" 100%%_%s", i, strings.Repeat("é", i*20))
		got := c.must(request{operation: "PATCH /v1/sessions/{id}", ids: []string{s.Get("session_id").String()}, body: fmt.Sprintf(`{"display_name":%q}`, name)})
		if want := strings.Join(strings.Fields(name), " "); gjson.GetBytes(got, "display_title").String() != want {
			c.t.Errorf("the name became %s", got)
		}
	}
	found := c.listing(request{operation: "GET /v1/sessions", query: with(everything, "title", "ZÜRICH")}, "sessions", "total")
	if len(found) != len(renamed) {
		c.t.Errorf("%d sessions of %d are found by their new name", len(found), len(renamed))
	}
	c.views()
	for _, s := range renamed {
		c.must(request{operation: "PATCH /v1/sessions/{id}", ids: []string{s.Get("session_id").String()}, body: `{"display_name":null}`})
	}
	for i, s := range c.sides {
		sameDump(c.t, before[i], s.dump(c.t))
	}

	gone := map[string]bool{}
	for _, s := range some(all, 12) {
		id := s.Get("session_id").String()
		a := c.ask(request{operation: "DELETE /v1/sessions/{id}", ids: []string{id}})
		for _, g := range gjson.GetBytes(a.body, "deleted_sessions").Array() {
			gone[g.String()] = true
		}
		if a.status == http.StatusOK != gone[id] && a.status != http.StatusNotFound {
			c.t.Errorf("DELETE %s: %d %s", id, a.status, a.body)
		}
	}
	c.without(all, gone)
	c.imported(archive.ImportRequest{Paths: []string{dir}})
	c.without(all, gone)
	c.imported(archive.ImportRequest{Paths: []string{dir}, Again: true})
	for i, s := range c.sides {
		sameDump(c.t, before[i], s.dump(c.t))
		s.sound(c.t)
	}
}

// views reads what a change may touch.
func (c *client) views() {
	for _, sort := range []string{"title", "last_active", "cost"} {
		c.pages(request{operation: "GET /v1/sessions", query: with(everything, "sort", sort)}, "sessions", "total", 50)
	}
	c.must(request{operation: "GET /v1/stats", query: values("by", "day")})
	c.must(request{operation: "GET /v1/stats", query: values("by", "project")})
	each(some(c.sessions(), 20), func(s gjson.Result) { c.sessionWalk(s) })
}

// without checks that sessions are gone, and the others there.
func (c *client) without(all []gjson.Result, gone map[string]bool) {
	c.t.Helper()
	if len(gone) == 0 {
		c.t.Error("nothing was deleted")
	}
	var want []string
	for _, s := range all {
		id := s.Get("session_id").String()
		if !gone[id] {
			want = append(want, id)
			continue
		}
		for _, path := range []string{"", "/traces", "/raw", "/export"} {
			if a := c.ask(request{operation: "GET /v1/sessions/{id}" + path, ids: []string{id}}); a.status != http.StatusNotFound {
				c.t.Errorf("%s%s of what was deleted: %d %.200s", id, path, a.status, a.body)
			}
		}
	}
	if diff := cmp.Diff(want, idsOf(c.sessions())); diff != "" {
		c.t.Errorf("what is left (-want +got):\n%s", diff)
	}
	c.views()
	sameDump(c.t, c.sides[0].dump(c.t), c.sides[1].dump(c.t))
}

// imported imports on both sides, which must tell the same of it.
func (c *client) imported(r archive.ImportRequest) {
	c.t.Helper()
	var told [2]*archive.ImportResult
	for i, s := range c.sides {
		told[i] = s.take(c.t, r)
		told[i].Took, told[i].TookS = 0, 0
	}
	if diff := cmp.Diff(told[0], told[1]); diff != "" {
		c.t.Errorf("import tells (-%s +%s):\n%.2000s", c.sides[0].name, c.sides[1].name, diff)
	}
}
