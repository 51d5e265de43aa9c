package chat

import (
	"fmt"
	"strings"

	"tapedeck/internal/session"
)

// told is messages as text: the role, then the parts.
func told(messages []Message) []string {
	var lines []string
	for _, m := range messages {
		line := string(m.Role) + ": " + shown(m.Parts)
		for _, r := range m.Results {
			mark := "→"
			if r.IsError {
				mark = "✗"
			}
			line += fmt.Sprintf("%s%s%s %s", mark, r.CallID, r.Name, shown(r.Parts))
		}
		if m.StopReason != "" {
			line += " (" + m.StopReason + ")"
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

func shown(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case session.ToolCall:
			texts = append(texts, p.ID+"="+p.Name+string(p.Input))
		case session.Data:
			texts = append(texts, "data"+string(p.Input))
		case session.Blob:
			texts = append(texts, fmt.Sprintf("[%s %d %s]", p.MediaType, p.Bytes, p.URL))
		case session.Thinking:
			texts = append(texts, "("+p.Text+")")
		default:
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, " | ")
}

// script tells events, a line each, those of sub-agents with their thread.
func script(events []session.Event) []string {
	var lines []string
	for _, e := range events {
		line := ""
		switch what := e.What.(type) {
		case *session.Prompt:
			line = string(what.Origin) + ": " + shown(what.Content)
		case *session.Answer:
			line = fmt.Sprintf("answer %d: %s %s", what.Usage.Total(), shown(what.Content), what.Error)
		case *session.Call:
			line = "call " + what.CallID + " " + what.Name + string(what.Input)
		case *session.Result:
			line = fmt.Sprintf("result %s %s: %s %s", what.CallID, what.Status, shown(what.Content), what.Error)
		case *session.Note:
			line = "note " + what.Name + ": " + what.Text
		case *session.Spawn:
			line = "spawn " + what.CallID + ": " + what.Thread
		case *session.Facts:
			line = "partial: " + what.Partial
		}
		if e.Thread != "" {
			line = "[" + e.Thread + "] " + line
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
