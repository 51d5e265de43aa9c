package derive

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

func prompts(p session.PromptOrigin, s string) *session.Prompt {
	return &session.Prompt{Origin: p, Content: text(s)}
}

func TestWhatOpensATrace(t *testing.T) {
	type want struct {
		Prompt string
		Origin session.PromptOrigin
	}
	for _, test := range []struct {
		name    string
		records []session.Record
		want    []want
	}{
		{"a typed prompt", []session.Record{told(1, typed("a")), told(2, says("m", "x"))}, []want{{"a", session.Typed}}},
		{"each of several", []session.Record{told(1, typed("a")), told(2, typed("b"))}, []want{{"a", session.Typed}, {"b", session.Typed}}},
		{"a delegated one", []session.Record{told(1, prompts(session.Delegated, "a"))}, []want{{"a", session.Delegated}}},
		{"an answer to nothing", []session.Record{told(1, says("m", "x")), told(2, typed("b"))}, []want{{"", ""}, {"b", session.Typed}}},
		{"a call to nothing", []session.Record{told(1, &session.Call{CallID: "c", Name: "Run"})}, []want{{"", ""}}},
		{"a queued one, when it is the first", []session.Record{told(1, prompts(session.Queued, "a"))}, []want{{"a", session.Queued}}},
		{"a queued one, after an answer", []session.Record{told(1, typed("a")), told(2, says("m", "x")), told(3, prompts(session.Queued, "b"))}, []want{{"a", session.Typed}, {"b", session.Queued}}},
		{"no queued one before", []session.Record{told(1, typed("a")), told(2, prompts(session.Queued, "b"))}, []want{{"a", session.Typed}}},
		{"nothing injected", []session.Record{told(1, typed("a")), told(2, says("m", "x")), told(3, prompts(session.Injected, "b"), prompts(session.Summary, "c"))}, []want{{"a", session.Typed}}},
		{"a command that is answered", []session.Record{told(1, prompts(session.Command, "/review")), told(2, prompts(session.Injected, "what it says")), told(3, says("m", "x"))}, []want{{"/review", session.Command}}},
		{"no command that is not", []session.Record{told(1, prompts(session.Command, "/clear")), told(2, typed("a")), told(3, says("m", "x"))}, []want{{"a", session.Typed}}},
		{"no command before more of an answer", []session.Record{told(1, typed("a")), told(2, says("m", "x")), told(3, prompts(session.Command, "/cost")), told(4, says("m", "y"))}, []want{{"a", session.Typed}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []want
			for n, trace := range only(t, test.records...).Traces {
				if trace.Trace.Seq != n {
					t.Errorf("trace %d has Seq %d", n, trace.Trace.Seq)
				}
				got = append(got, want{trace.Trace.UserPrompt, trace.Trace.Origin})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNothingIsProjectedOfNotesAlone(t *testing.T) {
	for name, records := range map[string][]session.Record{
		"nothing":        nil,
		"facts":          {told(1, &session.Facts{Name: "n"}, &session.Context{Cwd: "/w"})},
		"notes":          {told(1, &session.Note{Name: "hook"}, &session.Title{Text: "t", Rank: 1})},
		"injected":       {told(1, prompts(session.Injected, "x"), prompts(session.Summary, "y"))},
		"a stray result": {told(1, gives("c", "x"))},
	} {
		t.Run(name, func(t *testing.T) {
			if p := derived(t, inputOf(records...)); len(p.Sessions) != 0 || p.From != 0 {
				t.Errorf("%d sessions", len(p.Sessions))
			}
		})
	}
}

func TestSpansOfATrace(t *testing.T) {
	result := gives("c1", "package main")
	result.Duration = 1500 * time.Millisecond
	s := only(t,
		told(1, &session.Context{Cwd: "/home/ann/proj/", GitBranch: "main", HarnessVersion: "2.1"}, typed("fix it")),
		told(2, prompts(session.Injected, "remember")),
		told(3, says("m1", "let me look")),
		told(4, calls("m1", "c1", "Read", `{"path": "a.go"}`)),
		told(5, result),
		told(6, says("m2", "fixed")),
	)
	if got := s.Session; got.Cwd != "/home/ann/proj/" || got.Project != "proj" || got.GitBranch != "main" || got.HarnessVersion != "2.1" || got.Title != "fix it" || got.Status != session.StatusOK {
		t.Errorf("session %+v", got)
	}
	id := testRef.SessionID()
	trace := s.Traces[0].Trace
	if trace.ID != session.TraceID(id, "r1#2") || trace.Response != "fixed" || trace.SpanCount != 4 || trace.Cwd != "/home/ann/proj/" {
		t.Errorf("trace %+v", trace)
	}
	type row struct {
		Kind               session.Kind
		ID, Name, ParentID string
		Records            []string
	}
	var got []row
	for n, one := range s.Traces[0].Spans {
		if one.Span.Seq != n || one.Span.TraceID != trace.ID || one.Span.SessionID != id {
			t.Errorf("span %d: %+v", n, one.Span)
		}
		got = append(got, row{one.Span.Kind, one.Span.ID, one.Span.Name, one.Span.ParentID, one.Span.Records})
	}
	root, first, tool := session.AgentID(id, trace.ID), session.LLMID(id, "m1"), session.ToolID(id, "c1")
	want := []row{
		{session.KindAgent, root, "fake", "", []string{"r1"}},
		{session.KindLLM, first, "claude-sonnet-4-5", root, []string{"r3", "r4"}},
		{session.KindTool, tool, "Read", first, []string{"r4", "r5"}},
		{session.KindLLM, session.LLMID(id, "m2"), "claude-sonnet-4-5", root, []string{"r6"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	llm, read, last := s.Traces[0].Spans[1], s.Traces[0].Spans[2], s.Traces[0].Spans[3]
	if diff := cmp.Diff([]session.Part{{Type: session.Text, Text: "fix it"}, {Type: session.Text, Text: "remember", Name: InjectedPart}}, unpacked(t, llm.Input)); diff != "" {
		t.Error(diff)
	}
	call := session.Part{Type: session.ToolCall, ID: "c1", Name: "Read", Input: json.RawMessage(`{"path":"a.go"}`)}
	if diff := cmp.Diff([]session.Part{{Type: session.Text, Text: "let me look"}, call}, unpacked(t, llm.Output)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]session.Part{call}, unpacked(t, read.Input)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(text("package main"), unpacked(t, read.Output)); diff != "" {
		t.Error(diff)
	}
	if len(last.Input) != 0 || read.Span.Attributes["duration_ms"] != "1500" || read.Span.EndedAt-read.Span.StartedAt != 60_000 {
		t.Errorf("last input %x, tool %+v", last.Input, read.Span)
	}
	links := []session.Link{{Kind: session.LinkFeeds, FromSessionID: id, FromTraceID: trace.ID, FromSpanID: tool, ToSessionID: id, ToTraceID: trace.ID, ToSpanID: last.Span.ID}}
	if diff := cmp.Diff(links, s.Links); diff != "" {
		t.Error(diff)
	}
}

func TestPromptsWithoutAnswerAreKept(t *testing.T) {
	s := only(t, told(1, typed("first")), told(2, typed("second")), told(3, says("m", "both")))
	if diff := cmp.Diff(text("first"), unpacked(t, s.Traces[0].Spans[0].Input)); diff != "" {
		t.Errorf("root: %s", diff)
	}
	root, llm := s.Traces[1].Spans[0], s.Traces[1].Spans[1]
	if root.Input != nil {
		t.Error("the root repeats what the llm span has")
	}
	if diff := cmp.Diff(append(text("first"), text("second")...), unpacked(t, llm.Input)); diff != "" {
		t.Errorf("llm: %s", diff)
	}
}

func TestCalls(t *testing.T) {
	t.Run("a result before its call", func(t *testing.T) {
		s := only(t, told(1, typed("a")), told(2, gives("c1", "early")), told(3, calls("m1", "c1", "Run", `{}`)))
		tool := spanNamed(t, s, "Run")
		if tool.Span.Status != session.StatusOK || s.Session.Counts.Unanswered != 0 || len(s.Traces[0].Spans) != 3 {
			t.Errorf("%+v", tool.Span)
		}
	})
	t.Run("a result without a call", func(t *testing.T) {
		r := gives("c1", "no such file\nat all")
		r.Status = session.StatusError
		s := only(t, told(1, typed("a")), told(2, r), told(3, says("m", "x")))
		tool := spanNamed(t, s, unknownTool)
		if c := s.Session.Counts; c.ToolCalls != 0 || c.ToolResults != 1 || c.ToolErrors != 1 || c.Unanswered != 0 {
			t.Errorf("%+v", c)
		}
		if tool.Span.Error != "no such file" || tool.Span.ID != session.ToolID(testRef.SessionID(), "c1") {
			t.Errorf("%+v", tool.Span)
		}
	})
	t.Run("an identifier that is given out again", func(t *testing.T) {
		s := only(t, told(1, typed("a")),
			told(2, calls("m1", "call_0", "Read", `{}`)), told(3, gives("call_0", "one")),
			told(4, calls("m2", "call_0", "Write", `{}`)), told(5, gives("call_0", "two")))
		read, write := spanNamed(t, s, "Read"), spanNamed(t, s, "Write")
		if read.Span.ID == write.Span.ID || read.Span.CallID != "call_0" || write.Span.CallID != "call_0" {
			t.Errorf("%+v\n%+v", read.Span, write.Span)
		}
		if unpacked(t, read.Output)[0].Text != "one" || unpacked(t, write.Output)[0].Text != "two" {
			t.Error("results went to the wrong call")
		}
	})
	t.Run("more about a call", func(t *testing.T) {
		s := only(t, told(1, typed("a")), told(2, calls("m1", "c1", "Run", `{"x":1}`)),
			told(3, &session.Call{CallID: "c1", Attributes: map[string]string{"exit": "1"}}))
		tool := spanNamed(t, s, "Run")
		if tool.Span.Attributes["exit"] != "1" || len(s.Traces[0].Spans) != 3 || string(unpacked(t, tool.Input)[0].Input) != `{"x":1}` {
			t.Errorf("%+v", tool.Span)
		}
	})
	t.Run("calls without identifiers", func(t *testing.T) {
		s := only(t, told(1, typed("a")), told(2, calls("m1", "", "A", `{}`), calls("m1", "", "B", `{}`)))
		if a, b := spanNamed(t, s, "A"), spanNamed(t, s, "B"); a.Span.ID == b.Span.ID {
			t.Error("two calls are one span")
		}
	})
	t.Run("input that is no JSON", func(t *testing.T) {
		c := &content{}
		p := packing{limit: looseBytes}
		p.add(c, []session.Part{{Type: session.ToolCall, Input: json.RawMessage(`{"a":`)}})
		packed, err := c.pack()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(unpacked(t, packed)[0].Input); got != `"{\"a\":"` {
			t.Errorf("input %s", got)
		}
	})
}

func TestUsageOfAMessageIsItsLargestSnapshot(t *testing.T) {
	part := func(in, out int64) *session.Answer {
		a := says("m", "x")
		a.Usage = &session.Usage{InputTokens: in, OutputTokens: out}
		return a
	}
	s := only(t, told(1, typed("a")), told(2, part(10, 5)), told(3, part(1000, 900)), told(4, part(9999, 3)),
		told(5, &session.Answer{Merge: "s", Model: "<synthetic>", Synthetic: true, Content: text("API Error"), Error: "overloaded\nmore", Usage: &session.Usage{OutputTokens: 7}}))
	want := session.Usage{InputTokens: 1000, OutputTokens: 900, Cost: session.Dollars(0.003 + 0.0135)}
	if diff := cmp.Diff(want, s.Session.Usage); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]session.ModelUsage{{Model: "claude-sonnet-4-5", Calls: 1, Usage: want}}, s.Session.Models); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]session.DayUsage{{Day: "2026-05-28", Model: "claude-sonnet-4-5", Usage: want, Messages: 2, Prompts: 1}}, s.Daily); diff != "" {
		t.Error(diff)
	}
	trace := s.Traces[0]
	if e := trace.Spans[2].Span; e.Status != session.StatusError || e.Error != "overloaded" || trace.Trace.Status != session.StatusError {
		t.Errorf("%+v", e)
	}
	if trace.Trace.Response != "x\nx\nx" {
		t.Errorf("response %q", trace.Trace.Response)
	}
}

func TestStatus(t *testing.T) {
	refused := &session.Result{CallID: "c1", Status: session.StatusInterrupted, Content: text("refused")}
	note := func(name string) *session.Note { return &session.Note{Name: name, Text: "why"} }
	ended := says("m1", "done")
	ended.StopReason = "end_turn"
	call := calls("m1", "c1", "Run", `{}`)
	for _, test := range []struct {
		name string
		what []session.What
		want session.Status
		tool session.Status // "": none
	}{
		{"no answer yet", []session.What{}, session.StatusPending, ""},
		{"answered", []session.What{says("m1", "x")}, session.StatusOK, ""},
		{"a call without a result", []session.What{call}, session.StatusPending, session.StatusPending},
		{"a result that no model has read", []session.What{call, gives("c1", "x")}, session.StatusPending, session.StatusOK},
		{"a result of a last answer", []session.What{ended, call, gives("c1", "x")}, session.StatusOK, session.StatusOK},
		{"an old call without a result", []session.What{call, says("m2", "x")}, session.StatusOK, session.StatusPending},
		{"stopped", []session.What{call, note(session.NoteInterrupted)}, session.StatusInterrupted, session.StatusInterrupted},
		{"stopped, then gone on", []session.What{note(session.NoteInterrupted), says("m1", "x")}, session.StatusOK, ""},
		{"refused", []session.What{call, refused}, session.StatusInterrupted, session.StatusInterrupted},
		{"refused, then gone on", []session.What{call, refused, says("m2", "x")}, session.StatusOK, session.StatusInterrupted},
		{"failed", []session.What{says("m1", "x"), note(session.NoteError)}, session.StatusError, ""},
		{"failed, then gone on", []session.What{note(session.NoteError), says("m1", "x")}, session.StatusOK, ""},
		{"the last answer failed", []session.What{says("m1", "x"), &session.Answer{Merge: "m2", Error: "no"}}, session.StatusError, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			records := []session.Record{told(1, typed("a"))}
			for n, what := range test.what {
				records = append(records, told(n+2, what))
			}
			s := only(t, records...)
			if got := s.Traces[0].Trace.Status; got != test.want || s.Session.Status != test.want || s.Traces[0].Spans[0].Span.Status != test.want {
				t.Errorf("trace %s, session %s, want %s", got, s.Session.Status, test.want)
			}
			if test.tool != "" {
				if got := spanNamed(t, s, "Run").Span.Status; got != test.tool {
					t.Errorf("tool %s, want %s", got, test.tool)
				}
			}
		})
	}
}

// The model reads a queued prompt together with the results of the turn that it
// came into: the log goes on in the prompt's trace.
func TestATurnGoesOnInThatOfAQueuedPrompt(t *testing.T) {
	call, queued := calls("m1", "c1", "Run", `{}`), prompts(session.Queued, "b")
	for _, test := range []struct {
		name string
		what []session.What
		want session.Status // of the first trace
	}{
		{"a result before the prompt", []session.What{call, gives("c1", "x"), queued}, session.StatusOK},
		{"a result behind it", []session.What{call, queued, gives("c1", "x"), says("m2", "y")}, session.StatusOK},
		{"no result at all", []session.What{call, queued, says("m2", "y")}, session.StatusPending},
		{"a typed prompt", []session.What{call, gives("c1", "x"), typed("b")}, session.StatusPending},
	} {
		t.Run(test.name, func(t *testing.T) {
			records := []session.Record{told(1, typed("a"))}
			for n, what := range test.what {
				records = append(records, told(n+2, what))
			}
			traces := only(t, records...).Traces
			if len(traces) != 2 || traces[0].Trace.Status != test.want {
				t.Errorf("%d traces, the first %s, want %s", len(traces), traces[0].Trace.Status, test.want)
			}
		})
	}
}

func TestNotesAndCommandsAreEvents(t *testing.T) {
	s := only(t, told(1, &session.Note{Name: session.NoteCompaction, Attributes: map[string]string{"trigger": "auto"}}),
		told(2, prompts(session.Command, "/model")), told(3, typed("a")), told(4, says("m", "x")),
		told(5, prompts(session.Command, "/cost")))
	if c := s.Session.Counts; c.Compactions != 1 || c.Prompts != 3 || c.Traces != 1 || c.Records != 5 {
		t.Errorf("%+v", c)
	}
	note, command := spanNamed(t, s, session.NoteCompaction), spanNamed(t, s, "command")
	if note.Span.Attributes["trigger"] != "auto" || note.Span.ID != session.EventID(testRef.SessionID(), "r1") || note.Span.Status != session.StatusOK {
		t.Errorf("%+v", note.Span)
	}
	if unpacked(t, command.Input)[0].Text != "/cost" {
		t.Errorf("%+v", command.Span)
	}
	if s.Session.Status != session.StatusOK {
		t.Errorf("status %s", s.Session.Status)
	}
}

func TestCommandsAloneAreASessionWithoutTraces(t *testing.T) {
	s := only(t, told(1, prompts(session.Command, "/exit")))
	if got := s.Session; got.Counts.Prompts != 1 || got.Counts.Traces != 0 || got.Status != session.StatusUnknown || got.Title != "/exit" {
		t.Errorf("%+v", got)
	}
}

func TestReplayedRecordsCountNothing(t *testing.T) {
	origins := func(records ...session.Record) []session.Record {
		for n := range records {
			records[n].Origin = "o-" + records[n].Key
		}
		return records
	}
	source := session.Ref{Harness: "fake", Key: "source"}
	replayed := func(origin string) bool { return origin != "o-r3" && origin != "o-r5" }
	records := origins(told(1, typed("a")), told(2, says("m1", "x")), told(3, typed("b")), told(4, says("m2", "y")), told(5, says("m3", "z")))
	for _, test := range []struct {
		name     string
		replay   transcript.Replay
		replayed int64
		messages int64
	}{
		{"each by its origin", transcript.ReplayByOrigin, 3, 1},
		{"up to the first of its own", transcript.ReplayPrefix, 2, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := inputOf(records...)
			in.Importer, in.Replayed, in.Earlier = fakeImporter{replay: test.replay}, replayed, []session.Ref{source}
			s := derived(t, in).Sessions[0]
			if c := s.Session.Counts; c.Replayed != test.replayed || c.Messages != test.messages || c.Records != 5-test.replayed || c.Traces != 1 {
				t.Errorf("%+v", c)
			}
			if diff := cmp.Diff(&session.Origin{SessionID: source.SessionID(), Relation: session.Fork}, s.Session.Parent); diff != "" {
				t.Error(diff)
			}
			if s.Session.Title != "b" || s.Session.StartedAt != records[2].At {
				t.Errorf("%q, %s", s.Session.Title, s.Session.StartedAt)
			}
			if len(s.Links) != 1 || s.Links[0].Kind != session.LinkForks || s.Links[0].ToSessionID != source.SessionID() {
				t.Errorf("links %+v", s.Links)
			}
		})
	}
	t.Run("a copy and nothing more", func(t *testing.T) {
		in := inputOf(records...)
		in.Replayed = func(string) bool { return true }
		if p := derived(t, in); len(p.Sessions) != 0 {
			t.Errorf("%d sessions", len(p.Sessions))
		}
	})
}

func TestParentOfASubagentsStream(t *testing.T) {
	parent := session.Ref{Harness: "fake", Key: "parent"}
	in := inputOf(told(1, &session.Facts{ParentCallID: "c9", AgentType: "explore", Internal: true, Partial: "cut"}, prompts(session.Delegated, "look")))
	in.Facts = session.StreamFacts{Parent: &parent, ForkedFrom: &session.Ref{Harness: "fake", Key: "other"}}
	got := derived(t, in).Sessions[0].Session
	want := &session.Origin{SessionID: parent.SessionID(), Relation: session.Subagent, SpanID: session.ToolID(parent.SessionID(), "c9")}
	if diff := cmp.Diff(want, got.Parent); diff != "" {
		t.Error(diff)
	}
	if got.AgentType != "explore" || !got.Internal || got.PartialReason != "cut" || got.Counts.Prompts != 0 {
		t.Errorf("%+v", got)
	}
}

func TestSpansAreInOrderOfTheirBeginnings(t *testing.T) {
	late := says("m2", "second")
	late.Began = session.Time(start + 2*60_000)
	unknown := record(3, "", &session.Note{Name: "somewhen"})
	unknown.Body = []byte(strings.ReplaceAll(string(unknown.Body), `"at":`, `"not":`))
	s := only(t, told(1, typed("a")), unknown, told(5, says("m1", "first")), told(6, late))
	var names []string
	for _, one := range s.Traces[0].Spans {
		names = append(names, one.Span.Name+" "+one.Span.StartedAt.String())
	}
	want := []string{
		"fake 2026-05-28T20:27:40.000Z", "somewhen ",
		"claude-sonnet-4-5 2026-05-28T20:28:40.000Z", "claude-sonnet-4-5 2026-05-28T20:31:40.000Z",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestTextThatStoresRefuse(t *testing.T) {
	bad := "a\x00b\xff"
	in := Input{Ref: testRef, Importer: saying{what: []session.What{
		&session.Context{Cwd: bad, Model: bad},
		typed(bad),
		&session.Answer{Merge: bad, MessageID: bad, StopReason: bad, Error: bad, Content: []session.Part{{Type: session.Text, Text: bad}, {Type: session.ToolCall, ID: bad, Name: bad, Input: json.RawMessage("{\"a\":\"\xff\"}")}}},
		&session.Result{CallID: bad, Error: bad, Status: session.StatusError, Attributes: map[string]string{bad: bad}},
		&session.Title{Text: bad, Rank: 1},
	}}, Records: logged{told(1)}.records}
	p := derived(t, in)
	written, err := json.Marshal(p.Sessions)
	if err != nil {
		t.Fatal(err)
	}
	if found := strings.Contains(string(written), `\u0000`); found {
		t.Errorf("NUL in %s", written)
	}
	for _, one := range p.Sessions[0].Traces[0].Spans {
		for _, packed := range []session.Packed{one.Input, one.Output} {
			for _, part := range unpacked(t, packed) {
				if strings.Contains(part.Text+part.Name+part.ID, "\x00") {
					t.Errorf("%+v", part)
				}
			}
		}
	}
	if got := p.Sessions[0].Session.Title; got != "a\ufffdb\ufffd" {
		t.Errorf("title %q", got)
	}
}

// saying is an importer whose every record says the same.
type saying struct {
	transcript.Importer
	what []session.What
}

func (s saying) Interpreter([]byte) (transcript.Interpreter, error) { return sayingInterpreter(s), nil }
func (saying) Replay() transcript.Replay                            { return transcript.ReplayByOrigin }

type sayingInterpreter saying

func (s sayingInterpreter) Add(r session.Record, _ bool) []session.Event {
	var events []session.Event
	for n, w := range s.what {
		events = append(events, session.Event{Key: r.Key + string(rune('a'+n)), Record: r.Key, At: r.At, What: w})
	}
	return events
}
func (s sayingInterpreter) End() []session.Event  { return []session.Event{{}} }
func (s sayingInterpreter) State() ([]byte, bool) { return nil, true }

func TestAttributesAreBounded(t *testing.T) {
	many := map[string]string{}
	for n := range 80 {
		many["k"+strings.Repeat("x", n)] = strings.Repeat("v", 10_000)
	}
	s := only(t, told(1, typed("a")), told(2, &session.Call{CallID: "c", Name: "Run", Attributes: many}))
	got := spanNamed(t, s, "Run").Span.Attributes
	if len(got) != maxAttributes || len(got["k"]) > maxAttribute {
		t.Errorf("%d attributes of %d bytes", len(got), len(got["k"]))
	}
}

func TestDerivingEndsWithWhatStopsIt(t *testing.T) {
	broken := errors.New("broken")
	in := inputOf()
	in.Records = func(session.Place) iter.Seq2[session.Record, error] {
		return func(yield func(session.Record, error) bool) { yield(session.Record{}, broken) }
	}
	if _, err := Derive(context.Background(), in); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Derive(ctx, inputOf(told(1, typed("a")))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
