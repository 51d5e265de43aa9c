package document

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

const (
	// outputEnd is how much of each end of a tool's output is kept: the head says
	// what it is, the tail how it came out.
	outputEnd = 1500
	// rawEnd is how much of each end is looked at for that. It is far more, as
	// what is left out does not count, and a block of secrets is known by its
	// beginning.
	rawEnd = 64 << 10
)

// toolText is what was called with what, what went wrong, and the ends of what
// came out. A name alone is nothing to search for.
func toolText(s session.Span) string {
	lines := []string{readable(toolName(s))}
	for _, p := range s.Input {
		if text := inputText(p); text != "" {
			lines = append(lines, text)
		}
	}
	output := outputText(s.Output)
	if reason := readable(s.Error); reason != "" && !strings.Contains(output, reason) {
		lines = append(lines, reason)
	}
	if saysSomething(output) {
		lines = append(lines, output)
	}
	if len(lines) == 1 {
		return ""
	}
	return ends(strings.Join(lines, "\n"), maxText/2, maxText/2)
}

// toolName is the span's name, which is that of its call where it has one.
func toolName(s session.Span) string {
	if s.Name == "" && len(s.Input) > 0 {
		return s.Input[0].Name
	}
	return s.Name
}

// outputText is the ends of what a tool gave.
func outputText(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		text := withoutReminders(ends(p.Text, rawEnd, rawEnd))
		switch p.Type {
		case session.Data:
			text = strings.Join(leavesText(leavesOf(gjson.ParseBytes(p.Input))), "\n")
		case session.Blob:
			text = p.Name
		}
		if text = readable(text); text != "" {
			texts = append(texts, text)
		}
	}
	return ends(strings.Join(texts, "\n"), outputEnd, outputEnd)
}

// withoutReminders is an output without the blocks that Claude Code puts behind
// it for the model: they stand in every file that is read, where its tail is.
func withoutReminders(text string) string {
	const begin, end = "<system-reminder>\n", "\n</system-reminder>"
	var kept strings.Builder
	for {
		before, block, found := strings.Cut(text, begin)
		_, behind, closed := strings.Cut(block, end)
		if !found || !closed {
			kept.WriteString(text)
			return kept.String()
		}
		kept.WriteString(before)
		text = behind
	}
}
