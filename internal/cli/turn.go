package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
)

const (
	mostLines   = 12 // of a text, unless it is wanted whole
	textIndent  = "  "
	widestInput = 200 // cells of what a tool was told, off the terminal
)

// trace prints one turn: its head, the prompt, then what happened step by step,
// and what it took.
func (v *viewer) trace(ctx context.Context, t session.Trace) error {
	var b strings.Builder
	b.WriteString("\n")
	v.text(&b, "", v.style.faint, v.traceHead(t))
	prompted := false
	err := v.spans(ctx, t.ID, func(part *archive.TraceDetail) error {
		for _, s := range part.Spans {
			if !prompted {
				prompted = true
				v.prompt(&b, t, s)
			}
			v.span(&b, s, part.Links)
		}
		_, err := io.WriteString(v.out, b.String())
		b.Reset()
		return err
	})
	if err != nil {
		return err
	}
	v.text(&b, textIndent+"= ", v.style.faint, v.sums(t))
	_, err = io.WriteString(v.out, b.String())
	return err
}

func (v *viewer) traceHead(t session.Trace) string {
	words := []string{"turn " + group(t.Seq+1), minute(t.StartedAt)}
	if t.Origin != "" && t.Origin != session.Typed {
		words = append(words, string(t.Origin))
	}
	if t.Status != session.StatusOK {
		words = append(words, string(t.Status))
	}
	return strings.Join(words, " · ")
}

func (v *viewer) sums(t session.Trace) string {
	words := []string{usageWords(t.Usage)}
	if t.Counts.ToolCalls > 0 {
		words = append([]string{toolWords(t.Counts)}, words...)
	}
	if d := took(t.StartedAt, t.EndedAt); d != "" {
		words = append(words, d)
	}
	return strings.Join(words, " · ")
}

// prompt prints what was asked. The root span has all of it, the trace its
// beginning.
func (v *viewer) prompt(b *strings.Builder, t session.Trace, root session.Span) {
	text := t.UserPrompt
	if whole := textOf(root.Input); v.full && root.Kind == session.KindAgent && whole != "" {
		text = whole
	}
	if text != "" {
		v.text(b, "❯ ", v.style.bold, text)
	}
}

// span prints one step.
func (v *viewer) span(b *strings.Builder, s session.Span, links []session.Link) {
	switch s.Kind {
	case session.KindLLM:
		v.answer(b, s)
	case session.KindTool:
		v.tool(b, s, links)
	case session.KindEvent:
		v.event(b, s)
	case session.KindAgent:
		v.trouble(b, s)
	}
}

// event prints a line for something beside prompts, answers and tools: what it
// says, or, where that is nothing, what is known of it.
func (v *viewer) event(b *strings.Builder, s session.Span) {
	what := textOf(s.Output) + textOf(s.Input)
	if what == "" {
		var facts []string
		for _, key := range slices.Sorted(maps.Keys(s.Attributes)) {
			facts = append(facts, key+" "+s.Attributes[key])
		}
		what = strings.Join(facts, ", ")
	}
	v.oneLine(b, "·", s.Name, what, "")
	if !strings.Contains(what, s.Error) {
		v.trouble(b, s)
	}
}

// answer prints what a model said, and with --full what it thought.
func (v *viewer) answer(b *strings.Builder, s session.Span) {
	for _, p := range s.Output {
		switch {
		case p.Type == session.Text && strings.TrimSpace(p.Text) != "":
			v.text(b, "▸ ", "", p.Text)
		case p.Type == session.Thinking && v.full && strings.TrimSpace(p.Text) != "":
			v.text(b, "… ", v.style.faint, p.Text)
		}
	}
	v.trouble(b, s)
}

// marks show how a tool call ended.
var marks = map[session.Status]string{
	session.StatusOK: "✓", session.StatusError: "✗", session.StatusInterrupted: "■", session.StatusPending: "…", session.StatusUnknown: "?",
}

// tool prints a line for a tool call, what went wrong below it, and with --full
// what it gave.
func (v *viewer) tool(b *strings.Builder, s session.Span, links []session.Link) {
	end := took(s.StartedAt, s.EndedAt)
	if s.Status != session.StatusOK {
		end = strings.TrimSpace(string(s.Status) + " " + end)
	}
	v.oneLine(b, cmp.Or(marks[s.Status], "?"), s.Name, told(s), end)
	v.trouble(b, s)
	for _, l := range links {
		if l.Kind == session.LinkSpawns && l.FromSpanID == s.ID {
			v.oneLine(b, " ", "", "↳ sub-agent: tapedeck sessions show "+l.ToSessionID[:min(shortID, len(l.ToSessionID))], "")
		}
	}
	if text := textOf(s.Output); v.full && text != "" {
		v.text(b, textIndent+"| ", v.style.faint, text)
	}
}

// oneLine prints a step in one line, of which the middle is cut where a line is
// too short.
func (v *viewer) oneLine(b *strings.Builder, mark, name, what, end string) {
	name, what = visible(shorten(name)), visible(strings.Join(strings.Fields(what), " "))
	if end != "" {
		end = "  " + end
	}
	room := widestInput
	if v.width > 0 {
		room = max(v.width-cellsOf(textIndent+mark+" "+name+"  "+end), leastCells)
	}
	line := textIndent + mark + " " + v.style.bold + name + v.style.reset
	if what != "" {
		line += "  " + clipCells(what, room)
	}
	b.WriteString(line + v.style.faint + end + v.style.reset + "\n")
}

// trouble prints what went wrong in a step.
func (v *viewer) trouble(b *strings.Builder, s session.Span) {
	if s.Error != "" {
		v.text(b, textIndent+"! ", "", s.Error)
	}
}

// text prints a text behind a mark, wrapped, and cut unless it is wanted whole.
func (v *viewer) text(b *strings.Builder, mark, style, text string) {
	indent, width := strings.Repeat(" ", cellsOf(mark)), 0
	if v.width > 0 {
		width = v.width - len(indent)
	}
	lines := wrap(text, width)
	shown := lines
	if !v.full && len(lines) > mostLines+1 { // telling of one more line would take one
		shown = lines[:mostLines]
	}
	for i, line := range shown {
		lead := indent
		if i == 0 {
			lead = mark
		}
		b.WriteString(style + strings.TrimRight(lead+line, " ") + v.reset(style) + "\n")
	}
	if more := len(lines) - len(shown); more > 0 {
		b.WriteString(indent + v.style.faint + "… " + count(more, "more line", "more lines") + ": --full" + v.style.reset + "\n")
	}
}

// reset ends a style, if there is one.
func (v *viewer) reset(style string) string {
	if style == "" {
		return ""
	}
	return v.style.reset
}

// textOf is the text of content; other parts are named.
func textOf(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case session.Text, session.ToolResult:
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
		case session.Blob:
			texts = append(texts, strings.TrimSpace("["+cmp.Or(p.MediaType, "blob")+", "+size(float64(p.Bytes))+"] "+p.Name))
		case session.Data:
			texts = append(texts, string(p.Input))
		}
	}
	return strings.Join(texts, "\n")
}

// tellingKeys are the arguments of a tool that say best what it was told, the
// best first.
var tellingKeys = []string{"command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "prompt"}

// told is what a tool was told, in short.
func told(s session.Span) string {
	for _, p := range s.Input {
		if p.Type == session.ToolCall || p.Type == session.Data {
			return toldInput(p.Input)
		}
	}
	return textOf(s.Input)
}

func toldInput(input json.RawMessage) string {
	var text string
	if json.Unmarshal(input, &text) == nil { // the beginning of an input that is too long to be shown
		input = json.RawMessage(text)
	}
	arguments := argumentsOf(input)
	for _, key := range tellingKeys {
		if value, ok := arguments[key]; ok {
			return plainJSON(value)
		}
	}
	if len(arguments) == 1 {
		return plainJSON(slices.Collect(maps.Values(arguments))[0])
	}
	if text = string(bytes.TrimSpace(input)); text == "{}" {
		return ""
	}
	return text
}

// argumentsOf are the members of an object, as far as it can be read.
func argumentsOf(input json.RawMessage) map[string]json.RawMessage {
	arguments := map[string]json.RawMessage{}
	in := json.NewDecoder(bytes.NewReader(input))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return arguments
	}
	for {
		key, err := in.Token()
		var value json.RawMessage
		if err != nil || in.Decode(&value) != nil {
			return arguments
		}
		arguments[fmt.Sprint(key)] = value
	}
}

// plainJSON is a text without its quotes, a list of texts as words, and all else
// as it is.
func plainJSON(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(value, &list) == nil {
		return strings.Join(list, " ")
	}
	return string(value)
}
