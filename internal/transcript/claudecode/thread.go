package claudecode

import "tapedeck/internal/session"

// threads are the sub-agents whose lines stand among those of their parent: a
// chain of lines each, by parentUuid.
type threads struct {
	byLine   map[string]string // uuid to thread, which is the uuid of its first line
	contexts map[string]*session.Context
	last     string
}

func (t *threads) any() bool { return len(t.byLine) > 0 }

// of is the thread that a line belongs to: that of the line before it, or of the
// one read last if that is missing. A line without one before it begins a thread.
func (t *threads) of(l *line, key string) string {
	if t.byLine == nil {
		t.byLine, t.contexts = map[string]string{}, map[string]*session.Context{}
	}
	thread, ok := t.byLine[l.parent]
	switch {
	case ok:
	case l.parent != "" && t.last != "":
		thread = t.last
	default:
		thread = key
		t.contexts[thread] = &session.Context{}
	}
	t.byLine[key], t.last = thread, thread
	return thread
}

// matchThread joins a thread with the call that told it just what it was told:
// nothing else in the log does.
func (in *interpreter) matchThread(text string) {
	if in.thread != in.record.Key {
		return
	}
	hash, callID := promptHash(text), ""
	for id, t := range in.state.Tasks {
		if t.Prompt == hash && (callID == "" || id < callID) {
			callID = id
		}
	}
	if callID == "" {
		return
	}
	t := in.state.Tasks[callID]
	t.Prompt = "" // taken: the same task may be given twice
	spawn := in.event(&session.Spawn{CallID: callID, Thread: in.thread, AgentType: t.AgentType, Description: t.Description})
	spawn.Thread = ""
	in.around = append(in.around, spawn)
}
