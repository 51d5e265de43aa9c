package codex

import (
	"encoding/json"
	"fmt"
	"strconv"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// Interpreter interprets a stream from its first record, or from a state.
func (importer) Interpreter(from []byte) (transcript.Interpreter, error) {
	in := &interpreter{}
	if len(from) == 0 {
		return in, nil
	}
	if err := json.Unmarshal(from, &in.state); err != nil {
		return nil, fmt.Errorf("the state of a Codex interpreter: %w", err)
	}
	return in, nil
}

// An interpreter tells what the records of one stream mean.
type interpreter struct {
	state
	record session.Record // the current one
	keys   int            // that were given out for it
	out    []session.Event
}

// state is what an interpreter keeps from record to record. Most of it is of one
// turn, so that between turns it is small.
type state struct {
	Own      string `json:"own,omitempty"` // identifier of the first session_meta
	Subagent bool   `json:"subagent,omitempty"`
	Begun    bool   `json:"begun,omitempty"`   // a record other than a session_meta was seen
	Rollout  bool   `json:"rollout,omitempty"` // a record of a rollout was seen

	Usage     counter `json:"usage"`
	UsageLast bool    `json:"usage_last,omitempty"` // tokens are counted behind what they were spent on

	PromptEvents bool     `json:"prompt_events,omitempty"` // prompts are told by events
	Prompt       *prompt  `json:"prompt,omitempty"`        // waits for its echo
	Task         taskStep `json:"task,omitempty"`

	Call    *modelCall  `json:"call,omitempty"`
	Tools   []*toolCall `json:"tools,omitempty"`   // of the turn
	Said    []*waiting  `json:"said,omitempty"`    // answers told by events only, in the turn
	Answers bool        `json:"answers,omitempty"` // the turn has answers told by items

	Compactions compactions `json:"compactions"`
}

// A taskStep is how far a task is, where the log tells that one began.
type taskStep int

const (
	noTask taskStep = iota
	taskStarted
	taskPrompted
)

// State is what to go on from.
func (in *interpreter) State() ([]byte, bool) {
	text, err := json.Marshal(in.state)
	return text, err == nil
}

// Add interprets one record.
func (in *interpreter) Add(r session.Record, replayed bool) []session.Event {
	in.record, in.keys, in.out = r, 0, nil
	l := parseLine(r.Body)
	switch {
	case l.kind == sessionMeta:
		in.meta(l, replayed)
	case replayed:
		in.replay(l)
	default:
		in.line(l)
	}
	in.Begun = in.Begun || l.kind != sessionMeta
	in.Rollout = in.Rollout || l.kind != execEvent
	return in.out
}

// End gives what waited for further records.
func (in *interpreter) End() []session.Event {
	in.out = nil
	in.flushPrompt()
	in.endTurn()
	return in.out
}

func (in *interpreter) line(l line) {
	switch l.kind {
	case turnContext:
		in.context(l)
		in.Call = nil
	case responseItem:
		in.item(l)
	case eventMsg:
		in.event(l)
	case compacted:
		in.compacted(compactedLine, text(l.payload.Get("message")))
	case execEvent:
		if !in.Rollout {
			in.exec(l)
		}
	}
}

// replay takes from a copied record what holds for those that follow.
func (in *interpreter) replay(l line) {
	switch {
	case l.kind == turnContext:
		in.context(l)
	case l.kind == compacted:
		in.Compactions.tell(compactedLine)
	case l.kind != eventMsg:
	default:
		switch text(l.payload.Get("type")) {
		case "token_count", "turn.completed":
			in.Usage.add(reportOf(l.payload))
		case "user_message":
			in.PromptEvents = true
		case "context_compacted":
			in.Compactions.tell(compactedEvent)
		}
	}
}

// meta reads a session_meta: the session's own, again its own where it was
// resumed, or the copied one of the session that this was forked from.
func (in *interpreter) meta(l line, replayed bool) {
	id := text(l.payload.Get("id"))
	switch {
	case in.Own == "" && !in.Begun:
		in.Own = id
		in.Subagent = isSubagent(l)
		in.emit(factsEvent(l))
		in.context(l)
	case id == in.Own:
		in.context(l)
	case !in.Begun && !replayed && in.record.Origin != "":
		in.emit(&session.Facts{Partial: "begins with a copy of session " + session.Clip(id, 64) +
			", which was not imported: what was used there is counted here"})
	}
}

func factsEvent(meta line) *session.Facts {
	p := meta.payload
	f := &session.Facts{
		Name:      firstText(p, "agent_nickname", "source.subagent.thread_spawn.agent_nickname"),
		AgentType: firstText(p, "agent_role", "source.subagent.thread_spawn.agent_role"),
		Internal:  isInternal(meta),
	}
	f.StartedAt, _ = session.ParseTime(text(p.Get("timestamp")))
	return f
}

// isInternal reports whether a session is work that the harness does by itself:
// guardians that judge commands, compaction, the upkeep of memories. A spawned
// thread and a review are what somebody asked for.
func isInternal(meta line) bool {
	source := meta.payload.Get("source.subagent")
	switch text(meta.payload.Get("thread_source")) {
	case "guardian", "auto_review", "memory_consolidation":
		return true
	}
	return source.Exists() && !source.Get("thread_spawn").Exists() && text(source) != "review"
}

// context tells what a session_meta, turn_context or thread_settings says.
func (in *interpreter) context(l line) {
	p := l.payload
	if settings := p.Get("thread_settings"); settings.IsObject() {
		p = settings
	}
	in.contextIs(session.Context{
		Model:          firstText(p, "model"),
		Provider:       firstText(p, "model_provider", "model_provider_id"),
		Cwd:            firstText(p, "cwd"),
		GitBranch:      firstText(p, "git.branch"),
		HarnessVersion: firstText(p, "cli_version"),
	})
}

func (in *interpreter) contextIs(c session.Context) {
	if c != (session.Context{}) {
		in.emit(&c)
	}
}

// key gives out the next key for an event of the current record.
func (in *interpreter) key() string {
	in.keys++
	if in.keys == 1 {
		return in.record.Key
	}
	return in.record.Key + "#" + strconv.Itoa(in.keys)
}

func (in *interpreter) emit(what session.What) {
	in.emitAt(in.place(), what)
}

// A place of an event that is told later than it was read.
type eventPlace struct {
	Key    string       `json:"key"`
	Record string       `json:"record"`
	At     session.Time `json:"at"`
}

func (in *interpreter) place() eventPlace {
	return eventPlace{in.key(), in.record.Key, in.record.At}
}

func (in *interpreter) emitAt(p eventPlace, what session.What) {
	in.out = append(in.out, session.Event{Key: p.Key, Record: p.Record, At: p.At, What: what})
}
