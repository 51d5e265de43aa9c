package chat

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// content adds a message's content: text, a part, or a list of parts.
func (m *Message) content(value gjson.Result) {
	switch {
	case value.IsArray():
		value.ForEach(func(_, part gjson.Result) bool {
			m.part(part)
			return true
		})
	case value.IsObject():
		m.part(value)
	case value.Type == gjson.String:
		m.text(value.Str)
	}
}

func (m *Message) text(text string) {
	if part, ok := textPart(text); ok && strings.TrimSpace(text) != none {
		m.Parts = append(m.Parts, part)
	}
}

func (m *Message) add(part session.Part) { m.Parts = append(m.Parts, part) }

// partTypes are the words for types of parts; those of Google have none.
var partTypes = map[string]bool{
	"text": true, "input_text": true, "output_text": true, "refusal": true,
	"reasoning": true, "thinking": true, "redacted_thinking": true, "summary_text": true,
	"tool_call": true, "tool_use": true, "server_tool_use": true, "tool-call": true, "function": true, "function_call": true,
	"tool_call_response": true, "tool_result": true, "tool-result": true,
	"image": true, "image_url": true, "input_image": true, "input_audio": true, "input_file": true,
	"blob": true, "file": true, "uri": true, "audio": true, "video": true, "document": true,
}

// isPart reports whether a value is a part of content.
func isPart(value gjson.Result) bool {
	return value.IsObject() && (partTypes[value.Get("type").Str] ||
		first(value, "functionCall", "function_call", "functionResponse", "function_response", "inlineData", "inline_data", "message_content").Exists() ||
		value.Get("text").Type == gjson.String && !value.Get("role").Exists() && !value.Get("type").Exists())
}

// part adds one part of content.
func (m *Message) part(value gjson.Result) {
	if value.Type == gjson.String {
		m.text(value.Str)
		return
	}
	if inner := value.Get("message_content"); inner.IsObject() { // OpenInference
		value = inner
	}
	if m.depth == 0 && value.Get("role").Exists() && isMessage(value) { // whole messages in the place of content
		inner := Message{Role: m.Role, StopReason: stopReason(value), depth: 1}
		inner.content(first(value, "parts", "content"))
		inner.toolCalls(value)
		m.Parts, m.Results = append(m.Parts, inner.Parts...), append(m.Results, inner.Results...)
		m.StopReason = cmp.Or(m.StopReason, inner.StopReason)
		return
	}
	switch kind := value.Get("type").Str; kind {
	case "text", "input_text", "output_text", "refusal":
		m.text(word(value, "text", "content", "refusal"))
	case "reasoning", "thinking", "redacted_thinking":
		m.add(session.Part{Type: session.Thinking, Text: thought(value)})
	case "tool_call", "tool_use", "server_tool_use", "tool-call":
		m.call(word(value, "id", "toolCallId"), word(value, "name", "toolName"), first(value, "arguments", "input", "args"))
	case "function":
		if value.Get("function.arguments").Exists() { // else it is the tool's description
			m.toolCall(value)
		}
	case "tool_call_response", "tool_result", "tool-result", "web_search_tool_result":
		output := first(value, "response", "result", "content", "output.value", "output")
		m.result(word(value, "id", "tool_use_id", "toolCallId"), word(value, "toolName"), output,
			value.Get("is_error").Bool() || value.Get("isError").Bool())
	default:
		m.otherPart(value)
	}
}

// otherPart adds a part in Google's form, a blob, or what is not known.
func (m *Message) otherPart(value gjson.Result) {
	call := first(value, "functionCall", "function_call")
	response := first(value, "functionResponse", "function_response")
	switch {
	case call.IsObject():
		m.call(word(call, "id"), word(call, "name"), first(call, "args", "arguments"))
	case response.IsObject():
		m.result(word(response, "id"), word(response, "name"), response.Get("response"), false)
	case value.Get("text").Type == gjson.String && value.Get("thought").Bool():
		m.add(session.Part{Type: session.Thinking, Text: session.Clean(value.Get("text").Str)})
	default:
		if part, ok := blob(value); ok {
			m.add(part)
		} else if text := value.Get("text"); text.Type == gjson.String {
			m.text(text.Str)
		} else if data := raw(value); data != nil && value.Type != gjson.Null {
			m.add(session.Part{Type: session.Data, Input: data})
		}
	}
}

// thought is the text of a model's reasoning.
func thought(value gjson.Result) string {
	if text := word(value, "content", "text", "thinking", "reasoning"); text != "" && !first(value, "content").IsArray() {
		return text
	}
	var texts []string
	first(value, "summary", "content").ForEach(func(_, part gjson.Result) bool {
		texts = append(texts, session.Clean(part.Get("text").String()))
		return true
	})
	return strings.Join(texts, "\n")
}

// blob is an image, a sound, a file: by content or by where it is.
func blob(value gjson.Result) (session.Part, bool) {
	media := word(value, "mime_type", "mimeType", "mediaType", "media_type", "source.media_type",
		"inlineData.mimeType", "inline_data.mime_type", "fileData.mimeType", "file_data.mime_type", "input_audio.format")
	where := first(value, "image_url.url", "image_url", "image.image.url", "image.url", "source.url", "uri", "url",
		"fileData.fileUri", "file_data.file_uri", "file_id", "file.file_id")
	if where.Type == gjson.String {
		if part, ok := inAddress(media, where.Str); ok {
			return part, true
		}
		return session.Part{Type: session.Blob, MediaType: media, URL: session.Clean(where.Str)}, true
	}
	data := first(value, "source.data", "inlineData.data", "inline_data.data", "input_audio.data", "file.file_data", "image", "data", "file_data")
	if !data.Exists() && value.Get("type").Str == "blob" {
		data = value.Get("content")
	}
	if data.Type != gjson.String {
		return session.Part{}, false
	}
	if part, ok := inAddress(media, data.Str); ok {
		return part, true
	}
	if strings.Contains(data.Str[:min(len(data.Str), 16)], "://") {
		return session.Part{Type: session.Blob, MediaType: media, URL: session.Clean(data.Str)}, true
	}
	return session.BlobOf(media, data.Str), true
}

// inAddress is a blob that its address holds.
func inAddress(media, address string) (session.Part, bool) {
	rest, ok := strings.CutPrefix(address, "data:")
	if !ok {
		return session.Part{}, false
	}
	head, data, _ := strings.Cut(rest, ",")
	kind, _, _ := strings.Cut(head, ";")
	return session.BlobOf(cmp.Or(media, session.Clean(kind)), data), true
}
