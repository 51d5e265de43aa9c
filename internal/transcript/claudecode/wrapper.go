package claudecode

import (
	"slices"
	"strings"

	"tapedeck/internal/session"
)

// Tags that the harness puts around text in the user's role. They count where a
// text begins or ends with them; inside of a text they are what a person wrote.
var (
	// whole: what begins with one of these is the harness', to its end.
	whole = []string{
		"local-command-caveat", "local-command-stdout", "local-command-stderr",
		"bash-stdout", "bash-stderr", "task-notification", "teammate-message",
	}
	// leading stand before what a person wrote, trailing behind it.
	leading  = []string{"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics", "user-prompt-submit-hook"}
	trailing = []string{"system-reminder", "user-prompt-submit-hook"}
)

// split parts what someone wrote from what the harness put around it. What a
// parent agent wrote may be wrapped as a whole.
func split(parts []session.Part, delegated bool) (own, added []session.Part) {
	for _, p := range parts {
		if p.Type != session.Text {
			own = append(own, p)
			continue
		}
		if !delegated && isHarness(p.Text) {
			added = append(added, p)
			continue
		}
		text, blocks := cutEdges(p.Text)
		for _, b := range blocks {
			added = append(added, session.Part{Type: session.Text, Text: b})
		}
		if text != "" || len(blocks) == 0 {
			p.Text = text
			own = append(own, p)
		}
	}
	return own, added
}

// isHarness reports whether a text is the harness' as a whole.
func isHarness(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, caveat) {
		return true
	}
	tag, _ := tagAt(text)
	return slices.Contains(whole, tag)
}

// cutEdges cuts the harness' blocks off both ends of a text, and the blanks
// between. A text without any stays as it is.
func cutEdges(text string) (string, []string) {
	var before, behind []string
	for {
		rest := strings.TrimLeft(text, " \t\r\n")
		tag, _ := tagAt(rest)
		if !slices.Contains(leading, tag) {
			break
		}
		end := strings.Index(rest, "</"+tag+">")
		if end < 0 {
			break
		}
		end += len("</" + tag + ">")
		before = append(before, rest[:end])
		text = strings.TrimLeft(rest[end:], " \t\r\n")
	}
	for {
		rest := strings.TrimRight(text, " \t\r\n")
		at := trailingBlock(rest)
		if at < 0 {
			break
		}
		behind = append(behind, rest[at:])
		text = strings.TrimRight(rest[:at], " \t\r\n")
	}
	slices.Reverse(behind)
	return text, append(before, behind...)
}

// trailingBlock is where the block begins that text ends with; -1 for none. A
// block begins a line.
func trailingBlock(text string) int {
	for _, tag := range trailing {
		if !strings.HasSuffix(text, "</"+tag+">") {
			continue
		}
		at := strings.LastIndex(text, "<"+tag+">")
		if at == 0 || at > 0 && text[at-1] == '\n' {
			return at
		}
	}
	return -1
}

// tagAt is the name of the tag that text begins with, and what stands in it
// behind the name.
func tagAt(text string) (name, rest string) {
	if !strings.HasPrefix(text, "<") {
		return "", ""
	}
	end := strings.IndexByte(text, '>')
	if end < 0 || end > 500 {
		return "", ""
	}
	name, rest, _ = strings.Cut(text[1:end], " ")
	return name, rest
}

// inTag is what stands in the first element of that name; "" for none.
func inTag(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	if !ok {
		return ""
	}
	inside, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(inside)
}

// commandOf is a person's command, as it was typed, when text is the harness'
// form of one.
func commandOf(text string) (string, bool) {
	switch tag, _ := tagAt(text); tag {
	case "command-name", "command-message":
		name := inTag(text, "command-name")
		if name == "" {
			return "", false
		}
		if !strings.HasPrefix(name, "/") {
			name = "/" + name
		}
		return strings.TrimSpace(name + " " + inTag(text, "command-args")), true
	case "bash-input":
		return "! " + inTag(text, "bash-input"), true
	case "user-memory-input":
		return "# " + inTag(text, "user-memory-input"), true
	}
	return "", false
}
