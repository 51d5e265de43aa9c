package claudecode

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// contentOf is the content of a model's message, a string or a list of blocks.
func (in *interpreter) contentOf(content gjson.Result) []session.Part {
	var parts []session.Part
	eachBlock(content, func(block gjson.Result) {
		kind := block.Get("type").Str
		switch {
		case isCall(kind):
			in.noteTask(block)
			parts = append(parts, callOf(block))
		case isServerResult(kind):
		default:
			parts = append(parts, partOf(block))
		}
	})
	return parts
}

// eachBlock calls do with each block of a content; a string is one of text.
func eachBlock(content gjson.Result, do func(gjson.Result)) {
	switch {
	case content.IsArray():
		content.ForEach(func(_, block gjson.Result) bool {
			do(block)
			return true
		})
	case content.Exists() && content.Type != gjson.Null:
		do(content)
	}
}

// isCall reports whether a block is a call of a tool, which may run at the provider.
func isCall(kind string) bool {
	return kind == "tool_use" || strings.HasSuffix(kind, "_tool_use")
}

// isServerResult reports whether a block in a model's message is the result of a
// tool that ran at the provider.
func isServerResult(kind string) bool { return strings.HasSuffix(kind, "_tool_result") }

func callOf(block gjson.Result) session.Part {
	return session.Part{
		Type:  session.ToolCall,
		ID:    block.Get("id").Str,
		Name:  block.Get("name").Str,
		Input: raw(block.Get("input")),
	}
}

// partOf is a block that is no call and no result.
func partOf(block gjson.Result) session.Part {
	if block.Type == gjson.String {
		return session.Part{Type: session.Text, Text: block.Str}
	}
	switch block.Get("type").Str {
	case "text":
		return session.Part{Type: session.Text, Text: block.Get("text").String()}
	case "thinking":
		return session.Part{Type: session.Thinking, Text: block.Get("thinking").String()}
	case "redacted_thinking":
		return session.Part{Type: session.Thinking}
	case "image", "document":
		return blobOf(block)
	}
	return session.Part{Type: session.Data, Input: raw(block)}
}

// blobOf is an image or document: inside of the record, or somewhere else.
func blobOf(block gjson.Result) session.Part {
	source := block.Get("source")
	media := source.Get("media_type").Str
	name := block.Get("title").Str
	switch source.Get("type").Str {
	case "text":
		return session.Part{Type: session.Text, Name: name, Text: source.Get("data").String()}
	case "url":
		return session.Part{Type: session.Blob, MediaType: media, Name: name, URL: source.Get("url").Str}
	}
	if data := source.Get("data"); data.Type == gjson.String {
		part := session.BlobOf(media, data.Str)
		part.Name = name
		return part
	}
	return session.Part{Type: session.Data, Input: raw(block)}
}

// raw is a value as it stands; nil for none.
func raw(value gjson.Result) json.RawMessage {
	if !value.Exists() {
		return nil
	}
	return json.RawMessage(value.Raw)
}

// textOf is the text in parts, as lines.
func textOf(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		if (p.Type == session.Text || p.Type == session.ToolResult) && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// bytesOf is how much a model wrote in parts.
func bytesOf(parts []session.Part) int {
	n := 0
	for _, p := range parts {
		n += len(p.Text) + len(p.Input)
	}
	return n
}

// maxErrorLine bounds what an error says in one line.
const maxErrorLine = 500

// firstLine is the first line of text that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return session.Clip(line, maxErrorLine)
		}
	}
	return ""
}
