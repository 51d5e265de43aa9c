package langfuse

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/chat"
)

// An interpreter gathers observations and tells them at the end: a parent may
// come last.
type interpreter struct {
	book   chat.Book
	steps  []*chat.Step
	traces []*trace
}

// A trace is what the trace itself says.
type trace struct {
	chat.Step
	output []chat.Message
}

// Interpreter interprets a session; there is no state to go on from.
func (importer) Interpreter([]byte) (transcript.Interpreter, error) {
	return &interpreter{book: chat.Book{}}, nil
}

func (in *interpreter) State() ([]byte, bool) { return nil, false }

// Add takes a trace or an observation.
func (in *interpreter) Add(r session.Record, _ bool) []session.Event {
	body := gjson.ParseBytes(r.Body)
	if strings.HasPrefix(r.Key, keyTrace) {
		if inner := body.Get("trace"); inner.IsObject() {
			body = inner
		}
		in.addTrace(r, body)
		return nil
	}
	in.steps = append(in.steps, in.step(r, body))
	return nil
}

func (in *interpreter) addTrace(r session.Record, body gjson.Result) {
	t := &trace{output: chat.Read(chat.Decoded(body.Get("output")), chat.Assistant)}
	t.Step = chat.Step{
		Key: r.Key, Trace: strings.TrimPrefix(r.Key, keyTrace), ID: r.Key, Kind: chat.Agent,
		Name: clean(body.Get("name")), Order: r.Order, End: r.Order,
		Input: in.book.Keep(chat.Read(chat.Decoded(body.Get("input")), chat.User)),
	}
	in.traces = append(in.traces, t)
}

func clean(value gjson.Result) string {
	return session.Clip(session.Clean(textOf(value)), session.MaxPreview)
}

// End tells the session.
func (in *interpreter) End() []session.Event {
	var events []session.Event
	of := map[string][]*chat.Step{}
	for _, s := range in.steps {
		of[s.Trace] = append(of[s.Trace], s)
	}
	for _, t := range in.traces {
		in.speakFor(t, of[t.Trace])
	}
	if len(in.traces) > 0 {
		first := in.traces[0]
		events = append(events, session.Event{
			Key: first.Key + "#facts", Record: first.Key, What: &session.Facts{Name: first.Name},
		})
	}
	return append(events, chat.Tell(in.steps)...)
}

// speakFor lets a trace say what was asked and answered where none of its
// observations does.
func (in *interpreter) speakFor(t *trace, own []*chat.Step) {
	asked, answered := false, false
	for _, s := range own {
		t.Order, t.End = cmp.Or(min(t.Order, s.Order), t.Order, s.Order), max(t.End, s.End)
		asked = asked || len(s.Input) > 0
		answered = answered || len(s.Output) > 0
	}
	if asked {
		t.Input = nil
	}
	if !answered {
		t.Output = t.output
	}
	if len(t.Input)+len(t.Output) == 0 {
		return
	}
	for _, s := range own {
		if s.Parent == "" {
			s.Parent = t.ID
		}
	}
	in.steps = append(in.steps, &t.Step)
}
