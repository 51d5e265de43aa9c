package pi

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// partsOf reads content: a string, or a list of blocks.
func partsOf(content gjson.Result) []session.Part {
	switch {
	case content.Type == gjson.String:
		return textParts(content.Str)
	case content.IsArray():
		var parts []session.Part
		content.ForEach(func(_, block gjson.Result) bool {
			parts = append(parts, blockOf(block)...)
			return true
		})
		return parts
	case content.IsObject():
		return blockOf(content)
	}
	return nil
}

// blockOf reads one block; none where it holds nothing.
func blockOf(block gjson.Result) []session.Part {
	switch text(block.Get("type")) {
	case "text":
		return textParts(text(block.Get("text")))
	case "thinking":
		return thinkingParts(block)
	case "image":
		return []session.Part{session.BlobOf(text(block.Get("mimeType")), text(block.Get("data")))}
	case "toolCall":
		return []session.Part{{
			Type:  session.ToolCall,
			ID:    text(block.Get("id")),
			Name:  text(block.Get("name")),
			Input: inputOf(block.Get("arguments")),
		}}
	}
	if block.Type == gjson.String {
		return textParts(block.Str)
	}
	if input := inputOf(block); input != nil {
		return []session.Part{{Type: session.Data, Input: input}}
	}
	return nil
}

// thinkingParts is thinking; where it can't be read, the size and hash of what
// stands for it.
func thinkingParts(block gjson.Result) []session.Part {
	thought := session.Part{Type: session.Thinking, Text: text(block.Get("thinking"))}
	if signature := text(block.Get("thinkingSignature")); thought.Text == "" && signature != "" {
		blob := session.BlobOf("", signature)
		thought.Bytes, thought.SHA256 = blob.Bytes, blob.SHA256
	}
	if thought.Text == "" && thought.SHA256 == "" {
		return nil
	}
	return []session.Part{thought}
}

func textParts(s string) []session.Part {
	if s == "" {
		return nil
	}
	return []session.Part{{Type: session.Text, Text: s}}
}

// inputOf is a value as JSON; nil where there is none.
func inputOf(v gjson.Result) json.RawMessage {
	switch {
	case !v.Exists() || v.Type == gjson.Null:
		return nil
	case v.Type == gjson.JSON && json.Valid([]byte(v.Raw)):
		return json.RawMessage(v.Raw)
	}
	quoted, err := json.Marshal(v.String())
	if err != nil {
		return nil
	}
	return quoted
}

// firstLine is the first line of parts that is not blank.
func firstLine(parts []session.Part, otherwise string) string {
	for _, p := range parts {
		for l := range strings.Lines(p.Text) {
			if l = strings.TrimSpace(l); l != "" {
				return session.Clip(l, session.MaxPreview)
			}
		}
	}
	return otherwise
}
