package open

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/storetest"
)

// Both stores answer the same to the same records and projections, cursors and
// all.
func TestEqualAnswers(t *testing.T) {
	var answers [2]string
	for i, o := range []Options{{Dir: t.TempDir()}, {Postgres: postgrestest.NewDatabase(t)}} {
		o.Log = slog.New(slog.DiscardHandler)
		s, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		fill(t, s)
		dump, err := storetest.Dump(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		answers[i] = dump + cursors(t, s)
	}
	if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
		t.Errorf("the stores differ (-sqlite +postgres):\n%s", diff)
	}
}

// fill appends and projects streams that share records and tell of each other.
func fill(t *testing.T, s store.Store) {
	t.Helper()
	for i := range 40 {
		ref := session.Ref{Harness: []string{"claude-code", "codex"}[i%2], Key: fmt.Sprint("é", i%13)}
		in := store.StreamRecords{Ref: ref}
		if i%5 == 0 {
			in.Facts.Parent = &session.Ref{Harness: "codex", Key: fmt.Sprint("é", i%3)}
		}
		for k := range i % 7 {
			in.Records = append(in.Records,
				session.Record{Key: fmt.Sprint("copy ", k), Origin: fmt.Sprint("o", k), Order: int64(k - 1), Pos: int64(i), At: 5, Body: fmt.Append(nil, "copy ", k)},
				session.Record{Key: fmt.Sprint("own ", k), Version: int64(i), Order: int64(100 - i), Body: []byte(strings.Repeat("own", i*k*100))},
				session.Record{Key: fmt.Sprint("title ", k%2), About: fmt.Sprint("o", k+i%2), Order: int64(k % 3), Body: fmt.Append(nil, "title ", i)})
		}
		if _, err := s.Append(t.Context(), store.Batch{Streams: []store.StreamRecords{in}}); err != nil {
			t.Fatal(err)
		}
	}
	pending, err := s.Pending(t.Context(), "d", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, stream := range pending {
		if err := s.Project(t.Context(), stream, "d", projection(stream, i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Delete(t.Context(), session.Ref{Harness: "codex", Key: "é1"}.SessionID()); err != nil {
		t.Fatal(err)
	}
}

// projection is a session with a trace for each record.
func projection(stream store.Stream, n int) session.Projection {
	id := stream.Ref.SessionID()
	p := session.ProjectedSession{Session: session.Session{
		ID: id, Harness: stream.Ref.Harness, HarnessSessionID: stream.Ref.Key, Title: fmt.Sprint("Über ", n%5), Project: fmt.Sprint("P", n%3),
		StartedAt: session.Time(n % 4 * 1000), EndedAt: session.Time(n%6) * 1_000_000_000, Status: session.StatusOK, Internal: n%7 == 0,
	}}
	if stream.Facts.Parent != nil {
		p.Session.Parent = &session.Origin{SessionID: stream.Facts.Parent.SessionID(), Relation: session.Subagent}
	}
	for seq := range int(stream.Records) {
		trace := session.Trace{ID: session.TraceID(id, fmt.Sprint(seq)), SessionID: id, Seq: seq, SpanCount: 1, UserPrompt: fmt.Sprint("prompt ", seq)}
		span := session.Span{ID: session.AgentID(id, trace.ID), TraceID: trace.ID, SessionID: id, Kind: session.KindAgent}
		p.Traces = append(p.Traces, session.ProjectedTrace{Trace: trace, Spans: []session.ProjectedSpan{{Span: span}}})
		p.Links = append(p.Links, session.Link{
			Kind: session.LinkSpawns, FromSessionID: id, FromTraceID: trace.ID, FromSpanID: span.ID,
			ToSessionID: session.Ref{Harness: "codex", Key: fmt.Sprint("é", seq)}.SessionID(),
		})
		p.Session.Counts.Traces++
		p.Session.Usage.InputTokens += int64(seq * n)
	}
	p.Session.Models = []session.ModelUsage{{Model: "M", Calls: 1, Usage: p.Session.Usage}}
	p.Daily = []session.DayUsage{{Day: p.Session.EndedAt.Day(), Model: "M", Usage: p.Session.Usage, Prompts: 1}}
	return session.Projection{Sessions: []session.ProjectedSession{p}}
}

// cursors are those of the first pages of all listings.
func cursors(t *testing.T, s store.Store) string {
	t.Helper()
	var text strings.Builder
	note := func(what, cursor string, err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		fmt.Fprintln(&text, what, cursor)
	}
	every := store.SessionFilter{Children: true, Internal: true}
	page := store.Page{Limit: 2}
	for _, by := range store.SessionSorts {
		f := every
		f.Sort = by
		list, err := s.Sessions(t.Context(), f, page)
		note("sessions by "+string(by), list.Next, err)
	}
	sessions, err := s.Sessions(t.Context(), every, store.Page{Limit: store.MaxLimit})
	note("sessions", sessions.Next, err)
	for _, item := range sessions.Items {
		children, err := s.Children(t.Context(), item.ID, page)
		note("children", children.Next, err)
		traces, err := s.Traces(t.Context(), item.ID, page)
		note("traces", traces.Next, err)
		raw, err := s.Raw(t.Context(), item.ID, false, page)
		note("raw", raw.Next, err)
	}
	return text.String()
}
