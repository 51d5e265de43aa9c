package otlp

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/chat"
)

// An interpreter gathers spans and tells them at the end: until the last one a
// parent, or what a call is only the outside of, may still come.
type interpreter struct {
	book   chat.Book
	steps  []*chat.Step
	bySpan map[string]*chat.Step // by trace and span
	logs   map[string]*log       // by the same
	order  []string              // of the logs
	facts  session.Facts
	holds  session.Context
	from   string // record that told of the service
}

// A log is what log records tell of one span.
type log struct {
	step   chat.Step // what it would be without the span
	events []chat.Event
}

// Interpreter interprets a session; there is no state to go on from.
func (importer) Interpreter([]byte) (transcript.Interpreter, error) {
	return &interpreter{book: chat.Book{}, bySpan: map[string]*chat.Step{}, logs: map[string]*log{}}, nil
}

func (in *interpreter) State() ([]byte, bool) { return nil, false }

// Add takes a span, or a log record. One that counts in another session is left
// out.
func (in *interpreter) Add(r session.Record, replayed bool) []session.Event {
	if replayed {
		return nil
	}
	body := gjson.ParseBytes(r.Body)
	resource := body.Get("resource")
	span, logRecord := body.Get("scopeSpans.0.spans.0"), body.Get("scopeLogs.0.logRecords.0")
	switch {
	case span.IsObject():
		in.add(r.Key, spanOf(span))
	case logRecord.IsObject():
		in.addLog(r.Key, logRecord)
	case body.Get("spanContext").Exists():
		in.add(r.Key, readableSpan(body))
	case body.Get("timeUnixNano").Exists(): // without what stood around it
		in.addLog(r.Key, body)
	default:
		in.add(r.Key, spanOf(body))
	}
	in.service(r.Key, attributes(resource.Get("attributes"), isService))
	return nil
}

func isService(key string) bool { return strings.HasPrefix(key, "service.") }

// service takes what the first resource that says so says of the program.
func (in *interpreter) service(key string, a chat.Attributes) {
	name := a.Text("service.name")
	if in.from != "" || name == "" || strings.HasPrefix(name, "unknown_service") {
		return
	}
	in.from = key
	in.facts.Name, in.holds.HarnessVersion = name, a.Text("service.version")
}

func (in *interpreter) add(key string, s span) {
	step := &chat.Step{
		Key: key, Trace: s.trace, ID: s.id, Parent: s.parent, Order: s.start, End: s.end,
		Name: s.name, Failed: s.failed, Error: s.message,
	}
	s.attributes.Describe(step, s.events, in.book)
	in.steps = append(in.steps, step)
	in.bySpan[s.trace+"/"+s.id] = step
}

// addLog keeps what a log record tells of its span.
func (in *interpreter) addLog(key string, record gjson.Result) {
	e := logEvent(record)
	if !isChat(e.Name) {
		return
	}
	trace, id := identifier(record.Get("traceId"), traceSize), identifier(record.Get("spanId"), spanSize)
	of := trace + "/" + id
	if in.logs[of] == nil {
		at := cmp.Or(nanoseconds(record.Get("timeUnixNano")), nanoseconds(record.Get("observedTimeUnixNano")))
		in.logs[of] = &log{step: chat.Step{Key: key, Trace: trace, ID: id, Order: at, End: at, Name: e.Name}}
		in.order = append(in.order, of)
	}
	in.logs[of].events = append(in.logs[of].events, e)
}

// End tells the session.
func (in *interpreter) End() []session.Event {
	for _, of := range in.order {
		in.read(of, in.logs[of])
	}
	var events []session.Event
	if in.from != "" {
		events = append(events,
			session.Event{Key: in.from + "#facts", Record: in.from, What: &in.facts},
			session.Event{Key: in.from + "#context", Record: in.from, What: &in.holds})
	}
	return append(events, chat.Tell(in.steps)...)
}

// read adds to a span what its log records tell, or stands them in its place.
func (in *interpreter) read(of string, l *log) {
	told := &l.step
	call := chat.Attributes{"gen_ai.operation.name": gjson.Parse(`"chat"`)}
	call.Describe(told, l.events, in.book)
	step := in.bySpan[of]
	if step == nil {
		in.steps = append(in.steps, told)
		return
	}
	if step.Kind == chat.Other {
		step.Kind = told.Kind
	}
	if len(step.Input) == 0 {
		step.Input = told.Input
	}
	if len(step.Output) == 0 {
		step.Output = told.Output
	}
	if !step.Tokens.Known {
		step.Tokens = told.Tokens
	}
	step.Model, step.Provider = cmp.Or(step.Model, told.Model), cmp.Or(step.Provider, told.Provider)
	step.MessageID, step.StopReason = cmp.Or(step.MessageID, told.MessageID), cmp.Or(step.StopReason, told.StopReason)
}
