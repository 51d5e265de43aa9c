package codex

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/transcripttest"
)

// TestScript checks what is told, in the order in which it is.
func TestScript(t *testing.T) {
	const image = `{"type":"input_image","image_url":"data:image/png;base64,AAAA"}`
	for name, tc := range map[string]struct {
		lines []string
		want  []string
	}{
		"an item after its event is an echo, whose images count": {
			[]string{userEvent("look"), item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},` + image + `]}`), message("assistant", "a cat")},
			[]string{"typed: look | [image/png 3]", "answer: a cat"},
		},
		"an item before its event is an echo": {
			[]string{message("user", "hi"), rollout(turnContext, `{"model":"m"}`), userEvent("hi"), message("assistant", "yes")},
			[]string{"typed: hi", "answer: yes"},
		},
		"the same prompt twice is two prompts": {
			[]string{userEvent("go"), message("user", "go"), message("assistant", "1"), userEvent("go"), message("user", "go"), message("assistant", "2")},
			[]string{"typed: go", "answer: 1", "typed: go", "answer: 2"},
		},
		"a prompt without an answer": {
			[]string{userEvent("hello?")},
			[]string{"typed: hello?"},
		},
		"without events items are prompts": {
			[]string{message("user", "one"), message("assistant", "1"), message("user", "two")},
			[]string{"typed: one", "answer: 1", "typed: two"},
		},
		"with events an item alone is the harness' own": {
			[]string{userEvent("one"), message("user", "one"), message("user", "Warning: too long"), message("assistant", "1")},
			[]string{"typed: one", "injected: Warning: too long", "answer: 1"},
		},
		"wrappers are recognised at the edges": {
			[]string{
				message("user", `<environment_context>\n<cwd>/w</cwd></environment_context>`),
				message("user", `# AGENTS.md instructions for /w\n<INSTRUCTIONS>be nice</INSTRUCTIONS>`),
				message("developer", "be brief"),
				message("user", `<environment_context> is what you put first, </environment_context> ends it: why?`),
				message("user", `why </skill> and <skill>?`),
			},
			[]string{
				"injected: <environment_context>\n<cwd>/w</cwd></environment_context>",
				"injected: # AGENTS.md instructions for /w\n<INSTRUCTIONS>be nice</INSTRUCTIONS>",
				"injected: be brief",
				"typed: <environment_context> is what you put first, </environment_context> ends it: why?",
				"typed: why </skill> and <skill>?",
			},
		},
		"what an editor puts before a request": {
			[]string{userEvent(`# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nfix it\n`), message("assistant", "done")},
			[]string{"injected: # Context from my IDE setup:\n\n## Open tabs:\n- a.go", "typed: fix it", "answer: done"},
		},
		"a person's own shell command": {
			[]string{message("user", `<user_shell_command>\n<command>\nls -l\n</command>\n<result>a</result>\n</user_shell_command>`)},
			[]string{"command: !ls -l"},
		},
		"a prompt while the model works": {
			[]string{event(`{"type":"task_started"}`), userEvent("go"), message("assistant", "on it"), userEvent("faster"), message("assistant", "yes"),
				event(`{"type":"task_complete"}`), event(`{"type":"task_started"}`), userEvent("thanks")},
			[]string{"typed: go", "answer: on it", "queued: faster", "answer: yes", "typed: thanks"},
		},
		"a review": {
			[]string{event(`{"type":"entered_review_mode","user_facing_hint":"current changes"}`), message("assistant", "fine"),
				event(`{"type":"exited_review_mode","review_output":{"overall_explanation":"all good"}}`)},
			[]string{"command: /review current changes", "answer: fine", "note exited_review_mode: all good"},
		},
		"an answer told by an event alone": {
			[]string{userEvent("hi"), event(`{"type":"agent_message","message":"hello"}`), event(`{"type":"task_complete"}`)},
			[]string{"typed: hi", "answer: hello"},
		},
		"an answer told by an event and an item": {
			[]string{userEvent("hi"), event(`{"type":"agent_message","message":"hello"}`), message("assistant", "hello"), event(`{"type":"agent_message","message":"hello"}`)},
			[]string{"typed: hi", "answer: hello"},
		},
		"an answer told by an item, then an event, to a prompt that no event tells": {
			[]string{message("user", "hi"), event(`{"type":"agent_message","message":"aside"}`), message("user", "go"), message("assistant", "hello"), event(`{"type":"agent_message","message":"hello"}`)},
			[]string{"typed: hi", "answer: aside", "typed: go", "answer: hello"},
		},
		"reasoning": {
			[]string{
				item(`{"type":"reasoning","summary":[{"type":"summary_text","text":"plan"}],"content":null,"encrypted_content":"AAAA"}`),
				event(`{"type":"agent_reasoning_raw_content","text":"plan in full"}`),
				event(`{"type":"agent_reasoning","text":"plan"}`),
				item(`{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"more"}]}`),
			},
			[]string{"answer: (plan)", "answer: (more)"},
		},
		"reasoning of which only an event can be read": {
			[]string{item(`{"type":"reasoning","summary":[],"encrypted_content":"AAAA"}`), event(`{"type":"agent_reasoning_raw_content","text":"raw"}`)},
			[]string{"answer: ()", "answer: (raw)"},
		},
		"compactions told in two ways": {
			[]string{
				event(`{"type":"context_compacted"}`), rollout(compacted, `{"message":""}`),
				rollout(compacted, `{"message":"what was"}`), event(`{"type":"context_compacted"}`),
			},
			[]string{"note compaction:", "note compaction: what was", "summary: what was"},
		},
		"failures": {
			[]string{
				event(`{"type":"error","message":"no network"}`),
				event(`{"type":"error","error":{"message":"rate limit"}}`),
				event(`{"type":"turn_aborted","reason":"interrupted"}`),
				event(`{"type":"task_complete","error":{"message":"gave up"}}`),
			},
			[]string{"note error: no network", "note error: rate limit", "note interrupted: interrupted", "note error: gave up"},
		},
		"events that nobody knows": {
			[]string{event(`{"type":"brand_new","message":"hello"}`), item(`{"type":"brand_new"}`), rollout("brand_new", `[]`)},
			[]string{"note brand_new: hello", "note brand_new:"},
		},
		"items of newer versions": {
			[]string{
				event(`{"type":"item_completed","item":{"type":"UserMessage","id":"1","content":[{"type":"text","text":"go"}]}}`),
				message("user", "go"),
				event(`{"type":"item_completed","item":{"type":"CommandExecution","id":"x","command":["ls"],"status":"completed","aggregated_output":"a","exit_code":0,"duration":{"secs":1,"nanos":500000000}}}`),
				event(`{"type":"item_completed","item":{"type":"McpToolCall","id":"y","server":"s","tool":"t","arguments":{"a":1},"status":"failed","result":{"content":[{"type":"text","text":"no"}],"isError":true}}}`),
				event(`{"type":"item_completed","item":{"type":"AgentMessage","id":"2","content":[{"type":"Text","text":"done"}]}}`),
			},
			[]string{
				"typed: go",
				`call x: exec_command {"command":["ls"]}`, "result x ok: a",
				`call y: mcp__s__t {"a":1}`, "result y error: no no",
				"answer: done",
			},
		},
		"bare lines of mid-2025": {
			[]string{
				`{"record_type":"state"}`,
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`,
				`{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}`,
				`{"type":"function_call_output","call_id":"c","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":2}}"}`,
			},
			[]string{"typed: hi", "answer: c=shell {}", "result c error: x x"},
		},
		"messages by themselves": {
			[]string{
				`{"timestamp":"2025-09-10T12:00:00Z","role":"user","content":"which branch?","model":"m"}`,
				`{"timestamp":"2025-09-10T12:00:01Z","type":"tool_call","function":{"name":"git"},"arguments":"status"}`,
				`{"timestamp":"2025-09-10T12:00:01Z","type":"tool_result","name":"git","result":"main"}`,
				`{"created_at":"2025-09-10T12:00:02Z","role":"assistant","message":"main"}`,
			},
			[]string{"typed: which branch?", `answer: KEY1=git "status"`, "result KEY1 ok: main", "answer: main"},
		},
		"wrong types": {
			[]string{
				rollout(sessionMeta, `"x"`), rollout(turnContext, `[1]`), rollout(responseItem, `null`), event(`{"type":7}`),
				item(`{"type":"message","role":"user","content":7}`), item(`{"type":"message","role":{},"content":"x"}`),
				call("", "f", `null`), output("z", `7`), userEvent(""), event(`{"type":"token_count","info":"x"}`),
				item(`{"type":"reasoning","summary":"plain","encrypted_content":{}}`), `[]`,
			},
			[]string{"injected: x", "answer: KEY1=f", "result z ok:", "typed:", "answer: (plain)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := withoutKeys(script(told(t, tc.lines...)))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// TestResults checks every form in which the outcome of a tool is written.
func TestResults(t *testing.T) {
	for name, tc := range map[string]struct {
		output string
		want   session.Result
	}{
		"text": {`"plain"`, session.Result{Status: session.StatusOK}},
		"JSON in a string": {
			`"{\"output\":\"no such file\\n\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.5}}"`,
			session.Result{Status: session.StatusError, Error: "no such file", Duration: time.Second / 2, Attributes: map[string]string{"exit_code": "1"}},
		},
		"JSON of the tool's own":   {`"{\"output\":1}"`, session.Result{Status: session.StatusOK}},
		"an object":                {`{"content":"bad","success":false}`, session.Result{Status: session.StatusError, Error: "bad"}},
		"a successful object":      {`{"content":[{"type":"input_text","text":"good"}],"success":true}`, session.Result{Status: session.StatusOK}},
		"a part":                   {`{"type":"input_text","text":"a"}`, session.Result{Status: session.StatusOK}},
		"parts":                    {`[{"type":"input_text","text":"a"},{"type":"input_image","image_url":null}]`, session.Result{Status: session.StatusOK}},
		"streams":                  {`{"stdout":"","stderr":"oops","exitCode":3}`, session.Result{Status: session.StatusError, Error: "oops", Attributes: map[string]string{"exit_code": "3"}}},
		"a header":                 {`"Exit code: 2\nWall time: 1.5 seconds\nOutput:\nusage: x\n"`, session.Result{Status: session.StatusError, Error: "usage: x", Duration: 1500 * time.Millisecond, Attributes: map[string]string{"exit_code": "2"}}},
		"another header":           {`"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nfine"`, session.Result{Status: session.StatusOK, Duration: 100 * time.Millisecond, Attributes: map[string]string{"exit_code": "0"}}},
		"a header in the output":   {`"see\n\nExit code: 2\nExit code: 3"`, session.Result{Status: session.StatusOK}},
		"silence":                  {`"Exit code: 7\nWall time: 0 seconds\nOutput:\n"`, session.Result{Status: session.StatusError, Error: "exit code 7", Attributes: map[string]string{"exit_code": "7"}}},
		"stopped by a person":      {`"aborted by user after 3.2s"`, session.Result{Status: session.StatusInterrupted, Error: "aborted by user after 3.2s"}},
		"a duration beyond bounds": {`{"output":"x","metadata":{"exit_code":0,"duration_seconds":1e300}}`, session.Result{Status: session.StatusOK, Attributes: map[string]string{"exit_code": "0"}}},
		"nothing":                  {`null`, session.Result{Status: session.StatusOK}},
	} {
		t.Run(name, func(t *testing.T) {
			results := transcripttest.Of[*session.Result](told(t, call("c", "shell", `"{}"`), output("c", tc.output)))
			if len(results) != 1 {
				t.Fatalf("%d results, want 1", len(results))
			}
			tc.want.CallID = "c"
			tc.want.Content = results[0].Content
			if diff := cmp.Diff(&tc.want, results[0]); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTools checks how calls of all kinds, their ends and their outputs come
// together.
func TestTools(t *testing.T) {
	for name, tc := range map[string]struct {
		lines []string
		want  []string
	}{
		"a call right after a prompt that no event tells": {
			[]string{message("user", "hi"), item(`{"type":"tool_call","function":{"name":"git"},"arguments":{}}`), item(`{"type":"tool_result","name":"git","result":"x"}`)},
			[]string{"typed: hi", "answer: KEY1=git {}", "result KEY1 ok: x"},
		},
		"a custom tool": {
			[]string{item(`{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch"}`),
				item(`{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"Done"}]}`)},
			[]string{`answer: c=apply_patch "*** Begin Patch"`, "result c ok: Done"},
		},
		"a local shell": {
			[]string{item(`{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"]}}`), output("c", `"a"`)},
			[]string{`answer: c=local_shell {"type":"exec","command":["ls"]}`, "result c ok: a"},
		},
		"a search for tools": {
			[]string{item(`{"type":"tool_search_call","call_id":"c","arguments":{"query":"q"}}`), item(`{"type":"tool_search_output","call_id":"c","status":"completed","tools":[{"name":"t"}]}`)},
			[]string{`answer: c=tool_search {"query":"q"}`, `result c ok: {"name":"t"}`},
		},
		"a web search without an event": {
			[]string{item(`{"type":"web_search_call","id":"ws","status":"completed","action":{"type":"search","query":"q"}}`), event(`{"type":"task_complete"}`)},
			[]string{`answer: ws=web_search {"type":"search","query":"q"}`, "result ws ok:"},
		},
		"a web search with an event": {
			[]string{item(`{"type":"web_search_call","id":"ws","status":"completed","action":{"query":"q"}}`),
				event(`{"type":"web_search_end","call_id":"ws","query":"q","results":[{"url":"u"}]}`), event(`{"type":"task_complete"}`)},
			[]string{`answer: ws=web_search {"query":"q"}`, `result ws ok: [{"url":"u"}]`},
		},
		"an image": {
			[]string{item(`{"type":"image_generation_call","id":"ig","status":"completed","revised_prompt":"a \"cat\"","result":"AAAA"}`),
				event(`{"type":"task_complete"}`), event(`{"type":"image_generation_end","call_id":"other","status":"completed","result":"AAAA"}`)},
			[]string{`answer: ig=image_generation {"revised_prompt":"a \"cat\""}`, "result ig ok: [image/png 3]", "call other: image_generation", "result other ok: [image/png 3]"},
		},
		"the end before the output": {
			[]string{call("c", "exec_command", `"{}"`), event(`{"type":"exec_command_end","call_id":"c","exit_code":4,"duration":{"secs":2,"nanos":0},"aggregated_output":"bad","status":"failed"}`), output("c", `"bad"`)},
			[]string{"answer: c=exec_command {}", "result c error: bad bad"},
		},
		"the end after the output": {
			[]string{call("c", "exec_command", `"{}"`), output("c", `"running"`), event(`{"type":"exec_command_end","call_id":"c","exit_code":4,"aggregated_output":"bad"}`)},
			[]string{"answer: c=exec_command {}", "result c ok: running", "result c error:  bad"},
		},
		"the end without an output": {
			[]string{call("c", "mcp__s__t", `"{}"`), event(`{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"s","tool":"t"},"result":{"Err":"unreachable"}}`), event(`{"type":"turn_aborted"}`)},
			[]string{"answer: c=mcp__s__t {}", "result c error: unreachable unreachable", "note interrupted:"},
		},
		"ends of calls from code": {
			[]string{
				event(`{"type":"mcp_tool_call_end","call_id":"m","invocation":{"server":"s","tool":"t","arguments":{"a":1}},"duration":{"secs":0,"nanos":4000000},"result":{"Ok":{"content":[{"type":"text","text":"ok"},{"type":"image","data":"AAAA","mimeType":"image/gif"}]}}}`),
				event(`{"type":"patch_apply_end","call_id":"p","success":false,"stderr":"conflict","changes":{"/w/a":{},"/w/b":{}}}`),
				event(`{"type":"dynamic_tool_call_response","call_id":"d","tool":"look","arguments":{"x":1},"content_items":[{"type":"inputText","text":"no"}],"success":false}`),
			},
			[]string{
				`call m: mcp__s__t {"a":1}`, "result m ok: ok | [image/gif 3]",
				`call p: apply_patch {"changes":{"/w/a":{},"/w/b":{}}}`, "result p error: conflict conflict",
				`call d: look {"x":1}`, "result d error: no no",
			},
		},
		"arguments that are no JSON": {
			[]string{call("c", "f", `"{broken"`), call("d", "f", `{"patch":"x"}`), call("e", "f", `""`)},
			[]string{`answer: c=f "{broken"`, `answer: d=f {"patch":"x"}`, "answer: e=f"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := withoutKeys(script(told(t, tc.lines...)))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSpawn checks that a sub-agent is told once, however many records tell it.
func TestSpawn(t *testing.T) {
	spawn := call("c", "spawn_agent", `"{\"agent_type\":\"explorer\",\"message\":\"Look around.\\nThen tell.\"}"`)
	want := []*session.Spawn{{CallID: "c", Child: session.Ref{Harness: harness, Key: "kid"}, AgentType: "explorer", Description: "Look around."}}
	for name, lines := range map[string][]string{
		"output":    {spawn, output("c", `"{\"agent_id\":\"kid\"}"`)},
		"event":     {spawn, event(`{"type":"collab_agent_spawn_end","call_id":"c","new_thread_id":"kid"}`)},
		"both":      {spawn, output("c", `"{\"agent_id\":\"kid\"}"`), event(`{"type":"collab_agent_spawn_end","call_id":"c","new_thread_id":"kid"}`)},
		"activity":  {spawn, event(`{"type":"sub_agent_activity","event_id":"c","agent_thread_id":"kid","kind":"started"}`)},
		"no agents": {call("w", "wait_agent", `"{}"`), spawn, output("w", `"{\"agent_id\":\"other\"}"`), output("c", `"{\"agent_id\":\"kid\"}"`)},
	} {
		if diff := cmp.Diff(want, transcripttest.Of[*session.Spawn](told(t, lines...))); diff != "" {
			t.Errorf("%s: spawns (-want +got):\n%s", name, diff)
		}
	}
}

func TestFactsAndContext(t *testing.T) {
	got := events(t, read(t, write(t, "r.jsonl",
		meta("kid", `,"cli_version":"0.146","model_provider":"openai","git":{"branch":"main"},"source":{"subagent":{"thread_spawn":{"parent_thread_id":"mum","agent_nickname":"Euler","agent_role":"explorer"}}}`),
		rollout(turnContext, `{"cwd":"/x","model":"gpt"}`),
		event(`{"type":"thread_name_updated","thread_name":" Fix it "}`),
		userEvent("do"),
	)).records, nil)
	started, _ := session.ParseTime("2026-01-02T03:04:05Z")
	want := []session.What{
		&session.Facts{Name: "Euler", AgentType: "explorer", StartedAt: started},
		&session.Context{Provider: "openai", Cwd: "/w", GitBranch: "main", HarnessVersion: "0.146"},
		&session.Context{Model: "gpt", Cwd: "/x"},
		&session.Title{Text: "Fix it", Rank: session.TitleModel},
		&session.Prompt{Origin: session.Delegated, Content: textParts("do")},
	}
	var whats []session.What
	for _, e := range got {
		whats = append(whats, e.What)
	}
	if diff := cmp.Diff(want, whats); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestInternal(t *testing.T) {
	for more, want := range map[string]bool{
		``:                                false,
		`,"source":"cli"`:                 false,
		`,"source":{"subagent":"review"}`: false,
		`,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}`:  false,
		`,"source":{"subagent":{"other":"guardian"}}`:                       true,
		`,"source":{"subagent":"memory_consolidation"}`:                     true,
		`,"thread_source":"guardian"`:                                       true,
		`,"thread_source":"subagent","source":{"subagent":{"other":"any"}}`: true,
	} {
		facts := transcripttest.Of[*session.Facts](events(t, read(t, write(t, "r.jsonl", meta("own", more))).records, nil))
		if len(facts) != 1 || facts[0].Internal != want {
			t.Errorf("%s: internal %v, want %v", more, facts[0].Internal, want)
		}
	}
}
