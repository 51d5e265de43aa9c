package gemini

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// contentOf is a message's content: text, a part, or a list of parts. Early
// files call it parts.
func contentOf(message gjson.Result) gjson.Result {
	if content := message.Get("content"); content.Exists() {
		return content
	}
	return message.Get("parts")
}

// contents are the parts of a value in Google's form. Calls and their results
// are left out: the message's toolCalls have them.
func contents(value gjson.Result) []session.Part {
	var parts []session.Part
	for _, value := range oneOrMany(value) {
		if part, ok := content(value); ok {
			parts = append(parts, part)
		}
	}
	return parts
}

// oneOrMany are the parts of a value that is a list or its only part.
func oneOrMany(value gjson.Result) []gjson.Result {
	switch {
	case value.IsArray():
		return value.Array()
	case value.Type == gjson.Null:
		return nil
	}
	return []gjson.Result{value}
}

func content(value gjson.Result) (session.Part, bool) {
	if !value.IsObject() {
		text := session.Clean(value.String())
		return session.Part{Type: session.Text, Text: text}, text != ""
	}
	if text := value.Get("text"); text.Exists() {
		kind := session.Text
		if value.Get("thought").Bool() {
			kind = session.Thinking
		}
		return session.Part{Type: kind, Text: session.Clean(text.String())}, text.String() != ""
	}
	if blob := value.Get("inlineData"); blob.Exists() {
		return session.BlobOf(session.Clean(blob.Get("mimeType").String()), blob.Get("data").String()), true
	}
	if file := value.Get("fileData"); file.Exists() {
		return session.Part{
			Type: session.Blob, MediaType: session.Clean(file.Get("mimeType").String()),
			URL: session.Clean(file.Get("fileUri").String()),
		}, true
	}
	if value.Get("functionCall").Exists() || value.Get("functionResponse").Exists() {
		return session.Part{}, false
	}
	return session.Part{Type: session.Data, Input: raw(value)}, true
}

// plainText is the text of a value in Google's form.
func plainText(value gjson.Result) string { return textOf(contents(value)) }

func textOf(parts []session.Part) string {
	var texts []string
	for _, part := range parts {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}
