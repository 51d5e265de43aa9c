package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func testIdentifiers(t *testing.T, open Open) {
	s, _ := open(t)
	one, two := derived(ref("native-1"), turn{"p", "m", day0, 1, 0}), derived(ref("twice"))
	three := derived(session.Ref{Harness: "codex", Key: "twice"})
	with(t, s, map[session.Ref]session.Projection{ref("native-1"): one, ref("twice"): two, {Harness: "codex", Key: "twice"}: three})
	id := ref("native-1").SessionID()
	for name, c := range map[string]struct {
		id   string
		want error
	}{
		"session_id":            {id, nil},
		"its beginning":         {id[:6], nil},
		"a longer beginning":    {id[:14], nil},
		"the harness' own":      {"native-1", nil},
		"too short a beginning": {id[:5], store.ErrNotFound},
		"a pattern":             {id[:6] + "%", store.ErrNotFound},
		"none":                  {"", store.ErrNotFound},
		"one that two have":     {"twice", store.ErrAmbiguous},
		"part of the harness'":  {"native", store.ErrNotFound},
		"text that sorts last":  {"\U0010FFFF\U0010FFFF\U0010FFFF", store.ErrNotFound},
	} {
		got, err := s.Session(t.Context(), c.id)
		if !errors.Is(err, c.want) || err == nil && got.ID != id {
			t.Errorf("%s: %q, %v; want %v", name, got.ID, err, c.want)
		}
		if _, err := s.Traces(t.Context(), c.id, store.Page{}); !errors.Is(err, c.want) {
			t.Errorf("%s: traces: %v, want %v", name, err, c.want)
		}
	}
	trace := one.Sessions[0].Traces[0].Trace.ID
	if _, err := s.Trace(t.Context(), "trc_none"); !isNotFound(err) {
		t.Errorf("no trace: %v", err)
	}
	if _, err := s.Spans(t.Context(), "trc_none", true, store.Page{}); !isNotFound(err) {
		t.Errorf("spans of no trace: %v", err)
	}
	if _, err := s.Span(t.Context(), trace, "llm_none"); !isNotFound(err) {
		t.Errorf("no span: %v", err)
	}
	testAmbiguous(t, s)
}

// testAmbiguous makes sessions until two identifiers begin alike.
func testAmbiguous(t *testing.T, s store.Store) {
	t.Helper()
	begin := map[string]string{}
	for i := range 100_000 {
		key := fmt.Sprint("many ", i)
		start := ref(key).SessionID()[:6]
		if other, ok := begin[start]; ok {
			with(t, s, map[session.Ref]session.Projection{ref(key): derived(ref(key)), ref(other): derived(ref(other))})
			if _, err := s.Session(t.Context(), start); !errors.Is(err, store.ErrAmbiguous) {
				t.Errorf("a beginning that two have: %v, want ErrAmbiguous", err)
			}
			return
		}
		begin[start] = key
	}
	t.Fatal("no two identifiers begin alike")
}

func testSessions(t *testing.T, open Open) {
	s, _ := open(t)
	projections := variety(80)
	with(t, s, projections)
	m := modelOf(projections)
	for i := range m[:20] {
		m[i].Session.DisplayName = fmt.Sprintf("Name ÄÖ %d", i%7)
		if _, err := s.Rename(t.Context(), m[i].Session.ID, m[i].Session.DisplayName); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range filters() {
		for _, sort := range append(slices.Clone(store.SessionSorts), "") {
			for _, ascending := range []bool{false, true} {
				f.Sort, f.Ascending = sort, ascending
				same(t, fmt.Sprintf("%+v", f), sessionIDs(t, s, f), m.sessions(f))
			}
		}
	}
	if _, err := s.Sessions(t.Context(), store.SessionFilter{Sort: "mood"}, store.Page{}); err == nil {
		t.Error("an order that there is not was taken")
	}
}

// filters are one or more for each field.
func filters() []store.SessionFilter {
	both := func(f store.SessionFilter) store.SessionFilter {
		f.Children, f.Internal = true, true
		return f
	}
	return []store.SessionFilter{
		{}, {Children: true}, {Internal: true}, everySession,
		both(store.SessionFilter{Since: day0 + 2*day}),
		both(store.SessionFilter{Until: day0 + 2*day}),
		both(store.SessionFilter{Since: day0 + day, Until: day0 + 2*day}),
		both(store.SessionFilter{Harness: "codex"}),
		both(store.SessionFilter{Harness: "none"}),
		both(store.SessionFilter{Status: session.StatusError}),
		both(store.SessionFilter{Project: "café"}),
		both(store.SessionFilter{Project: "/HOME/TAPEDECK"}),
		both(store.SessionFilter{Project: "%"}),
		both(store.SessionFilter{Model: "CLAUDE-A"}),
		both(store.SessionFilter{Title: "test"}),
		both(store.SessionFilter{Title: "GRÖSSE"}),
		both(store.SessionFilter{Title: "größe"}),
		both(store.SessionFilter{Title: "% _"}),
		both(store.SessionFilter{Title: "_"}),
		both(store.SessionFilter{Title: "\\"}),
		both(store.SessionFilter{Title: "name äö"}),
		both(store.SessionFilter{Title: "untitled"}),
		{Harness: "claude-code", Project: "CAFÉ", Model: "claude-a", Status: session.StatusOK, Title: "t", Until: day0 + 5*day},
	}
}

func testPaging(t *testing.T, open Open) {
	s, _ := open(t)
	projections := variety(30)
	with(t, s, projections)
	m := modelOf(projections)
	for _, sort := range store.SessionSorts {
		for _, ascending := range []bool{false, true} {
			f := store.SessionFilter{Children: true, Internal: true, Sort: sort, Ascending: ascending}
			for _, size := range []int{1, 7, 30} {
				var got []string
				for _, item := range all(t, size, func(p store.Page) (store.List[session.Session], error) {
					list, err := s.Sessions(t.Context(), f, p)
					if len(list.Items) > size || list.Total != 30 {
						t.Errorf("a page of %d has %d items of %d", size, len(list.Items), list.Total)
					}
					return list, err
				}) {
					got = append(got, item.ID)
				}
				same(t, fmt.Sprintf("%s, ascending %v, %d a page", sort, ascending, size), got, m.sessions(f))
			}
		}
	}
	for limit, want := range map[int]int{0: 30, -3: 1, 5000: 30} {
		list, err := s.Sessions(t.Context(), everySession, store.Page{Limit: limit})
		if err != nil || len(list.Items) != want {
			t.Errorf("limit %d: %d items, %v; want %d", limit, len(list.Items), err, want)
		}
	}
}

func testCursors(t *testing.T, open Open) {
	s, _ := open(t)
	r := ref("a")
	p := derived(r, turn{"1", "m", day0, 1, 2}, turn{"2", "m", day0, 1, 2})
	with(t, s, map[session.Ref]session.Projection{
		r: p, ref("b"): asSubagentOf(derived(ref("b"), turn{"1", "m", day0, 1, 1}, turn{"2", "m", day0, 1, 1}), r),
		ref("c"): asSubagentOf(derived(ref("c")), r),
	})
	appendTo(t, s, batch(r, record("2", 2)), batch(ref("b"), record("2", 2)))
	ctx := t.Context()
	listings := map[string]func(store.Page) (string, error){
		"sessions": func(p store.Page) (string, error) { return next(s.Sessions(ctx, everySession, p)) },
		"by cost":  func(p store.Page) (string, error) { return next(s.Sessions(ctx, byCost(), p)) },
		"children": func(p store.Page) (string, error) { return next(s.Children(ctx, r.SessionID(), p)) },
		"traces":   func(p store.Page) (string, error) { return next(s.Traces(ctx, r.SessionID(), p)) },
		"b's":      func(p store.Page) (string, error) { return next(s.Traces(ctx, ref("b").SessionID(), p)) },
		"spans": func(page store.Page) (string, error) {
			return next(s.Spans(ctx, p.Sessions[0].Traces[0].Trace.ID, false, page))
		},
		"raw":       func(p store.Page) (string, error) { return next(s.Raw(ctx, r.SessionID(), false, p)) },
		"raw of b":  func(p store.Page) (string, error) { return next(s.Raw(ctx, ref("b").SessionID(), false, p)) },
		"by titles": func(p store.Page) (string, error) { return next(s.Sessions(ctx, byTitle(), p)) },
	}
	for name, list := range listings {
		for _, cursor := range []string{"x", "e30", strings.Repeat("A", 5000), "\xff"} {
			if _, err := list(store.Page{Cursor: cursor}); !errors.Is(err, store.ErrCursor) {
				t.Errorf("%s takes %.10q: %v, want ErrCursor", name, cursor, err)
			}
		}
		cursor, err := list(store.Page{Limit: 1})
		if err != nil || cursor == "" {
			t.Fatalf("%s: cursor %q, %v", name, cursor, err)
		}
		for other, list := range listings {
			if _, err := list(store.Page{Cursor: cursor}); (err == nil) != (name == other) || err != nil && !errors.Is(err, store.ErrCursor) {
				t.Errorf("%s takes a cursor of %s: %v", other, name, err)
			}
		}
	}
}

func byCost() store.SessionFilter {
	return store.SessionFilter{Children: true, Internal: true, Sort: store.SortCost}
}

func byTitle() store.SessionFilter {
	return store.SessionFilter{Children: true, Internal: true, Sort: store.SortTitle}
}

func next[T any](list store.List[T], err error) (string, error) { return list.Next, err }

func testRename(t *testing.T, open Open) {
	s, other := open(t)
	r := ref("a")
	p := derived(r, turn{"one", "m", day0, 1, 0})
	with(t, s, map[session.Ref]session.Projection{r: p})
	id := r.SessionID()
	got, err := s.Rename(t.Context(), id[:8], "Ärger \uFFFD🙈")
	want := p.Sessions[0].Session
	want.DisplayName = "Ärger \uFFFD🙈"
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the answer", got, want)
	project(t, s, r, p)
	got, err = other.Session(t.Context(), id)
	if err != nil || got.DisplayName != want.DisplayName {
		t.Errorf("derived again: %q, %v", got.DisplayName, err)
	}
	project(t, s, r, session.Projection{})
	project(t, s, r, p)
	if got, err = s.Session(t.Context(), id); err != nil || got.DisplayName != want.DisplayName {
		t.Errorf("gone and derived again: %q, %v", got.DisplayName, err)
	}
	if got, err = s.Rename(t.Context(), id, ""); err != nil || got.DisplayName != "" {
		t.Errorf("name taken away: %q, %v", got.DisplayName, err)
	}
	if _, err := s.Rename(t.Context(), ref("none").SessionID(), "x"); !isNotFound(err) {
		t.Errorf("no session: %v, want ErrNotFound", err)
	}
}

// family are a parent, its sub-agents, one of theirs, and a fork.
func family() map[session.Ref]session.Projection {
	at := func(key string, tokens int64, start session.Time) session.Projection {
		return derived(ref(key), turn{key, "m", day0 + start, tokens, 1})
	}
	fork := at("fork", 1000, 9)
	fork.Sessions[0].Session.Parent = &session.Origin{SessionID: ref("p").SessionID(), Relation: session.Fork}
	return map[session.Ref]session.Projection{
		ref("p"):    at("p", 1, 1),
		ref("sub1"): asSubagentOf(at("sub1", 10, 3), ref("p")),
		ref("sub2"): asSubagentOf(at("sub2", 20, 2), ref("p")),
		ref("deep"): asSubagentOf(at("deep", 100, 4), ref("sub1")),
		ref("fork"): fork,
	}
}

func testChildren(t *testing.T, open Open) {
	s, _ := open(t)
	projections := family()
	with(t, s, projections)
	ids := []string{}
	for _, c := range all(t, 2, func(p store.Page) (store.List[session.Session], error) {
		return s.Children(t.Context(), ref("p").SessionID(), p)
	}) {
		ids = append(ids, c.ID)
	}
	same(t, "children", ids, []string{ref("sub2").SessionID(), ref("sub1").SessionID(), ref("fork").SessionID()})
	want := store.Rollup{Sessions: 3}
	for _, key := range []string{"sub1", "sub2", "deep"} {
		want.Usage.Add(projections[ref(key)].Sessions[0].Session.Usage)
		want.Counts.Add(projections[ref(key)].Sessions[0].Session.Counts)
	}
	for key, want := range map[string]store.Rollup{"p": want, "fork": {}, "deep": {}} {
		got, err := s.Rollup(t.Context(), ref(key).SessionID())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "rollup of "+key, got, want)
	}
	circle := asSubagentOf(projections[ref("p")], ref("deep"))
	project(t, s, ref("p"), circle)
	if got, err := s.Rollup(t.Context(), ref("p").SessionID()); err != nil || got.Sessions != 3 {
		t.Errorf("rollup in a circle: %+v, %v", got, err)
	}
	if _, err := s.Children(t.Context(), "none at all", store.Page{}); !isNotFound(err) {
		t.Errorf("children of none: %v, want ErrNotFound", err)
	}
	if _, err := s.Rollup(t.Context(), "none at all"); !isNotFound(err) {
		t.Errorf("rollup of none: %v, want ErrNotFound", err)
	}
}

func testLinks(t *testing.T, open Open) {
	s, _ := open(t)
	a, b := derived(ref("a"), turn{"1", "m", day0, 1, 1}, turn{"2", "m", day0, 1, 1}), derived(ref("b"), turn{"1", "m", day0, 1, 0})
	trace := a.Sessions[0].Traces[0]
	spawn := session.Link{
		Kind: session.LinkSpawns, FromSessionID: trace.Trace.SessionID, FromTraceID: trace.Trace.ID, FromSpanID: trace.Spans[2].Span.ID,
		ToSessionID: ref("b").SessionID(), ToTraceID: b.Sessions[0].Traces[0].Trace.ID, ToSpanID: b.Sessions[0].Traces[0].Spans[0].Span.ID,
	}
	first, second := feeds(trace)[0], feeds(a.Sessions[0].Traces[1])[0]
	a.Sessions[0].Links = append(a.Sessions[0].Links, spawn)
	b.Sessions[0].Links = append(b.Sessions[0].Links, spawn) // told twice
	with(t, s, map[session.Ref]session.Projection{ref("a"): a, ref("b"): b})
	feedsOfA := []session.Link{first, second}
	if second.FromTraceID < first.FromTraceID {
		feedsOfA = []session.Link{second, first}
	}
	for _, c := range []struct {
		what, session, trace string
		want                 []session.Link
	}{
		{"of a", ref("a").SessionID(), "", append(slices.Clone(feedsOfA), spawn)},
		{"of b", ref("b").SessionID(), "", []session.Link{spawn}},
		{"of a's first trace", ref("a").SessionID(), trace.Trace.ID, []session.Link{first, spawn}},
		{"of a's second trace", ref("a").SessionID(), a.Sessions[0].Traces[1].Trace.ID, []session.Link{second}},
		{"of b's trace", ref("b").SessionID(), b.Sessions[0].Traces[0].Trace.ID, []session.Link{spawn}},
		{"of no trace", ref("b").SessionID(), "trc_none", []session.Link{}},
	} {
		got, err := s.Links(t.Context(), c.session, c.trace)
		if err != nil || got == nil {
			t.Errorf("links %s: %v, %v", c.what, got, err)
		}
		same(t, "links "+c.what, got, c.want)
	}
	if _, err := s.Links(t.Context(), "none at all", ""); !isNotFound(err) {
		t.Errorf("links of none: %v, want ErrNotFound", err)
	}
}

func testStats(t *testing.T, open Open) {
	s, _ := open(t)
	projections := variety(60)
	with(t, s, projections)
	m := modelOf(projections)
	check := func(when string) {
		t.Helper()
		for _, f := range filters() {
			f.Status, f.Title = "", ""
			for _, by := range []store.StatsBy{store.ByNothing, store.ByDay, store.ByModel, store.ByProject, store.ByHarness} {
				got, err := s.Stats(t.Context(), f, by)
				if err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprintf("%s: by %q of %+v", when, by, f), got, m.stats(f, by))
			}
		}
	}
	check("projected")
	for i := range m[:10] {
		s.Delete(t.Context(), m[i].Session.ID)
	}
	m = m[10:]
	for r, p := range projections {
		if streamOf(t, s, r) != nil {
			project(t, s, r, p)
		}
	}
	check("some deleted, the others projected again")
	if _, err := s.Stats(t.Context(), store.SessionFilter{}, "mood"); err == nil {
		t.Error("a grouping that there is not was taken")
	}
	sound(t, s)
}
