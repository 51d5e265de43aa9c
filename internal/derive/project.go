package derive

import (
	"cmp"
	"slices"
	"strings"

	"tapedeck/internal/session"
)

// project is what the run has derived.
func (r *run) project() (session.Projection, error) {
	if !slices.ContainsFunc(r.folds(), func(f *fold) bool { return f.hasContent }) {
		return session.Projection{}, nil
	}
	p := session.Projection{From: r.main.first}
	points := slices.Clone(r.earlier)
	for _, f := range r.folds() {
		if f != r.main && !f.hasContent {
			continue
		}
		s, err := f.project(&points)
		if err != nil {
			return session.Projection{}, err
		}
		p.Sessions = append(p.Sessions, s)
	}
	var err error
	if len(r.threadOrder) == 0 && r.digest != "" && len(points) > 0 {
		points = points[max(len(points)-keptPoints, 0):]
		p.Checkpoints, err = checkpoints{Version, r.digest, points}.bytes()
	}
	return p, err
}

// project is the session. Points at the beginnings of its last traces are added
// to points.
func (f *fold) project(points *[]point) (session.ProjectedSession, error) {
	var out session.ProjectedSession
	total := f.before.clone()
	for _, t := range f.traces {
		for _, m := range f.run.begun {
			if f == f.run.main && m.Seq == t.Seq {
				p, err := m.finish(total.clone())
				if err != nil {
					return out, err
				}
				*points = append(*points, p)
			}
		}
		projected, s, err := t.project()
		if err != nil {
			return out, err
		}
		t.spans = nil // as large as what was made of them
		total.add(s)
		out.Traces = append(out.Traces, projected)
		out.Links = append(out.Links, t.links...)
	}
	status := total.Status
	total.add(f.Early)
	total.Status = status
	if f == f.run.main {
		total.Counts.Records = f.run.records + f.run.unplacedRecords
		total.Counts.Replayed = f.run.replayed + f.run.unplacedCopies
	}
	out.Session, out.Daily = f.session(total), total.Daily
	if fork := out.Session.Parent; fork != nil && fork.Relation == session.Fork && len(f.traces) > 0 && f.first == 0 {
		t := f.traces[0]
		out.Links = append(out.Links, session.Link{
			Kind:          session.LinkForks,
			FromSessionID: f.id, FromTraceID: t.ID, FromSpanID: t.root.ID,
			ToSessionID: fork.SessionID,
		})
	}
	return out, nil
}

// session describes the session as a whole.
func (f *fold) session(total sums) session.Session {
	whole := f.unplaced.then(f.named)
	if at := whole.Facts.StartedAt; at != 0 && (whole.Started == 0 || at < whole.Started) {
		whole.Started = at
	}
	return session.Session{
		ID: f.id, Harness: session.Clean(f.ref.Harness), HarnessSessionID: session.Clean(f.ref.Key),
		HarnessVersion: f.Began.HarnessVersion,
		Title:          f.titleOf(whole),
		Cwd:            f.Began.Cwd, Project: projectOf(f.Began.Cwd), GitBranch: f.Began.GitBranch,
		Parent:    f.parent(whole, total.Counts.Replayed),
		AgentType: cmp.Or(whole.Facts.AgentType, f.agentType),
		Internal:  whole.Facts.Internal,
		StartedAt: whole.Started, EndedAt: whole.Ended,
		Status: cmp.Or(total.Status, session.StatusUnknown),
		Models: append([]session.ModelUsage{}, total.Models...),
		Usage:  total.Usage, Counts: total.Counts,
		PartialReason: whole.Facts.Partial,
	}
}

// projectOf is the last element of a path of any system.
func projectOf(cwd string) string {
	cwd = strings.TrimRight(cwd, `/\`)
	return cwd[strings.LastIndexAny(cwd, `/\`)+1:]
}

// parent is where the session came from.
func (f *fold) parent(whole named, replayed int64) *session.Origin {
	facts := f.run.in.Facts
	if f.thread != "" {
		o, known := f.run.owners[f.id]
		if !known {
			return &session.Origin{SessionID: f.run.main.id, Relation: session.Subagent}
		}
		return &session.Origin{SessionID: o.trace.SessionID, Relation: session.Subagent, TraceID: o.trace.ID, SpanID: o.span.ID}
	}
	if facts.Parent != nil {
		o := &session.Origin{SessionID: facts.Parent.SessionID(), Relation: session.Subagent}
		if call := whole.Facts.ParentCallID; call != "" {
			o.SpanID = session.ToolID(o.SessionID, call)
		}
		return o
	}
	if facts.ForkedFrom != nil {
		return &session.Origin{SessionID: facts.ForkedFrom.SessionID(), Relation: session.Fork}
	}
	if earlier := f.run.in.Earlier; replayed > 0 && len(earlier) > 0 {
		return &session.Origin{SessionID: earlier[0].SessionID(), Relation: session.Fork}
	}
	return nil
}

// project is the trace with its spans in order, and its sums.
func (t *trace) project() (session.ProjectedTrace, sums, error) {
	status := t.status()
	t.order()
	var s sums
	spans := make([]session.ProjectedSpan, 0, len(t.spans)+1)
	for seq, one := range append([]*span{t.root}, t.spans...) {
		one.end(status)
		one.TraceID, one.Seq = t.ID, seq
		t.count(&s, one)
		projected, err := one.project()
		if err != nil {
			return session.ProjectedTrace{}, s, err
		}
		spans = append(spans, projected)
	}
	for _, at := range t.prompts {
		s.prompt(cmp.Or(at, t.StartedAt), t.model)
	}
	s.Counts.Add(t.counts)
	s.Counts.Traces = 1
	s.Status = status

	t.times()
	root := &spans[0].Span
	root.StartedAt, root.EndedAt, root.Status = t.StartedAt, t.EndedAt, status
	t.Status, t.Usage, t.Counts, t.SpanCount = status, s.Usage, s.Counts, len(spans)
	t.Response, t.Models = t.response(), []string{}
	for _, m := range s.Models {
		t.Models = append(t.Models, m.Model)
	}
	return session.ProjectedTrace{Trace: t.Trace, Spans: spans}, s, nil
}

// order puts the spans in order of their beginnings, those of unknown time
// behind what appeared before them.
func (t *trace) order() {
	slices.SortFunc(t.spans, func(a, b *span) int { return cmp.Compare(a.order, b.order) })
	last, began := t.StartedAt, make(map[*span]session.Time, len(t.spans))
	for _, s := range t.spans {
		last = cmp.Or(s.StartedAt, last)
		began[s] = last
	}
	slices.SortStableFunc(t.spans, func(a, b *span) int { return cmp.Compare(began[a], began[b]) })
}

// end says what is known of the span now that its trace is.
func (s *span) end(trace session.Status) {
	switch s.Kind {
	case session.KindLLM:
		if s.synthetic {
			s.Usage = session.Usage{}
			return
		}
		s.Usage = priced(s.Model, s.Usage)
	case session.KindTool:
		if s.called && !s.answered {
			s.EndedAt = 0
			if trace == session.StatusInterrupted {
				s.Status = session.StatusInterrupted
			}
			return
		}
		s.EndedAt = max(s.EndedAt, s.StartedAt)
	}
}

// count adds the span to the sums of its trace.
func (t *trace) count(to *sums, s *span) {
	at := cmp.Or(s.StartedAt, t.StartedAt)
	switch s.Kind {
	case session.KindLLM:
		to.Counts.Messages++
		to.Usage.Add(s.Usage)
		model := s.Model
		if s.synthetic {
			model = t.model
		} else if model != "" {
			m := to.model(model)
			m.Calls++
			m.Usage.Add(s.Usage)
		}
		day := to.day(at, model)
		day.Messages++
		day.Usage.Add(s.Usage)
	case session.KindTool:
		if s.called {
			to.Counts.ToolCalls++
			to.day(at, t.model).ToolCalls++
		}
		if !s.answered {
			to.Counts.Unanswered++
			return
		}
		to.Counts.ToolResults++
		if s.failed {
			to.Counts.ToolErrors++
			to.day(at, t.model).ToolErrors++
		}
	}
}

// times sets when the trace began and ended, by its spans.
func (t *trace) times() {
	for _, s := range t.spans {
		if t.StartedAt == 0 || t.Origin == "" && s.StartedAt != 0 {
			t.StartedAt = cmp.Or(min(t.StartedAt, s.StartedAt), t.StartedAt, s.StartedAt)
		}
		t.EndedAt = max(t.EndedAt, s.StartedAt, s.EndedAt)
	}
}

// response is what was answered last; what the harness made counts only when no
// model said anything.
func (t *trace) response() string {
	last := cmp.Or(t.said, t.made)
	if last == nil {
		return ""
	}
	return session.Clip(session.Clean(last.text), session.MaxPreview)
}

func (s *span) project() (session.ProjectedSpan, error) {
	out := session.ProjectedSpan{Span: s.Span}
	if s.Attributes == nil {
		out.Span.Attributes = map[string]string{}
	}
	if s.Records == nil {
		out.Span.Records = []string{}
	}
	var err error
	if s.in != nil {
		if out.Input, err = s.in.pack(); err != nil {
			return out, err
		}
	}
	out.Output, err = s.out.pack()
	return out, err
}
