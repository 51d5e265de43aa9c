package codex

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// event interprets an event: what the harness told its user.
func (in *interpreter) event(l line) {
	p := l.payload
	switch kind := text(p.Get("type")); kind {
	case "user_message":
		in.promptEvent(text(p.Get("message")), imagesOf(p))
	case "agent_message":
		in.said(text(p.Get("message")))
	case "agent_reasoning_raw_content":
		in.thought(text(p.Get("text")))
	case "token_count", "turn.completed":
		in.used(in.Usage.add(reportOf(p)), text(p.Get("info.model")))
	case "task_started", "turn_started":
		in.Task = taskStarted
	case "task_complete", "turn_complete":
		in.taskEnd(p)
	case "turn_aborted":
		in.aborted(p)
	case "error":
		in.failed(p)
	case "context_compacted":
		in.compacted(compactedEvent, "")
	case "thread_name_updated":
		if name := strings.TrimSpace(text(p.Get("thread_name"))); name != "" {
			in.emit(&session.Title{Text: name, Rank: session.TitleModel})
		}
	case "thread_settings_applied":
		in.context(l)
	case "entered_review_mode":
		in.review(p)
	case "item_completed":
		in.itemCompleted(p.Get("item"))
	case "":
	default:
		if !in.toolEvent(kind, p) && !slices.Contains(silentEvents, kind) {
			in.note(kind, p)
		}
	}
}

// silentEvents tell nothing that is not told elsewhere.
var silentEvents = []string{
	"agent_reasoning", "agent_reasoning_section_break", "view_image_tool_call", "dynamic_tool_call_request",
	"codex/event/raw_item", "account/rateLimits/updated", "background_event",
}

// note tells an event in the harness' own words.
func (in *interpreter) note(kind string, p gjson.Result) {
	said := firstText(p, "message", "text", "goal.objective", "rationale", "review_output.overall_explanation", "summary")
	n := &session.Note{Name: kind, Text: session.Clip(said, session.MaxPreview)}
	if status := firstText(p, "status", "goal.status", "kind"); status != "" {
		n.Attributes = map[string]string{"status": status}
	}
	in.emit(n)
}

// thought takes reasoning as the model wrote it, where no summary was readable.
func (in *interpreter) thought(text string) {
	if text != "" && (in.Call.ended() || !in.Call.Thought) {
		in.answer(session.Part{Type: session.Thinking, Text: text})
	}
}

func (in *interpreter) taskEnd(p gjson.Result) {
	in.flushPrompt()
	in.endTurn()
	in.Task = noTask
	if p.Get("error").IsObject() {
		in.failed(p.Get("error"))
	}
}

func (in *interpreter) aborted(p gjson.Result) {
	in.flushPrompt()
	in.endTurn()
	in.Task = noTask
	reason := text(p.Get("reason"))
	n := &session.Note{Name: session.NoteInterrupted, Text: reason, Status: session.StatusInterrupted}
	if reason == "review_ended" || reason == "budget_limited" {
		n = &session.Note{Name: "turn_aborted", Text: reason}
	}
	in.emit(n)
}

// failed tells that the provider or the harness failed.
func (in *interpreter) failed(p gjson.Result) {
	in.flushPrompt()
	said := firstText(p, "message", "error.message", "text")
	in.emit(&session.Note{Name: session.NoteError, Text: session.Clip(said, session.MaxPreview), Status: session.StatusError})
}

// review tells of a person's command to review something.
func (in *interpreter) review(p gjson.Result) {
	in.flushPrompt()
	in.endTurn()
	what := firstText(p, "user_facing_hint", "target.instructions", "prompt")
	in.emit(&session.Prompt{Origin: session.Command, Content: textParts(strings.TrimSpace("/review " + what))})
}

// itemCompleted interprets what newer versions write instead of, or beside, the
// events of one kind of item each.
func (in *interpreter) itemCompleted(item gjson.Result) {
	id := text(item.Get("id"))
	switch text(item.Get("type")) {
	case "UserMessage":
		content := partsOf(item.Get("content"))
		in.promptEvent(textOf(content), blobsOf(content))
	case "AgentMessage":
		in.said(textOf(partsOf(item.Get("content"))))
	case "Reasoning":
		in.thought(strings.TrimSpace(textOf(partsOf(item.Get("raw_content")))))
	case "CommandExecution":
		in.toolEventOf("exec_command_end", id, item)
	case "McpToolCall":
		in.toolEventOf("mcp_tool_call_end", id, item)
	case "FileChange":
		in.toolEventOf("patch_apply_end", id, item)
	case "Extension", "WebSearch":
		in.toolEventOf("web_search_end", id, item)
	case "ImageGeneration":
		in.toolEventOf("image_generation_end", id, item)
	case "ContextCompaction":
		in.compacted(compactedItem, "")
	}
}

// toolEvent interprets an event about a call, and reports whether it is one.
func (in *interpreter) toolEvent(kind string, p gjson.Result) bool {
	if kind == "sub_agent_activity" {
		in.spawned(text(p.Get("event_id")), p)
		return true
	}
	return in.toolEventOf(kind, firstText(p, "call_id", "callId"), p)
}

func (in *interpreter) toolEventOf(kind, id string, p gjson.Result) bool {
	r := session.Result{Status: statusOf(p), Duration: durationOf(p.Get("duration"))}
	var call session.Call
	switch kind {
	case "exec_command_end":
		call = session.Call{Name: "exec_command", Input: rawOf(p, "command", "cwd")}
		duration := r.Duration
		r = outcomeOf(p)
		r.Duration = duration
		if status := statusOf(p); r.Status == session.StatusOK {
			r.Status = status
		}
	case "mcp_tool_call_end":
		call, r = mcpEnd(p, r)
	case "patch_apply_end":
		call = session.Call{Name: "apply_patch", Input: rawOf(p, "changes"), Attributes: filesOf(p.Get("changes"))}
		r.Content = append(partsOf(p.Get("stdout")), partsOf(p.Get("stderr"))...)
		r.Attributes = call.Attributes
		if p.Get("success").Type == gjson.False {
			fail(&r, "the patch could not be applied")
		}
	case "web_search_end":
		call = session.Call{Name: "web_search", Input: rawOf(p, "query", "action")}
		r.Content = dataOf(p.Get("results"))
	case "image_generation_end":
		call = session.Call{Name: "image_generation", Input: rawOf(p, "revised_prompt")}
		r.Content = imageParts(text(p.Get("result")), "image/png")
	case "dynamic_tool_call_response":
		call = session.Call{Name: text(p.Get("tool")), Input: inputOf(p.Get("arguments"))}
		duration := r.Duration
		r = outcomeOf(p)
		r.Duration = duration
	case "collab_agent_spawn_end":
		in.spawned(id, p)
		return true
	case "collab_agent_interaction_end", "collab_waiting_end", "collab_close_end", "collab_resume_end":
		return true
	default:
		return false
	}
	in.ended(id, call, r)
	return true
}

// mcpEnd reads the end of a call of an MCP tool, in both its forms.
func mcpEnd(p gjson.Result, r session.Result) (session.Call, session.Result) {
	tool := p
	if invocation := p.Get("invocation"); invocation.IsObject() {
		tool = invocation
	}
	call := session.Call{
		Name:  "mcp__" + text(tool.Get("server")) + "__" + text(tool.Get("tool")),
		Input: inputOf(tool.Get("arguments")),
	}
	result := p.Get("result")
	if ok := result.Get("Ok"); ok.Exists() {
		result = ok
	}
	r.Content = partsOf(result.Get("content"))
	if err := firstText(p, "result.Err", "error.message", "error"); err != "" {
		r.Content = textParts(err)
		fail(&r, "the tool failed")
	}
	if result.Get("isError").Bool() {
		fail(&r, "the tool failed")
	}
	return call, r
}

// rawOf is an object of some fields of p that are there.
func rawOf(p gjson.Result, fields ...string) []byte {
	object := map[string]json.RawMessage{}
	for _, field := range fields {
		if v := p.Get(field); v.Exists() && v.Type != gjson.Null && json.Valid([]byte(v.Raw)) {
			object[field] = json.RawMessage(v.Raw)
		}
	}
	if len(object) == 0 {
		return nil
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	return raw
}

// dataOf is a value as data; none where it says nothing.
func dataOf(v gjson.Result) []session.Part {
	if !v.Exists() || v.Type == gjson.Null || v.Raw == "[]" {
		return nil
	}
	return dataParts(v)
}

// maxFiles bounds how many files of a patch are named.
const maxFiles = 50

// filesOf names the files that a patch changed.
func filesOf(changes gjson.Result) map[string]string {
	files := map[string]bool{}
	if changes.IsObject() {
		changes.ForEach(func(path, _ gjson.Result) bool {
			files[path.Str] = true
			return len(files) < maxFiles
		})
	}
	if len(files) == 0 {
		return nil
	}
	return map[string]string{"files": strings.Join(slices.Sorted(maps.Keys(files)), "\n")}
}
