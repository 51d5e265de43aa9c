package codex

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// Kinds of lines. Those of a rollout have these words as their type; lines of
// other forms are read as the kind that they correspond to.
const (
	sessionMeta  = "session_meta"
	turnContext  = "turn_context"
	responseItem = "response_item"
	eventMsg     = "event_msg"
	compacted    = "compacted"
	execEvent    = "exec" // printed by "codex exec --json"
)

// A line is one record in the terms of a rollout.
type line struct {
	kind    string
	payload gjson.Result
	at      session.Time
}

// parseLine reads a line of any form that Codex has written:
//
//	{"timestamp", "type", "payload"}            a rollout
//	{"id", "timestamp", "instructions", "git"}  mid-2025: the first line
//	{"type", …} or {"role", "content"}          mid-2025: an item by itself
//	{"type": "item.completed", "item"}          codex exec --json
func parseLine(body []byte) line {
	root := gjson.ParseBytes(body)
	l := line{kind: text(root.Get("type")), payload: root, at: timeOf(root)}
	payload := root.Get("payload")
	switch {
	case !root.IsObject():
		l.kind = "array"
	case l.kind != "" && payload.Exists():
		l.payload = payload
	case isExec(l.kind), l.kind == "error" && l.at == 0:
		l.kind = execEvent
	case l.kind == "error":
		l.kind = eventMsg
	case l.kind == "" && text(root.Get("id")) != "" && !root.Get("role").Exists():
		l.kind = sessionMeta
	default:
		l.kind = responseItem
	}
	return l
}

// isExec reports whether a type is one of the events that codex exec prints.
func isExec(kind string) bool {
	for _, family := range []string{"thread.", "turn.", "item."} {
		if strings.HasPrefix(kind, family) {
			return true
		}
	}
	return false
}

// timeOf is when a line was written.
func timeOf(root gjson.Result) session.Time {
	for _, field := range []string{"timestamp", "created_at"} {
		if at, ok := session.ParseTime(root.Get(field).String()); ok {
			return at
		}
	}
	return 0
}

// text is the value of a field that should be a string; "" where it is not.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

// firstText is the first of fields that is a string and not empty.
func firstText(v gjson.Result, paths ...string) string {
	for _, path := range paths {
		if s := text(v.Get(path)); s != "" {
			return s
		}
	}
	return ""
}
