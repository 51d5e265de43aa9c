package gemini

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A toolCall is a call as a message holds it, with its result.
type toolCall struct {
	id   string
	body gjson.Result
}

// toolCalls are a message's calls. Early versions gave them no id.
func toolCalls(message string, list gjson.Result) []toolCall {
	var calls []toolCall
	list.ForEach(func(_, body gjson.Result) bool {
		if !body.IsObject() {
			return true
		}
		id := body.Get("id").String()
		if id == "" {
			id = message + "#" + strconv.Itoa(len(calls)+1)
		}
		calls = append(calls, toolCall{id: session.Clean(id), body: body})
		return true
	})
	return calls
}

func (c toolCall) part() session.Part {
	return session.Part{
		Type: session.ToolCall, ID: c.id,
		Name: session.Clean(c.body.Get("name").String()), Input: raw(c.body.Get("args")),
	}
}

// raw is a JSON value as it stands; nil where there is none.
func raw(value gjson.Result) json.RawMessage {
	if value.Raw == "" || !json.Valid([]byte(value.Raw)) {
		return nil
	}
	return json.RawMessage(value.Raw)
}

// call tells of a call what the answer does not: the sub-agent that it started,
// and its result once it has one.
func (t *teller) call(c toolCall) {
	if agent := c.body.Get("agentId").Str; agent != "" {
		t.add(&session.Spawn{
			CallID: c.id, Child: session.Ref{Harness: harness, Key: agent},
			AgentType:   session.Clean(firstOf(c.body.Get("args.agent_name").Str, c.body.Get("name").Str)),
			Description: session.Clip(session.Clean(c.body.Get("description").Str), session.MaxPreview),
		})
	}
	result := &session.Result{CallID: c.id, Content: resultContent(c.body)}
	text := textOf(result.Content)
	switch c.body.Get("status").Str {
	case "success":
		result.Status = session.StatusOK
		if code := exitCode(c.body.Get("name").Str, text); code != "" {
			result.Status, result.Error = session.StatusError, "exit code "+code
			result.Attributes = map[string]string{"exit_code": code}
		}
	case "error":
		result.Status, result.Error = session.StatusError, firstLine(text)
	case "cancelled":
		result.Status, result.Error = session.StatusInterrupted, firstLine(text)
	default: // still at work, or waiting for a person
		return
	}
	t.add(result)
	if at := moment(c.body.Get("timestamp")); at != 0 {
		t.events[len(t.events)-1].At = at
	}
}

// resultContent is what the model was told, else what a person was shown.
func resultContent(call gjson.Result) []session.Part {
	var parts []session.Part
	for _, value := range oneOrMany(call.Get("result")) {
		part, ok := content(value)
		if response := value.Get("functionResponse.response"); response.Exists() {
			part, ok = responded(response), true
		}
		if ok {
			parts = append(parts, part)
		}
	}
	if len(parts) > 0 {
		return parts
	}
	return contents(call.Get("resultDisplay"))
}

// responded is what a tool gave: the text where that is all.
func responded(response gjson.Result) session.Part {
	for _, name := range []string{"output", "error", "result"} {
		if text := response.Get(name); text.Type == gjson.String {
			return session.Part{Type: session.Text, Text: session.Clean(text.Str), IsError: name == "error"}
		}
	}
	return session.Part{Type: session.Data, Input: raw(response)}
}

// exit is how a shell's output ends where the command failed: only lines that
// the harness writes may follow.
var exit = regexp.MustCompile(`(?:^|\n)Exit Code: (-?[0-9]{1,10})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*\s*$`)

// exitCode is the code with which a shell command failed, "" where it did not.
func exitCode(tool, output string) string {
	if tool != "run_shell_command" {
		return ""
	}
	const tail = 4096 // the harness' lines are short
	found := exit.FindStringSubmatch(output[max(len(output)-tail, 0):])
	if found == nil || found[1] == "0" {
		return ""
	}
	return found[1]
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return session.Clip(line, session.MaxPreview)
}
