package claudecode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
)

const taskCall = `"id":"m","content":[{"type":"tool_use","id":"c1","name":"Task","input":{"subagent_type":"Explore","description":"look","prompt":"look for x"}}]`

func spawnsOf(events []session.Event) []*session.Spawn {
	var spawns []*session.Spawn
	for _, e := range events {
		if s, ok := e.What.(*session.Spawn); ok {
			spawns = append(spawns, s)
		}
	}
	return spawns
}

func TestSpawn(t *testing.T) {
	child := session.Ref{Harness: harness, Key: testSession + "/agent-a1"}
	call := answerLine("a1", "u1", "r1", taskCall)
	full := []*session.Spawn{{CallID: "c1", Child: child, AgentType: "Explore", Description: "look"}}
	result := func(text, told string) string {
		return userBlocks(`{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"`+text+`"}]}`, `"toolUseResult":`+told)
	}
	progress := lineOf("p1", "a1", "progress", `"parentToolUseID":"c1"`, `"data":{"type":"agent_progress","agentId":"a1","message":{"uuid":"s1","type":"user","message":{"content":"look for x"}}}`)
	for _, test := range []struct {
		name  string
		lines []string
		want  []*session.Spawn
	}{
		{"told beside the result", []string{call, result("found", `{"agentId":"a1","status":"completed"}`)}, full},
		{"in the result's text", []string{call, result("found\\nagentId: a1 (for resuming)", `"x"`)}, full},
		{"in the text of another tool's result", []string{result("agentId: a1", `{"stdout":"agentId: a1"}`)}, nil},
		{"by progress, once in a turn", []string{call, progress, progress, result("found", `{"agentId":"a1"}`)}, full},
		{"by a notification", []string{call, lineOf("n1", "", "user", `"message":{"content":"<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>c1</tool-use-id>\n</task-notification>"}`)}, full},
		{"by the queue", []string{call, lineOf("n1", "", "queue-operation", `"operation":"enqueue"`, `"content":"<task-notification><task-id>a1</task-id><tool-use-id>c1</tool-use-id></task-notification>"`)}, full},
		{"a notification of another task", []string{lineOf("n1", "", "user", `"message":{"content":"<task-notification><task-id>b1</task-id><tool-use-id>c9</tool-use-id></task-notification>"}`)}, nil},
		{"none", []string{call, result("failed", `"Error: x"`)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, spawnsOf(eventsOf(t, test.lines...))); diff != "" {
				t.Errorf("spawns (-want +got):\n%s", diff)
			}
		})
	}
}

// The first versions wrote sub-agents' lines among those of their parent.
func TestThreads(t *testing.T) {
	side := func(line string) string { return strings.Replace(line, `"isSidechain":false`, `"isSidechain":true`, 1) }
	events := eventsOf(t,
		answerLine("a1", "u1", "r1", taskCall),
		side(lineOf("s1", "", "user", `"message":{"content":"look for x"}`)),
		side(answerLine("s2", "s1", "r2", `"id":"m2","content":"found"`)),
		side(lineOf("t1", "", "user", `"message":{"content":"something else"}`)),
		side(answerLine("s3", "s2", "r3", `"id":"m3","content":"more"`)),
		answerLine("a2", "a1", "r4", `"id":"m4","content":"done"`),
	)
	want := []*session.Spawn{{CallID: "c1", Thread: "s1", AgentType: "Explore", Description: "look"}}
	if diff := cmp.Diff(want, spawnsOf(events)); diff != "" {
		t.Errorf("spawns (-want +got):\n%s", diff)
	}
	var got []string
	for _, e := range events {
		switch what := e.What.(type) {
		case *session.Prompt:
			got = append(got, e.Thread+" "+string(what.Origin))
		case *session.Answer:
			got = append(got, e.Thread+" "+what.MessageID)
		}
	}
	if diff := cmp.Diff([]string{" m", "s1 delegated", "s1 m2", "t1 delegated", "s1 m3", " m4"}, got); diff != "" {
		t.Errorf("threads (-want +got):\n%s", diff)
	}
}

// A stream with threads in it can only be interpreted from its first record.
func TestStateWithThreads(t *testing.T) {
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := in.State(); !ok {
		t.Error("no state at the beginning")
	}
	line := strings.Replace(userText("look for x"), `"isSidechain":false`, `"isSidechain":true`, 1)
	e := readEnvelope([]byte(line))
	in.Add(e.record([]byte(line), 0), false)
	if _, ok := in.State(); ok {
		t.Error("a state behind a thread's line")
	}
}

func TestStateOfAnotherProgram(t *testing.T) {
	if _, err := New().Interpreter([]byte("no json")); err == nil {
		t.Error("a broken state was taken")
	}
}

// A sub-agent's stream, from its own file, from its parent's progress, and with
// what the file beside it says.
func TestSubagentStream(t *testing.T) {
	in, err := New().Interpreter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var events []session.Event
	for _, r := range []session.Record{
		{Key: metaKey, Body: []byte(`{"agentType":"Explore","description":"look","toolUseId":"c1"}`)},
		{Key: "s1", Order: 1, Body: []byte(strings.TrimSpace(userText("look for x", `"agentId":"a1"`)))},
		{Key: "s2", Order: 2, Body: []byte(strings.TrimSpace(lineOf("p1", "", "progress", `"parentToolUseID":"c1"`,
			`"data":{"type":"agent_progress","agentId":"a1","message":{"uuid":"s2","type":"assistant","requestId":"r1","message":{"id":"m1","model":"claude-x","content":[{"type":"text","text":"found"}],"usage":{"output_tokens":20}}}}`)))},
	} {
		events = append(events, in.Add(r, false)...)
	}
	var got []session.What
	for _, e := range events {
		if _, ok := e.What.(*session.Context); !ok {
			got = append(got, e.What)
		}
	}
	want := []session.What{
		&session.Facts{AgentType: "Explore", ParentCallID: "c1"},
		&session.Title{Text: "look", Rank: session.TitleSummary},
		&session.Prompt{Origin: session.Delegated, Content: []session.Part{{Type: session.Text, Text: "look for x"}}},
		&session.Answer{Merge: "m1:r1", MessageID: "m1", RequestID: "r1", Model: "claude-x", Provider: "anthropic",
			Content: []session.Part{{Type: session.Text, Text: "found"}}, Usage: &session.Usage{OutputTokens: 20}},
		&session.Facts{ParentCallID: "c1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestWarmupIsInternal(t *testing.T) {
	events := eventsOf(t, userText("Warmup", `"agentId":"a1"`))
	internal := false
	for _, e := range events {
		if f, ok := e.What.(*session.Facts); ok {
			internal = internal || f.Internal
		}
	}
	if !internal {
		t.Errorf("events: %+v", events)
	}
}
