package session

import "github.com/google/uuid"

// namespace is the root of all name-based identifiers. It must never change.
var namespace = uuid.MustParse("7d0c52f4-0c5e-5d0b-9d3c-2f6a1c1f9b1e")

// A Ref names a stream of raw records by where it comes from: the harness, and
// the harness' own identifier of the session. The stream of a sub-agent has a
// key of its own (see [Ref.Sub]).
type Ref struct {
	Harness string `json:"harness"` // "claude-code", "codex", …
	Key     string `json:"key"`
}

// Sub is the stream, or the session inside a stream, of a sub-agent of r.
func (r Ref) Sub(agent string) Ref { return Ref{r.Harness, r.Key + "/" + agent} }

// String is the ref as people read it.
func (r Ref) String() string { return r.Harness + ":" + r.Key }

// SessionID is the identifier of r's session: a UUID, the same on each machine.
func (r Ref) SessionID() string {
	return uuid.NewSHA1(namespace, []byte(r.Harness+"\x00"+r.Key)).String()
}

// Identifiers of what a session holds: the prefix tells the kind, the UUID is
// made from the session and from the key of what opened it.
func TraceID(sessionID, key string) string     { return "trc_" + within(sessionID, "trace", key) }
func LLMID(sessionID, merge string) string     { return "llm_" + within(sessionID, "llm", merge) }
func ToolID(sessionID, callID string) string   { return "tool_" + within(sessionID, "tool", callID) }
func AgentID(sessionID, traceID string) string { return "agent_" + within(sessionID, "agent", traceID) }
func EventID(sessionID, key string) string     { return "evt_" + within(sessionID, "event", key) }

func within(sessionID, kind, key string) string {
	return uuid.NewSHA1(namespace, []byte(sessionID+"\x00"+kind+"\x00"+key)).String()
}
