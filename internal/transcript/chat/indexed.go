package chat

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// maxPath bounds the depth of keys that are indexed.
const maxPath = 16

// A branch is a value that was flattened into keys joined by dots.
type branch struct {
	value json.RawMessage
	below map[string]*branch
}

// indexedMessages are messages that were flattened into keys with a prefix.
func (a Attributes) indexedMessages(prefix string, role Role) []Message {
	var messages []Message
	a.indexed(prefix).ForEach(func(_, item gjson.Result) bool {
		if m := message(item, role); !m.isEmpty() {
			messages = append(messages, m)
		}
		return true
	})
	return messages
}

// indexed is what was flattened into keys with a prefix ("gen_ai.prompt.",
// "llm.input_messages."), made whole again. Absent where there are none.
func (a Attributes) indexed(prefix string) gjson.Result {
	var root branch
	for key, value := range a {
		path, ok := strings.CutPrefix(key, prefix)
		if !ok || path == "" || path[0] < '0' || path[0] > '9' {
			continue
		}
		names := strings.Split(path, ".")
		if len(names) <= maxPath {
			root.grow(names, unwrapped(value))
		}
	}
	if root.below == nil {
		return gjson.Result{}
	}
	return gjson.ParseBytes(root.json())
}

func (b *branch) grow(names []string, value json.RawMessage) {
	for _, name := range names {
		if b.below == nil {
			b.below = map[string]*branch{}
		}
		if b.below[name] == nil {
			b.below[name] = &branch{}
		}
		b = b.below[name]
	}
	b.value = value
}

// unwrapped is a value as JSON. Such attributes are text, so content with a
// structure stands there as JSON; text that only looks like it is left alone.
func unwrapped(value gjson.Result) json.RawMessage {
	if value.Type == gjson.String {
		inner, ok := decoded(value)
		if ok && inner.IsArray() && (isPart(inner.Get("0")) || isMessage(inner.Get("0"))) {
			return raw(inner)
		}
	}
	if text := raw(value); text != nil {
		return text
	}
	return json.RawMessage("null")
}

// json is the branch as JSON: a list where all keys are numbers.
func (b *branch) json() []byte {
	if b.below == nil {
		return b.value
	}
	names := make([]string, 0, len(b.below))
	numbers := true
	for name := range b.below {
		names = append(names, name)
		_, err := strconv.ParseUint(name, 10, 32)
		numbers = numbers && err == nil
	}
	slices.SortFunc(names, func(x, y string) int {
		if numbers && len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
	open, end := byte('{'), byte('}')
	if numbers {
		open, end = '[', ']'
	}
	out := []byte{open}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		if !numbers {
			out = append(append(out, textJSON(name)...), ':')
		}
		out = append(out, b.below[name].json()...)
	}
	return append(out, end)
}
