package codex

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// partsOf reads content: a string, a part, or a list of parts.
func partsOf(content gjson.Result) []session.Part {
	switch {
	case content.Type == gjson.String:
		return textParts(content.Str)
	case content.IsArray():
		var parts []session.Part
		content.ForEach(func(_, part gjson.Result) bool {
			parts = append(parts, partOf(part)...)
			return true
		})
		return parts
	case content.IsObject():
		return partOf(content)
	}
	return nil
}

// partOf reads one part; none where it holds nothing.
func partOf(part gjson.Result) []session.Part {
	if part.Type == gjson.String {
		return textParts(part.Str)
	}
	switch text(part.Get("type")) {
	case "input_text", "output_text", "text", "Text", "inputText", "summary_text", "reasoning_text":
		return textParts(text(part.Get("text")))
	case "refusal":
		return textParts(firstText(part, "refusal", "text"))
	case "input_image", "inputImage", "image":
		return imageParts(firstText(part, "image_url", "imageUrl", "image_url.url", "data"), text(part.Get("mimeType")))
	case "input_file":
		return fileParts(part)
	case "encrypted_content":
		return []session.Part{session.BlobOf("", text(part.Get("encrypted_content")))}
	}
	return dataParts(part)
}

func textParts(s string) []session.Part {
	if s == "" {
		return nil
	}
	return []session.Part{{Type: session.Text, Text: s}}
}

// dataParts is JSON that has no other form.
func dataParts(v gjson.Result) []session.Part {
	if !json.Valid([]byte(v.Raw)) {
		return textParts(v.Raw)
	}
	return []session.Part{{Type: session.Data, Input: json.RawMessage(v.Raw)}}
}

// imageParts is an image given as a data URL, a URL, a path, or as base64.
func imageParts(image, mediaType string) []session.Part {
	switch {
	case image == "":
		return nil
	case strings.HasPrefix(image, "data:"):
		head, encoded, _ := strings.Cut(image, ",")
		mediaType, _, _ = strings.Cut(strings.TrimPrefix(head, "data:"), ";")
		return []session.Part{session.BlobOf(mediaType, encoded)}
	case mediaType != "":
		return []session.Part{session.BlobOf(mediaType, image)}
	}
	return []session.Part{{Type: session.Blob, URL: image}}
}

func fileParts(part gjson.Result) []session.Part {
	var p session.Part
	if data := text(part.Get("file_data")); data != "" {
		p = imageParts(data, "application/octet-stream")[0]
	} else {
		p = session.Part{Type: session.Blob, URL: text(part.Get("file_url"))}
	}
	p.Name = text(part.Get("filename"))
	return []session.Part{p}
}

// textOf is all text of parts.
func textOf(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Type == session.Text {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// blobsOf are the parts that are no text.
func blobsOf(parts []session.Part) []session.Part {
	var blobs []session.Part
	for _, p := range parts {
		if p.Type != session.Text {
			blobs = append(blobs, p)
		}
	}
	return blobs
}

// inputOf is the input of a tool as JSON. Functions are given theirs as a string
// that holds JSON, custom tools as text of any form.
func inputOf(v gjson.Result) json.RawMessage {
	raw := strings.TrimSpace(v.Raw)
	if v.Type == gjson.String {
		raw = strings.TrimSpace(v.Str)
	}
	switch {
	case raw == "" || v.Type == gjson.Null:
		return nil
	case (v.Type == gjson.JSON || raw[0] == '{' || raw[0] == '[') && json.Valid([]byte(raw)):
		return json.RawMessage(raw)
	}
	return quoted(v.String())
}

// quoted is a string as JSON.
func quoted(s string) json.RawMessage {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(s) != nil {
		return nil
	}
	return json.RawMessage(strings.TrimSuffix(out.String(), "\n"))
}
