package archive

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/transcript/claudecode"
)

// logged is an archive with made-up sessions of Claude Code.
func logged(t *testing.T, logs claudeLogs) *Archive {
	t.Helper()
	dir := t.TempDir()
	logs.write(t, dir)
	a := openArchive(t, t.TempDir(), claudecode.New())
	if got := imported(t, a, dir); got.Lossy() {
		t.Fatalf("the import: %+v", got)
	}
	return a
}

// firstSession is the one that began first.
func firstSession(t *testing.T, a *Archive) SessionItem {
	t.Helper()
	list, err := a.ListSessions(t.Context(), ListRequest{Sort: "started_at", Ascending: true})
	if err != nil {
		t.Fatal(err)
	}
	return list.Sessions[0]
}

func TestArgumentsThatCannotBe(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 1, turns: 1, filler: 10})
	ctx := t.Context()
	first := firstSession(t, a)
	traces, err := a.Traces(ctx, first.ID, PageRequest{})
	if err != nil {
		t.Fatal(err)
	}
	trace := traces.Traces[0].ID
	for _, tt := range []struct {
		what string
		code string
		err  error
	}{
		{"a status", CodeArgument, second(a.ListSessions(ctx, ListRequest{Status: "fine"}))},
		{"a sort", CodeArgument, second(a.ListSessions(ctx, ListRequest{Sort: "size"}))},
		{"a harness", CodeArgument, second(a.ListSessions(ctx, ListRequest{Harness: "emacs"}))},
		{"a time", CodeArgument, second(a.ListSessions(ctx, ListRequest{Since: "soon"}))},
		{"a limit", CodeArgument, second(a.ListSessions(ctx, ListRequest{PageRequest: PageRequest{Limit: store.MaxLimit + 1}}))},
		{"a negative limit", CodeArgument, second(a.Traces(ctx, first.ID, PageRequest{Limit: -1}))},
		{"a cursor", CodeArgument, second(a.ListSessions(ctx, ListRequest{PageRequest: PageRequest{Cursor: "x"}}))},
		{"a group", CodeArgument, second(a.Stats(ctx, StatsRequest{By: "hour"}))},
		{"a harness of stats", CodeArgument, second(a.Stats(ctx, StatsRequest{Harness: "emacs"}))},
		{"a format", CodeArgument, a.Export(ctx, first.ID, "pdf", &bytes.Buffer{})},
		{"a content", CodeArgument, second(a.Trace(ctx, TraceRequest{TraceID: trace, Content: "some"}))},
		{"negative bytes", CodeArgument, second(a.Trace(ctx, TraceRequest{TraceID: trace, MaxBytes: -1}))},
		{"no session", CodeArgument, second(a.Session(ctx, " "))},
		{"a long name", CodeArgument, second(a.Rename(ctx, first.ID, strings.Repeat("x", 501)))},
		{"a session", CodeSessionNotFound, second(a.Session(ctx, "00000000-0000-4000-8000-000000000000"))},
		{"a session's traces", CodeSessionNotFound, second(a.Traces(ctx, "nobody", PageRequest{}))},
		{"a session's children", CodeSessionNotFound, second(a.Children(ctx, "nobody", PageRequest{}))},
		{"a session's records", CodeSessionNotFound, second(a.Raw(ctx, RawRequest{SessionID: "nobody"}))},
		{"a session to export", CodeSessionNotFound, a.Export(ctx, "nobody", FormatJSONL, &bytes.Buffer{})},
		{"a session to rename", CodeSessionNotFound, second(a.Rename(ctx, "nobody", "x"))},
		{"a trace", CodeTraceNotFound, second(a.Trace(ctx, TraceRequest{TraceID: "trc_x"}))},
		{"a span's trace", CodeTraceNotFound, second(a.Span(ctx, SpanRequest{TraceID: "trc_x", SpanID: "llm_x"}))},
		{"a span", CodeSpanNotFound, second(a.Span(ctx, SpanRequest{TraceID: trace, SpanID: "llm_x"}))},
	} {
		wantCode(t, tt.what, tt.err, tt.code)
	}
}

func second[T any](_ T, err error) error { return err }

func TestSessionsAreFoundByName(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 3, turns: 1, filler: 10})
	first := firstSession(t, a)
	for _, id := range []string{first.ID, first.ID[:8], first.HarnessSessionID} {
		got, err := a.Session(t.Context(), id)
		if err != nil || got.ID != first.ID {
			t.Errorf("%s: %+v (%v)", id, got, err)
		}
	}
	renamed, err := a.Rename(t.Context(), first.ID[:8], " A better\n name ")
	if err != nil || renamed.DisplayTitle != "A better name" || renamed.Title != first.Title {
		t.Errorf("renamed: %+v (%v)", renamed, err)
	}
	if _, err := a.Rederive(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, a); !cmp.Equal(got[0], "A better name") {
		t.Errorf("derived again: %q", got)
	}
	renamed, err = a.Rename(t.Context(), first.ID, "")
	if err != nil || renamed.DisplayTitle != first.Title {
		t.Errorf("the name taken away: %+v (%v)", renamed, err)
	}
}

func TestASessionTellsOfItsSubagents(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 3, turns: 2, filler: 10})
	list, err := a.ListSessions(t.Context(), ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, s := range list.Sessions {
		got, err := a.Session(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.DurationS <= 0 {
			t.Errorf("session %s took %f s", s.ID, got.DurationS)
		}
		children, err := a.Children(t.Context(), s.ID, PageRequest{Limit: 1})
		if err != nil || children.Total != got.ChildrenTotal || len(children.Sessions) != len(got.Children) {
			t.Errorf("children of %s: %+v (%v), want %d", s.ID, children, err, got.ChildrenTotal)
		}
		if got.ChildrenTotal == 1 && got.Subagents.Sessions == 1 && got.Children[0].Parent.SessionID == s.ID {
			with++
		}
	}
	if with != 1 || list.Total != 3 {
		t.Errorf("%d of %d sessions have a sub-agent", with, list.Total)
	}
}

func TestContentsOfATrace(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 1, turns: 1, filler: 50_000})
	traces, err := a.Traces(t.Context(), firstSession(t, a).ID, PageRequest{})
	if err != nil {
		t.Fatal(err)
	}
	id := traces.Traces[0].ID
	for _, tt := range []struct {
		request     TraceRequest
		least, most int // bytes of the answer
		cut         bool
	}{
		{TraceRequest{Content: ContentNone}, 1000, 10_000, false},
		{TraceRequest{}, 4000, 20_000, true},
		{TraceRequest{Content: ContentFull}, 50_000, 100_000, false},
		{TraceRequest{Content: ContentFull, MaxBytes: 30_000}, 20_000, 35_000, true},
		{TraceRequest{Content: ContentFull, MaxBytes: 1}, 1000, 10_000, true},
	} {
		tt.request.TraceID = id
		got, err := a.Trace(t.Context(), tt.request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) < tt.least || len(text) > tt.most || got.Cut != tt.cut {
			t.Errorf("%+v: %d bytes, cut %v", tt.request, len(text), got.Cut)
		}
		if int64(len(got.Spans)) != got.SpansTotal || bytes.Contains(text, []byte(`"input":null`)) {
			t.Errorf("%+v: %d of %d spans: %s", tt.request, len(got.Spans), got.SpansTotal, text[:200])
		}
	}
}

func TestSpansOfATraceComeInParts(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 1, turns: 1, filler: 10})
	traces, err := a.Traces(t.Context(), firstSession(t, a).ID, PageRequest{})
	if err != nil {
		t.Fatal(err)
	}
	id := traces.Traces[0].ID
	whole, err := a.Trace(t.Context(), TraceRequest{TraceID: id, Content: ContentFull})
	if err != nil {
		t.Fatal(err)
	}
	var parts []session.Span
	links := map[session.Link]bool{}
	for cursor, more := "", true; more; more = cursor != "" {
		part, err := a.Trace(t.Context(), TraceRequest{TraceID: id, Content: ContentFull, PageRequest: PageRequest{Limit: 1, Cursor: cursor}})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part.Spans...)
		for _, l := range part.Links {
			links[l] = true
		}
		cursor = part.NextCursor
	}
	if diff := cmp.Diff(whole.Spans, parts); diff != "" {
		t.Errorf("spans in parts (-whole +parts):\n%s", diff)
	}
	if len(links) != len(whole.Links) || len(links) == 0 {
		t.Errorf("%d links in parts, %d in the whole", len(links), len(whole.Links))
	}
	for _, want := range whole.Spans {
		got, err := a.Span(t.Context(), SpanRequest{TraceID: id, SpanID: want.ID})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Span); diff != "" || got.Cut {
			t.Errorf("span %s, cut %v (-in the trace +alone):\n%s", want.ID, got.Cut, diff)
		}
	}
}

func TestRawRecordsComeAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	files := claudeLogs{sessions: 1, turns: 5, filler: 20_000}.write(t, dir)
	a := openArchive(t, t.TempDir(), claudecode.New())
	imported(t, a, dir)
	want := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(readFile(t, files[0])), "\n") {
		want[line] = true
	}
	id := firstSession(t, a).ID
	got, calls := 0, 0
	for cursor, more := "", true; more; more = cursor != "" {
		list, err := a.Raw(t.Context(), RawRequest{SessionID: id, Bodies: true, MaxBytes: 30_000, PageRequest: PageRequest{Cursor: cursor}})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(list); len(text) > 31_000 {
			t.Errorf("a page of %d bytes", len(text))
		}
		for _, r := range list.Records {
			if !want[strings.TrimSpace(r.Body)] || r.Cut {
				t.Errorf("nobody wrote %.100s (cut %v)", r.Body, r.Cut)
			}
			got++
		}
		if list.Total != int64(len(want)) {
			t.Errorf("a total of %d records", list.Total)
		}
		cursor = list.NextCursor
		calls++
	}
	if got != len(want) || calls < 4 {
		t.Errorf("%d records in %d parts, want %d", got, calls, len(want))
	}
	list, err := a.Raw(t.Context(), RawRequest{SessionID: id, PageRequest: PageRequest{Limit: 200}})
	if err != nil || len(list.Records) != len(want) || list.Records[0].Body != "" || list.Records[0].SHA256 == "" {
		t.Errorf("without bodies: %d records (%v)", len(list.Records), err)
	}
	list, err = a.Raw(t.Context(), RawRequest{SessionID: id, Bodies: true, MaxBytes: 100})
	if err != nil || len(list.Records) != 1 || !list.Records[0].Cut || len(list.Records[0].Body) > 100 {
		t.Errorf("in 100 bytes: %+v (%v)", list, err)
	}
}

func TestRawRecordsThatAreNoText(t *testing.T) {
	r := store.RawRecord{Body: []byte("é\xff"), Bytes: 3}
	if got := rawItem(r, 3); got.Body != "" || got.BodyBase64 != "w6n/" || got.Cut {
		t.Errorf("%+v", got)
	}
	r.Body = []byte("aé")
	if got := rawItem(r, 2); got.Body != "a" || got.BodyBase64 != "" || !got.Cut {
		t.Errorf("cut inside of a character: %+v", got)
	}
}

func TestStats(t *testing.T) {
	a := logged(t, claudeLogs{sessions: 4, turns: 2, filler: 10})
	all, err := a.Stats(t.Context(), StatsRequest{By: "project"})
	if err != nil || len(all.Groups) != 3 || all.Total.Sessions < 4 || all.Total.Usage.OutputTokens == 0 {
		t.Errorf("%+v (%v)", all, err)
	}
	var keys []string
	for r := (StatsRequest{By: "project", PageRequest: PageRequest{Limit: 2}}); ; {
		part, err := a.Stats(t.Context(), r)
		if err != nil || part.GroupsTotal != 3 || len(part.Groups) > 2 || part.Total != all.Total {
			t.Fatalf("a part of the groups: %+v (%v)", part, err)
		}
		for _, g := range part.Groups {
			keys = append(keys, g.Key)
		}
		if r.Cursor = part.NextCursor; r.Cursor == "" {
			break
		}
	}
	for i, g := range all.Groups {
		if len(keys) != 3 || keys[i] != g.Key {
			t.Errorf("in parts the groups are %v", keys)
		}
	}
	part, err := a.Stats(t.Context(), StatsRequest{By: "project", PageRequest: PageRequest{Limit: 1}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Stats(t.Context(), StatsRequest{By: "day", PageRequest: PageRequest{Cursor: part.NextCursor}})
	wantCode(t, "a cursor of other groups", err, CodeArgument)
	none, err := a.Stats(t.Context(), StatsRequest{Until: "2020-01-01"})
	if err != nil || none.Total.Sessions != 0 || none.Groups == nil {
		t.Errorf("%+v (%v)", none, err)
	}
}
