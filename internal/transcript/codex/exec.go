package codex

import (
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// exec interprets what "codex exec --json" printed. It tells neither the prompt
// nor any time; a turn's tokens come once, at its end.
func (in *interpreter) exec(l line) {
	p := l.payload
	switch text(p.Get("type")) {
	case "turn.started":
		in.endTurn()
	case "item.started":
		in.execItem(p.Get("item"), false)
	case "item.completed":
		in.execItem(p.Get("item"), true)
	case "turn.completed":
		in.used(in.Usage.add(reportOf(p)), "")
		in.endTurn()
	case "error":
		in.failed(p)
	case "turn.failed":
		in.failed(p)
		in.endTurn()
	}
}

func (in *interpreter) execItem(item gjson.Result, done bool) {
	switch kind := text(item.Get("type")); kind {
	case "agent_message":
		if done {
			in.execAnswer(textParts(text(item.Get("text")))...)
		}
	case "reasoning":
		if done {
			in.execAnswer(session.Part{Type: session.Thinking, Text: text(item.Get("text"))})
		}
	case "error":
		if done {
			in.failed(item)
		}
	default:
		in.execTool(kind, item, done)
	}
}

// execAnswer tells an answer. As no tokens tell the calls of a turn apart, they
// are one.
func (in *interpreter) execAnswer(content ...session.Part) {
	if len(content) == 0 {
		return
	}
	in.answer(content...)
	in.Call.Open = true
}

// execTool tells a call when it is first seen, its result when it is completed.
// Identifiers of items begin anew in each run.
func (in *interpreter) execTool(kind string, item gjson.Result, done bool) {
	id := text(item.Get("id"))
	c := in.tool(id)
	if c == nil {
		c = &toolCall{ID: id, CallID: in.record.Key, Name: kind}
		in.Tools = append(in.Tools, c)
		part := session.Part{Type: session.ToolCall, ID: c.CallID, Name: kind}
		part.Input = rawOf(item, "command", "changes", "server", "tool", "arguments", "query", "items", "prompt")
		in.execAnswer(part)
	}
	if !done {
		return
	}
	r := outcomeOf(item)
	if status := statusOf(item); status != session.StatusOK && r.Status == session.StatusOK {
		r.Status = status
	}
	if content := partsOf(item.Get("result.content")); r.Content == nil {
		r.Content = content
	}
	if message := text(item.Get("error.message")); message != "" {
		r.Status, r.Error = session.StatusError, firstLine(message, "")
	}
	in.result(id, r)
}
