package chat

import (
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// Read reads messages in any shape that is known; role is that of what names
// none. It gives nothing for what does not look like messages (see [Datas]).
func Read(value gjson.Result, role Role) []Message {
	return read(value, role, 0)
}

// maxNesting bounds lists in lists and objects in objects.
const maxNesting = 6

func read(value gjson.Result, role Role, depth int) []Message {
	if depth > maxNesting {
		return nil
	}
	switch {
	case value.Type == gjson.String:
		if inner, ok := decoded(value); ok {
			if inner.Type == gjson.String {
				return plain(inner.Str, role)
			}
			if messages := read(inner, role, depth+1); len(messages) > 0 {
				return messages
			}
		}
		return plain(value.Str, role)
	case value.IsArray():
		return list(value, role, depth)
	case value.IsObject():
		return object(value, role, depth)
	}
	return nil
}

// none is what Python writes for a message without content.
const none = "None"

// plain reads text: a message, or a conversation with a line for each.
func plain(text string, role Role) []Message {
	if strings.TrimSpace(text) == none {
		return nil
	}
	if role == User {
		if messages := dialogue(text); messages != nil {
			return messages
		}
	}
	return Texts(text, role)
}

// speaker begins a message in a conversation that is written as text
// ("system: …", "user: …"), as OpenLIT does.
var speaker = regexp.MustCompile(`(?m)^(system|developer|user|human|assistant|ai|tool): `)

// dialogue reads a conversation that is written as text; nil for other text.
func dialogue(text string) []Message {
	marks := speaker.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 || marks[0][0] != 0 {
		return nil
	}
	messages := []Message{}
	for i, mark := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		role := roles[text[mark[2]:mark[3]]]
		said := strings.TrimSuffix(text[mark[1]:end], "\n")
		if strings.TrimSpace(said) == none {
			messages = append(messages, Message{Role: role})
			continue
		}
		for _, m := range Texts(said, role) {
			if role == Tool {
				m = Message{Role: Tool, Results: []ToolResult{{Parts: m.Parts}}}
			}
			messages = append(messages, m)
		}
	}
	return messages
}

// list reads a list of messages, or the parts of one.
func list(value gjson.Result, role Role, depth int) []Message {
	head := value.Get("0")
	switch {
	case head.IsArray() || head.Get("content.parts").IsArray():
		return each(value, role, depth)
	case head.Type == gjson.String, isMessage(head):
		var messages []Message
		value.ForEach(func(_, item gjson.Result) bool {
			if item.Type == gjson.String {
				messages = append(messages, Texts(item.Str, role)...)
			} else if m := message(item, role); item.IsObject() {
				messages = append(messages, m)
			}
			return true
		})
		return messages
	case isPart(head):
		m := Message{Role: role}
		m.content(value)
		return []Message{m}
	}
	return nil
}

func each(value gjson.Result, role Role, depth int) []Message {
	var messages []Message
	value.ForEach(func(_, item gjson.Result) bool {
		messages = append(messages, read(item, role, depth+1)...)
		return true
	})
	return messages
}

// object reads one message, or the body of a request or response.
func object(value gjson.Result, role Role, depth int) []Message {
	within := func(names ...string) gjson.Result { return first(value, names...) }
	switch {
	case within("choices").IsArray(): // OpenAI
		return choices(within("choices"))
	case within("candidates").IsArray(): // Google
		return each(within("candidates"), Assistant, depth)
	case within("generations").IsArray(): // LangChain
		return each(within("generations"), Assistant, depth)
	case value.Get("object").Str == "response": // OpenAI Responses
		return read(within("output"), Assistant, depth+1)
	case within("content.parts").IsArray(): // Google's candidate
		m := message(within("content"), Assistant)
		m.StopReason = stopReason(value)
		return []Message{m}
	}
	if asked := within("messages", "contents", "prompt", "new_message"); asked.Exists() && !isMessage(value) {
		messages := read(asked, role, depth+1)
		return append(instructions(value), messages...)
	}
	if asked := within("input"); asked.Exists() && !isMessage(value) { // OpenAI Responses, LangChain
		messages := read(asked, role, depth+1)
		return append(instructions(value), messages...)
	}
	if isMessage(value) || isAnswer(value) {
		return []Message{message(value, role)}
	}
	if text := within("args.0"); text.Type == gjson.String { // of a traced function
		return Texts(text.Str, role)
	}
	return nil
}

// choices are the alternatives of a completion; the first is the answer.
func choices(value gjson.Result) []Message {
	choice := value.Get("0")
	said := first(choice, "message", "delta")
	if !said.IsObject() {
		said = choice
	}
	m := message(said, Assistant)
	if reason := stopReason(choice); reason != "" {
		m.StopReason = reason
	}
	return []Message{m}
}

// instructions are those that stand beside the messages of a request.
func instructions(request gjson.Result) []Message {
	said := first(request, "system", "instructions", "config.system_instruction", "systemInstruction", "system_instruction")
	m := Message{Role: System}
	m.content(first(said, "parts"))
	if m.isEmpty() {
		m.content(said)
	}
	if m.isEmpty() {
		return nil
	}
	return []Message{m}
}

// isMessage reports whether a value is a message or an item of OpenAI's
// responses, by the fields that only those have.
func isMessage(value gjson.Result) bool {
	if !value.IsObject() {
		return false
	}
	if inner := unwrap(value); len(inner.Raw) < len(value.Raw) {
		return first(inner, "role", "content", "contents", "tool_calls", "lc").Exists()
	}
	if value.Get("role").Type == gjson.String {
		return first(value, "content", "parts", "text", "contents", "tool_calls", "function_call", "message").Exists() || len(keys(value)) <= 2
	}
	if value.Get("lc").Exists() && value.Get("kwargs").IsObject() {
		return true
	}
	switch kind := value.Get("type").Str; kind {
	case "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "message":
		return true
	case "reasoning":
		return value.Get("summary").Exists()
	default:
		return roles[strings.ToLower(kind)] != "" && value.Get("content").Exists()
	}
}

func keys(value gjson.Result) []string {
	var names []string
	value.ForEach(func(name, _ gjson.Result) bool {
		names = append(names, name.Str)
		return len(names) < 8
	})
	return names
}

// isAnswer knows what a model gave where no role says so.
func isAnswer(value gjson.Result) bool {
	return value.Get("text").Type == gjson.String && (stopReason(value) != "" || len(keys(value)) == 1)
}

func stopReason(value gjson.Result) string {
	return session.Clip(word(value, "finish_reason", "finishReason", "stop_reason", "stopReason", "response_metadata.finish_reason"), 256)
}
