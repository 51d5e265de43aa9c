package chat

import (
	"cmp"

	"tapedeck/internal/session"
)

// asked tells what is new in the input of a call or agent: instructions, once for
// each agent, and what the user said.
func (t *teller) asked(n *node) {
	within := t.thread(n.thread)
	t.instruct(n, within)
	seen := map[*Message]int{}
	for i, m := range n.Input {
		if m.Role != User || len(m.Parts) == 0 {
			continue
		}
		seen[m]++
		if !within.isNew(n, m, seen[m], i == len(n.Input)-1) {
			continue
		}
		within.told[m.key]++
		within.toldIn[in{n.Trace, m.key}] = true
		t.add(n.began(), &session.Prompt{Origin: within.origin(n, m), Content: m.Parts})
	}
}

// isNew reports whether the k-th such message in an input was not told before.
// All calls repeat the history, so it is new if it was told less than k times.
// But who begins a new OpenTelemetry trace with the same words says them again,
// though the history may not be in the input.
func (w *thread) isNew(n *node, m *Message, k int, last bool) bool {
	if last && !w.toldIn[in{n.Trace, m.key}] {
		return true
	}
	return k > w.told[m.key]
}

// origin says who wrote a message: the parent of a sub-agent its first; a person
// what an agent was told; the agent's own code what its calls hold beyond that.
func (w *thread) origin(n *node, m *Message) session.PromptOrigin {
	switch {
	case len(m.Results) > 0 || n.prompted:
		return session.Injected
	case n.thread == "":
		return session.Typed
	case !w.began:
		w.began = true
		return session.Delegated
	}
	return session.Injected
}

// instruct tells an agent's instructions, once, and never the same ones twice.
func (t *teller) instruct(n *node, within *thread) {
	agent := ""
	if n.agent != nil {
		agent = n.agent.Name
	}
	if n.Kind == Agent {
		agent = cmp.Or(n.Name, agent)
	}
	if within.instructed[agent] {
		return
	}
	said := Message{Role: System}
	for _, m := range n.Input {
		if m.Role == System {
			said.Parts = append(said.Parts, m.Parts...)
		}
	}
	key := said.identity()
	if said.isEmpty() || within.told[key] > 0 {
		return
	}
	within.instructed[agent] = true
	within.told[key]++
	t.add(n.began(), &session.Prompt{Origin: session.Injected, Content: said.Parts})
}
