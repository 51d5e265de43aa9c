package otlp

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/chat"
)

// A span is one, whatever it was written as.
type span struct {
	trace, id, parent string
	name              string
	start, end        int64
	attributes        chat.Attributes
	events            []chat.Event
	failed            bool
	message           string
}

// spanOf is a span of OTLP. Visual Studio names its parent once more in an
// attribute, where sampling took the parent away.
func spanOf(item gjson.Result) span {
	s := span{
		trace:  identifier(item.Get("traceId"), traceSize),
		id:     identifier(item.Get("spanId"), spanSize),
		parent: identifier(item.Get("parentSpanId"), spanSize),
		start:  nanoseconds(item.Get("startTimeUnixNano")),
		end:    nanoseconds(item.Get("endTimeUnixNano")),
	}
	s.fill(item)
	if virtual := s.attributes.Get("virtual_parent.genai"); virtual.Exists() {
		s.parent = identifier(virtual, spanSize)
	}
	return s
}

// readableSpan is a span as OpenTelemetry for JavaScript holds it.
func readableSpan(item gjson.Result) span {
	parent := item.Get("parentSpanContext.spanId")
	if !parent.Exists() {
		parent = item.Get("parentSpanId")
	}
	s := span{
		trace:  identifier(item.Get("spanContext.traceId"), traceSize),
		id:     identifier(item.Get("spanContext.spanId"), spanSize),
		parent: identifier(parent, spanSize),
		start:  nanoseconds(item.Get("startTime")),
		end:    nanoseconds(item.Get("endTime")),
	}
	s.fill(item)
	return s
}

// fill takes what both forms have alike.
func (s *span) fill(item gjson.Result) {
	s.name = session.Clip(session.Clean(item.Get("name").String()), maxIdentifier)
	s.attributes = attributes(item.Get("attributes"), nil)
	item.Get("events").ForEach(func(_, event gjson.Result) bool {
		s.events = append(s.events, chat.Event{
			Name: event.Get("name").String(), Attributes: attributes(event.Get("attributes"), nil),
		})
		return true
	})
	s.failed = isError(item.Get("status.code"))
	if s.failed {
		s.message = session.Clean(item.Get("status.message").String())
	}
}

// isError knows the code in both forms of JSON.
func isError(code gjson.Result) bool {
	return code.Int() == 2 || code.Str == "STATUS_CODE_ERROR" || code.Str == "ERROR"
}

// logEvent is a log record as an event of its span.
func logEvent(record gjson.Result) chat.Event {
	return chat.Event{
		Name: logName(record), Attributes: attributes(record.Get("attributes"), nil),
		Body: gjson.ParseBytes(plain(record.Get("body"))),
	}
}

// logName is the name of the event that a log record is.
func logName(record gjson.Result) string {
	if name := record.Get("eventName"); name.Type == gjson.String && name.Str != "" {
		return name.Str
	}
	return attributes(record.Get("attributes"), func(key string) bool { return key == "event.name" }).Text("event.name")
}

// isChat reports whether an event of this name tells of a call of a model.
func isChat(name string) bool { return strings.HasPrefix(name, "gen_ai.") }
