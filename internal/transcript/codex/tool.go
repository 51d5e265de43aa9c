package codex

import (
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A toolCall is a call of the turn.
type toolCall struct {
	ID     string         `json:"id"`     // as the log has it
	CallID string         `json:"call"`   // as it is told
	Name   string         `json:"name"`   //
	Done   bool           `json:"done"`   // its result was told
	Served bool           `json:"served"` // by the provider: no output item follows
	Spawn  *session.Spawn `json:"spawn"`  // of a sub-agent, until that is known
	Ended  *toolEnd       `json:"ended"`  // an event told its end; its output is still to come
}

// A toolEnd is what an event tells of a call's end.
type toolEnd struct {
	At     eventPlace     `json:"at"`
	Result session.Result `json:"result"`
}

// tool is the call of the turn with an identifier, nil where there is none.
func (in *interpreter) tool(id string) *toolCall {
	for i := len(in.Tools) - 1; i >= 0; i-- {
		if in.Tools[i].ID == id {
			return in.Tools[i]
		}
	}
	return nil
}

// callOf is the tool_call part of an item.
func callOf(kind string, p gjson.Result) session.Part {
	part := session.Part{
		Type: session.ToolCall,
		ID:   firstText(p, "call_id", "callId", "id"),
		Name: firstText(p, "name", "function.name", "tool"),
	}
	for _, field := range []string{"arguments", "input", "action"} {
		if part.Input = inputOf(p.Get(field)); part.Input != nil {
			break
		}
	}
	if part.Name == "" {
		part.Name = strings.TrimSuffix(kind, "_call")
	}
	return part
}

// callItem tells a call that an item holds.
func (in *interpreter) callItem(part session.Part) *toolCall {
	in.flushPrompt()
	if part.ID == "" {
		part.ID = in.record.Key
	}
	c := in.tool(part.ID)
	if c == nil {
		c = &toolCall{ID: part.ID, CallID: part.ID}
		in.Tools = append(in.Tools, c)
	}
	c.Name = part.Name
	if strings.HasSuffix(part.Name, "spawn_agent") {
		input := gjson.ParseBytes(part.Input)
		c.Spawn = &session.Spawn{
			CallID:      c.CallID,
			AgentType:   text(input.Get("agent_type")),
			Description: firstLine(firstText(input, "task_name", "message"), ""),
		}
	}
	in.answer(part)
	return c
}

// servedCall tells a call that the provider carried out itself: its item is
// written when it is done, and holds what there is to hold.
func (in *interpreter) servedCall(kind string, p gjson.Result) {
	part := callOf(kind, p)
	if kind == "image_generation_call" && part.Input == nil {
		if revised := text(p.Get("revised_prompt")); revised != "" {
			part.Input = append(append([]byte(`{"revised_prompt":`), quoted(revised)...), '}')
		}
	}
	c := in.callItem(part)
	c.Served = true
	if c.Done || c.Ended != nil {
		return
	}
	r := session.Result{CallID: c.CallID, Content: imageParts(text(p.Get("result")), "image/png"), Status: statusOf(p)}
	if r.Status != session.StatusPending {
		c.Ended = &toolEnd{in.place(), r}
	}
}

// statusOf reads the word for how a call stands.
func statusOf(p gjson.Result) session.Status {
	switch text(p.Get("status")) {
	case "failed", "error", "incomplete":
		return session.StatusError
	case "declined", "cancelled":
		return session.StatusInterrupted
	case "in_progress", "searching", "generating", "open":
		return session.StatusPending
	}
	return session.StatusOK
}

// outputItem tells a result that an item holds.
func (in *interpreter) outputItem(kind string, p gjson.Result) {
	id := firstText(p, "call_id", "callId")
	if id == "" {
		id = in.unanswered(text(p.Get("name")))
	}
	output := p.Get("output")
	for _, other := range []string{"result", "tools"} {
		if !output.Exists() {
			output = p.Get(other)
		}
	}
	r := outputOf(output)
	if kind == "tool_search_output" && statusOf(p) == session.StatusError {
		r.Status = session.StatusError
	}
	in.result(id, r)
	in.spawned(id, gjson.Parse(text(output)))
}

// unanswered is the last call of a name that has no result, for forms without
// identifiers of calls.
func (in *interpreter) unanswered(name string) string {
	for i := len(in.Tools) - 1; i >= 0; i-- {
		if c := in.Tools[i]; !c.Done && (name == "" || c.Name == name) {
			return c.ID
		}
	}
	return in.record.Key
}

// result tells the result of a call, with what an event told of its end.
func (in *interpreter) result(id string, r session.Result) {
	r.CallID = id
	if c := in.tool(id); c != nil {
		r.CallID = c.CallID
		if c.Ended != nil {
			r = completed(r, c.Ended.Result)
		}
		c.Done, c.Ended = true, nil
	}
	if in.Call != nil {
		in.Call.Outputs = true
	}
	in.emit(&r)
}

// completed is a result with what else is known of how the call ended.
func completed(r, end session.Result) session.Result {
	if r.Status == session.StatusOK && end.Status != session.StatusOK {
		r.Status, r.Error = end.Status, end.Error
	}
	if r.Duration == 0 || end.Duration > r.Duration {
		r.Duration = end.Duration
	}
	if r.Attributes == nil {
		r.Attributes = end.Attributes
	}
	return r
}

// ended takes what an event tells of a call's end. Calls that no item tells, of
// tools called from code, are told here.
func (in *interpreter) ended(id string, call session.Call, r session.Result) {
	if id == "" {
		id = in.record.Key
	}
	in.flushPrompt()
	call.CallID, r.CallID = id, id
	c := in.tool(id)
	switch {
	case c == nil:
		in.Tools = append(in.Tools, &toolCall{ID: id, CallID: id, Name: call.Name, Done: true})
		in.emit(&call)
		in.emit(&r)
	case c.Done:
		r.Content = nil
		in.emit(&r)
	case c.Served:
		c.Ended = nil
		in.result(id, r)
	default:
		c.Ended = &toolEnd{in.place(), r}
	}
}

// settleTools tells the ends of calls whose outputs did not come, and forgets
// the calls.
func (in *interpreter) settleTools() {
	for _, c := range in.Tools {
		if c.Ended != nil {
			in.emitAt(c.Ended.At, &c.Ended.Result)
		}
	}
	in.Tools = nil
}

// spawned tells, once, which thread a call started.
func (in *interpreter) spawned(id string, told gjson.Result) {
	c := in.tool(id)
	child := firstText(told, "new_thread_id", "agent_thread_id", "agent_id")
	if c == nil || c.Spawn == nil || child == "" {
		return
	}
	s := *c.Spawn
	c.Spawn = nil
	s.Child = session.Ref{Harness: harness, Key: child}
	if role := text(told.Get("new_agent_role")); role != "" {
		s.AgentType = role
	}
	in.emit(&s)
}
