package derive

import (
	"cmp"
	"maps"
	"slices"

	"tapedeck/internal/session"
)

// carried is what a session's events leave behind for later ones, as far as it
// is not in traces.
type carried struct {
	Now   session.Context // what holds
	Began session.Context // what held first
	named
	Prompt, Command string // titles made of the first ones
	Early           sums   // of what stands before the first trace
}

// fold makes one session out of its events, in their order.
type fold struct {
	run    *run
	ref    session.Ref
	id     string
	thread string
	carried
	unplaced named // what records without a place say

	first      int // Seq of the first trace in memory
	before     sums
	traces     []*trace
	spans      int // made so far: their order
	llms       map[string]*span
	tools      map[string][]*span // by call, one after another where calls share an identifier
	orphans    []*span            // results whose call has not come
	spawns     map[string][]spawn // whose call has not come
	waits      map[string]bool    // calls of which traces that are not in memory have a Result or Spawn
	pending    *content           // what no llm span has read yet
	held       []event            // a Command, and what came since
	notes      []event            // before the first trace
	opening    bool               // the next prompt opened a trace when it was derived last
	hasContent bool               // there is a prompt, answer or call
	// of a thread
	description, agentType string
	task                   string // text of its first prompt
	atTrace                *trace // of the main session when it began
}

func newFold(r *run, ref session.Ref) *fold {
	return &fold{
		run: r, ref: ref, id: ref.SessionID(),
		llms: map[string]*span{}, tools: map[string][]*span{}, spawns: map[string][]spawn{},
		waits: map[string]bool{}, pending: &content{},
	}
}

// goOnAt puts the fold where it was before the trace that begins there.
func (f *fold) goOnAt(at point) {
	f.carried, f.first, f.before = at.Carried, at.Seq, at.Sums
	f.pending.packed = at.Pending
	for _, call := range at.Waiting {
		f.waits[call] = true
	}
	f.opening, f.hasContent = true, true
}

// waiting are the calls that have not come but of which something is known, in
// order.
func (f *fold) waiting() []string {
	calls := slices.Collect(maps.Keys(f.waits))
	for _, s := range f.orphans {
		if s.callID != "" {
			calls = append(calls, s.callID)
		}
	}
	for call, list := range f.spawns {
		if slices.ContainsFunc(list, func(s spawn) bool { return !s.unplaced }) {
			calls = append(calls, call)
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

// take takes the next event. While it is open whether a Command opens a trace,
// what follows it waits.
func (f *fold) take(e event) error {
	if len(f.held) > 0 {
		decided, opens, err := f.decides(e)
		if err != nil {
			return err
		}
		if !decided {
			f.held = append(f.held, e)
			return nil
		}
		if err := f.release(opens); err != nil {
			return err
		}
	}
	if p, is := e.What.(*session.Prompt); is && p.Origin == session.Command {
		f.hasContent = true
		f.held = []event{e}
		return nil
	}
	return f.apply(e)
}

// decides reports whether e tells if the held Command opens a trace: an answer
// to it does, the next prompt means that it does not.
func (f *fold) decides(e event) (decided, opens bool, err error) {
	switch what := e.What.(type) {
	case *session.Prompt:
		return what.Origin != session.Injected && what.Origin != session.Summary, false, nil
	case *session.Answer:
		if f.llms[what.Merge] != nil {
			return false, false, nil // more of what was said before
		}
		if what.Merge != "" {
			if earlier, err := f.run.reaches(f, session.LLMID(f.id, what.Merge), e.from); err != nil || earlier {
				return false, false, err
			}
		}
		return true, true, nil
	}
	return false, false, nil
}

// release lets go of the Command and what waited behind it.
func (f *fold) release(opens bool) error {
	held := f.held
	f.held = nil
	if len(held) == 0 {
		return nil
	}
	take := f.command
	if opens {
		take = f.openCommand
	}
	if err := take(held[0]); err != nil {
		return err
	}
	for _, e := range held[1:] {
		if err := f.apply(e); err != nil {
			return err
		}
	}
	return nil
}

// apply puts the event where it belongs.
func (f *fold) apply(e event) error {
	whole := &f.named
	if e.from.unplaced && f.thread == "" {
		whole = &f.unplaced
	}
	whole.at(e.At)
	switch what := e.What.(type) {
	case *session.Prompt:
		return f.prompt(e, what)
	case *session.Answer:
		return f.answer(e, what)
	case *session.Call:
		return f.call(e, what)
	case *session.Result:
		return f.result(e, what)
	case *session.Note:
		return f.note(e, what)
	case *session.Spawn:
		return f.spawn(e, what)
	case *session.Context:
		f.context(what)
	case *session.Title:
		whole.title(what)
	case *session.Facts:
		whole.facts(what)
	}
	return nil
}

func (f *fold) context(c *session.Context) {
	for _, field := range []struct {
		now, began *string
		value      string
		bound      int
	}{
		{&f.Now.Model, &f.Began.Model, c.Model, maxName},
		{&f.Now.Provider, &f.Began.Provider, c.Provider, maxName},
		{&f.Now.Cwd, &f.Began.Cwd, c.Cwd, maxPath},
		{&f.Now.GitBranch, &f.Began.GitBranch, c.GitBranch, maxPath},
		{&f.Now.HarnessVersion, &f.Began.HarnessVersion, c.HarnessVersion, maxName},
	} {
		value := name(field.value, field.bound)
		set(field.now, value)
		*field.began = cmp.Or(*field.began, value)
	}
	if t := f.last(); t != nil {
		t.Cwd = cmp.Or(t.Cwd, f.Now.Cwd)
		t.GitBranch = cmp.Or(t.GitBranch, f.Now.GitBranch)
	}
}

// end ends the session as far as its events are known.
func (f *fold) end() error {
	if err := f.release(false); err != nil {
		return err
	}
	for _, s := range f.orphans {
		switch {
		case s.trace != nil:
			s.trace.add(s)
		case len(f.traces) > 0: // it came before the first
			f.traces[0].add(s)
		}
	}
	for _, call := range slices.Sorted(maps.Keys(f.spawns)) {
		for _, s := range f.spawns[call] {
			if s.trace != nil {
				s.trace.spawned(s.trace.root, s.child)
			}
		}
	}
	f.llms, f.tools = nil, nil // spans go when their trace is projected
	return nil
}

// Bounds of names, paths and attributes, in bytes and keys.
const (
	maxName       = 256
	maxPath       = 4 << 10
	maxAttributes = 50
	maxAttribute  = 4 << 10
)

// name is a text that every store takes as a name.
func name(text string, n int) string {
	return session.Clip(clean(text[:min(len(text), 2*n)]), n)
}
