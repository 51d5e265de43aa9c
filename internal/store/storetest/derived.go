package storetest

import (
	"errors"
	"slices"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// day0 is 2026-01-01 00:00 UTC.
const (
	day0 session.Time = 1_767_225_600_000
	day  session.Time = 24 * 60 * 60 * 1000
)

func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }

func testPending(t *testing.T, open Open) {
	s, other := open(t)
	appendTo(t, s, batch(ref("a"), record("1", 1)), batch(ref("b"), record("1", 1)), batch(ref("c"), record("1", 1)))
	appendTo(t, s, childBatch(ref("without records"), ref("a")))
	appendTo(t, other, batch(ref("a"), record("2", 2)))
	pending := func(deriver string, limit int) []string {
		t.Helper()
		list, err := other.Pending(t.Context(), deriver, limit)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, stream := range list {
			keys = append(keys, stream.Ref.Key)
		}
		return keys
	}
	same(t, "oldest change first", pending(deriver, 0), []string{"b", "c", "a"})
	same(t, "two", pending(deriver, 2), []string{"b", "c"})
	project(t, s, ref("c"), derived(ref("c")))
	same(t, "when one is derived", pending(deriver, 0), []string{"b", "a"})
	same(t, "for another deriver", pending("newer", 0), []string{"b", "c", "a"})
	project(t, s, ref("a"), derived(ref("a")))
	project(t, s, ref("b"), derived(ref("b")))
	same(t, "when all are", pending(deriver, 0), []string{})
	same(t, "for a deriver that sorts first", pending("", 0), []string{"b", "c", "a"})
	appendTo(t, s, batch(ref("c"), record("2", 2)))
	same(t, "when one grew", pending(deriver, 0), []string{"c"})
}

func testProject(t *testing.T, open Open) {
	s, other := open(t)
	r, thread := ref("é🙈"), ref("é🙈").Sub("thread")
	p := derived(r, turn{"Fix the flaky test \uFFFD🙈", "claude-a", day0 + 1000, 100, 2}, turn{"", "claude-b", day0 + day, 7, 0})
	p.Sessions = append(p.Sessions, projectedSession(thread, []turn{{"Look for it", "claude-a", day0 + 1001, 3, 1}}))
	main, sub := &p.Sessions[0], &p.Sessions[1]
	main.Session.PartialReason, main.Session.Internal = "the log has no usage", true
	main.Session.Usage.Partial = true
	main.Daily[0].Usage.Partial = true
	main.Session.Counts.Compactions, main.Session.Counts.Subagents, main.Session.Counts.Replayed = 4, 1, 9
	main.Session.Counts.Unanswered = 3
	main.Session.DisplayName = "not the deriver's to give"
	sub.Session.Parent = &session.Origin{
		SessionID: r.SessionID(), Relation: session.Subagent, TraceID: main.Traces[0].Trace.ID, SpanID: main.Traces[0].Spans[2].Span.ID,
	}
	sub.Session.AgentType = "Explore"
	main.Links = append(main.Links, session.Link{
		Kind: session.LinkSpawns, FromSessionID: r.SessionID(), FromTraceID: main.Traces[0].Trace.ID,
		FromSpanID: main.Traces[0].Spans[2].Span.ID, ToSessionID: thread.SessionID(),
	})
	with(t, s, map[session.Ref]session.Projection{r: p})

	main.Session.DisplayName = ""
	for _, want := range p.Sessions {
		got, err := other.Session(t.Context(), want.Session.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "session", got, want.Session)
		sameTraces(t, other, want)
	}
	links, err := other.Links(t.Context(), r.SessionID(), "")
	if err != nil || len(links) != len(main.Links) {
		t.Errorf("links: %+v, %v; want %+v", links, err, main.Links)
	}
	sound(t, s)
}

// sameTraces fails the test where the session's traces and spans are not those
// that were projected.
func sameTraces(t *testing.T, s store.Store, want session.ProjectedSession) {
	t.Helper()
	traces := all(t, 1, func(p store.Page) (store.List[session.Trace], error) {
		return s.Traces(t.Context(), want.Session.ID, p)
	})
	if len(traces) != len(want.Traces) {
		t.Fatalf("%d traces, want %d", len(traces), len(want.Traces))
	}
	for i, projected := range want.Traces {
		same(t, "trace in the list", traces[i], projected.Trace)
		got, err := s.Trace(t.Context(), projected.Trace.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "trace", got, projected.Trace)
		for _, withContent := range []bool{false, true} {
			spans := all(t, 2, func(p store.Page) (store.List[session.Span], error) {
				return s.Spans(t.Context(), projected.Trace.ID, withContent, p)
			})
			if len(spans) != len(projected.Spans) {
				t.Fatalf("%d spans, want %d", len(spans), len(projected.Spans))
			}
			for j, span := range projected.Spans {
				sameSpan(t, spans[j], span, withContent)
			}
		}
		for _, span := range projected.Spans {
			got, err := s.Span(t.Context(), projected.Trace.ID, span.Span.ID)
			if err != nil {
				t.Fatal(err)
			}
			sameSpan(t, got, span, true)
		}
	}
}

func sameSpan(t *testing.T, got session.Span, want session.ProjectedSpan, withContent bool) {
	t.Helper()
	full := want.Span
	if withContent {
		var err error
		if full.Input, err = want.Input.Unpack(); err != nil {
			t.Fatal(err)
		}
		if full.Output, err = want.Output.Unpack(); err != nil {
			t.Fatal(err)
		}
		if got.Input == nil || got.Output == nil {
			t.Errorf("span %s: content is nil", got.ID)
		}
	} else if got.Input != nil || got.Output != nil {
		t.Errorf("span %s has content that was not asked for", got.ID)
	}
	same(t, "span", got, full)
}

func testProjectChanged(t *testing.T, open Open) {
	s, other := open(t)
	appendTo(t, s, batch(ref("a"), record("1", 1)))
	stream := *streamOf(t, s, ref("a"))
	appendTo(t, other, batch(ref("a"), record("2", 2)))
	p := derived(ref("a"), turn{"one", "m", day0, 1, 0})
	if err := s.Project(t.Context(), stream, deriver, p); !errors.Is(err, store.ErrChanged) {
		t.Errorf("%v, want ErrChanged", err)
	}
	if got := sessionIDs(t, s, everySession); len(got) != 0 {
		t.Errorf("it was projected all the same: %v", got)
	}
	if err := s.Project(t.Context(), store.Stream{Ref: ref("none")}, deriver, p); !errors.Is(err, store.ErrChanged) {
		t.Errorf("of no stream: %v, want ErrChanged", err)
	}
	project(t, s, ref("a"), p)
	if _, err := s.Delete(t.Context(), ref("a").SessionID()); err != nil {
		t.Fatal(err)
	}
	stream.Version++
	if err := s.Project(t.Context(), stream, deriver, p); !errors.Is(err, store.ErrChanged) {
		t.Errorf("of a deleted stream: %v, want ErrChanged", err)
	}
}

func testProjectPart(t *testing.T, open Open) {
	turns := []turn{
		{"one", "m", day0, 10, 1}, {"two", "m", day0 + day, 20, 2}, {"three", "n", day0 + 2*day, 30, 1}, {"four", "n", day0 + 3*day, 40, 1},
	}
	r := ref("a")
	fork := session.Link{Kind: session.LinkForks, FromSessionID: ref("earlier").SessionID(), ToSessionID: r.SessionID()}
	thread := projectedSession(r.Sub("t"), turns[:1])
	full := derived(r, turns...)
	full.Sessions[0].Links = append(full.Sessions[0].Links, fork)
	full.Sessions = append(full.Sessions, thread)

	s, _ := open(t)
	first := derived(r, turns[0], turns[1], turn{"three, unfinished", "n", day0 + 2*day, 3, 4})
	first.Sessions[0].Links = append(first.Sessions[0].Links, fork)
	first.Sessions = append(first.Sessions, thread)
	with(t, s, map[session.Ref]session.Projection{r: first})

	part := derived(r, turns...)
	part.From = 2
	part.Sessions[0].Traces = part.Sessions[0].Traces[2:]
	part.Sessions[0].Links = append(feeds(part.Sessions[0].Traces[0]), feeds(part.Sessions[0].Traces[1])...)
	project(t, s, r, part)
	sound(t, s)

	whole, _ := open(t)
	with(t, whole, map[session.Ref]session.Projection{r: full})
	sameDumps(t, whole, s)

	gap := derived(r, turns...)
	gap.From = 5
	gap.Sessions[0].Traces = nil
	if err := s.Project(t.Context(), *streamOf(t, s, r), deriver, gap); err == nil {
		t.Error("a projection that goes on behind traces that are not there was taken")
	}
	sameDumps(t, whole, s)
}

func sameDumps(t *testing.T, want, got store.Store) {
	t.Helper()
	w, err := Dump(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Dump(t.Context(), got)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "dump", g, w)
}

func testProjectGone(t *testing.T, open Open) {
	s, _ := open(t)
	r := ref("a")
	p := derived(r, turn{"one", "m", day0, 10, 1}, turn{"two", "m", day0, 10, 1})
	p.Sessions = append(p.Sessions, projectedSession(r.Sub("t"), []turn{{"sub", "m", day0, 1, 0}}))
	with(t, s, map[session.Ref]session.Projection{r: p})
	project(t, s, r, derived(r, turn{"one", "m", day0, 10, 1}))
	same(t, "sessions", sessionIDs(t, s, everySession), []string{r.SessionID()})
	if _, err := s.Trace(t.Context(), p.Sessions[0].Traces[1].Trace.ID); !isNotFound(err) {
		t.Errorf("a trace that is no longer derived: %v, want ErrNotFound", err)
	}
	project(t, s, r, session.Projection{})
	same(t, "sessions", sessionIDs(t, s, everySession), []string{})
	sound(t, s)
}

func testThreadWithStream(t *testing.T, open Open) {
	r, sub := ref("a"), ref("a").Sub("t")
	p := derived(r, turn{"one", "m", day0, 10, 0})
	p.Sessions = append(p.Sessions, projectedSession(sub, []turn{{"as the parent has it", "m", day0, 1, 0}}))
	own := asSubagentOf(derived(sub, turn{"as it has it itself", "m", day0, 2, 0}), r)
	for _, parentFirst := range []bool{true, false} {
		s, _ := open(t)
		appendTo(t, s, batch(r, record("1", 1)))
		if parentFirst {
			project(t, s, r, p)
		}
		appendTo(t, s, childBatch(sub, r, record("1", 1)))
		project(t, s, sub, own)
		if !parentFirst {
			project(t, s, r, p)
		}
		got, err := s.Session(t.Context(), sub.SessionID())
		if err != nil || got.Title != "as it has it itself" {
			t.Errorf("parent first %v: %q, %v", parentFirst, got.Title, err)
		}
		if n := len(sessionIDs(t, s, everySession)); n != 2 {
			t.Errorf("parent first %v: %d sessions, want 2", parentFirst, n)
		}
		sound(t, s)
	}
}

func testHasSpan(t *testing.T, open Open) {
	s, _ := open(t)
	p := derived(ref("a"), turn{"one", "m", day0, 10, 1}, turn{"two", "m", day0, 10, 1})
	with(t, s, map[session.Ref]session.Projection{ref("a"): p, ref("b"): derived(ref("b"))})
	second := p.Sessions[0].Traces[1].Spans[2].Span.ID
	for _, c := range []struct {
		session, span string
		before        int
		want          bool
	}{
		{ref("a").SessionID(), second, 2, true},
		{ref("a").SessionID(), second, 1, false},
		{ref("a").SessionID(), p.Sessions[0].Traces[0].Spans[0].Span.ID, 1, true},
		{ref("a").SessionID(), "tool_none", 2, false},
		{ref("b").SessionID(), second, 2, false},
		{ref("none").SessionID(), second, 2, false},
	} {
		got, err := s.HasSpan(t.Context(), c.session, c.span, c.before)
		if err != nil || got != c.want {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

func testRederive(t *testing.T, open Open) {
	s, _ := open(t)
	p := derived(ref("a"))
	p.Sessions = append(p.Sessions, projectedSession(ref("a").Sub("t"), nil))
	with(t, s, map[session.Ref]session.Projection{ref("a"): p, ref("b"): derived(ref("b")), ref("c"): derived(ref("c"))})
	for _, c := range []struct {
		id   string
		want []string
	}{
		{ref("b").SessionID(), []string{"b"}},
		{ref("a").Sub("t").SessionID(), []string{"a"}},
		{"", []string{"a", "b", "c"}},
	} {
		n, err := s.Rederive(t.Context(), c.id)
		if err != nil || n != len(c.want) {
			t.Errorf("rederive %q: %d, %v; want %d", c.id, n, err, len(c.want))
		}
		pending, err := s.Pending(t.Context(), deriver, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, stream := range pending {
			got = append(got, stream.Ref.Key)
			if stream.Fresh != (session.Place{}) {
				t.Errorf("%v is to be read from %+v, want from its start", stream.Ref, stream.Fresh)
			}
			if err := s.Project(t.Context(), stream, deriver, derived(stream.Ref)); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(got)
		same(t, "pending after rederive "+c.id, got, c.want)
	}
	if _, err := s.Rederive(t.Context(), ref("none").SessionID()); !isNotFound(err) {
		t.Errorf("of no session: %v, want ErrNotFound", err)
	}
}
