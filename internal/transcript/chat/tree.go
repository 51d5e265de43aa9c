package chat

import (
	"cmp"
	"slices"

	"tapedeck/internal/session"
)

// A node is a step among the others.
type node struct {
	*Step
	parent *node
	depth  int
	// The nearest above it, of each kind.
	agent, model, tool *node
	thread             string // sub-agent that it belongs to; "": none

	call      bool // it is a call of a model, or of an agent whose calls are not there
	calls     int  // such calls below it, but not below a tool
	onlyCall  *node
	lastCall  *node
	spoke     bool // one of these calls has content
	alive     bool // it, or something below it, is told
	agents    bool // it is an agent that is told, or one is below it, but not below a tool
	opens     bool // a tool that started a sub-agent
	failures  bool // something below it failed that is told
	prompted  bool // an agent above it was told what the user said
	wasOpened bool
}

// grow makes the tree of the steps: parents first.
func grow(steps []*Step) []*node {
	type id struct{ trace, span string }
	byID := make(map[id]*node, len(steps))
	nodes := make([]*node, 0, len(steps))
	for _, s := range steps {
		n := &node{Step: s}
		nodes = append(nodes, n)
		if s.ID != "" {
			byID[id{s.Trace, s.ID}] = n
		}
	}
	for _, n := range nodes {
		if n.Parent != "" {
			n.parent = byID[id{n.Trace, n.Parent}]
		}
	}
	for _, n := range nodes {
		n.sink()
	}
	slices.SortFunc(nodes, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), compare(a, b))
	})
	models := map[string]bool{} // traces that hold calls of models
	for _, n := range nodes {
		n.inherit()
		if n.Kind == Model && !n.saysNothing() {
			models[n.Trace] = true
		}
	}
	for _, n := range slices.Backward(nodes) {
		n.report(models[n.Trace])
	}
	for _, n := range nodes {
		n.join()
	}
	return nodes
}

// compare orders nodes by their beginning, parents before children.
func compare(a, b *node) int {
	return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.depth, b.depth), cmp.Compare(a.Key, b.Key))
}

// sink finds how deep a node lies, and cuts parents that go round in circles.
func (n *node) sink() {
	const busy = -1
	var path []*node
	at := n
	for at != nil && at.depth == 0 {
		at.depth = busy
		path = append(path, at)
		at = at.parent
	}
	if at != nil && at.depth == busy {
		path[len(path)-1].parent = nil
		at = nil
	}
	depth := 0
	if at != nil {
		depth = at.depth
	}
	for _, p := range slices.Backward(path) {
		depth++
		p.depth = depth
	}
}

// inherit takes from the parent what stands above.
func (n *node) inherit() {
	p := n.parent
	if p == nil {
		return
	}
	n.agent, n.model, n.tool = p.agent, p.model, p.tool
	switch p.Kind {
	case Agent:
		n.agent = p
	case Model:
		n.model = p
	case ToolUse: // what a tool does is its own affair
		n.agent, n.model, n.tool = nil, nil, p
	}
}

// report tells the parent what there is below it. All below n have reported. An
// agent that only has output speaks for itself where no model does in its trace.
func (n *node) report(models bool) {
	hasAnswer := len(n.Output) > 0 && !models || n.Tokens.Known
	switch n.Kind {
	case Model:
		n.call = n.calls == 0 && !n.saysNothing()
	case Agent:
		n.call = n.calls == 0 && hasAnswer
		n.alive = n.alive || holdsPrompt(n.Input)
	case ToolUse:
		n.opens = n.calls > 0 || n.agents
		n.alive = !n.saysNothing() || n.opens
	}
	if n.call {
		n.alive = true
		n.calls, n.onlyCall, n.lastCall, n.spoke = 1, n, n, len(n.Output) > 0
	}
	n.agents = n.agents || n.Kind == Agent && n.alive
	n.fill()
	if n.parent != nil {
		n.parent.hear(n)
	}
}

// hear takes the report of a child. What a tool does is its own affair.
func (n *node) hear(child *node) {
	n.alive = n.alive || child.alive
	n.failures = n.failures || child.failures || child.Failed && (child.call || child.Kind == Agent || child.Kind == ToolUse)
	if child.Kind == ToolUse {
		return
	}
	n.agents = n.agents || child.agents
	if child.calls == 0 {
		return
	}
	n.calls += child.calls
	n.onlyCall = child.onlyCall
	if n.lastCall == nil || compare(n.lastCall, child.lastCall) < 0 {
		n.lastCall = child.lastCall
	}
	n.spoke = n.spoke || child.spoke
}

// fill gives the calls below what only n knows: a wrapper around one call may
// hold the content that the call itself lacks, an agent the words of a model
// whose calls were recorded without any.
func (n *node) fill() {
	switch {
	case n.Kind == Model && !n.call && n.calls == 1:
		inner := n.onlyCall
		if len(inner.Output) == 0 || holdsCall(n.Output) && !holdsCall(inner.Output) {
			inner.Output = n.Output
		}
		if len(inner.Input) == 0 {
			inner.Input = n.Input
		}
		inner.MessageID = cmp.Or(inner.MessageID, n.MessageID)
		n.spoke = len(inner.Output) > 0
	case n.Kind == Agent && !n.call && n.calls > 0 && !n.spoke && len(n.Output) > 0:
		n.lastCall.Output = n.Output
		n.spoke = true
	}
}

func holdsCall(messages []Message) bool {
	return slices.ContainsFunc(messages, func(m Message) bool { return hasCall(m.Parts) })
}

// join finds the sub-agent that a node belongs to.
func (n *node) join() {
	p := n.parent
	if p == nil {
		return
	}
	n.thread, n.prompted = p.thread, p.prompted
	switch {
	case p.Kind == ToolUse && p.opens:
		n.thread, n.prompted = p.ID, false
	case p.Kind == Agent && holdsPrompt(p.Input):
		n.prompted = true
	}
}

func holdsPrompt(messages []*Message) bool {
	return slices.ContainsFunc(messages, func(m *Message) bool { return m.Role == User && len(m.Parts) > 0 && len(m.Results) == 0 })
}

// isRepeat reports whether a tool's use is told by an outer one: the framework's
// span around that of a protocol.
func (n *node) isRepeat() bool {
	outer := n.tool
	if outer == nil || outer.opens {
		return false
	}
	return n.CallID == outer.CallID && n.CallID != "" || n.CallID == "" && n.Name == outer.Name
}

// partsOf are all parts of messages, one after another.
func partsOf(messages []Message) []session.Part {
	var parts []session.Part
	for _, m := range messages {
		if m.Role == Assistant {
			parts = append(parts, m.Parts...)
		}
	}
	return parts
}
