package claudecode

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// Interpreter interprets the records of one session, or of one sub-agent.
func (importer) Interpreter(state []byte) (transcript.Interpreter, error) {
	in := &interpreter{}
	if state != nil {
		if err := json.Unmarshal(state, &in.state); err != nil {
			return nil, fmt.Errorf("the state of a Claude Code interpreter: %w", err)
		}
	}
	return in, nil
}

// A state is what the interpreter keeps from record to record.
type state struct {
	Context     session.Context
	Message     message          `json:",omitzero"`  // the last of the model
	Tasks       map[string]*task `json:",omitempty"` // calls that start sub-agents, by ID
	Spawned     []string         `json:",omitempty"` // calls whose sub-agent was told, in this turn
	ParentCall  string           `json:",omitempty"`
	ToldPartial bool             `json:",omitempty"`
}

type interpreter struct {
	state   state
	threads threads

	// Of the record at hand:
	record session.Record
	thread string
	said   []session.Event // what the record says, whatever stood before it
	around []session.Event // what depends on what stood before it
	before []session.Event // the same, for what it says
}

// Add interprets one record.
func (in *interpreter) Add(r session.Record, replayed bool) []session.Event {
	in.record, in.thread = r, ""
	in.said, in.around, in.before = nil, nil, nil
	if r.Key == metaKey {
		in.addMeta()
		return in.events()
	}
	l, ok := parseLine(viewOf(r.Body))
	if !ok {
		return nil
	}
	if l.kind == "progress" && l.uuid != r.Key && l.data.Get("message.uuid").Str == r.Key {
		in.parentCall(l.whole.Get("parentToolUseID").Str)
		l = l.relayed()
	}
	if l.ofThread() {
		in.thread = in.threads.of(&l, r.Key)
	}
	in.context(&l)
	in.add(&l)
	if replayed {
		in.said, in.around = nil, nil
	}
	return in.events()
}

func (in *interpreter) add(l *line) {
	switch l.kind {
	case "user":
		in.addUser(l)
	case "assistant":
		in.addAnswer(l)
	case "system":
		in.addSystem(l)
	case "attachment":
		in.addAttachment(l)
	case "progress":
		in.addProgress(l)
	case "queue-operation":
		in.addQueueOperation(l)
	default:
		in.addFact(l)
	}
}

// End has nothing: no record waits for another.
func (in *interpreter) End() []session.Event { return nil }

// State is small: what a later line may refer to. Threads inside of the stream
// are told apart by all their lines, which is not.
func (in *interpreter) State() ([]byte, bool) {
	if in.threads.any() {
		return nil, false
	}
	state, err := json.Marshal(in.state)
	return state, err == nil
}

// say adds an event that the record alone gives.
func (in *interpreter) say(what session.What) {
	in.said = append(in.said, in.event(what))
}

// tell adds an event that depends on earlier records, too: behind the others, so
// that it leaves their keys alone.
func (in *interpreter) tell(what session.What) {
	in.around = append(in.around, in.event(what))
}

func (in *interpreter) event(what session.What) session.Event {
	own(what)
	return session.Event{Record: in.record.Key, At: in.record.At, Thread: in.thread, What: what}
}

// events are the record's events with their keys.
func (in *interpreter) events() []session.Event {
	n := 0
	for _, list := range [][]session.Event{in.said, in.before, in.around} {
		for i := range list {
			if n++; n == 1 {
				list[i].Key = in.record.Key
			} else {
				list[i].Key = in.record.Key + "#" + strconv.Itoa(n)
			}
		}
	}
	return append(append(in.before, in.said...), in.around...)
}

// context tells where the session, or a thread in it, is at work, when that
// changes.
func (in *interpreter) context(l *line) {
	now := &in.state.Context
	if in.thread != "" {
		now = in.threads.contexts[in.thread]
	}
	var c session.Context
	change(&now.Cwd, &c.Cwd, l.cwd)
	change(&now.GitBranch, &c.GitBranch, l.branch)
	change(&now.HarnessVersion, &c.HarnessVersion, l.version)
	if c != (session.Context{}) {
		in.before = append(in.before, in.event(&c))
	}
}

func change(now, told *string, value string) {
	if value != "" && value != *now {
		*now = strings.Clone(value)
		*told = *now
	}
}
