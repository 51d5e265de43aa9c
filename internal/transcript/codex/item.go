package codex

import (
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// item interprets a response item: what went to the model and what came from it.
func (in *interpreter) item(l line) {
	p := l.payload
	if model := text(p.Get("model")); model != "" {
		in.contextIs(session.Context{Model: model})
	}
	kind := text(p.Get("type"))
	switch kind {
	case "message", "":
		in.message(p)
	case "reasoning":
		in.reasoning(p)
	case "function_call", "custom_tool_call", "tool_search_call", "local_shell_call", "mcp_tool_call", "tool_call":
		in.callItem(callOf(kind, p))
	case "web_search_call", "image_generation_call":
		in.servedCall(kind, p)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output",
		"tool_result", "function_result":
		in.outputItem(kind, p)
	case "agent_message":
		in.agentMessage(p)
	case "ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "other":
	default:
		in.emit(&session.Note{Name: kind})
	}
}

// message interprets a message; its content stands in another field in the
// forms before rollouts.
func (in *interpreter) message(p gjson.Result) {
	content := partsOf(p.Get("content"))
	if content == nil {
		content = partsOf(p.Get("message"))
	}
	if len(content) == 0 {
		return
	}
	switch text(p.Get("role")) {
	case "user":
		in.promptItem(content)
	case "assistant":
		in.flushPrompt()
		in.Answers, in.Said = true, nil
		in.answer(content...)
	default:
		in.emit(&session.Prompt{Origin: session.Injected, Content: content})
	}
}

// agentMessage interprets what another agent wrote to this one. A sub-agent is
// given its task that way; to a person's session it is news of its sub-agents.
func (in *interpreter) agentMessage(p gjson.Result) {
	content := partsOf(p.Get("content"))
	if len(content) == 0 {
		return
	}
	if in.Subagent {
		in.flushPrompt()
		in.endTurn()
		in.emit(&session.Prompt{Origin: session.Delegated, Content: content})
		return
	}
	in.emit(&session.Prompt{Origin: session.Injected, Content: content})
}

// reasoning interprets a summary of reasoning. What is encrypted is told by size
// and hash.
func (in *interpreter) reasoning(p gjson.Result) {
	var parts []session.Part
	for _, field := range []string{"summary", "content"} {
		for _, part := range partsOf(p.Get(field)) {
			if part.Type == session.Text {
				part.Type = session.Thinking
			}
			parts = append(parts, part)
		}
	}
	if encrypted := text(p.Get("encrypted_content")); encrypted != "" {
		blob := session.BlobOf("", encrypted)
		if len(parts) == 0 {
			parts = []session.Part{{Type: session.Thinking}}
		}
		last := &parts[len(parts)-1]
		last.Bytes, last.SHA256 = blob.Bytes, blob.SHA256
	}
	if len(parts) > 0 {
		in.answer(parts...)
	}
}
