package claudecode

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// addSystem interprets a line of the harness' own.
func (in *interpreter) addSystem(l *line) {
	in.goOnBehind(l)
	switch l.subtype {
	case "session_start":
	case "":
		if level := l.whole.Get("level").Str; level == "warning" || level == "error" {
			in.note(level, l.content.String(), nil)
		}
	case "compact_boundary":
		in.note(session.NoteCompaction, l.content.String(), fields(l.whole,
			"compactMetadata.trigger", "trigger", "compactMetadata.preTokens", "tokens_before", "compactMetadata.postTokens", "tokens_after"))
	case "microcompact_boundary":
		in.note("microcompaction", l.content.String(), fields(l.whole,
			"microcompactMetadata.trigger", "trigger", "microcompactMetadata.preTokens", "tokens_before", "microcompactMetadata.tokensSaved", "tokens_saved"))
	case "turn_duration":
		in.note("turn_duration", "", fields(l.whole, "durationMs", "duration_ms"))
	case "api_error":
		in.failed("api_error", l)
	case "error":
		in.failed(session.NoteError, l)
	case "api_refusal", "model_refusal_fallback":
		in.note(l.subtype, l.content.String(), fields(l.whole,
			"apiRefusalCategory", "category", "apiRefusalExplanation", "explanation", "originalModel", "original_model", "fallbackModel", "fallback_model"))
	case "local_command":
		if l.content.Type == gjson.String {
			in.localCommand(l.content.Str)
		}
	case "stop_hook_summary":
		in.hookSummary(l)
	default:
		if text := l.content.String(); text != "" {
			in.note(session.Clip(l.subtype, 64), text, nil)
		}
	}
}

func (in *interpreter) note(name, text string, attributes map[string]string) {
	in.say(&session.Note{Name: name, Text: text, Attributes: attributes})
}

// failed tells that the provider, or the way to it, failed. What is tried again
// and then goes well is no failure of the turn.
func (in *interpreter) failed(name string, l *line) {
	text := ""
	for _, path := range []string{"error.formatted", "error.message", "error.error.error.message", "error.error.message", "cause.message", "content"} {
		if value := l.whole.Get(path); value.Type == gjson.String && value.Str != "" {
			text = value.Str
			break
		}
	}
	in.say(&session.Note{Name: name, Text: text, Status: session.StatusError, Attributes: fields(l.whole,
		"error.status", "http_status", "error.type", "type", "error.error.error.type", "type",
		"retryAttempt", "attempt", "maxRetries", "max_attempts", "retryInMs", "retry_in_ms")})
}

// localCommand tells of a command that the harness answers itself, or of what that
// printed.
func (in *interpreter) localCommand(text string) {
	origin := session.Injected
	if command, ok := commandOf(strings.TrimSpace(text)); ok {
		origin, text = session.Command, command
	}
	in.addPrompt(origin, []session.Part{{Type: session.Text, Text: text}})
}

// hookSummary tells of hooks that failed or held the turn up; others are no news.
func (in *interpreter) hookSummary(l *line) {
	var texts []string
	l.whole.Get("hookErrors").ForEach(func(_, value gjson.Result) bool {
		texts = append(texts, value.String())
		return true
	})
	if len(texts) == 0 && !l.whole.Get("preventedContinuation").Bool() {
		return
	}
	if reason := l.whole.Get("stopReason").Str; reason != "" {
		texts = append(texts, reason)
	}
	in.say(&session.Note{Name: "hook_error", Text: strings.Join(texts, "\n"), Status: session.StatusError})
}

// addAttachment interprets what the harness attached to a turn.
func (in *interpreter) addAttachment(l *line) {
	a := l.attachment
	switch kind := a.Get("type").Str; kind {
	case "queued_command":
		in.queued(l)
	case "hook_additional_context":
		if text := joined(a.Get("content")); text != "" {
			in.addPrompt(session.Injected, []session.Part{{Type: session.Text, Text: text}})
		}
	case "hook_blocking_error", "hook_non_blocking_error", "hook_error_during_execution":
		text := firstOf(a, "blockingError.blockingError", "stderr", "stdout", "content")
		in.say(&session.Note{Name: "hook_error", Text: text, Status: session.StatusError, Attributes: fields(a,
			"hookName", "hook", "hookEvent", "event", "command", "command", "blockingError.command", "command",
			"exitCode", "exit_code", "durationMs", "duration_ms", "toolUseID", "call_id")})
	}
}

// queued interprets a prompt that waited while the model was at work.
func (in *interpreter) queued(l *line) {
	a := l.attachment
	origin := session.Queued
	switch {
	case a.Get("isMeta").Bool(), a.Get("commandMode").Str == "task-notification", !isPerson(a.Get("origin.kind").Str):
		origin = session.Injected
	case l.agent != "" || l.ofThread():
		origin = session.Delegated
	}
	var parts []session.Part
	eachBlock(a.Get("prompt"), func(block gjson.Result) { parts = append(parts, partOf(block)) })
	if a.Get("commandMode").Str == "bash" && origin == session.Queued {
		in.addPrompt(session.Command, []session.Part{{Type: session.Text, Text: "! " + textOf(parts)}})
		return
	}
	in.prompt(l, origin, parts)
}

// addFact interprets lines that tell of the session as a whole.
func (in *interpreter) addFact(l *line) {
	switch l.kind {
	case "custom-title":
		in.title(l.whole.Get("customTitle").Str, session.TitlePerson)
	case "ai-title":
		in.title(l.whole.Get("aiTitle").Str, session.TitleModel)
	case "summary":
		in.title(l.whole.Get("summary").Str, session.TitleSummary)
	case "agent-name":
		if name := l.whole.Get("agentName").Str; name != "" {
			in.say(&session.Facts{Name: name})
		}
	case "pr-link":
		in.note("pull_request", l.whole.Get("prUrl").Str, fields(l.whole, "prRepository", "repository", "prNumber", "number"))
	}
}

func (in *interpreter) title(text string, rank session.TitleRank) {
	if text != "" {
		in.say(&session.Title{Text: text, Rank: rank})
	}
}

// maxAttribute bounds an attribute's value.
const maxAttribute = 500

// fields are the scalar values at paths of an object, by name: pairs of path and
// name. Of one name the first that is there counts.
func fields(of gjson.Result, pairs ...string) map[string]string {
	found := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		value := of.Get(pairs[i])
		if value.IsObject() || value.IsArray() || value.String() == "" || found[pairs[i+1]] != "" {
			continue
		}
		found[pairs[i+1]] = session.Clip(value.String(), maxAttribute)
	}
	return found
}

// firstOf is the first text at one of the paths.
func firstOf(of gjson.Result, paths ...string) string {
	for _, path := range paths {
		if text := of.Get(path).String(); text != "" {
			return text
		}
	}
	return ""
}

// joined is a text, or a list of texts as lines.
func joined(value gjson.Result) string {
	if !value.IsArray() {
		return value.String()
	}
	var texts []string
	value.ForEach(func(_, text gjson.Result) bool {
		texts = append(texts, text.String())
		return true
	})
	return strings.Join(texts, "\n")
}
