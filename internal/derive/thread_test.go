package derive

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

func TestThreadsAreSessions(t *testing.T) {
	child := testRef.Sub("a1")
	main := []session.Record{
		told(1, &session.Context{Cwd: "/w/p"}, typed("go")),
		told(2, calls("m1", "task", "Task", `{"prompt":"look around"}`)),
		told(8, gives("task", "found")),
		told(9, says("m2", "done")),
	}
	thread := []session.Record{
		record(4, "a1", prompts(session.Delegated, "look around")),
		record(5, "a1", &session.Answer{Merge: "t1", Model: "claude-haiku-4-5", Content: text("found"), Usage: &session.Usage{OutputTokens: 10}}),
	}
	for _, test := range []struct {
		name  string
		spawn *session.Spawn // nil: none
		title string
	}{
		{"linked by its identifier", &session.Spawn{CallID: "task", Thread: "a1", AgentType: "explore", Description: "Look"}, "Look"},
		{"linked by its prompt", nil, "look around"},
	} {
		t.Run(test.name, func(t *testing.T) {
			records := append(append([]session.Record{}, main...), thread...)
			if test.spawn != nil {
				records = append(records, told(3, test.spawn))
			}
			p := derived(t, inputOf(records...))
			if len(p.Sessions) != 2 || p.Checkpoints != nil {
				t.Fatalf("%d sessions, checkpoints %x", len(p.Sessions), p.Checkpoints)
			}
			own, sub := p.Sessions[0], p.Sessions[1]
			trace, tool := own.Traces[0].Trace, spanNamed(t, own, "Task").Span
			if sub.Session.ID != child.SessionID() || sub.Session.Title != test.title || sub.Session.Cwd != "/w/p" || sub.Session.Usage.OutputTokens != 10 {
				t.Errorf("%+v", sub.Session)
			}
			want := &session.Origin{SessionID: own.Session.ID, Relation: session.Subagent, TraceID: trace.ID, SpanID: tool.ID}
			if diff := cmp.Diff(want, sub.Session.Parent); diff != "" {
				t.Error(diff)
			}
			link := session.Link{Kind: session.LinkSpawns, FromSessionID: own.Session.ID, FromTraceID: trace.ID, FromSpanID: tool.ID, ToSessionID: child.SessionID()}
			if len(own.Links) == 0 || !cmp.Equal(own.Links[0], link) && !cmp.Equal(own.Links[1], link) {
				t.Errorf("links %+v", own.Links)
			}
			if own.Session.Counts.Subagents != 1 || own.Session.Usage.OutputTokens != 0 || own.Session.Counts.Messages != 2 {
				t.Errorf("%+v", own.Session.Counts)
			}
		})
	}
}

func TestAThreadOfUnknownOriginHangsOnItsTrace(t *testing.T) {
	p := derived(t, inputOf(told(1, typed("go")), record(2, "a1", prompts(session.Delegated, "x")), told(3, says("m", "y"))))
	root := p.Sessions[0].Traces[0].Spans[0].Span
	if got := p.Sessions[1].Session.Parent; got.SpanID != root.ID || got.Relation != session.Subagent {
		t.Errorf("%+v", got)
	}
}

func TestSpawnsOfOtherStreams(t *testing.T) {
	child := session.Ref{Harness: "fake", Key: "one/b2"}
	spawn := &session.Spawn{CallID: "task", Child: child}
	for name, records := range map[string][]session.Record{
		"after the call":  {told(1, typed("a")), told(2, calls("m", "task", "Task", `{}`)), told(3, spawn), told(4, spawn)},
		"before the call": {told(1, typed("a")), told(2, spawn), told(3, calls("m", "task", "Task", `{}`))},
		"without a place": {unplaced("s", spawn), told(1, typed("a")), told(3, calls("m", "task", "Task", `{}`))},
	} {
		t.Run(name, func(t *testing.T) {
			s := only(t, records...)
			tool := spanNamed(t, s, "Task").Span
			if len(s.Links) != 1 || s.Links[0].FromSpanID != tool.ID || s.Links[0].ToSessionID != child.SessionID() || s.Session.Counts.Subagents != 1 {
				t.Errorf("%+v", s.Links)
			}
		})
	}
}

func TestGrowingThreads(t *testing.T) {
	growing(t, []session.Record{
		told(1, typed("a")), told(2, says("m1", "x")), told(3, typed("b")), told(4, calls("m2", "task", "Task", `{}`)),
		told(5, &session.Spawn{CallID: "task", Thread: "a1"}),
		record(6, "a1", prompts(session.Delegated, "go")), record(7, "a1", says("t1", "gone")),
		told(8, gives("task", "ok")), told(9, says("m3", "fine")),
	}, nil)
}
