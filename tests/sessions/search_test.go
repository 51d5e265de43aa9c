package sessions

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/tidwall/gjson"
)

// searches asks for spans. The stores rank with engines of their own, so hits may
// come in another order; what must be equal is that both find, what a hit opens
// as, and every refusal.
func (c *client) searches() {
	const spans, status = "GET /v1/search/spans", "GET /v1/search/status"
	for _, s := range c.sides {
		if _, err := s.search.Index(c.t.Context(), nil); err != nil {
			c.t.Fatalf("%s: index: %v", s.name, err)
		}
	}
	for _, wrong := range []url.Values{
		values("query", " "), values("query", "x", "top_k", "0"), values("query", "x", "top_k", "101"), values("query", "x", "top_k", "x"),
		values("query", "x", "mode", "both"), values("query", "x", "scope", "none"), values("query", "x", "after", "soon"), values("query", "x", "model", "no-such-model"), {},
	} {
		if a := c.ask(request{operation: spans, query: wrong}); a.status != http.StatusBadRequest {
			c.t.Errorf("%v: %d %.200s", wrong, a.status, a.body)
		}
	}
	first := c.sessions()[0]
	id, harness, project := first.Get("session_id").String(), first.Get("harness").String(), first.Get("project").String()
	for _, asked := range []url.Values{
		values("query", "fix the test that fails"),
		values("query", "run the tests", "mode", "lexical", "scope", "tools", "top_k", "50"),
		values("query", "how are errors handled", "mode", "semantic", "scope", "all"),
		values("query", "what was changed", "harness", harness, "project", project, "after", "2020-01-01", "before", "2100-01-01", "scope", "subagents"),
		values("query", "please do what I said", "session_id", id, "model", first.Get("models.0.model").String(), "min_score", "0.2"),
	} {
		r := request{operation: spans, query: asked}
		c.used.Store(spans, true)
		for name := range asked {
			c.used.Store(spans+" "+name, true)
		}
		var counts []int64
		for _, s := range c.sides {
			a, _ := c.send(s, r)
			found := gjson.ParseBytes(a.body)
			if a.status != http.StatusOK || found.Get("results.#").Int() != found.Get("count").Int() {
				c.t.Errorf("%s: %s: %d %.300s", s.name, r, a.status, a.body)
			}
			counts = append(counts, found.Get("count").Int())
			c.opens(found.Get("results").Array())
		}
		if counts[0] != counts[1] {
			c.t.Errorf("%s: %d and %d hits", r, counts[0], counts[1])
		}
	}
	c.used.Store(status, true)
	var documents []int64
	for _, s := range c.sides {
		a, _ := c.send(s, request{operation: status})
		now := gjson.ParseBytes(a.body)
		if a.status != http.StatusOK || now.Get("behind").Int() != 0 || now.Get("missing").Int() != 0 {
			c.t.Errorf("%s: %s: %d %s", s.name, status, a.status, a.body)
		}
		documents = append(documents, now.Get("documents").Int())
	}
	if documents[0] == 0 || documents[0] != documents[1] {
		c.t.Errorf("%d and %d documents", documents[0], documents[1])
	}
}

// opens opens hits on both sides, and looks at their scores.
func (c *client) opens(hits []gjson.Result) {
	var scores []float64
	for _, hit := range hits {
		c.must(request{operation: "GET /v1/traces/{trace}/spans/{span}", ids: []string{hit.Get("trace_id").String(), hit.Get("span_id").String()}})
		scores = append(scores, -hit.Get("score").Float())
	}
	if !slices.IsSorted(scores) || len(scores) > 0 && (scores[0] < -1 || scores[len(scores)-1] > 0) {
		c.t.Errorf("scores (negative) %v", scores)
	}
}
