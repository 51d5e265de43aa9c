package opencode

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// callID is the provider's identifier of a call, else the part's.
func callID(p element) string {
	if id := clean(p.doc.Get("callID")); id != "" {
		return id
	}
	return p.id
}

func callPart(p element) session.Part {
	return session.Part{
		Type: session.ToolCall, ID: callID(p), Name: clean(p.doc.Get("tool")), Input: raw(p.doc.Get("state.input")),
	}
}

// raw is a JSON value as it stands; nil where there is none.
func raw(value gjson.Result) json.RawMessage {
	if value.Raw == "" || !json.Valid([]byte(value.Raw)) {
		return nil
	}
	return json.RawMessage(value.Raw)
}

// tool tells of a call what the answer does not: when it began, the session that
// it started, and its result once it has one.
func (t *teller) tool(p element) {
	state := p.doc.Get("state")
	started, ended := millis(state.Get("time.start")), millis(state.Get("time.end"))
	call := &session.Call{CallID: callID(p), Name: clean(p.doc.Get("tool")), Began: started}
	if title := clean(state.Get("title")); title != "" {
		call.Attributes = map[string]string{"title": session.Clip(title, session.MaxPreview)}
	}
	t.add(p, started, call)
	t.spawn(p, state, started)
	result := &session.Result{CallID: callID(p), Content: output(state), Attributes: map[string]string{}}
	if !judge(result, p.doc.Get("tool").Str, state) {
		return
	}
	if started != 0 && ended > started {
		result.Duration = time.Duration(ended-started) * time.Millisecond
	}
	if ended == 0 {
		ended = started
	}
	t.add(p, ended, result)
}

// spawn tells of the session that a task started.
func (t *teller) spawn(p element, state gjson.Result, at session.Time) {
	child := clean(state.Get("metadata.sessionId"))
	if child == "" {
		child = clean(state.Get("metadata.sessionID"))
	}
	if child == "" || p.doc.Get("tool").Str != "task" {
		return
	}
	t.add(p, at, &session.Spawn{
		CallID: callID(p), Child: session.Ref{Harness: t.harness, Key: child},
		AgentType:   clean(state.Get("input.subagent_type")),
		Description: session.Clip(clean(state.Get("input.description")), session.MaxPreview),
	})
}

// judge tells how a call ended; false while it has not. A command's failure
// shows in its exit code alone, a call of an unknown tool in the name that the
// harness gave it: both are "completed".
func judge(result *session.Result, tool string, state gjson.Result) bool {
	exit := state.Get("metadata.exit")
	if exit.Type == gjson.Number {
		result.Attributes["exit_code"] = exit.Raw
	}
	switch state.Get("status").Str {
	case "completed", "success":
		result.Status = session.StatusOK
		if exit.Type == gjson.Number && exit.Num != 0 {
			result.Status, result.Error = session.StatusError, "exit code "+exit.Raw
		}
		if tool == "invalid" {
			result.Status, result.Error = session.StatusError, line(clean(state.Get("output")))
		}
	case "error":
		reason := clean(state.Get("error"))
		result.Status, result.Error = session.StatusError, line(reason)
		if reason == "Tool execution aborted" {
			result.Status = session.StatusInterrupted
		}
	default: // pending or running
		return false
	}
	return true
}

// output is what a tool gave, or why it failed, with the files it attached.
func output(state gjson.Result) []session.Part {
	var parts []session.Part
	for _, name := range []string{"output", "error"} {
		if text := clean(state.Get(name)); text != "" {
			parts = append(parts, session.Part{Type: session.Text, Text: text, IsError: name == "error"})
		}
	}
	if value := state.Get("output"); value.IsObject() || value.IsArray() {
		parts = append(parts, session.Part{Type: session.Data, Input: raw(value)})
	}
	for _, file := range state.Get("attachments").Array() {
		parts = append(parts, filePart(file))
	}
	return parts
}

func line(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return session.Clip(first, session.MaxPreview)
}
