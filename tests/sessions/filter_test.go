package sessions

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/store"
)

// A choice is a filter of sessions, and which of them it should choose.
type choice struct {
	query url.Values
	holds func(gjson.Result) bool
}

// mostCrossed is how many filters are asked for in every order.
const mostCrossed = 50

// choices are filters by all that the sessions have, alone and together.
func choices(sessions []gjson.Result) []choice {
	field := func(name, path string, same func(a, b string) bool) []choice {
		seen := map[string]bool{}
		var all []choice
		for _, s := range sessions {
			for _, v := range append(s.Get(path).Array(), gjson.Parse(`"no such"`)) {
				value := v.String()
				if value == "" || seen[value] || name == "harness" && value == "no such" {
					continue
				}
				seen[value] = true
				all = append(all, choice{values(name, value), func(s gjson.Result) bool {
					return slices.ContainsFunc(s.Get(path).Array(), func(v gjson.Result) bool { return same(v.String(), value) })
				}})
			}
		}
		return all
	}
	exactly := func(a, b string) bool { return a == b }
	folded := func(a, b string) bool { return store.Fold(a) == store.Fold(b) }
	harnesses, models := field("harness", "harness", exactly), field("model", "models.#.model", folded)
	all := slices.Concat(harnesses, models)
	for _, status := range []string{"ok", "error", "interrupted", "pending", "unknown"} {
		all = append(all, choice{values("status", status), func(s gjson.Result) bool { return s.Get("status").String() == status }})
	}
	for _, c := range slices.Concat(some(field("project", "project", folded), 20), some(field("project", "cwd", folded), 20)) {
		project := c.query.Get("project")
		all = append(all, choice{c.query, func(s gjson.Result) bool {
			return folded(s.Get("project").String(), project) || folded(s.Get("cwd").String(), project)
		}})
	}
	for _, part := range []string{"fix", "ÜBERSICHT", "100%", "a_b", `"`, `\`, "修复", "i̇stanbul", "<B>", "no such title"} {
		all = append(all, choice{values("title", part), func(s gjson.Result) bool {
			return strings.Contains(store.Fold(s.Get("display_title").String()), store.Fold(part))
		}})
	}
	all = append(all, windows(sessions)...)
	for i, c := range some(models, 5) { // together with others
		h := harnesses[i%len(harnesses)]
		all = append(all, choice{with(c.query, "harness", h.query.Get("harness")), func(s gjson.Result) bool { return c.holds(s) && h.holds(s) }})
	}
	return all
}

// windows are spans of time in which sessions were active.
func windows(sessions []gjson.Result) []choice {
	var times []string
	for _, s := range sessions {
		if end := s.Get("ended_at").String(); end != "" {
			times = append(times, s.Get("started_at").String(), end)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	early, late := times[len(times)/3], times[2*len(times)/3]
	began := func(s gjson.Result, until string) bool {
		return s.Get("started_at").Exists() && s.Get("started_at").String() != "" && s.Get("started_at").String() < until
	}
	ended := func(s gjson.Result, since string) bool { return s.Get("ended_at").String() >= since }
	return []choice{
		{values("since", early), func(s gjson.Result) bool { return ended(s, early) }},
		{values("until", late), func(s gjson.Result) bool { return began(s, late) }},
		{values("since", early, "until", late), func(s gjson.Result) bool { return ended(s, early) && began(s, late) }},
		{values("since", "1d"), func(gjson.Result) bool { return false }},
		{values("until", "1m"), func(s gjson.Result) bool { return began(s, "9999") }},
	}
}

// lists reads the list of sessions with every filter and every order.
func (c *client) lists(sorts []string) (listings int) {
	all := c.pages(request{operation: "GET /v1/sessions", query: with(everything, "sort", "last_active")}, "sessions", "total", slices.Max(limits))
	filters := append(choices(all), choice{nil, func(gjson.Result) bool { return true }})
	each(filters, func(f choice) {
		r := request{operation: "GET /v1/sessions", query: with(f.query, "subagents", "true", "internal", "true")}
		var want []string
		for _, s := range all {
			if f.holds(s) {
				want = append(want, s.Get("session_id").String())
			}
		}
		if diff := cmp.Diff(want, idsOf(c.listing(r, "sessions", "total"))); diff != "" {
			c.t.Errorf("%s (-want +got):\n%.2000s", r, diff)
		}
	})
	var orders []url.Values
	for _, sort := range sorts {
		for _, ascending := range []string{"true", "false"} {
			orders = append(orders, values("sort", sort, "ascending", ascending))
		}
	}
	crossed := some(filters, mostCrossed)
	each(orders, func(o url.Values) {
		for _, limit := range limits {
			c.pages(request{operation: "GET /v1/sessions", query: with(everything, "sort", o.Get("sort"), "ascending", o.Get("ascending"))}, "sessions", "total", limit)
		}
		for _, f := range crossed {
			r := request{operation: "GET /v1/sessions", query: with(o, "limit", "20")}
			maps.Copy(r.query, f.query)
			c.must(r)
		}
	})
	for _, who := range []url.Values{values("subagents", "true"), values("internal", "true"), values("subagents", "false", "internal", "false")} {
		c.listing(request{operation: "GET /v1/sessions", query: who}, "sessions", "total")
	}
	return len(filters) + len(orders)*(len(limits)+len(crossed)) + 3
}

func idsOf(sessions []gjson.Result) []string {
	var ids []string
	for _, s := range sessions {
		ids = append(ids, s.Get("session_id").String())
	}
	return ids
}

// stats reads the sums by everything, under the filters that they take.
func (c *client) stats(groups []string) (asked int) {
	var filters []url.Values
	for _, f := range choices(c.sessions()) {
		if !f.query.Has("status") && !f.query.Has("title") {
			filters = append(filters, f.query)
		}
	}
	filters = append(filters, nil, values("since", "2026-01-10", "until", "2026-01-12"), values("since", "2026-01-10T12:00:00Z"))
	for _, by := range groups {
		c.listing(request{operation: "GET /v1/stats", query: values("by", by)}, "groups", "groups_total")
	}
	each(filters, func(f url.Values) {
		total := ""
		for _, by := range append([]string{""}, groups...) {
			r := request{operation: "GET /v1/stats", query: with(f)}
			if by != "" {
				r.query.Set("by", by)
			}
			got := gjson.GetBytes(c.must(r), "total").Raw
			if total == "" {
				total = got
			} else if got != total {
				c.t.Errorf("%s: the total is %s, without groups %s", r, got, total)
			}
		}
	})
	return len(filters)*(len(groups)+1) + len(groups)
}
