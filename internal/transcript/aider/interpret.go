package aider

import (
	"regexp"
	"strconv"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// An interpreter tells blocks one after the other; long ones were cut and are
// put together first.
type interpreter struct {
	events []session.Event // of the block, or blocks, at hand
	kind   kind
	record session.Record // the first of them
	text   strings.Builder
	count  int    // events of the record
	answer string // what the console's tokens are of: the last answer, while there is one
}

// Interpreter interprets a session; there is no state to go on from, as the last
// block may grow.
func (importer) Interpreter([]byte) (transcript.Interpreter, error) { return &interpreter{}, nil }

func (in *interpreter) State() ([]byte, bool) { return nil, false }

func (in *interpreter) Add(r session.Record, _ bool) []session.Event {
	_, name, _ := strings.Cut(r.Key, "-")
	name, more := strings.CutSuffix(name, moreSuffix)
	var before []session.Event
	if !more {
		before = in.End()
		in.kind, in.record, in.count = kind(name), r, 0
		in.record.Body = nil
	}
	in.text.Write(r.Body)
	return before
}

// End tells the block at hand.
func (in *interpreter) End() []session.Event {
	text := session.Clean(strings.ReplaceAll(in.text.String(), "\r\n", "\n"))
	in.text.Reset()
	in.events = nil
	switch in.kind {
	case kindHeader:
		in.add(&session.Facts{StartedAt: in.record.At})
	case kindPrompt:
		in.prompt(unmark(text, promptMark))
	case kindConsole:
		in.console(unmark(text, consoleMark))
	case kindAnswer:
		in.said(strings.TrimSpace(text))
	}
	in.kind = ""
	return in.events
}

// add tells something of the block at hand.
func (in *interpreter) add(what session.What) {
	key := in.record.Key
	if in.count++; in.count > 1 {
		key += "#" + strconv.Itoa(in.count)
	}
	in.events = append(in.events, session.Event{Key: key, Record: in.record.Key, At: in.record.At, What: what})
}

// unmark takes the marks off a block's lines, and the two spaces at their ends.
func unmark(text, mark string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, strings.TrimSpace(mark)), " "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// command is one of aider's: "/add file", "!ls".
var command = regexp.MustCompile(`^(/[a-z][a-z-]*(\s|$)|!)`)

func (in *interpreter) prompt(text string) {
	in.answer = ""
	if text == "" || text == "<blank>" {
		return
	}
	origin := session.Typed
	if command.MatchString(text) {
		origin = session.Command
	}
	in.add(&session.Prompt{Origin: origin, Content: []session.Part{{Type: session.Text, Text: text}}})
}

// said tells what the model answered. Its tokens are told on the console, behind
// it: until then they are not known.
func (in *interpreter) said(text string) {
	if text == "" {
		return
	}
	in.answer = in.record.Key
	in.add(&session.Answer{
		Merge: in.answer, Usage: &session.Usage{Partial: true},
		Content: []session.Part{{Type: session.Text, Text: text}},
	})
}
