package derive

import "tapedeck/internal/session"

// ending is the last thing in a trace that tells how it ended.
type ending int

const (
	endNothing ending = iota
	endAnswer
	endResult
	endInterrupted // or a tool was refused
	endError
)

// status says how the trace ended, as far as is known.
func (t *trace) status() session.Status {
	switch t.last {
	case endInterrupted:
		return session.StatusInterrupted
	case endError:
		return session.StatusError
	}
	if t.llm == nil {
		return session.StatusPending
	}
	if t.llm.Status == session.StatusError {
		return session.StatusError
	}
	if t.awaitsTool() || t.last == endResult && !t.goesOn && !final[t.llm.StopReason] {
		return session.StatusPending
	}
	return session.StatusOK
}

// final are the reasons to stop after which no model reads a tool's result.
var final = map[string]bool{"end_turn": true, "stop": true, "stop_sequence": true, "STOP": true}

// awaitsTool reports whether a call of the last answer, or after it, has no result.
func (t *trace) awaitsTool() bool {
	for _, s := range t.spans {
		if s.Kind == session.KindTool && s.called && !s.answered && (s.by == t.llm || s.order > t.llm.order) {
			return true
		}
	}
	return false
}
