package derive

import (
	"strings"

	"tapedeck/internal/session"
)

// Names of text parts that no person wrote, in the input of llm spans.
const (
	InjectedPart = "injected"
	SummaryPart  = "summary"
)

// marked are the parts of a prompt that no person wrote, with a name that says so.
// Blobs keep that of their file.
func marked(parts []session.Part, name string) []session.Part {
	out := make([]session.Part, len(parts))
	for i, p := range parts {
		if p.Type != session.Blob {
			p.Name = name
		}
		out[i] = p
	}
	return out
}

// previewOf is the beginning of the text in parts, for listings.
func previewOf(parts []session.Part) string {
	return session.Clip(session.Clean(beginningOf(parts)), session.MaxPreview)
}

// beginningOf is enough of the text in parts to make a preview of.
func beginningOf(parts []session.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Type != session.Text || p.Text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(beginning(p.Text))
		if b.Len() > session.MaxPreview {
			break
		}
	}
	return b.String()
}

// beginning is a part of text that is longer than a preview, if text is.
func beginning(text string) string { return text[:min(len(text), 2*session.MaxPreview)] }

// line is the first line of text, at most n bytes of it.
func line(text string, n int) string {
	text = strings.TrimSpace(beginning(text))
	if end := strings.IndexAny(text, "\r\n"); end >= 0 {
		text = text[:end]
	}
	return session.Clip(clean(strings.TrimSpace(text)), n)
}
