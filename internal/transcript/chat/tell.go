package chat

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"

	"tapedeck/internal/session"
)

// Tell tells the steps of a conversation, in any order, as events.
func Tell(steps []*Step) []session.Event {
	t := teller{threads: map[string]*thread{}, tools: map[string]bool{}, counted: map[string]int{}}
	nodes := grow(steps)
	var acts []act
	for _, n := range nodes {
		if n.Kind == ToolUse && n.CallID != "" {
			t.tools[n.CallID] = true
		}
		acts = append(acts, t.acts(n)...)
	}
	slices.SortStableFunc(acts, func(a, b act) int {
		return cmp.Or(cmp.Compare(a.at, b.at), compare(a.node, b.node))
	})
	for _, a := range acts {
		t.from = a.node
		t.open(a.node)
		a.tell(a.node)
	}
	if t.uses > 0 && t.answers == 0 {
		of := acts[0].node.Key
		t.events = append(t.events, session.Event{
			Key: of + "#partial", Record: of, What: &session.Facts{Partial: "the recording holds what tools did, but no call of a model"},
		})
	}
	return t.events
}

// An act is what is told at one moment.
type act struct {
	at   int64
	node *node
	tell func(*node)
}

// A teller tells a conversation.
type teller struct {
	events  []session.Event
	threads map[string]*thread
	tools   map[string]bool // calls that have a step of their own
	from    *node
	counted map[string]int // events so far, by record
	answers int
	uses    int
}

// A thread is the conversation itself, or that of a sub-agent.
type thread struct {
	told       map[[sha256.Size]byte]int // messages, and how often
	toldIn     map[in]bool
	instructed map[string]bool // agents whose instructions were told
	began      bool
	calls      map[string]bool
	answered   map[string]bool
	waiting    []waiting
}

// A waiting call of a model has no tool's step yet.
type waiting struct {
	session.Part
	nameless bool // the model gave it no identifier
}

// in is a message in an OpenTelemetry trace.
type in struct {
	trace   string
	message [sha256.Size]byte
}

func (t *teller) thread(name string) *thread {
	if t.threads[name] == nil {
		t.threads[name] = &thread{
			told: map[[sha256.Size]byte]int{}, toldIn: map[in]bool{}, instructed: map[string]bool{},
			calls: map[string]bool{}, answered: map[string]bool{},
		}
	}
	return t.threads[name]
}

// acts are what a node's beginning and end tell, if anything.
func (t *teller) acts(n *node) []act {
	begin := act{at: n.Order, node: n}
	end := act{at: max(n.End, n.Order), node: n}
	switch {
	case n.Kind == Agent:
		begin.tell = func(*node) {} // it is opened
		switch {
		case n.call:
			end.tell = t.answer
			return []act{begin, end}
		case n.Failed && !n.failures:
			end.tell = t.failure
			return []act{begin, end}
		}
	case n.call:
		begin.tell = t.answer
	case n.Kind == ToolUse && !n.saysNothing() && !n.isRepeat():
		begin.tell = t.tool
	case n.Kind == Happening:
		begin.tell = t.happening
	case n.Kind == Other && n.parent == nil && n.Failed && !n.failures:
		end.tell = t.failure
		return []act{end}
	default:
		return nil
	}
	return []act{begin}
}

// add tells something of the current node.
func (t *teller) add(at session.Time, what session.What) {
	t.counted[t.from.Key]++
	key := t.from.Key
	if n := t.counted[key]; n > 1 {
		key += "#" + strconv.Itoa(n)
	}
	t.events = append(t.events, session.Event{Key: key, Record: t.from.Key, At: at, Thread: t.from.thread, What: what})
}

// open tells what the agents around a node were told, the outermost first.
func (t *teller) open(n *node) {
	var around []*node
	if n.Kind != Agent {
		n = n.agent
	}
	for ; n != nil && !n.wasOpened; n = n.agent {
		n.wasOpened = true
		around = append(around, n)
	}
	from := t.from
	for _, agent := range slices.Backward(around) {
		t.from = agent
		t.asked(agent)
	}
	t.from = from
}

// answer tells a call of a model.
func (t *teller) answer(n *node) {
	t.asked(n)
	t.results(n)
	a := &session.Answer{
		MessageID: n.MessageID, Model: n.Model, Provider: n.Provider, StopReason: n.StopReason,
		Content: partsOf(n.Output), Usage: n.Tokens.Usage(), Began: n.began(),
	}
	for _, m := range n.Output {
		a.StopReason = cmp.Or(a.StopReason, m.StopReason)
	}
	if n.Failed {
		a.Error = cmp.Or(n.Error, "the call failed")
	}
	within := t.thread(n.thread)
	for i, part := range a.Content {
		if part.Type != session.ToolCall {
			continue
		}
		nameless := part.ID == ""
		if nameless {
			part.ID = n.ID + "#" + strconv.Itoa(i+1)
			a.Content[i] = part
		}
		if !within.calls[part.ID] {
			within.calls[part.ID] = true
			within.wait(waiting{part, nameless})
		}
	}
	t.answers++
	t.add(n.ended(), a)
}

// tool tells the use of a tool.
func (t *teller) tool(n *node) {
	within := t.thread(n.thread)
	call := &session.Call{CallID: within.match(n), Began: n.began()}
	if !within.calls[call.CallID] {
		within.calls[call.CallID] = true
		call.Name, call.Input = n.Name, n.Arguments
	}
	t.uses++
	t.add(n.began(), call)
	if n.opens {
		t.add(n.began(), &session.Spawn{CallID: call.CallID, Thread: n.ID, AgentType: n.Name})
	}
	if n.End == 0 && len(n.Given) == 0 && !n.Failed {
		return // still at work
	}
	within.answered[call.CallID] = true
	result := &session.Result{CallID: call.CallID, Content: n.Given, Status: session.StatusOK}
	if n.End > n.Order {
		result.Duration = n.ended().Std().Sub(n.began().Std())
	}
	if n.Failed {
		result.Status, result.Error = session.StatusError, n.Error
	}
	t.add(n.ended(), result)
}

// maxWaiting bounds the calls among which a tool's step is sought.
const maxWaiting = 1000

func (w *thread) wait(call waiting) {
	if len(w.waiting) >= maxWaiting {
		w.waiting = slices.Delete(w.waiting, 0, 1)
	}
	w.waiting = append(w.waiting, call)
}

// match is the call that a tool's step is of: by its identifier, where both have
// one; else the first that a model made of this tool, with these arguments if one
// has them, and that has no step; else it is a call of its own.
func (w *thread) match(n *node) string {
	same := func(call waiting) bool { return call.ID == n.CallID }
	named := func(call waiting) bool { return call.Name == n.Name && (n.CallID == "" || call.nameless) }
	alike := func(call waiting) bool { return named(call) && canonical(call.Input) == canonical(n.Arguments) }
	for _, is := range []func(waiting) bool{same, alike, named} {
		if at := slices.IndexFunc(w.waiting, is); at >= 0 {
			id := w.waiting[at].ID
			w.waiting = slices.Delete(w.waiting, at, at+1)
			return id
		}
	}
	return cmp.Or(n.CallID, n.ID)
}

// results tells what tools gave of which there is no step: the next call of the
// model repeats it.
func (t *teller) results(n *node) {
	within := t.thread(n.thread)
	for _, m := range n.Input {
		for _, r := range m.Results {
			id := r.CallID
			if id == "" && r.Name != "" {
				id = within.unanswered(r.Name)
			}
			if !within.calls[id] || within.answered[id] || t.tools[id] {
				continue
			}
			within.answered[id] = true
			within.waiting = slices.DeleteFunc(within.waiting, func(call waiting) bool { return call.ID == id })
			result := &session.Result{CallID: id, Content: r.Parts, Status: session.StatusOK}
			if r.IsError {
				result.Status = session.StatusError
			}
			t.add(n.began(), result)
		}
	}
}

// unanswered is the first call of a tool that has no result.
func (w *thread) unanswered(name string) string {
	for _, call := range w.waiting {
		if call.Name == name {
			return call.ID
		}
	}
	return ""
}

func (t *teller) happening(n *node) {
	note := &session.Note{Name: cmp.Or(n.Name, "event"), Text: textOf(partsOf(n.Output)), Attributes: n.Attributes}
	if n.Failed {
		note.Status, note.Text = session.StatusError, cmp.Or(n.Error, note.Text)
	}
	t.add(n.began(), note)
}

// failure tells that an agent failed, where nothing in it did.
func (t *teller) failure(n *node) {
	t.add(n.ended(), &session.Note{Name: session.NoteError, Text: cmp.Or(n.Error, n.Name), Status: session.StatusError})
}

func textOf(parts []session.Part) string {
	for _, p := range parts {
		if p.Text != "" {
			return p.Text
		}
	}
	return ""
}

// textJSON is text as a JSON value.
func textJSON(text string) json.RawMessage {
	encoded, err := json.Marshal(session.Clean(text))
	if err != nil {
		return nil
	}
	return encoded
}
