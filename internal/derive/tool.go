package derive

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/session"
)

// unknownTool names the tool of a result whose call is not there.
const unknownTool = "unknown tool"

// calledBy takes a call that the content of an answer holds.
func (f *fold) calledBy(llm *span, e event, part session.Part, n string) error {
	if part.ID == "" {
		s := f.toolSpan(session.ToolID(f.id, e.Key+"\x00"+n), e)
		f.enter(s, llm.trace)
		s.callIs(f, llm, part)
		return nil
	}
	for _, s := range f.tools[part.ID] {
		if s.by != nil && s.by != llm {
			continue // another call of the same name
		}
		if !s.called {
			f.adopt(s, llm.trace)
		}
		s.record(e)
		s.callIs(f, llm, part)
		return f.join(part.ID, s)
	}
	id, err := f.newToolID(part.ID, e)
	if err != nil {
		return err
	}
	s := f.toolSpan(id, e)
	f.remember(part.ID, s)
	f.enter(s, llm.trace)
	s.callIs(f, llm, part)
	return f.join(part.ID, s)
}

// newToolID is the identifier of one more call with an identifier. Gateways give
// out the same ones again.
func (f *fold) newToolID(callID string, e event) (string, error) {
	n := len(f.tools[callID])
	if n > 0 {
		return session.ToolID(f.id, callID+"\x00"+strconv.Itoa(n+1)), nil
	}
	id := session.ToolID(f.id, callID)
	earlier, err := f.run.reaches(f, id, e.from)
	if err == nil && earlier {
		return "", errReachesBack
	}
	return id, err
}

// remember keeps the span to be found by its call.
func (f *fold) remember(callID string, s *span) {
	callID = strings.Clone(callID)
	f.tools[callID] = append(f.tools[callID], s)
}

// toolSpan makes the span of a call or of a result that came before it.
func (f *fold) toolSpan(id string, e event) *span {
	s := f.span(nil, session.KindTool, id, e)
	s.Name = unknownTool
	return s
}

// enter puts a call's span into a trace.
func (f *fold) enter(s *span, t *trace) {
	s.called = true
	s.Status = session.StatusPending
	t.add(s)
}

// adopt puts a result that came before its call into the call's trace.
func (f *fold) adopt(s *span, t *trace) {
	f.orphans = slices.DeleteFunc(f.orphans, func(o *span) bool { return o == s })
	s.called = true
	t.add(s)
	t.unread = append(t.unread, s)
}

// callIs says what was called. llm is nil where no answer holds the call.
func (s *span) callIs(f *fold, llm *span, part session.Part) {
	if llm != nil {
		s.by = llm
		if llm.trace == s.trace {
			s.ParentID = llm.ID
		}
	}
	s.CallID = name(part.ID, maxName)
	if tool := name(part.Name, maxName); tool != "" {
		s.Name = tool
	}
	part.Type = session.ToolCall
	s.in = &content{}
	f.run.packing.add(s.in, []session.Part{part})
}

// call takes a call that no answer's content holds, or more about one.
func (f *fold) call(e event, c *session.Call) error {
	f.hasContent = true
	if list := f.tools[c.CallID]; c.CallID != "" && len(list) > 0 {
		s := list[len(list)-1]
		if !s.called {
			t, err := f.currentOrNew(e)
			if err != nil {
				return err
			}
			f.adopt(s, t)
			if err := f.join(c.CallID, s); err != nil {
				return err
			}
		}
		f.run.touch(s.trace, e.from)
		s.detail(f, e, c)
		return nil
	}
	id := session.ToolID(f.id, e.Key)
	if c.CallID != "" {
		id = session.ToolID(f.id, c.CallID)
		if earlier, err := f.run.reaches(f, id, e.from); err != nil || earlier {
			return err
		}
	}
	t, err := f.currentOrNew(e)
	if err != nil {
		return err
	}
	s := f.toolSpan(id, e)
	f.enter(s, t)
	s.detail(f, e, c)
	if c.CallID == "" {
		return nil
	}
	f.remember(c.CallID, s)
	return f.join(c.CallID, s)
}

// detail adds what a Call says.
func (s *span) detail(f *fold, e event, c *session.Call) {
	s.record(e)
	set(&s.StartedAt, c.Began)
	s.attributes(c.Attributes)
	if c.Input != nil || s.by == nil {
		s.callIs(f, nil, session.Part{ID: c.CallID, Name: or(c.Name, s.Name), Input: c.Input})
	} else if tool := name(c.Name, maxName); tool != "" {
		s.Name = tool
	}
}

// result takes what a tool gave.
func (f *fold) result(e event, r *session.Result) error {
	s := f.unanswered(r.CallID)
	if s == nil {
		id := session.ToolID(f.id, e.Key)
		if r.CallID != "" {
			id = session.ToolID(f.id, r.CallID)
			if earlier, err := f.run.reaches(f, id, e.from); err != nil || earlier {
				return err
			}
		}
		t, err := f.current()
		if err != nil {
			return err
		}
		s = f.toolSpan(id, e)
		s.trace, s.callID, s.CallID = t, strings.Clone(r.CallID), name(r.CallID, maxName)
		f.orphans = append(f.orphans, s)
		if r.CallID != "" {
			f.remember(r.CallID, s)
		}
	}
	if s.trace != nil {
		f.run.touch(s.trace, e.from)
	}
	s.give(f, e, r)
	return nil
}

// unanswered is the call that a result is of: the last without one, else the last.
func (f *fold) unanswered(callID string) *span {
	list := f.tools[callID]
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].answered {
			return list[i]
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// give adds what a Result says.
func (s *span) give(f *fold, e event, r *session.Result) {
	s.record(e)
	s.attributes(r.Attributes)
	if r.Duration > 0 {
		s.attributes(map[string]string{"duration_ms": strconv.FormatInt(r.Duration.Milliseconds(), 10)})
		if e.At == 0 && s.StartedAt != 0 {
			s.EndedAt = max(s.EndedAt, s.StartedAt+session.Time(r.Duration.Milliseconds()))
		}
	}
	s.Status = r.Status
	if s.Status == "" {
		s.Status = session.StatusOK
	}
	s.Error = line(r.Error, session.MaxPreview)
	if s.Status == session.StatusError && s.Error == "" {
		s.Error = line(beginningOfResult(r.Content), session.MaxPreview)
	}
	s.failed = s.Status == session.StatusError || slices.ContainsFunc(r.Content, func(p session.Part) bool { return p.IsError })
	f.run.packing.add(&s.out, r.Content)
	if t := s.trace; t != nil && s.called {
		if !s.answered {
			t.unread = append(t.unread, s)
		}
		t.last = endResult
		if s.Status == session.StatusInterrupted {
			t.last = endInterrupted
		}
	}
	s.answered = true
}

// beginningOfResult is where a failed tool says why.
func beginningOfResult(parts []session.Part) string {
	for _, p := range parts {
		if p.Text != "" {
			return beginning(p.Text)
		}
	}
	return ""
}

// attributes adds attributes as far as there is room for them.
func (s *span) attributes(more map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(more)) {
		value := name(more[key], maxAttribute)
		key = name(key, maxName)
		if _, known := s.Attributes[key]; !known && len(s.Attributes) >= maxAttributes {
			continue
		}
		if s.Attributes == nil {
			s.Attributes = map[string]string{}
		}
		s.Attributes[key] = value
	}
}
