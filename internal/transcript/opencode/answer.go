package opencode

import (
	"strconv"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A step is one call of the model: early versions made all calls of a turn parts
// of one message, each between a step-start and a step-finish.
type step struct {
	parts    []element
	finishes []gjson.Result // one, where the order of the parts is known
}

// steps cuts a message's parts into calls of the model; those whose order is not
// known stay one. What stands before the first step-start, or behind the last
// step-finish, belongs to the step next to it.
func steps(parts []element, ordered bool) []step {
	var all []step
	open := step{}
	for _, p := range parts {
		switch p.doc.Get("type").Str {
		case "step-start":
		case "step-finish":
			open.finishes = append(open.finishes, p.doc)
			if ordered {
				all = append(all, open)
				open = step{}
			}
		default:
			open.parts = append(open.parts, p)
		}
	}
	if len(all) > 0 && !open.called() {
		last := &all[len(all)-1]
		last.parts = append(last.parts, open.parts...)
		return all
	}
	return append(all, open)
}

// called reports whether a step that is not finished holds what a model said.
func (s step) called() bool {
	for _, p := range s.parts {
		switch p.doc.Get("type").Str {
		case "text", "reasoning", "tool":
			return true
		}
	}
	return false
}

// assistant tells a message of a model.
func (t *teller) assistant(m element, parts []element, ordered bool) {
	all := steps(parts, ordered)
	for n, s := range all {
		answer := &session.Answer{
			Merge: m.id, Model: modelOf(m.doc, "modelID"), Provider: modelOf(m.doc, "providerID"),
			StopReason: s.reason(), Began: began(m, s, n), Usage: s.usage(),
		}
		if n > 0 {
			answer.Merge += "/" + strconv.Itoa(n+1)
		}
		if len(all) == 1 && len(s.finishes) < 2 {
			answer.Usage = messageUsage(m.doc, answer.Usage)
		}
		if n == len(all)-1 {
			t.last(m, answer)
		}
		t.step(m, s, answer)
	}
	t.agentType(m)
	if aborted(m.doc) {
		t.add(m, millis(m.doc.Get("time.completed")), &session.Note{
			Name: session.NoteInterrupted, Text: failure(m.doc.Get("error")), Status: session.StatusInterrupted,
		})
	}
}

// last tells with a message's last call how the message ended.
func (t *teller) last(m element, answer *session.Answer) {
	if finish := clean(m.doc.Get("finish")); finish != "" {
		answer.StopReason = finish
	}
	if err := m.doc.Get("error"); err.IsObject() && !aborted(m.doc) {
		answer.Error = failure(err)
	}
}

func aborted(message gjson.Result) bool {
	return message.Get("error.name").Str == "MessageAbortedError"
}

// modelOf is a message's model or provider; early versions had them at the top.
func modelOf(message gjson.Result, name string) string {
	if value := clean(message.Get(name)); value != "" {
		return value
	}
	return clean(message.Get("model." + name))
}

// agentType tells which agent a sub-agent is, once, by its first message.
func (t *teller) agentType(m element) {
	agent := clean(m.doc.Get("agent"))
	if agent == "" {
		agent = clean(m.doc.Get("mode"))
	}
	if !t.subagent || t.typed || agent == "" {
		return
	}
	t.typed = true
	t.add(m, 0, &session.Facts{AgentType: agent})
}

// step tells one call of the model: what it said, then the tools that it called.
func (t *teller) step(m element, s step, answer *session.Answer) {
	written := answer.Began
	var calls []element
	for _, p := range s.parts {
		switch p.doc.Get("type").Str {
		case "text":
			answer.Content = append(answer.Content, session.Part{Type: session.Text, Text: clean(p.doc.Get("text"))})
		case "reasoning":
			answer.Content = append(answer.Content, session.Part{Type: session.Thinking, Text: clean(p.doc.Get("text"))})
		case "file":
			answer.Content = append(answer.Content, filePart(p.doc))
		case "tool":
			answer.Content = append(answer.Content, callPart(p))
			calls = append(calls, p)
			written = max(written, millis(p.doc.Get("state.time.start")))
		default:
			t.note(p, p.at)
		}
		written = max(written, millis(p.doc.Get("time.end")))
	}
	t.add(m, written, answer)
	for _, p := range calls {
		t.tool(p)
	}
}

// began is when a call of the model began: with the message, or for a later one
// with the first part that says when.
func began(m element, s step, n int) session.Time {
	if n == 0 {
		return createdAt(m)
	}
	for _, p := range s.parts {
		if at := created(p.doc); at != 0 {
			return session.Time(at)
		}
		if p.row {
			return p.at
		}
	}
	return 0
}

// reason is why a step ended.
func (s step) reason() string {
	if len(s.finishes) == 0 {
		return ""
	}
	return clean(s.finishes[len(s.finishes)-1].Get("reason"))
}

// usage is what a step took; one that is not finished was not counted.
func (s step) usage() *session.Usage {
	sum := session.Usage{Partial: len(s.finishes) == 0}
	for _, finish := range s.finishes {
		sum.Add(*usage(finish))
	}
	return &sum
}

// messageUsage is that of a message that is one call: the message has it, else
// its step does.
func messageUsage(message gjson.Result, step *session.Usage) *session.Usage {
	of := usage(message)
	if of.Total() == 0 {
		of, step = step, of
	}
	if of.Cost == 0 {
		of.Cost = step.Cost
	}
	return of
}

// usage counts the tokens of a message or step. The cached ones are apart from
// the input. Whether reasoning is in the output depends on the version: the
// total tells, where there is one; the harness adds them up.
func usage(doc gjson.Result) *session.Usage {
	tokens := doc.Get("tokens")
	n := func(name string) int64 { return max(tokens.Get(name).Int(), 0) }
	u := &session.Usage{
		InputTokens: n("input"), CacheReadTokens: n("cache.read"), CacheWriteTokens: n("cache.write"),
		OutputTokens: n("output"), ReasoningTokens: n("reasoning"), Cost: cost(doc.Get("cost")),
	}
	if total := n("total"); total == 0 || total != u.Total() {
		u.OutputTokens += u.ReasoningTokens
	}
	u.Partial = u.Total() == 0
	return u
}

// maxCost is more than any call takes; what is beyond is no amount in dollars.
const maxCost = 1e6

// cost is what the harness says a call took, in dollars.
func cost(value gjson.Result) session.USD {
	if value.IsObject() {
		value = value.Get("usd")
	}
	if value.Type != gjson.Number || value.Num <= 0 || value.Num > maxCost {
		return 0
	}
	return session.Dollars(value.Num)
}
