package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A task is a call that starts a sub-agent, until it has its result.
type task struct {
	AgentType   string `json:",omitempty"`
	Description string `json:",omitempty"`
	Prompt      string // hash of what the sub-agent is told
}

// maxTasks bounds how many tasks without a result are kept in mind.
const maxTasks = 256

// noteTask keeps a call that starts a sub-agent in mind.
func (in *interpreter) noteTask(call gjson.Result) {
	name, id := call.Get("name").Str, call.Get("id").Str
	if name != "Task" && name != "Agent" || id == "" || len(in.state.Tasks) >= maxTasks {
		return
	}
	if in.state.Tasks == nil {
		in.state.Tasks = map[string]*task{}
	}
	input := call.Get("input")
	in.state.Tasks[strings.Clone(id)] = &task{
		AgentType:   strings.Clone(session.Clip(input.Get("subagent_type").Str, 200)),
		Description: strings.Clone(session.Clip(input.Get("description").Str, 500)),
		Prompt:      promptHash(input.Get("prompt").String()),
	}
}

func promptHash(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return hex.EncodeToString(sum[:8])
}

var agentLine = regexp.MustCompile(`(?m)^agentId: ([0-9A-Za-z_-]+)`)

// spawnedBy tells the sub-agent that a call started, when its result names it:
// in what the harness tells beside it, or, of calls that start sub-agents, in
// the text.
func (in *interpreter) spawnedBy(l *line, callID, text string, told gjson.Result) {
	agent := ""
	if told.IsObject() {
		agent = told.Get("agentId").Str
	}
	if agent == "" && in.state.Tasks[callID] != nil {
		if match := agentLine.FindStringSubmatch(text); match != nil {
			agent = match[1]
		}
	}
	if agent != "" {
		in.spawn(l, callID, agent, told.Get("agentType").Str)
	}
	delete(in.state.Tasks, callID)
}

// spawn tells that a call started a sub-agent, once in a turn.
func (in *interpreter) spawn(l *line, callID, agent, agentType string) {
	child, ok := l.child(agent)
	if !ok || callID == "" || slices.Contains(in.state.Spawned, callID) {
		return
	}
	s := &session.Spawn{CallID: callID, Child: child, AgentType: agentType}
	if t := in.state.Tasks[callID]; t != nil {
		s.Description = t.Description
		if s.AgentType == "" {
			s.AgentType = t.AgentType
		}
	}
	in.state.Spawned = append(in.state.Spawned, strings.Clone(callID))
	in.tell(s)
}

// addProgress takes from the progress of a call that it has a sub-agent.
func (in *interpreter) addProgress(l *line) {
	in.goOnBehind(l)
	if l.data.Get("type").Str == "agent_progress" {
		in.spawn(l, l.whole.Get("parentToolUseID").Str, l.data.Get("agentId").Str, "")
	}
}

// addQueueOperation looks for a notification about a sub-agent.
func (in *interpreter) addQueueOperation(l *line) {
	if l.content.Type == gjson.String {
		in.notified(l, []session.Part{{Type: session.Text, Text: l.content.Str}})
	}
}

// notified tells the sub-agent that a notification joins with a call. Tasks that
// are no sub-agents have notifications of the same form.
func (in *interpreter) notified(l *line, parts []session.Part) {
	for _, p := range parts {
		if tag, _ := tagAt(strings.TrimSpace(p.Text)); p.Type != session.Text || tag != "task-notification" {
			continue
		}
		callID := inTag(p.Text, "tool-use-id")
		if in.state.Tasks[callID] != nil {
			in.spawn(l, callID, inTag(p.Text, "task-id"), "")
		}
	}
}

// parentCall tells the call that started the sub-agent whose stream this is.
func (in *interpreter) parentCall(callID string) {
	if callID != "" && callID != in.state.ParentCall {
		in.state.ParentCall = strings.Clone(callID)
		in.tell(&session.Facts{ParentCallID: callID})
	}
}

// addMeta interprets the .meta.json beside a sub-agent's file.
func (in *interpreter) addMeta() {
	meta := gjson.ParseBytes(in.record.Body)
	facts := &session.Facts{
		AgentType:    meta.Get("agentType").Str,
		ParentCallID: meta.Get("toolUseId").Str,
	}
	if *facts != (session.Facts{}) {
		in.say(facts)
	}
	if description := meta.Get("description").Str; description != "" {
		in.say(&session.Title{Text: description, Rank: session.TitleSummary})
	}
}
