package archive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tapedeck/internal/derive"
	"tapedeck/internal/session"
)

// markdownExport writes a session to be read: facts, then turn after turn the
// prompt, the answers and, folded, what the tools did.
type markdownExport struct {
	w      io.Writer
	titles map[string]string // of harnesses
	err    error
}

func (e *markdownExport) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = io.WriteString(e.w, legible(fmt.Sprintf(format, args...)))
	}
}

// steering are the sequences by which programs colour a terminal, or turn it
// into something else, and other control characters.
var steering = regexp.MustCompile(`\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}]`)

// legible is text without what only a terminal understands: tools' results are
// full of it, and people look at an export in one.
func legible(text string) string {
	return steering.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")
}

func (e *markdownExport) session(s session.Session) error {
	e.printf("# %s\n\n| | |\n|---|---|\n", inline(cmp.Or(s.DisplayName, s.Title)))
	agent := cmp.Or(e.titles[s.Harness], s.Harness) + " " + s.HarnessVersion
	e.fact("Agent", strings.TrimSpace(agent+" "+s.AgentType))
	e.fact("Session", s.ID)
	e.fact("Folder", s.Cwd)
	e.fact("Branch", s.GitBranch)
	e.fact("Time", timespan(s.StartedAt, s.EndedAt))
	e.fact("Status", string(s.Status))
	if s.Parent != nil {
		e.fact("Came from", string(s.Parent.Relation)+" of "+s.Parent.SessionID)
	}
	for _, m := range s.Models {
		e.fact("Model", fmt.Sprintf("%s, %s", cmp.Or(m.Model, "unknown"), counted(m.Calls, "call")))
	}
	e.fact("Tokens", usageText(s.Usage))
	e.fact("Holds", countsText(s.Counts))
	e.fact("Incomplete", s.PartialReason)
	return e.err
}

func (e *markdownExport) fact(name, value string) {
	if value != "" {
		e.printf("| %s | %s |\n", name, inline(value))
	}
}

func (e *markdownExport) trace(t session.Trace) error {
	heading := inline(session.Clip(oneLine(t.UserPrompt), 80))
	e.printf("\n## %d. %s\n\n", t.Seq+1, cmp.Or(heading, "(no prompt)"))
	facts := []string{}
	for _, fact := range []string{timespan(t.StartedAt, t.EndedAt), string(t.Status), strings.Join(t.Models, ", "), usageText(t.Usage)} {
		if fact != "" {
			facts = append(facts, inline(fact))
		}
	}
	e.printf("*%s*\n", strings.Join(facts, " · "))
	return e.err
}

func (e *markdownExport) span(s session.Span) error {
	switch s.Kind {
	case session.KindAgent:
		e.prompts(s.Input)
	case session.KindLLM:
		e.prompts(s.Input)
		e.answer(s)
	case session.KindTool:
		e.tool(s)
	case session.KindEvent:
		e.event(s)
	}
	if s.Error != "" {
		e.printf("\n**Error:** %s\n", inline(s.Error))
	}
	return e.err
}

// prompts writes what was new to the model: what people wrote as a quotation,
// the harness' additions folded. Results of tools stand with the tools.
func (e *markdownExport) prompts(parts []session.Part) {
	for _, p := range parts {
		text := strings.TrimSpace(p.Text)
		switch {
		case p.Type == session.Blob:
			e.printf("\n> %s\n", contained(blobText(p)))
		case p.Type != session.Text || text == "":
		case p.Name == derive.InjectedPart || p.Name == derive.SummaryPart:
			e.folded("Prompt, "+p.Name, func() { e.code("", text) })
		default:
			e.printf("\n> %s\n", strings.ReplaceAll(contained(text), "\n", "\n> "))
		}
	}
}

func (e *markdownExport) answer(s session.Span) {
	for _, p := range s.Output {
		switch p.Type {
		case session.Text:
			e.printf("\n%s\n", contained(strings.TrimSpace(p.Text)))
		case session.Thinking:
			if text := strings.TrimSpace(p.Text); text != "" {
				e.folded("Thinking", func() { e.printf("\n%s\n", contained(text)) })
			}
		case session.ToolCall: // its span follows
		default:
			e.printf("\n%s\n", contained(blobText(p)))
		}
	}
}

func (e *markdownExport) tool(s session.Span) {
	e.folded(toolSummary(s), func() {
		for _, p := range append(s.Input, s.Output...) {
			switch {
			case p.Type == session.Blob:
				e.printf("\n%s\n", contained(blobText(p)))
			case len(p.Input) > 0:
				e.code("json", indented(p.Input))
			case p.Text != "":
				e.code("", p.Text)
			}
		}
	})
}

// toolSummary is what of a tool is read without unfolding it.
func toolSummary(s session.Span) string {
	summary := s.Name
	for _, p := range s.Input {
		if says := sayingArgument(p.Input); says != "" {
			summary += ": " + session.Clip(oneLine(says), 100)
			break
		}
	}
	if s.Status != session.StatusOK {
		summary += " (" + string(s.Status) + ")"
	}
	if took := duration(s.StartedAt, s.EndedAt); took > 0 {
		summary += ", " + (time.Duration(took*1000) * time.Millisecond).String()
	}
	return summary
}

// sayingArguments are what tools of several harnesses call the argument that
// says what a call is about.
var sayingArguments = []string{"command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "prompt"}

func sayingArgument(input json.RawMessage) string {
	for _, name := range sayingArguments {
		if value := gjson.GetBytes(input, name); value.Type == gjson.String {
			return value.Str
		}
	}
	return ""
}

func (e *markdownExport) event(s session.Span) {
	text := cmp.Or(textOf(s.Input), textOf(s.Output))
	if !strings.Contains(text, "\n") && len(text) <= 200 {
		e.printf("\n*%s*\n", strings.TrimSuffix(inline(s.Name)+": "+inline(text), ": "))
		return
	}
	e.folded(s.Name, func() { e.code("", text) })
}

func (e *markdownExport) links(links []session.Link) error {
	for _, l := range links {
		if l.Kind == session.LinkSpawns && l.ToSessionID != l.FromSessionID {
			e.printf("\n*Sub-agent: session %s*\n", l.ToSessionID)
		}
	}
	return e.err
}

// folded writes what is shown when its summary is clicked.
func (e *markdownExport) folded(summary string, inside func()) {
	e.printf("\n<details><summary>%s</summary>\n", html.EscapeString(oneLine(summary)))
	inside()
	e.printf("\n</details>\n")
}

// code writes text between fences that are longer than any in it.
func (e *markdownExport) code(language, text string) {
	fence := fenceFor(text)
	e.printf("\n%s%s\n%s\n%s\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

// textOf joins the texts in parts, and names what is no text.
func textOf(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		switch {
		case p.Text != "":
			texts = append(texts, p.Text)
		case p.Type == session.Blob:
			texts = append(texts, blobText(p))
		}
	}
	return strings.Join(texts, "\n\n")
}

func blobText(p session.Part) string {
	name := cmp.Or(p.Name, p.URL, string(p.Type))
	return fmt.Sprintf("[%s %s, %d bytes]", oneLine(name), oneLine(p.MediaType), p.Bytes)
}

// oneLine is text without line breaks, which would end a heading or a table row.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func indented(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}

func timespan(began, ended session.Time) string {
	if began == 0 {
		return ""
	}
	text := began.Std().Format(time.DateTime) + " UTC"
	if took := duration(began, ended); took > 0 {
		text += ", " + time.Duration(took*float64(time.Second)).Round(time.Second).String()
	}
	return text
}

func usageText(u session.Usage) string {
	if u.Total() == 0 {
		return ""
	}
	text := fmt.Sprintf("%s in, %s cache read, %s cache write, %s out",
		grouped(u.InputTokens), grouped(u.CacheReadTokens), grouped(u.CacheWriteTokens), grouped(u.OutputTokens))
	if u.Cost != 0 {
		text += fmt.Sprintf(", $%.4f", float64(u.Cost)/1e9)
	}
	if u.Partial || u.Unpriced {
		text += " (at least)"
	}
	return text
}

func countsText(c session.Counts) string {
	var texts []string
	for _, count := range []struct {
		n    int64
		what string
	}{{c.Traces, "turn"}, {c.Messages, "answer"}, {c.ToolCalls, "tool call"}, {c.ToolErrors, "tool error"}, {c.Subagents, "sub-agent"}} {
		if count.n > 0 {
			texts = append(texts, counted(count.n, count.what))
		}
	}
	return strings.Join(texts, ", ")
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped is n with a comma between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
