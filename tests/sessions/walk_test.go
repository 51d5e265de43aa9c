package sessions

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// limits are the sizes of pages that listings are read in.
var limits = []int{1, 7, 200}

const (
	mostWorkers  = 4   // that ask at a time
	mostSpans    = 700 // that are asked for one by one
	mostOneByOne = 40  // items of a listing that is read in pages of one
)

func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func with(v url.Values, pairs ...string) url.Values {
	all := maps.Clone(values(pairs...))
	for name := range v {
		if !all.Has(name) {
			all[name] = v[name]
		}
	}
	return all
}

// each calls use for all items, some at a time.
func each[T any](items []T, use func(T)) {
	next := make(chan T)
	var workers sync.WaitGroup
	for range mostWorkers {
		workers.Go(func() {
			for item := range next {
				use(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	workers.Wait()
}

// pages reads a listing to its end in pages of a size, and returns its items as
// they came, and the total that each page gave.
func (c *client) pages(r request, list, total string, limit int) []gjson.Result {
	c.t.Helper()
	var items []gjson.Result
	r.query = with(r.query, "limit", strconv.Itoa(limit))
	for {
		page := gjson.ParseBytes(c.must(r))
		part := page.Get(list).Array()
		items = append(items, part...)
		next := page.Get("next_cursor").String()
		switch {
		case next == "":
			if n := page.Get(total).Int(); n != int64(len(items)) {
				c.t.Errorf("%s: %d items came of %d", r, len(items), n)
			}
			return items
		case len(part) == 0 || len(part) > limit || next == r.query.Get("cursor"):
			c.t.Errorf("%s: a page of %d items, and then %q", r, len(part), next)
			return items
		}
		r.query = with(r.query, "cursor", next)
	}
}

// listing reads a listing in pages of several sizes, which must give the same,
// and returns its items.
func (c *client) listing(r request, list, total string) []gjson.Result {
	c.t.Helper()
	all := c.pages(r, list, total, slices.Max(limits))
	for _, limit := range limits {
		if limit == slices.Max(limits) || limit == 1 && len(all) > mostOneByOne {
			continue
		}
		if diff := cmp.Diff(raws(all), raws(c.pages(r, list, total, limit))); diff != "" {
			c.t.Errorf("%s: pages of %d are others (-200 +%d):\n%.2000s", r, limit, limit, diff)
		}
	}
	return all
}

func raws(items []gjson.Result) []string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.Raw
	}
	return texts
}

// sessions are all that there are.
func (c *client) sessions() []gjson.Result {
	return c.pages(request{operation: "GET /v1/sessions", query: everything}, "sessions", "total", slices.Max(limits))
}

// everything leaves no session out.
var everything = values("subagents", "true", "internal", "true", "sort", "started_at")

// sessionWalk reads all there is of one session, and returns its traces.
func (c *client) sessionWalk(s gjson.Result) []gjson.Result {
	id := s.Get("session_id").String()
	detail := c.must(request{operation: "GET /v1/sessions/{id}", ids: []string{id}})
	for _, other := range []string{id[:13], strings.ToUpper(id), s.Get("harness_session_id").String()} {
		if a := c.ask(request{operation: "GET /v1/sessions/{id}", ids: []string{other}}); a.status == http.StatusOK && string(a.body) != string(detail) {
			c.t.Errorf("%s gives another session than %s", other, id)
		}
	}
	children := c.listing(request{operation: "GET /v1/sessions/{id}/children", ids: []string{id}}, "sessions", "total")
	if n := gjson.GetBytes(detail, "children_total").Int(); n != int64(len(children)) {
		c.t.Errorf("%s: %d children, it says %d", id, len(children), n)
	}
	traces := c.listing(request{operation: "GET /v1/sessions/{id}/traces", ids: []string{id}}, "traces", "total")
	if n := s.Get("counts.traces").Int(); n != int64(len(traces)) {
		c.t.Errorf("%s: %d traces, it says %d", id, len(traces), n)
	}
	raw := request{operation: "GET /v1/sessions/{id}/raw", ids: []string{id}}
	c.listing(raw, "records", "total")
	raw.query = values("bodies", "true")
	c.listing(raw, "records", "total")
	raw.query = values("bodies", "true", "max_bytes", "5000", "limit", "20")
	c.must(raw)
	for _, format := range []string{"jsonl", "markdown"} {
		c.must(request{operation: "GET /v1/sessions/{id}/export", ids: []string{id}, query: values("format", format)})
	}
	return traces
}

// traceWalk reads a trace with each form of content, and returns its spans.
func (c *client) traceWalk(t gjson.Result) []gjson.Result {
	r := request{operation: "GET /v1/traces/{id}", ids: []string{t.Get("trace_id").String()}}
	var spans []gjson.Result
	for _, content := range []string{"none", "preview", "full"} {
		r.query = values("content", content)
		spans = c.pages(r, "spans", "spans_total", slices.Max(limits))
	}
	if n := t.Get("span_count").Int(); n != int64(len(spans)) {
		c.t.Errorf("%s: %d spans, it says %d", r, len(spans), n)
	}
	r.query = values("content", "none")
	c.listing(r, "spans", "spans_total")
	r.query = values("content", "full", "max_bytes", "3000", "limit", "5")
	c.must(r)
	return spans
}

// spanWalk reads a span, whole and in part.
func (c *client) spanWalk(s gjson.Result) {
	r := request{operation: "GET /v1/traces/{trace}/spans/{span}", ids: []string{s.Get("trace_id").String(), s.Get("span_id").String()}}
	found := gjson.GetBytes(c.must(r), "span")
	if found.Get("span_id").String() != r.ids[1] || found.Get("trace_id").String() != r.ids[0] {
		c.t.Errorf("%s gives span %s of %s", r, found.Get("span_id"), found.Get("trace_id"))
	}
	r.query = values("max_bytes", "1500")
	c.must(r)
}

// some are at most n of the items, spread over all.
func some[T any](items []T, n int) []T {
	if len(items) <= n {
		return items
	}
	chosen := make([]T, n)
	for i := range chosen {
		chosen[i] = items[i*len(items)/n]
	}
	return chosen
}

// walk reads every session, trace and raw record, and many spans.
func (c *client) walk() (sessions, traces, spans int) {
	var mu sync.Mutex
	var allTraces, allSpans []gjson.Result
	all := c.sessions()
	each(all, func(s gjson.Result) {
		found := c.sessionWalk(s)
		mu.Lock()
		defer mu.Unlock()
		allTraces = append(allTraces, found...)
	})
	each(allTraces, func(t gjson.Result) {
		found := c.traceWalk(t)
		mu.Lock()
		defer mu.Unlock()
		allSpans = append(allSpans, found...)
	})
	chosen := some(allSpans, mostSpans)
	each(chosen, c.spanWalk)
	return len(all), len(allTraces), len(chosen)
}
