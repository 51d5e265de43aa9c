package derive

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// spawn is a sub-agent that a call started.
type spawn struct {
	child    string // its session
	trace    *trace // that was open; nil: none
	unplaced bool   // told each time again
}

// owner is the span that started a thread.
type owner struct {
	trace *trace
	span  *span
}

// thread is the session of a sub-agent whose records stand in this stream.
func (r *run) thread(agent string) *fold {
	if f := r.threads[agent]; f != nil {
		return f
	}
	f := newFold(r, r.in.Ref.Sub(agent))
	f.thread = agent
	f.Now, f.Began = r.main.Now, r.main.Now
	f.atTrace = r.main.last()
	r.threads[agent] = f
	r.threadOrder = append(r.threadOrder, f)
	return f
}

// spawn takes that a call started a sub-agent. The call may come later.
func (f *fold) spawn(e event, s *session.Spawn) error {
	child := s.Child
	if child == (session.Ref{}) {
		if s.Thread == "" {
			return nil
		}
		child = f.run.in.Ref.Sub(s.Thread)
		if f.run.resumed == nil { // else there are no threads
			t := f.run.thread(s.Thread)
			set(&t.agentType, name(s.AgentType, maxName))
			set(&t.description, oneLine(s.Description))
		}
	}
	if f.waits[s.CallID] && !e.from.unplaced {
		return errReachesBack
	}
	one := spawn{child: child.SessionID(), unplaced: e.from.unplaced}
	if list := f.tools[s.CallID]; len(list) > 0 {
		if span := list[len(list)-1]; span.called {
			f.run.touch(span.trace, e.from)
			f.starts(span, one)
			return nil
		}
	} else if s.CallID != "" && !e.from.unplaced {
		if earlier, err := f.run.reaches(f, session.ToolID(f.id, s.CallID), e.from); err != nil || earlier {
			return err
		}
	}
	if !e.from.unplaced {
		t, err := f.current()
		if err != nil {
			return err
		}
		one.trace = t
	}
	call := strings.Clone(s.CallID)
	f.spawns[call] = append(f.spawns[call], one)
	return nil
}

// join gives a call what it was told to have started before it came.
func (f *fold) join(callID string, s *span) error {
	if f.waits[callID] {
		return errReachesBack
	}
	for _, one := range f.spawns[callID] {
		f.starts(s, one)
	}
	delete(f.spawns, callID)
	return nil
}

func (f *fold) starts(s *span, one spawn) { s.trace.spawned(s, one.child) }

// spawned links a span of the trace to the session that it started.
func (t *trace) spawned(s *span, child string) {
	if slices.Contains(s.children, child) {
		return
	}
	s.children = append(s.children, child)
	t.counts.Subagents++
	t.links = append(t.links, session.Link{
		Kind:          session.LinkSpawns,
		FromSessionID: t.SessionID, FromTraceID: t.ID, FromSpanID: s.ID,
		ToSessionID: child,
	})
	if _, known := t.fold.run.owners[child]; !known {
		t.fold.run.owners[child] = owner{t, s}
	}
}

// matchThreads finds who started the threads of which no record says so: the
// call whose prompt is what the thread was told first, else whatever was going
// on when it began.
func (r *run) matchThreads() {
	for _, thread := range r.threadOrder {
		if _, known := r.owners[thread.id]; known || !thread.hasContent {
			continue
		}
		if s := r.callWith(strings.TrimSpace(thread.task)); s != nil {
			s.trace.spawned(s, thread.id)
		} else if t := thread.atTrace; t != nil {
			t.spawned(t.root, thread.id)
		}
	}
}

// callWith is the first call of the main session with this prompt that has
// started nothing yet.
func (r *run) callWith(prompt string) *span {
	if prompt == "" {
		return nil
	}
	for _, t := range r.main.traces {
		for _, s := range t.spans {
			if s.Kind != session.KindTool || len(s.children) > 0 {
				continue
			}
			if strings.TrimSpace(s.promptGiven()) == prompt {
				return s
			}
		}
	}
	return nil
}

// promptGiven is the prompt in a call's input.
func (s *span) promptGiven() string {
	if s.in == nil {
		return ""
	}
	packed, err := s.in.pack()
	if err != nil {
		return ""
	}
	parts, err := packed.Unpack()
	if err != nil || len(parts) == 0 {
		return ""
	}
	return gjson.GetBytes(parts[0].Input, "prompt").String()
}
