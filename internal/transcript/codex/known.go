package codex

import "slices"

// What is known of each kind of line, by the type in its payload: what is not
// here is kept all the same, and reported as unknown.
var (
	knownItems = []string{
		"message", "reasoning", "function_call", "function_call_output", "custom_tool_call",
		"custom_tool_call_output", "local_shell_call", "local_shell_call_output", "web_search_call", "tool_search_call",
		"tool_search_output", "image_generation_call", "agent_message", "ghost_snapshot", "mcp_tool_call",
		"compaction", "compaction_summary", "context_compaction", "tool_call", "tool_result", "function_result", "other",
	}
	knownEvents = []string{
		"user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "token_count",
		"task_started", "task_complete", "turn_started", "turn_complete", "turn.completed", "turn_aborted",
		"context_compacted", "exec_command_end", "patch_apply_end", "mcp_tool_call_end", "web_search_end",
		"image_generation_end", "dynamic_tool_call_request", "dynamic_tool_call_response", "view_image_tool_call",
		"entered_review_mode", "exited_review_mode", "collab_agent_spawn_end", "collab_agent_interaction_end",
		"collab_waiting_end", "collab_close_end", "collab_resume_end", "sub_agent_activity", "thread_name_updated",
		"thread_settings_applied", "thread_goal_updated", "thread_rolled_back", "item_completed", "error", "warning",
		"stream_error", "undo_completed", "guardian_assessment", "codex/event/raw_item", "account/rateLimits/updated",
		"agent_reasoning_section_break", "model_reroute", "deprecation_notice", "background_event",
	}
	knownExec = []string{
		"thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated", "item.completed",
		"error",
	}
)

// unknownKind names what is not known of a line; "" when all is.
func (l line) unknownKind() string {
	kind := text(l.payload.Get("type"))
	switch l.kind {
	case responseItem:
		if kind == "" && l.payload.Get("role").Exists() {
			return ""
		}
		return unlessIn(knownItems, l.kind, kind)
	case eventMsg:
		return unlessIn(knownEvents, l.kind, kind)
	case execEvent:
		return unlessIn(knownExec, l.kind, kind)
	}
	return unlessIn(rolloutKinds, "", l.kind)
}

func unlessIn(known []string, family, kind string) string {
	switch {
	case slices.Contains(known, kind):
		return ""
	case family == "":
		return kind
	case kind == "":
		return family
	}
	return family + "/" + kind
}
