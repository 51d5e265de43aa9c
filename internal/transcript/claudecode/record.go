package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// Versions of records with one key: of a sub-agent's message, its own file has
// more than the progress lines of its parent's.
const (
	versionProgress = 0
	versionLine     = 1
)

// metaKey is the key of the record that is a sub-agent's .meta.json.
const metaKey = "meta"

// knownKinds are the types of lines that there are.
var knownKinds = setOf(
	"user", "assistant", "system", "progress", "attachment", "queue-operation",
	"summary", "file-history-snapshot", "last-prompt", "mode", "permission-mode",
	"agent-name", "custom-title", "ai-title", "pr-link", "frame-link",
	"worktree-state", "relocated", "started", "result", "bridge-session",
	"atis-latch",
)

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// An envelope is what a line tells of itself.
type envelope struct {
	kind    string // "" none
	uuid    string
	session string
	agent   string
	leaf    string
	at      session.Time
	inner   gjson.Result // what may hold a time, or another's message
}

// readEnvelope reads a line's own fields in one pass. Its strings are parts of
// body.
func readEnvelope(body []byte) envelope {
	var e envelope
	role := ""
	gjson.Parse(viewOf(body)).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			e.kind = value.Str
		case "uuid":
			e.uuid = value.Str
		case "sessionId":
			e.session = value.Str
		case "agentId":
			e.agent = value.Str
		case "leafUuid":
			e.leaf = value.Str
		case "timestamp":
			e.at, _ = session.ParseTime(value.String())
		case "data", "snapshot", "attachment":
			e.inner = value
		case "message":
			if e.kind == "" { // the oldest lines have no type, but a message with a role
				role = value.Get("role").Str
			}
		}
		return true
	})
	if e.kind == "" {
		e.kind = role
	}
	if e.at == 0 && e.inner.IsObject() {
		e.at, _ = session.ParseTime(e.inner.Get("timestamp").String())
	}
	return e
}

// sessionIn is the session of a line in a file: its own, or that of the file. Some
// sub-agents' lines name themselves as their session.
func (e *envelope) sessionIn(s *source) string {
	if e.session == "" || s.nested && e.session == agentPrefix+e.agent {
		return s.session
	}
	return e.session
}

// ref is the stream of a line in a file.
func (e *envelope) ref(s *source) session.Ref {
	id, agent := e.sessionIn(s), s.agent
	isJournal := e.kind == "started" || e.kind == "result"
	if e.agent != "" && (s.nested || !isJournal) {
		agent = e.agent
	}
	if agent == "" {
		return mainRef(identifier(id))
	}
	return agentRef(id, agent)
}

// record is the record that a line is.
func (e *envelope) record(body []byte, pos int64) session.Record {
	r := session.Record{Version: versionLine, Order: int64(e.at), Pos: pos, At: e.at, Body: body}
	if e.uuid != "" {
		r.Key = identifier(e.uuid)
		r.Origin = r.Key
	} else {
		r.Key = hashOf(body)
	}
	if e.kind == "summary" {
		r.About = identifier(e.leaf)
	}
	return r
}

// maxIdentifier bounds what is taken for an identifier, in bytes.
const maxIdentifier = 200

// identifier is a copy of an identifier, in a form that every store takes.
func identifier(text string) string {
	if len(text) > maxIdentifier || session.Clean(text) != text {
		return hashOf([]byte(text))
	}
	return strings.Clone(text)
}

// relayed is the record of a sub-agent's stream that a progress line repeats. The
// line stays a record of its own stream, too: it joins the sub-agent with a call.
func (e *envelope) relayed(s *source, r session.Record) (session.Ref, session.Record, bool) {
	if e.kind != "progress" || e.inner.Get("type").Str != "agent_progress" {
		return session.Ref{}, session.Record{}, false
	}
	agent, uuid := e.inner.Get("agentId").Str, e.inner.Get("message.uuid").Str
	if agent == "" || uuid == "" {
		return session.Ref{}, session.Record{}, false
	}
	r.Key = identifier(uuid)
	r.Origin = r.Key
	r.Version = versionProgress
	if at, ok := session.ParseTime(e.inner.Get("message.timestamp").String()); ok {
		r.At, r.Order = at, int64(at)
	}
	return agentRef(e.sessionIn(s), agent), r, true
}

// hashOf is the key of a line without a uuid.
func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}
