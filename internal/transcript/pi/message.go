package pi

import (
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// message interprets a message by its role.
func (in *interpreter) message(m gjson.Result) {
	switch role := text(m.Get("role")); role {
	case "user":
		in.prompt(m)
	case "assistant":
		in.answer(m)
	case "toolResult":
		in.toolResult(m)
	case "bashExecution":
		in.bash(m)
	case "custom", "hookMessage":
		in.injected(m.Get("content"))
	case "branchSummary", "compactionSummary":
		in.summary(m)
	default:
		in.emit(&session.Note{Name: role})
	}
}

func (in *interpreter) prompt(m gjson.Result) {
	content := partsOf(m.Get("content"))
	if len(content) == 0 {
		return
	}
	origin := session.Typed
	if in.Working {
		origin = session.Queued
	}
	in.emit(&session.Prompt{Origin: origin, Content: content})
}

func (in *interpreter) injected(content gjson.Result) {
	if parts := partsOf(content); len(parts) > 0 {
		in.emit(&session.Prompt{Origin: session.Injected, Content: parts})
	}
}

// answer interprets a message of the model. Its own time is when it began.
func (in *interpreter) answer(m gjson.Result) {
	a := &session.Answer{
		MessageID:  text(m.Get("responseId")),
		Model:      text(m.Get("model")),
		Provider:   text(m.Get("provider")),
		Content:    partsOf(m.Get("content")),
		StopReason: text(m.Get("stopReason")),
		Usage:      usageOf(m.Get("usage")),
	}
	if began := timeOf(m); began < in.record.At {
		a.Began = began
	}
	if a.Usage == nil {
		a.Usage = &session.Usage{Partial: true}
	}
	said := text(m.Get("errorMessage"))
	if a.StopReason == "error" {
		a.Error = firstLine(textParts(said), "the provider failed")
	}
	in.Working = a.StopReason == "toolUse"
	in.emit(a)
	if a.StopReason == "aborted" {
		in.emit(&session.Note{Name: session.NoteInterrupted, Text: session.Clip(said, session.MaxPreview), Status: session.StatusInterrupted})
	}
}

func (in *interpreter) toolResult(m gjson.Result) {
	r := &session.Result{CallID: text(m.Get("toolCallId")), Content: partsOf(m.Get("content")), Status: session.StatusOK}
	if m.Get("isError").Bool() {
		r.Status = session.StatusError
		r.Error = firstLine(r.Content, "the tool failed")
	}
	in.emit(r)
	in.used(m)
}

// bash interprets a shell command that a person ran in the session.
func (in *interpreter) bash(m gjson.Result) {
	id := in.record.Key
	var input []byte
	if command := inputOf(m.Get("command")); command != nil {
		input = append(append([]byte(`{"command":`), command...), '}')
	}
	in.emit(&session.Call{CallID: id, Name: "bash", Input: input, Attributes: map[string]string{"by": "person"}})
	r := &session.Result{CallID: id, Content: textParts(text(m.Get("output"))), Status: session.StatusOK}
	if code := m.Get("exitCode"); code.Type == gjson.Number {
		r.Attributes = map[string]string{"exit_code": code.Raw}
		if code.Num != 0 {
			r.Status, r.Error = session.StatusError, firstLine(r.Content, "exit code "+code.Raw)
		}
	}
	if m.Get("cancelled").Bool() {
		r.Status, r.Error = session.StatusInterrupted, "cancelled"
	}
	in.emit(r)
}
