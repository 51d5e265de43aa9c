package derive

import (
	"cmp"
	"strings"

	"tapedeck/internal/session"
)

// trace is a trace that is being made. Its root stands apart from its spans.
type trace struct {
	session.Trace
	fold  *fold
	root  *span
	spans []*span
	links []session.Link

	prompts []session.Time // of what people wrote
	llm     *span          // the last
	said    *span          // the last of which a model's text is kept
	made    *span          // the last of which the harness' own text is kept
	unread  []*span        // tool spans with a result that no llm span has read
	last    ending
	goesOn  bool   // in the next one, which a prompt opened that was queued in this
	model   string // of the first answer
	counts  session.Counts
}

// span is a span that is being made.
type span struct {
	session.Span
	trace *trace
	order int
	in    *content // nil: none
	out   content

	// of an llm span
	synthetic bool
	measured  bool   // its usage was told
	text      string // beginning of what was said, while it may be the last
	// of a tool span
	callID           string // as the harness has it
	called, answered bool
	failed           bool  // the tool said so, also when a person stopped it
	by               *span // the llm span whose answer holds the call
	children         []string
}

// last is the trace that is open, nil when there is none in memory.
func (f *fold) last() *trace {
	if len(f.traces) == 0 {
		return nil
	}
	return f.traces[len(f.traces)-1]
}

// current is the trace that is open; nil when there is none yet.
func (f *fold) current() (*trace, error) {
	t := f.last()
	if t == nil && f.first > 0 {
		return nil, errReachesBack
	}
	return t, nil
}

// open opens a trace.
func (f *fold) open(e event, origin session.PromptOrigin, parts []session.Part) *trace {
	f.run.mark(f, e)
	f.opening = false
	seq := f.first + len(f.traces)
	t := &trace{fold: f, Trace: session.Trace{
		ID: session.TraceID(f.id, e.Key), SessionID: f.id, Seq: seq,
		Origin: origin, UserPrompt: previewOf(parts),
		StartedAt: e.At, EndedAt: e.At,
		Cwd: f.Now.Cwd, GitBranch: f.Now.GitBranch,
	}}
	t.root = f.span(t, session.KindAgent, session.AgentID(f.id, t.ID), e)
	t.root.Name, t.root.ParentID = f.ref.Harness, ""
	f.traces = append(f.traces, t)
	if seq == 0 {
		for _, note := range f.notes {
			f.event(t, note, note.What.(*session.Note))
		}
		f.notes = nil
	}
	return t
}

// span makes a span, without putting it into the trace.
func (f *fold) span(t *trace, kind session.Kind, id string, e event) *span {
	f.spans++
	s := &span{trace: t, order: f.spans, Span: session.Span{
		ID: id, SessionID: f.id, Kind: kind, StartedAt: e.At, EndedAt: e.At,
	}}
	s.record(e)
	return s
}

// add puts a span into the trace, below its root.
func (t *trace) add(s *span) {
	s.trace, s.TraceID = t, t.ID
	if s.ParentID == "" {
		s.ParentID = t.root.ID
	}
	t.spans = append(t.spans, s)
}

// record notes that the event's record says something of the span, and when.
func (s *span) record(e event) {
	key := session.Clean(e.Record)
	if n := len(s.Records); key != "" && (n == 0 || s.Records[n-1] != key) {
		s.Records = append(s.Records, strings.Clone(key))
	}
	if s.StartedAt == 0 {
		s.StartedAt = e.At
	}
	s.EndedAt = max(s.EndedAt, e.At)
}

// prompt takes what the model was told.
func (f *fold) prompt(e event, p *session.Prompt) error {
	switch p.Origin {
	case session.Typed, session.Delegated:
	case session.Queued:
		t, err := f.openTrace()
		if err != nil {
			return err
		}
		if t != nil && t.llm == nil {
			f.hasContent = true
			f.tell(t, e, p)
			return nil
		}
		if t != nil {
			t.goesOn = true
		}
	case session.Summary:
		f.run.packing.add(f.pending, marked(p.Content, SummaryPart))
		return nil
	default:
		f.run.packing.add(f.pending, marked(p.Content, InjectedPart))
		return nil
	}
	f.hasContent = true
	if f.thread != "" && f.task == "" {
		f.task = clean(textOf(p.Content))
	}
	if f.Prompt == "" {
		f.Prompt = titleFrom(p.Content)
	}
	f.tell(f.open(e, p.Origin, p.Content), e, p)
	return nil
}

// openTrace is the trace that a queued prompt may join.
func (f *fold) openTrace() (*trace, error) {
	if f.opening {
		return nil, nil
	}
	return f.current()
}

// tell adds a prompt to what the model has to read.
func (f *fold) tell(t *trace, e event, p *session.Prompt) {
	if p.Origin != session.Delegated {
		t.prompts = append(t.prompts, e.At)
	}
	told := cleanParts(p.Content) // once: a prompt may be very long
	f.run.packing.put(f.pending, told)
	if t.llm == nil {
		t.root.in = cmp.Or(t.root.in, &content{})
		f.run.packing.put(t.root.in, told)
	}
}

// openCommand opens a trace with a command that the model answered.
func (f *fold) openCommand(e event) error {
	p := e.What.(*session.Prompt)
	f.named.at(e.At)
	f.nameByCommand(p)
	f.tell(f.open(e, session.Command, p.Content), e, p)
	return nil
}

// command takes a command that only the harness answered.
func (f *fold) command(e event) error {
	p := e.What.(*session.Prompt)
	f.named.at(e.At)
	t, err := f.current()
	if err != nil {
		return err
	}
	f.nameByCommand(p)
	if t == nil {
		f.Early.prompt(e.At, "")
		return nil
	}
	t.prompts = append(t.prompts, e.At)
	s := f.span(t, session.KindEvent, session.EventID(f.id, e.Key), e)
	s.Name, s.Status = string(session.Command), session.StatusOK
	s.in = &content{}
	f.run.packing.add(s.in, p.Content)
	t.add(s)
	return nil
}

func (f *fold) nameByCommand(p *session.Prompt) {
	if f.Command == "" {
		f.Command = titleFrom(p.Content)
	}
}

// note takes what happened beside prompts, answers and tools. What happened
// before the first trace is told in that.
func (f *fold) note(e event, n *session.Note) error {
	t, err := f.current()
	if err != nil {
		return err
	}
	if t == nil {
		f.notes = append(f.notes, e)
		return nil
	}
	f.run.touch(t, e.from)
	f.event(t, e, n)
	return nil
}

func (f *fold) event(t *trace, e event, n *session.Note) {
	s := f.span(t, session.KindEvent, session.EventID(f.id, e.Key), e)
	s.Name, s.Status = name(n.Name, maxName), n.Status
	s.attributes(n.Attributes)
	switch n.Name {
	case session.NoteCompaction:
		t.counts.Compactions++
	case session.NoteInterrupted:
		t.last = endInterrupted
		set(&s.Status, session.StatusInterrupted)
	case session.NoteError:
		t.last = endError
		set(&s.Status, session.StatusError)
	}
	if s.Status == "" {
		s.Status = session.StatusOK
	}
	if s.Status == session.StatusError {
		s.Error = line(n.Text, session.MaxPreview)
	}
	if n.Text != "" {
		f.run.packing.add(&s.out, []session.Part{{Type: session.Text, Text: n.Text}})
	}
	t.add(s)
}
