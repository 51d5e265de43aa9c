package chat

import (
	"maps"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// An Event is something that was recorded within a span: a span's event, or a
// log record that names the span.
type Event struct {
	Name       string
	Attributes Attributes
	Body       gjson.Result // of a log record
}

// details is the event that holds what else stands in attributes of the span.
const details = "gen_ai.client.inference.operation.details"

// with is a with the attributes that events add to the span.
func (a Attributes) with(events []Event) Attributes {
	all := a
	for _, e := range events {
		if e.Name != details {
			continue
		}
		if len(all) == len(a) {
			all = maps.Clone(a)
		}
		add := func(key string, value gjson.Result) {
			if !all.Get(key).Exists() {
				all[key] = value
			}
		}
		for key, value := range e.Attributes {
			add(key, value)
		}
		if e.Body.IsObject() {
			e.Body.ForEach(func(key, value gjson.Result) bool {
				add(key.Str, value)
				return true
			})
		}
	}
	return all
}

// spoken are the messages that events hold, one each: those that the model gave,
// or those that it was given.
func spoken(events []Event, output bool) []Message {
	var messages []Message
	for _, e := range events {
		role, isOutput := speaks(e.Name)
		if role == "" || isOutput != output {
			continue
		}
		body := Decoded(e.Attributes.Get("gen_ai.event.content", "gen_ai.prompt", "gen_ai.completion", "event_body"))
		if e.Body.IsObject() {
			body = e.Body
		}
		if !body.Exists() {
			body = gjson.ParseBytes(e.Attributes.object())
		}
		if found := Read(body, role); len(found) > 0 && body.IsArray() {
			messages = append(messages, found...)
		} else if body.IsObject() {
			m := message(body, role)
			if m.Role != role && !body.Get("role").Exists() {
				m.Role = role
			}
			messages = append(messages, m)
		}
	}
	return messages
}

// speaks is whose message an event of this name is; "" where it is none.
func speaks(name string) (role Role, output bool) {
	switch name {
	case "gen_ai.system.message":
		return System, false
	case "gen_ai.user.message", "gen_ai.content.prompt":
		return User, false
	case "gen_ai.assistant.message":
		return Assistant, false
	case "gen_ai.tool.message":
		return Tool, false
	case "gen_ai.choice", "gen_ai.content.completion":
		return Assistant, true
	}
	return "", false
}

// object is the attributes as one JSON object. Values that are JSON in a string
// (tool_calls, message) are read as such further on.
func (a Attributes) object() []byte {
	var root branch
	for key, value := range a {
		key = strings.TrimPrefix(key, "gen_ai.event.")
		if decodedValue, ok := decoded(value); ok && decodedValue.IsObject() {
			value = decodedValue
		}
		root.grow([]string{key}, unwrapped(value))
	}
	if root.below == nil {
		return []byte("{}")
	}
	out := root.json()
	if len(out) > 0 && out[0] == '[' {
		return []byte("{}")
	}
	return out
}

// failure is what an exception says.
func failure(events []Event) string {
	for _, e := range events {
		if e.Name == "exception" {
			return session.Clean(e.Attributes.Text("exception.message", "exception.type"))
		}
	}
	return ""
}
