package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
	"tapedeck/internal/deck"
	"tapedeck/internal/session"
)

// ask calls a tool of a server with an archive and reads its answer, whose text
// must keep to maxBytes.
func ask[T any](t *testing.T, ops *fakeArchive, maxBytes int, tool, args string) *T {
	t.Helper()
	result := callTool(t, connect(t, &fake{}, Options{Archive: ops, MaxAnswerBytes: maxBytes}, nil), tool, args)
	said := blocks(t, result)
	if result.IsError {
		t.Fatalf("%s %s: %s", tool, args, said[0])
	}
	if len(said[0]) > maxBytes {
		t.Errorf("%s %s: %d bytes, want at most %d", tool, args, len(said[0]), maxBytes)
	}
	var found T
	if err := json.Unmarshal([]byte(said[0]), &found); err != nil {
		t.Fatal(err)
	}
	return &found
}

func TestSessionToolsRefuse(t *testing.T) {
	ops := &fakeArchive{}
	mcp := connect(t, &fake{}, Options{Archive: ops}, nil)
	for _, tc := range []struct{ tool, args, code, says, hint string }{
		{"list_sessions", `{"projct":"a"}`, "bad_argument", "there is no parameter", "list_sessions takes since"},
		{"list_sessions", `{"limit":201}`, "bad_argument", "limit is 201; it takes 1 to 200", ""},
		{"list_sessions", `{"sort":"size"}`, "bad_argument", "it takes last_active or", ""},
		{"get_session", `{}`, "bad_argument", "session_id is missing", "list_sessions"},
		{"get_session", `{"session_id":"7a0c52","content":"full"}`, "bad_argument", "content is of a trace's spans", "trace_id"},
		{"get_session", `{"session_id":"none"}`, "session_not_found", `there is no session "none"`, "list_sessions shows all"},
		{"get_session", `{"session_id":"none","trace_id":"` + oneTrace + `"}`, "session_not_found", "", ""},
		{"get_span", `{"trace_id":"t"}`, "bad_argument", "span_id is missing", ""},
		{"get_span", `{"trace_id":"t","span_id":"s","offset":7}`, "bad_argument", "offset is of one part's text", "give part"},
		{"get_span", `{"trace_id":"t","span_id":"s","part":"output.9"}`, "bad_argument", `no part "output.9"`, "it takes input.0, output.0, output.1"},
		{"get_span", `{"trace_id":"t","span_id":"s","part":"output.0","offset":7}`, "bad_argument", "offset 7 is behind the text's end at 0", ""},
	} {
		e := wantError(t, callTool(t, mcp, tc.tool, tc.args), tc.code)
		if !strings.Contains(e.Message, tc.says) || !strings.Contains(e.Hint, tc.hint) {
			t.Errorf("%s %s: %q (%q), want %q (%q)", tc.tool, tc.args, e.Message, e.Hint, tc.says, tc.hint)
		}
	}
}

func TestArchiveErrorsKeepTheirForm(t *testing.T) {
	ops := &fakeArchive{err: fmt.Errorf("listing: %w", &archive.Error{
		Code: archive.CodeSessionAmbiguous, Message: "two have it", Hint: "give more of it", Allowed: []string{"x", "y"}, Candidates: []string{"a", "b"},
	})}
	got := wantError(t, callTool(t, connect(t, &fake{}, Options{Archive: ops}, nil), "list_sessions", ""), archive.CodeSessionAmbiguous)
	want := &deck.Error{Code: archive.CodeSessionAmbiguous, Message: "two have it", Hint: "give more of it; it takes x, y", Candidates: []string{"a", "b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSessionToolsNeedAnArchive(t *testing.T) {
	without := Options{}.complete()
	if n := len(without.tools()); n != len(tools) {
		t.Errorf("%d tools without an archive, want %d", n, len(tools))
	}
	if said := instructions(without); strings.Contains(said, "list_sessions") {
		t.Errorf("tools that there are not are taught: %s", said)
	}
	with := Options{Archive: &fakeArchive{}}.complete()
	for _, name := range []string{"list_sessions", "get_session", "get_span"} {
		if said := instructions(with); !strings.Contains(said, name) {
			t.Errorf("%s is not taught: %s", name, said)
		}
	}
}

func TestCallsReachTheArchive(t *testing.T) {
	page := archive.PageRequest{Limit: 50}
	for _, tc := range []struct {
		tool, args string
		want       []any
	}{
		{"list_sessions", ``, []any{archive.ListRequest{PageRequest: page}}},
		{"list_sessions", `{"since":"7d","until":"2026-01-01","project":"p","harness":"h","model":"m","status":"error","title":"t","subagents":true,"internal":"true","sort":"cost","ascending":true,"limit":3,"cursor":"c1"}`,
			[]any{archive.ListRequest{Since: "7d", Until: "2026-01-01", Project: "p", Harness: "h", Model: "m", Status: "error", Title: "t",
				Subagents: true, Internal: true, Sort: "cost", Ascending: true, PageRequest: archive.PageRequest{Limit: 3, Cursor: "c1"}}}},
		{"get_session", `{"session_id":"7a0c52"}`, []any{"7a0c52", page}},
		{"get_session", `{"trace_id":"t","content":"none","cursor":"c0"}`,
			[]any{archive.TraceRequest{TraceID: "t", Content: "none", MaxBytes: mostContent, PageRequest: archive.PageRequest{Limit: 20, Cursor: "c0"}}}},
		{"get_session", `{"session_id":"7a0c52","trace_id":"t"}`,
			[]any{archive.TraceRequest{TraceID: "t", Content: "full", MaxBytes: mostContent, PageRequest: archive.PageRequest{Limit: 20}}, "7a0c52"}},
		{"get_span", `{"trace_id":"t","span_id":"s"}`, []any{archive.SpanRequest{TraceID: "t", SpanID: "s", MaxBytes: wholeSpan}}},
	} {
		ops := &fakeArchive{}
		ask[map[string]any](t, ops, 80_000, tc.tool, tc.args)
		if diff := cmp.Diff(tc.want, ops.asked); diff != "" {
			t.Errorf("%s %s (-want +asked):\n%s", tc.tool, tc.args, diff)
		}
	}
}

func TestATraceOfAnotherSessionIsRefused(t *testing.T) {
	other := &archive.SessionDetail{SessionItem: archive.SessionItem{Session: session.Session{ID: "other"}}}
	ops := &otherSession{fakeArchive{}, other}
	result := callTool(t, connect(t, &fake{}, Options{Archive: ops}, nil), "get_session", `{"session_id":"othe","trace_id":"`+oneTrace+`"}`)
	if e := wantError(t, result, archive.CodeTraceNotFound); !strings.Contains(e.Hint, oneSession) {
		t.Errorf("hint %q does not name the right session", e.Hint)
	}
}

// otherSession knows one more session.
type otherSession struct {
	fakeArchive
	other *archive.SessionDetail
}

func (o *otherSession) Session(context.Context, string) (*archive.SessionDetail, error) {
	return o.other, nil
}

// Long lists are cut to what an answer holds, and every page can be had.
func TestListsFitAndGoOn(t *testing.T) {
	ops := &fakeArchive{sessions: 500}
	seen, cursor := 0, ""
	for page := 0; page == 0 || cursor != ""; page++ {
		list := ask[sessionList](t, ops, 20_000, "list_sessions", fmt.Sprintf(`{"limit":200,"cursor":%q}`, cursor))
		if len(list.Sessions) < 20 && list.NextCursor != "" || list.Total != 500 {
			t.Fatalf("%d of %d sessions", len(list.Sessions), list.Total)
		}
		if list.NextCursor != "" && !strings.Contains(list.Note, "cursor="+list.NextCursor) {
			t.Errorf("note %q does not say how to go on", list.Note)
		}
		seen, cursor = seen+len(list.Sessions), list.NextCursor
	}
	if seen != 500 {
		t.Errorf("%d sessions on all pages, want 500", seen)
	}
}

func TestSkeleton(t *testing.T) {
	view := ask[sessionView](t, &fakeArchive{traces: 400, prompt: strings.Repeat("ab\n", 1000)}, 30_000, "get_session", `{"session_id":"7a0c52","limit":200}`)
	if view.Session.Title != "Fix <b> the upload" || view.Session.Tokens != 15 || !view.Session.LowerBound || view.Session.SubagentTokens != 3 {
		t.Errorf("session %+v", view.Session)
	}
	if child := view.Session.Children[0]; child.Relation != session.Subagent || child.SpanID != oneSpan {
		t.Errorf("child %+v", child)
	}
	if len(view.Traces) < 30 || view.Total != 400 || view.NextCursor == "" || len(view.Traces[0].Prompt) > mostSkeletonText+3 {
		t.Errorf("%d of %d traces, next %q, prompt of %d bytes", len(view.Traces), view.Total, view.NextCursor, len(view.Traces[0].Prompt))
	}
	for _, says := range []string{"go on with cursor=", "end at 300 bytes", "children shows 1 of 30"} {
		if !strings.Contains(view.Note, says) {
			t.Errorf("note %q does not say %q", view.Note, says)
		}
	}
}

// A trace shows the beginning of each text, evenly, before any is shown whole.
func TestTraceSharesItsRoom(t *testing.T) {
	long := strings.Repeat("\"\x01é", 40_000)
	for content, most := range map[string]int{"preview": session.MaxPreview, "full": 80_000} {
		view := ask[sessionView](t, &fakeArchive{spans: 200, output: long}, 80_000, "get_session",
			`{"trace_id":"`+oneTrace+`","limit":200,"content":"`+content+`"}`)
		shown := view.Spans[0].Output[0]
		if len(view.Spans) < 20 || view.NextCursor == "" || len(shown.Text) < leastText/2 || len(shown.Text) > most {
			t.Errorf("%s: %d spans with %d bytes of text each, next %q", content, len(view.Spans), len(shown.Text), view.NextCursor)
		}
		if shown.TextBytes != len(long) || shown.NextOffset != len(shown.Text) || !strings.HasPrefix(long, shown.Text) {
			t.Errorf("%s: %d bytes said, next offset %d of %d", content, shown.TextBytes, shown.NextOffset, len(shown.Text))
		}
		if !strings.Contains(view.Note, "get_span") {
			t.Errorf("note %q does not say how to read on", view.Note)
		}
	}
	view := ask[sessionView](t, &fakeArchive{output: long}, 80_000, "get_session", `{"trace_id":"`+oneTrace+`","content":"none"}`)
	if s := view.Spans[0]; s.Input != nil || s.Output != nil {
		t.Errorf("content none shows %+v", s)
	}
}

// What tools were told and gave stands once, in their own spans.
func TestTraceSaysNothingTwice(t *testing.T) {
	line := lineOfSpan(session.Span{
		Kind:   session.KindLLM,
		Input:  []session.Part{{Type: session.ToolResult, Text: "gave"}, {Type: session.Text, Text: "asked"}},
		Output: []session.Part{{Type: session.ToolCall, ID: "c1", Name: "Bash", Input: []byte(`{"told":1}`)}},
	}, mostParts)
	line.leaveToTools()
	fitTexts(partsOf([]spanLine{line}), 1000, 1000)
	text, err := compact(line)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"span_id":"","seq":0,"kind":"llm","status":"","input":[{"part":"input.0","type":"tool_result"},{"part":"input.1","type":"text","text":"asked"}],` +
		`"output":[{"part":"output.0","type":"tool_call","id":"c1","name":"Bash"}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An agent reads a text of any length by following next_offset.
func TestSpanIsReadToItsEnd(t *testing.T) {
	text := strings.Repeat("12\x00\"日本", 9_000)
	for name, whole := range map[string]string{"output.0": text, "input.0": `{"content":"` + strings.Repeat("é<&>", 20_000) + `"}`} {
		ops := &fakeArchive{output: text, input: `{"content":"` + strings.Repeat("é<&>", 20_000) + `"}`}
		view := ask[spanView](t, ops, 10_000, "get_span", `{"trace_id":"t","span_id":"s"}`)
		if !strings.Contains(view.Note, "go on with part=") {
			t.Fatalf("note %q", view.Note)
		}
		var read strings.Builder
		for pages, offset := 0, 0; pages == 0 || offset > 0; pages++ {
			view := ask[spanView](t, ops, 10_000, "get_span", fmt.Sprintf(`{"trace_id":"t","span_id":"s","part":%q,"offset":%d}`, name, offset))
			parts := partsOf([]spanLine{view.Span})
			if len(parts) != 1 || parts[0].TextBytes != len(whole) || pages > 100 {
				t.Fatalf("page %d: %+v", pages, parts)
			}
			read.WriteString(parts[0].Text)
			offset = parts[0].NextOffset
		}
		if read.String() != whole {
			t.Errorf("%s: read %d bytes, want %d, the same", name, read.Len(), len(whole))
		}
	}
}

func TestShortSpanIsWhole(t *testing.T) {
	view := ask[spanView](t, &fakeArchive{output: "fine"}, 80_000, "get_span", `{"trace_id":"t","span_id":"s"}`)
	text, err := compact(view)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"span":{"span_id":"` + oneSpan + `","trace_id":"` + oneTrace + `","session_id":"` + oneSession + `","seq":0,"kind":"tool","name":"Bash","status":"ok",` +
		`"input":[{"part":"input.0","type":"tool_call","id":"call-1","name":"Bash","input":{"command":"ls"}}],` +
		`"output":[{"part":"output.0","type":"tool_result","text":"fine"},{"part":"output.1","type":"blob","media_type":"image/png","bytes":9,"sha256":"ab"}]},` +
		`"links":[{"kind":"spawns","from_session_id":"","from_trace_id":"","from_span_id":"` + oneSpan + `","to_session_id":"child","to_trace_id":"","to_span_id":""}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	view = ask[spanView](t, &fakeArchive{output: "fine"}, 80_000, "get_span", `{"trace_id":"t","span_id":"s","part":"output.0","offset":2}`)
	if p := view.Span.Output[0]; p.Text != "ne" || p.TextBytes != 4 || p.Offset != 2 || p.NextOffset != 0 {
		t.Errorf("%+v", p)
	}
}

func TestMaxBytesBoundsTheText(t *testing.T) {
	view := ask[spanView](t, &fakeArchive{output: strings.Repeat("a", 5000)}, 80_000, "get_span", `{"trace_id":"t","span_id":"s","part":"output.0","max_bytes":100}`)
	if n := len(view.Span.Output[0].Text); n == 0 || n > 100 {
		t.Errorf("%d bytes of text, want 1 to 100", n)
	}
}

// textCost decides what fits, so it must never be less than what is written.
func FuzzTextCost(f *testing.F) {
	f.Add("plain é 漢")
	f.Add("\x00\"\\\n\t\b\f\u2028\xff\x7f<&>")
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := textCost(text), size(text)-len(`""`); got < want {
			t.Errorf("%q costs %d, %d said", text, want, got)
		}
	})
}
