package document

import (
	"strings"

	"tapedeck/internal/derive"
	"tapedeck/internal/session"
)

// llmText is what a person wrote and what the model answered. Calls of tools have
// spans of their own. What a model thought is not what it said, and would stand
// in the way of what it said; it is the document only of a span that has nothing
// else, such as one between two calls of tools.
func llmText(s session.Span) string {
	texts := textsOf(s.Input, session.Text)
	answer := textsOf(s.Output, session.Text)
	texts = append(texts, answer...)
	if reason := readable(s.Error); reason != "" && !contain(answer, reason) {
		texts = append(texts, reason)
	}
	if len(texts) == 0 {
		texts = textsOf(s.Output, session.Thinking)
	}
	return ends(strings.Join(texts, "\n\n"), maxText/2, maxText/2)
}

// textsOf are the readable texts of parts of a type, without those that the
// harness put in.
func textsOf(parts []session.Part, kind session.PartType) []string {
	var texts []string
	for _, p := range parts {
		if p.Type != kind || p.Name == derive.InjectedPart || p.Name == derive.SummaryPart {
			continue
		}
		if text := readable(p.Text); saysSomething(text) {
			texts = append(texts, text)
		}
	}
	return texts
}

func contain(texts []string, part string) bool {
	for _, text := range texts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// saysSomething reports whether a text is more than the mark of what was left out.
func saysSomething(text string) bool {
	return strings.Trim(text, leftOut+" \t\n") != ""
}
