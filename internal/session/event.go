package session

import "time"

// An Event is what one raw record says, in the terms that all harnesses share.
// A record gives none, one or several.
type Event struct {
	Key    string // identity in the session: the record's key, with "#n" from the second on
	Record string // key of the raw record
	At     Time   // zero: unknown
	Thread string // sub-agent whose records stand in the stream of its parent; "": the session itself
	What   What
}

// What an event tells.
type What interface{ event() }

// A Prompt is what the model was told other than by tools.
type Prompt struct {
	Origin  PromptOrigin
	Content []Part
}

// A PromptOrigin tells who wrote a prompt.
type PromptOrigin string

const (
	// Typed is what a person wrote; it opens a trace.
	Typed PromptOrigin = "typed"
	// Queued is what a person wrote while the model was at work; it opens a trace.
	Queued PromptOrigin = "queued"
	// Delegated is what a parent agent told its sub-agent; it opens a trace.
	Delegated PromptOrigin = "delegated"
	// Command is a person's command of the harness ("/review", "!ls"). It opens a
	// trace once the model answers it; else it is an event.
	Command PromptOrigin = "command"
	// Injected is what the harness added: reminders, environment, notifications.
	Injected PromptOrigin = "injected"
	// Summary is what the harness put in place of compacted history.
	Summary PromptOrigin = "summary"
)

// An Answer is (a part of) a message of a model. Answers with one Merge are one
// llm span: contents follow each other, of usage the largest snapshot counts.
// Each tool_call part is a tool span.
type Answer struct {
	Merge      string // identity of the provider's message in the session; "": the event's Key
	MessageID  string // the provider's
	RequestID  string
	Model      string // "": that of the context
	Provider   string
	Content    []Part
	StopReason string
	Usage      *Usage // nil: this part says nothing
	Synthetic  bool   // made by the harness, not by a model: no usage, no cost
	Error      string // the call failed, and how
	Began      Time   // zero: unknown; At is when it was written
}

// A Call is a tool call that no answer's content holds, or more about one that
// does (same CallID).
type Call struct {
	CallID     string
	Name       string
	Input      []byte // JSON; nil: nothing new
	Began      Time
	Attributes map[string]string
}

// A Result is what a tool gave.
type Result struct {
	CallID     string
	Content    []Part
	Status     Status        // StatusOK, StatusError or StatusInterrupted
	Error      string        // first line of what went wrong
	Duration   time.Duration // 0: unknown
	Attributes map[string]string
}

// A Context holds from here on; empty fields change nothing.
type Context struct {
	Model, Provider, Cwd, GitBranch, HarnessVersion string
}

// A Title names the session. The highest rank wins, then the latest place.
type Title struct {
	Text string
	Rank TitleRank
}

// A TitleRank orders titles by who gave them.
type TitleRank int

const (
	TitleSummary TitleRank = iota + 1 // of the harness' summary
	TitleModel                        // made by a model
	TitlePerson                       // given by a person
)

// A Note is something that happened beside prompts, answers and tools.
type Note struct {
	Name       string // NoteCompaction, … or the harness' own word
	Text       string
	Status     Status
	Attributes map[string]string
}

// Names of notes that are counted or change a status.
const (
	NoteCompaction  = "compaction"
	NoteInterrupted = "interrupted" // a person stopped the turn
	NoteError       = "error"       // the provider or harness failed
)

// A Spawn says that a tool call started a sub-agent.
type Spawn struct {
	CallID      string
	Child       Ref    // zero: the one in Thread
	Thread      string // in this stream
	AgentType   string
	Description string
}

// Facts describe the whole session; empty fields change nothing.
type Facts struct {
	Name         string // the harness' own name for it, of no title's worth
	AgentType    string // of a sub-agent
	ParentCallID string // the call in the parent that started it
	Internal     bool   // the harness' own work, not shown among sessions
	StartedAt    Time
	Partial      string // why its counts are a lower bound
}

func (*Prompt) event()  {}
func (*Answer) event()  {}
func (*Call) event()    {}
func (*Result) event()  {}
func (*Context) event() {}
func (*Title) event()   {}
func (*Note) event()    {}
func (*Spawn) event()   {}
func (*Facts) event()   {}
