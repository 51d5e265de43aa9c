package claudecode

import (
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A line is a record's body, read for what the interpreter needs.
type line struct {
	kind, subtype string
	uuid, parent  string
	session       string
	agent         string // of a sub-agent's line
	request       string
	promptSource  string
	from          string // who wrote a prompt, in newer versions

	cwd, branch, version string

	sidechain bool
	meta      bool // added by the harness
	summary   bool // in place of compacted history
	apiError  bool

	message    gjson.Result
	toolResult gjson.Result // what the tool gave, of any type
	data       gjson.Result // of progress
	attachment gjson.Result
	content    gjson.Result // of system and queue-operation

	whole gjson.Result // for rare fields
}

// parseLine reads a body; false when it is no object.
func parseLine(body string) (line, bool) {
	l := line{whole: gjson.Parse(body)}
	if !l.whole.IsObject() {
		return l, false
	}
	l.whole.ForEach(func(key, value gjson.Result) bool {
		l.set(key.Str, value)
		return true
	})
	if l.kind == "" {
		l.kind = l.message.Get("role").Str
	}
	return l, true
}

func (l *line) set(key string, value gjson.Result) {
	switch key {
	case "type":
		l.kind = value.Str
	case "subtype":
		l.subtype = value.Str
	case "uuid":
		l.uuid = value.Str
	case "parentUuid":
		l.parent = value.Str
	case "sessionId":
		l.session = value.Str
	case "agentId":
		l.agent = value.Str
	case "requestId":
		l.request = value.Str
	case "promptSource":
		l.promptSource = value.Str
	case "origin":
		l.from = value.Get("kind").Str
	case "cwd":
		l.cwd = value.Str
	case "gitBranch":
		l.branch = value.Str
	case "version":
		l.version = value.Str
	case "isSidechain":
		l.sidechain = value.Bool()
	case "isMeta":
		l.meta = value.Bool()
	case "isCompactSummary":
		l.summary = value.Bool()
	case "isApiErrorMessage":
		l.apiError = value.Bool()
	case "message":
		l.message = value
	case "toolUseResult":
		l.toolResult = value
	case "data":
		l.data = value
	case "attachment":
		l.attachment = value
	case "content":
		l.content = value
	}
}

// relayed is the sub-agent's line that a progress line of its parent repeats.
func (l *line) relayed() line {
	message := l.data.Get("message")
	inner, _ := parseLine(message.Raw)
	inner.session, inner.agent = l.session, l.data.Get("agentId").Str
	inner.cwd, inner.branch, inner.version = l.cwd, l.branch, l.version
	return inner
}

// ofThread reports whether the line is a sub-agent's that stands among those of
// its parent, as the first versions wrote them.
func (l *line) ofThread() bool { return l.sidechain && l.agent == "" }

// child is the stream of a sub-agent that the line names; false without a session.
func (l *line) child(agent string) (session.Ref, bool) {
	if agent == "" || l.session == "" || l.session == agentPrefix+l.agent {
		return session.Ref{}, false
	}
	return agentRef(l.session, agent), true
}
