package chat

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// maxWrappers bounds the objects around a message.
const maxWrappers = 3

// unwrap is the message inside of what OpenInference, Ollama and LangChain put
// around one.
func unwrap(value gjson.Result) gjson.Result {
	for range maxWrappers {
		inner := value.Get("message")
		if !inner.IsObject() || value.Get("role").Exists() {
			break
		}
		value = inner
	}
	return value
}

// message reads one message or item; role is that of one that names none.
func message(outer gjson.Result, role Role) Message {
	value := unwrap(outer)
	if value.Get("lc").Exists() && value.Get("kwargs").IsObject() { // LangChain, serialised
		role = constructed(value.Get("id"), role)
		value = value.Get("kwargs")
	}
	m := Message{Role: roleOf(value, role), StopReason: cmp.Or(stopReason(value), stopReason(outer))}
	if m.item(value) {
		return m
	}
	if thought := first(value, "reasoning_content", "reasoning", "thinking"); thought.Type == gjson.String && thought.Str != "" {
		m.Parts = append(m.Parts, session.Part{Type: session.Thinking, Text: session.Clean(thought.Str)})
	}
	m.content(first(value, "parts", "content", "contents", "text"))
	if refusal := value.Get("refusal"); refusal.Type == gjson.String {
		m.text(refusal.Str)
	}
	m.toolCalls(value)
	if m.Role == Tool {
		m.becomeResult(value)
	}
	return m
}

func roleOf(value gjson.Result, role Role) Role {
	for _, name := range []string{"role", "type"} {
		word := value.Get(name)
		if known := roles[strings.ToLower(word.Str)]; known != "" {
			return known
		}
		if name == "role" && word.Type == gjson.String && word.Str != "" {
			return User // a role of the application's own
		}
	}
	return role
}

// constructed is the role of a LangChain message by the name of its class.
func constructed(path gjson.Result, role Role) Role {
	names := path.Array()
	if len(names) == 0 {
		return role
	}
	if known := roles[strings.ToLower(names[len(names)-1].Str)]; known != "" {
		return known
	}
	return role
}

// item reads an item of OpenAI's responses that is no message.
func (m *Message) item(value gjson.Result) bool {
	switch value.Get("type").Str {
	case "function_call", "custom_tool_call":
		if value.Get("role").Exists() {
			return false
		}
		m.Role = Assistant
		m.call(word(value, "call_id", "id"), word(value, "name"), first(value, "arguments", "input"))
	case "function_call_output", "custom_tool_call_output":
		m.Role = Tool
		m.result(word(value, "call_id", "id"), "", value.Get("output"), false)
	case "reasoning":
		m.Role = Assistant
		m.part(value)
	default:
		return false
	}
	return true
}

// toolCalls reads the calls that stand beside the content.
func (m *Message) toolCalls(value gjson.Result) {
	before := len(m.Parts)
	for _, name := range []string{"tool_calls", "additional_kwargs.tool_calls"} {
		if hasCall(m.Parts[before:]) {
			break // the same ones again
		}
		Decoded(value.Get(name)).ForEach(func(_, call gjson.Result) bool {
			if call.IsObject() {
				m.toolCall(call)
			}
			return true
		})
	}
	if call := value.Get("function_call"); call.IsObject() {
		m.call("", word(call, "name"), call.Get("arguments"))
	}
	if name := word(value, "function_call_name"); name != "" { // OpenInference
		m.call("", name, value.Get("function_call_arguments_json"))
	}
}

func hasCall(parts []session.Part) bool {
	for _, p := range parts {
		if p.Type == session.ToolCall {
			return true
		}
	}
	return false
}

func (m *Message) toolCall(call gjson.Result) {
	if inner := call.Get("tool_call"); inner.IsObject() { // OpenInference
		call = inner
	}
	name := word(call, "function.name", "name", "toolName")
	m.call(word(call, "id", "call_id", "toolCallId"), name, first(call, "function.arguments", "arguments", "args", "input"))
}

// call adds a call. One content may hold it twice (as a block, and beside it).
func (m *Message) call(id, name string, input gjson.Result) {
	for _, p := range m.Parts {
		if id != "" && p.Type == session.ToolCall && p.ID == id {
			return
		}
	}
	m.Parts = append(m.Parts, session.Part{Type: session.ToolCall, ID: id, Name: name, Input: Arguments(input)})
}

// result adds what a tool gave.
func (m *Message) result(id, name string, value gjson.Result, isError bool) {
	m.Results = append(m.Results, ToolResult{CallID: id, Name: name, Parts: given(value, m.depth+1), IsError: isError})
}

// becomeResult makes a message of a tool, whose content is what the tool gave,
// into a result.
func (m *Message) becomeResult(value gjson.Result) {
	if len(m.Results) > 0 || hasCall(m.Parts) || len(m.Parts) == 0 {
		return
	}
	m.Results = []ToolResult{{
		CallID: word(value, "tool_call_id", "toolCallId", "call_id", "id"), Name: word(value, "name"),
		Parts: m.Parts, IsError: value.Get("status").Str == "error" || value.Get("is_error").Bool(),
	}}
	m.Parts = nil
}

// Given is what a tool gave: text where it is text, also where that was encoded;
// the parts of content; else data.
func Given(value gjson.Result) []session.Part { return given(value, 1) }

func given(value gjson.Result, depth int) []session.Part {
	if value.Type == gjson.String {
		inner, ok := decoded(value)
		if !ok || inner.Type != gjson.String && !isContent(inner) {
			inner = value
		}
		value = inner
	}
	if depth < maxNesting && isContent(value) {
		m := Message{depth: depth}
		m.content(value)
		return m.Parts
	}
	switch {
	case value.Type == gjson.Null:
		return nil
	case value.IsObject() || value.IsArray():
		for _, name := range []string{"output", "result", "error"} { // the text, where that is all
			if text := value.Get(name); text.Type == gjson.String && len(keys(value)) == 1 {
				part, _ := textPart(text.Str)
				return []session.Part{part}
			}
		}
		return []session.Part{{Type: session.Data, Input: raw(value)}}
	}
	part, ok := textPart(value.String())
	if !ok {
		return nil
	}
	return []session.Part{part}
}

// isContent reports whether a value is a list of content parts.
func isContent(value gjson.Result) bool {
	return value.IsArray() && isPart(value.Get("0")) && value.Get("0.type").Type == gjson.String
}
