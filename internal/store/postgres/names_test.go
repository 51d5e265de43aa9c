package postgres

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// awkward are names that PostgreSQL's text refuses, or its indices.
var awkward = map[string]string{
	"NUL":            "a\x00b",
	"invalid UTF-8":  "bad \xff\xfe",
	"lone surrogate": "half \xed\xa0\x80",
	"huge":           strings.Repeat("é", 50_000),
	"hex":            `\x00`,
}

func TestAwkwardNames(t *testing.T) {
	s := openStore(t)
	for what, name := range awkward {
		ref := session.Ref{Harness: "codex", Key: name}
		parent := session.Ref{Harness: "codex", Key: name + " parent"}
		want := []session.Record{
			{Key: name, Origin: name, Order: 1, Body: []byte(name)},
			{Key: name + "2", Origin: name + "2", Order: 1, Body: []byte("2")},
			{Key: name + "3", About: name, Order: 1, Body: []byte("3")},
		}
		source := &store.Source{Path: "/" + name, Harness: "codex", Tail: name}
		batch := store.Batch{Source: source, Streams: []store.StreamRecords{{Ref: ref, Facts: session.StreamFacts{Parent: &parent}, Records: want}}}
		for _, known := range []int{0, 3} {
			if got, err := s.Append(t.Context(), batch); err != nil || got != (store.Appended{New: 3 - known, Known: known}) {
				t.Fatalf("%s: appended %+v, %v", what, got, err)
			}
		}
		var got []session.Record
		for r, err := range s.Records(t.Context(), ref, session.Place{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", what, diff)
		}
		sources, err := s.Sources(t.Context())
		if err != nil || sources[source.Path].Tail != name {
			t.Errorf("%s: the source did not come back, %v", what, err)
		}
		checkPages(t, s, what, ref)
	}
	streams, err := s.Streams(t.Context(), session.Ref{}, 0)
	if err != nil || len(streams) != len(awkward) {
		t.Errorf("%d streams, %v; want %d", len(streams), err, len(awkward))
	}
	for i, stream := range streams {
		if i > 0 && streams[i-1].Ref.Key >= stream.Ref.Key {
			t.Errorf("stream %.10q stands behind %.10q", stream.Ref.Key, streams[i-1].Ref.Key)
		}
		after, err := s.Streams(t.Context(), stream.Ref, 1)
		if err != nil || i+1 < len(streams) && (len(after) != 1 || after[0].Ref != streams[i+1].Ref) {
			t.Errorf("after %.10q: %d streams, %v", stream.Ref.Key, len(after), err)
		}
	}
}

// checkPages reads the raw records one by one.
func checkPages(t *testing.T, s *Store, what string, ref session.Ref) {
	t.Helper()
	page := store.Page{Limit: 1}
	for n := 1; ; n++ {
		list, err := s.Raw(t.Context(), ref.SessionID(), false, page)
		if err != nil || len(list.Items) != 1 || n > 3 {
			t.Fatalf("%s: page %d of raw records: %d items, %v", what, n, len(list.Items), err)
		}
		if page.Cursor = list.Next; page.Cursor == "" {
			if n != 3 {
				t.Errorf("%s: %d pages of raw records, want 3", what, n)
			}
			return
		}
	}
}

// Derived texts that PostgreSQL refuses are cleaned, not refused.
func TestUncleanTexts(t *testing.T) {
	s := openStore(t)
	for what, name := range awkward {
		ref := session.Ref{Harness: "codex", Key: name}
		if _, err := s.Append(t.Context(), store.Batch{Streams: []store.StreamRecords{{Ref: ref, Records: []session.Record{{Key: "1"}}}}}); err != nil {
			t.Fatal(err)
		}
		streams, err := s.Pending(t.Context(), "d", 1)
		if err != nil || len(streams) != 1 {
			t.Fatalf("%d pending, %v", len(streams), err)
		}
		id := ref.SessionID()
		trace := session.Trace{ID: session.TraceID(id, "1"), SessionID: id, UserPrompt: name, Models: []string{name}, SpanCount: 1}
		span := session.Span{ID: session.AgentID(id, "1"), Name: name, Error: name, Attributes: map[string]string{"a": name}}
		p := session.Projection{Sessions: []session.ProjectedSession{{
			Session: session.Session{ID: id, HarnessSessionID: name, Title: name, Cwd: name, Project: name, Models: []session.ModelUsage{{Model: name}}},
			Daily:   []session.DayUsage{{Model: name}},
			Traces:  []session.ProjectedTrace{{Trace: trace, Spans: []session.ProjectedSpan{{Span: span}}}},
		}}}
		if err := s.Project(t.Context(), streams[0], "d", p); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := s.Session(t.Context(), name)
		if err != nil || got.Title != session.Clean(name) {
			t.Errorf("%s: found by its own name: %.20q, %v", what, got.Title, err)
		}
		list, err := s.Sessions(t.Context(), store.SessionFilter{Project: name, Model: name, Title: name, Sort: store.SortTitle}, store.Page{})
		if err != nil || list.Total != 1 {
			t.Errorf("%s: %d sessions by project, model and title, %v", what, list.Total, err)
		}
	}
}
