package session

import "encoding/json"

// A Status tells how something ended.
type Status string

const (
	StatusOK          Status = "ok"
	StatusError       Status = "error"
	StatusInterrupted Status = "interrupted" // stopped or refused by a person
	StatusPending     Status = "pending"     // no result (yet)
	StatusUnknown     Status = "unknown"     // the log can't tell
)

// A Kind of span.
type Kind string

const (
	KindLLM   Kind = "llm"
	KindTool  Kind = "tool"
	KindAgent Kind = "agent" // the trace's root: the agent at work on one turn
	KindEvent Kind = "event"
)

// A Relation says how a session came from another.
type Relation string

const (
	Subagent Relation = "subagent" // started by a span of it
	Fork     Relation = "fork"     // begins with its history
)

// A Session is one conversation.
type Session struct {
	ID               string       `json:"session_id"`
	Harness          string       `json:"harness"`
	HarnessSessionID string       `json:"harness_session_id"` // the harness' own identifier
	HarnessVersion   string       `json:"harness_version"`
	Title            string       `json:"title"`        // as derived; never empty
	DisplayName      string       `json:"display_name"` // given by a person here; "": none
	Cwd              string       `json:"cwd"`          // where it began
	Project          string       `json:"project"`      // last element of Cwd
	GitBranch        string       `json:"git_branch"`
	Parent           *Origin      `json:"parent"`     // nil: none
	AgentType        string       `json:"agent_type"` // of a sub-agent
	Internal         bool         `json:"internal"`   // the harness' own work
	StartedAt        Time         `json:"started_at"` // zero: unknown
	EndedAt          Time         `json:"ended_at"`   // of what is known so far
	Status           Status       `json:"status"`     // of its last trace
	Models           []ModelUsage `json:"models"`     // by model name
	Usage            Usage        `json:"usage"`      // without sub-agents
	Counts           Counts       `json:"counts"`
	PartialReason    string       `json:"partial_reason"` // why counts are lower bounds; "": they are not
}

// An Origin is where a session came from.
type Origin struct {
	SessionID string   `json:"session_id"`
	Relation  Relation `json:"relation"`
	TraceID   string   `json:"trace_id"` // "": not known
	SpanID    string   `json:"span_id"`
}

// ModelUsage is what one model took part in a session.
type ModelUsage struct {
	Model string `json:"model"`
	Calls int64  `json:"calls"`
	Usage Usage  `json:"usage"`
}

// Counts of what a session or trace holds.
type Counts struct {
	Records     int64 `json:"records"` // raw records, without replayed ones; 0 in a trace
	Traces      int64 `json:"traces"`
	Prompts     int64 `json:"prompts"` // what people wrote, commands among them
	Messages    int64 `json:"messages"`
	ToolCalls   int64 `json:"tool_calls"`
	ToolResults int64 `json:"tool_results"`
	ToolErrors  int64 `json:"tool_errors"`
	Unanswered  int64 `json:"unanswered_calls"`
	Subagents   int64 `json:"subagents"`
	Compactions int64 `json:"compactions"`
	Replayed    int64 `json:"replayed_records"` // copied from an earlier session, counted there
}

// Add adds o.
func (c *Counts) Add(o Counts) {
	c.Records += o.Records
	c.Traces += o.Traces
	c.Prompts += o.Prompts
	c.Messages += o.Messages
	c.ToolCalls += o.ToolCalls
	c.ToolResults += o.ToolResults
	c.ToolErrors += o.ToolErrors
	c.Unanswered += o.Unanswered
	c.Subagents += o.Subagents
	c.Compactions += o.Compactions
	c.Replayed += o.Replayed
}

// A Trace is one user turn and all it caused.
type Trace struct {
	ID         string       `json:"trace_id"`
	SessionID  string       `json:"session_id"`
	Seq        int          `json:"seq"`         // from 0
	UserPrompt string       `json:"user_prompt"` // at most MaxPreview bytes
	Response   string       `json:"response"`    // the last answer, at most MaxPreview bytes
	Origin     PromptOrigin `json:"origin"`      // "": opened by an answer without a prompt
	Status     Status       `json:"status"`
	StartedAt  Time         `json:"started_at"`
	EndedAt    Time         `json:"ended_at"`
	Cwd        string       `json:"cwd"`
	GitBranch  string       `json:"git_branch"`
	Models     []string     `json:"models"`
	SpanCount  int          `json:"span_count"`
	Usage      Usage        `json:"usage"`
	Counts     Counts       `json:"counts"`
}

// MaxPreview bounds texts that listings show, in bytes.
const MaxPreview = 2048

// A Span is one step in a trace. The first of a trace is its root, of kind agent.
type Span struct {
	ID         string            `json:"span_id"`
	TraceID    string            `json:"trace_id"`
	SessionID  string            `json:"session_id"`
	ParentID   string            `json:"parent_span_id"` // "" for the root
	Seq        int               `json:"seq"`            // in the trace, from 0
	Kind       Kind              `json:"kind"`
	Name       string            `json:"name"` // of the model, tool or event
	Status     Status            `json:"status"`
	Error      string            `json:"error"` // one line, at most MaxPreview bytes
	Model      string            `json:"model"`
	Provider   string            `json:"provider"`
	StopReason string            `json:"stop_reason"`
	CallID     string            `json:"call_id"`    // the provider's, of a tool span
	MessageID  string            `json:"message_id"` // the provider's, of an llm span
	StartedAt  Time              `json:"started_at"`
	EndedAt    Time              `json:"ended_at"` // zero: unknown
	Usage      Usage             `json:"usage"`
	Attributes map[string]string `json:"attributes"`
	Records    []string          `json:"records"` // keys of the raw records
	Input      []Part            `json:"input"`   // llm: what was new to the model; tool: its tool_call
	Output     []Part            `json:"output"`
}

// A Part is a piece of content.
type Part struct {
	Type      PartType        `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`   // of a tool call
	Name      string          `json:"name,omitempty"` // of a tool or file
	Input     json.RawMessage `json:"input,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Bytes     int64           `json:"bytes,omitempty"`  // size of a blob, decoded
	SHA256    string          `json:"sha256,omitempty"` // of a blob, hex: the raw record has it
	URL       string          `json:"url,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

// A PartType says what a part holds.
type PartType string

const (
	Text       PartType = "text"
	Thinking   PartType = "thinking" // Text may be empty where it is encrypted
	ToolCall   PartType = "tool_call"
	ToolResult PartType = "tool_result" // Text
	Blob       PartType = "blob"        // an image, a document: by size and hash
	Data       PartType = "data"        // JSON that has no other form here, in Input
)

// A Link joins two spans, or a span and the session it started.
type Link struct {
	Kind          LinkKind `json:"kind"`
	FromSessionID string   `json:"from_session_id"`
	FromTraceID   string   `json:"from_trace_id"`
	FromSpanID    string   `json:"from_span_id"`
	ToSessionID   string   `json:"to_session_id"`
	ToTraceID     string   `json:"to_trace_id"` // "": the session as a whole
	ToSpanID      string   `json:"to_span_id"`
}

// A LinkKind says what a link means.
type LinkKind string

const (
	LinkSpawns LinkKind = "spawns" // a tool span started a sub-agent's session
	LinkForks  LinkKind = "forks"  // a session goes on from another's history
	LinkFeeds  LinkKind = "feeds"  // a tool's result was read by an llm span
)
