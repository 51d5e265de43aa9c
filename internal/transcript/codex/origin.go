package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// A trail is where a record stands in its conversation, as far as its copies in
// forks agree on that.
//
// A fork's file begins with its own session_meta, then its parent's (which, if
// that was a fork, begins the same way), then the parent's records. Timestamps
// are those of the copying. So the conversation is named by the last of the
// leading session_metas, and a record by its payload. The same words said again
// are told apart by the number of prompts before them.
type trail struct {
	Root  string `json:"root"`
	Begun bool   `json:"begun"` // a record other than a session_meta was seen
	// Items and Events are the prompts so far, by where they stand: a fork may
	// copy the one and leave out the other.
	Items  int64 `json:"items"`
	Events int64 `json:"events"`
}

// origin is the record's Origin. The session_meta of a fork or a sub-agent has
// none: no session stands behind it that could hold it earlier.
func (t *trail) origin(l line) string {
	prompts := int64(0)
	switch l.kind {
	case sessionMeta:
		return t.metaOrigin(l)
	case execEvent:
		return ""
	case responseItem:
		prompts = t.Items
		t.Items += count(isPromptItem(l.payload))
	case eventMsg:
		prompts = t.Events
		t.Events += count(text(l.payload.Get("type")) == "user_message")
	}
	t.Begun = true
	return hashOf(canonical([]byte(t.Root+"\x00"+l.kind+"\x00"+strconv.FormatInt(prompts, 10)+"\x00"), l.payload, 0))
}

func (t *trail) metaOrigin(l line) string {
	id := text(l.payload.Get("id"))
	if !t.Begun && id != "" {
		t.Root = id
	}
	facts := factsOf(l, id)
	if id == "" || facts.Parent != nil || facts.ForkedFrom != nil || isSubagent(l) {
		return ""
	}
	return hashOf(canonical([]byte(id+"\x00"+l.kind+"\x00"), l.payload, 0))
}

func count(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// isPromptItem reports whether a response item is what a user, not the harness,
// told the model.
func isPromptItem(item gjson.Result) bool {
	return text(item.Get("role")) == "user" && !isInjected(partsOf(item.Get("content")))
}

// canonicalDepth bounds how deep the order of fields is made equal: nested
// values are read once a level.
const canonicalDepth = 6

// canonical writes a JSON value so that copies by another version are equal,
// which may order fields otherwise or write null for those that it lacks.
func canonical(to []byte, v gjson.Result, depth int) []byte {
	switch {
	case depth > canonicalDepth || v.Type == gjson.Number:
		return append(append(to, v.Raw...), 0)
	case v.Type == gjson.String:
		return append(append(to, v.Str...), 0)
	case v.IsArray():
		to = append(to, '[')
		v.ForEach(func(_, element gjson.Result) bool {
			to = canonical(to, element, depth+1)
			return true
		})
		return append(to, ']')
	case v.IsObject():
		to = append(to, '{')
		for _, f := range fieldsOf(v) {
			to = append(append(to, f.name...), 0)
			to = canonical(to, f.value, depth+1)
		}
		return append(to, '}')
	}
	return append(append(to, v.Raw...), 0)
}

type field struct {
	name  string
	value gjson.Result
}

// fieldsOf are an object's fields that say something, by name.
func fieldsOf(object gjson.Result) []field {
	var fields []field
	object.ForEach(func(name, value gjson.Result) bool {
		if value.Type != gjson.Null {
			fields = append(fields, field{name.Str, value})
		}
		return true
	})
	slices.SortStableFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return fields
}
