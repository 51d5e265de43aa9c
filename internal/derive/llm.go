package derive

import (
	"strconv"
	"strings"

	"tapedeck/internal/session"
)

// answer takes (a part of) a message of a model.
func (f *fold) answer(e event, a *session.Answer) error {
	f.hasContent = true
	merge := a.Merge
	if merge == "" {
		merge = e.Key
	}
	s := f.llms[merge]
	if s == nil {
		id := session.LLMID(f.id, merge)
		if a.Merge != "" {
			earlier, err := f.run.reaches(f, id, e.from)
			if err == nil && earlier && f.knowsCallOf(a) {
				return errReachesBack
			}
			if err != nil || earlier {
				return err
			}
		}
		t, err := f.currentOrNew(e)
		if err != nil {
			return err
		}
		s = f.llmSpan(t, id, e)
		f.llms[strings.Clone(merge)] = s
	}
	f.run.touch(s.trace, e.from)
	s.say(f, e, a)
	for i, part := range a.Content {
		if part.Type == session.ToolCall {
			if err := f.calledBy(s, e, part, strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// knowsCallOf reports whether something is known of a call in the answer already.
func (f *fold) knowsCallOf(a *session.Answer) bool {
	for _, part := range a.Content {
		if part.Type == session.ToolCall && (len(f.tools[part.ID]) > 0 || len(f.spawns[part.ID]) > 0) {
			return true
		}
	}
	return false
}

// currentOrNew is the trace that is open, or one without a prompt.
func (f *fold) currentOrNew(e event) (*trace, error) {
	t, err := f.current()
	if t != nil || err != nil {
		return t, err
	}
	return f.open(e, "", nil), nil
}

// llmSpan makes the span of a message: it has read all that was pending.
func (f *fold) llmSpan(t *trace, id string, e event) *span {
	s := f.span(t, session.KindLLM, id, e)
	s.Status, s.synthetic = session.StatusOK, true
	s.in, f.pending = f.pending, &content{}
	if t.root.in != nil { // the llm span has it
		*t.root.in = content{}
		t.root.in = nil
	}
	t.add(s)
	for _, tool := range t.unread {
		t.links = append(t.links, session.Link{
			Kind:          session.LinkFeeds,
			FromSessionID: f.id, FromTraceID: t.ID, FromSpanID: tool.ID,
			ToSessionID: f.id, ToTraceID: t.ID, ToSpanID: s.ID,
		})
	}
	t.unread, t.llm = nil, s
	return s
}

// say adds a part of the message to its span.
func (s *span) say(f *fold, e event, a *session.Answer) {
	s.record(e)
	if a.Began != 0 && (a.Began < s.StartedAt || s.StartedAt == 0) {
		s.StartedAt = a.Began
	}
	s.synthetic = s.synthetic && a.Synthetic
	s.Model, s.Provider = or(a.Model, s.Model, f.Now.Model), or(a.Provider, s.Provider, f.Now.Provider)
	s.Name = s.Model
	set(&s.MessageID, name(a.MessageID, maxName))
	set(&s.StopReason, name(a.StopReason, maxName))
	if a.RequestID != "" {
		s.attributes(map[string]string{"request_id": a.RequestID})
	}
	if a.Error != "" {
		s.Status, s.Error = session.StatusError, line(a.Error, session.MaxPreview)
	}
	if a.Usage != nil && (!s.measured || larger(*a.Usage, s.Usage)) {
		s.Usage, s.measured = *a.Usage, true
	}
	s.heard(a)
	f.run.packing.add(&s.out, a.Content)
	t := s.trace
	if t.llm == s {
		t.last = endAnswer
	}
	if t.model == "" && !s.synthetic {
		t.model = s.Model
	}
}

// heard keeps the beginning of the text, if it may be the trace's response.
func (s *span) heard(a *session.Answer) {
	last, other := &s.trace.said, s.trace.made
	if a.Synthetic {
		last, other = &s.trace.made, s.trace.said
	}
	more, old := beginningOf(a.Content), *last
	if more == "" || old != nil && old.order > s.order {
		return
	}
	if old != nil && old != s && old != other {
		old.text = ""
	}
	*last = s
	if len(s.text) > session.MaxPreview {
		return
	}
	if s.text != "" {
		s.text += "\n"
	}
	s.text += more
}

// larger reports whether a is the later snapshot of a message's usage.
func larger(a, b session.Usage) bool {
	if a.OutputTokens != b.OutputTokens {
		return a.OutputTokens > b.OutputTokens
	}
	return a.Total() > b.Total()
}

// or is the first name that is one.
func or(names ...string) string {
	for _, n := range names {
		if n != "" {
			return name(n, maxName)
		}
	}
	return ""
}
