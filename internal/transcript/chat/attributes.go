package chat

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// Attributes are those of a span, by key, as plain JSON values.
type Attributes map[string]gjson.Result

// Get is the value of the first key that is there and not empty.
func (a Attributes) Get(keys ...string) gjson.Result {
	for _, key := range keys {
		if value, ok := a[key]; ok && value.Type != gjson.Null && (value.Type != gjson.String || value.Str != "") {
			return value
		}
	}
	return gjson.Result{}
}

// Text is the same as text.
func (a Attributes) Text(keys ...string) string {
	if value := a.Get(keys...); value.Exists() {
		return identifier(value)
	}
	return ""
}

// sessionKeys name the conversation that a span belongs to, the clearest first.
var sessionKeys = []string{
	"gen_ai.conversation.id", "session.id", "langfuse.session.id", "ai.telemetry.metadata.sessionId",
	"traceloop.association.properties.session_id", "traceloop.association.properties.thread_id",
}

// IsSessionKey reports whether an attribute names the conversation.
func IsSessionKey(key string) bool { return slices.Contains(sessionKeys, key) }

// Session is the conversation that a span says it belongs to; "" if it does not.
func (a Attributes) Session() string { return a.Text(sessionKeys...) }

// Describe says what a span with these attributes and events is. The step's name
// is that of the span; messages are kept in the book.
func (a Attributes) Describe(s *Step, events []Event, book Book) {
	a = a.with(events)
	s.Kind = a.kind(s.Name)
	switch s.Kind {
	case Model, Agent:
		a.describeCall(s, events, book)
	case ToolUse:
		a.describeTool(s)
	case Happening:
		s.Attributes = map[string]string{}
		for name, keys := range map[string][]string{"model": modelKeys, "input_tokens": inputKeys} {
			if text := a.Text(keys...); text != "" {
				s.Attributes[name] = text
			}
		}
	}
	if s.Error == "" {
		s.Error = failure(events)
	}
	s.Error = cmp.Or(s.Error, a.Text("error.message", "exception.message"))
	if s.Failed {
		s.Error = cmp.Or(s.Error, a.Text("error.type"))
	}
}

var modelKeys = []string{"gen_ai.response.model", "gen_ai.request.model", "ai.response.model", "llm.model_name", "embedding.model_name", "ai.model.id", "llm.response.model", "llm.request.model"}

func (a Attributes) describeCall(s *Step, events []Event, book Book) {
	s.Model = a.Text(modelKeys...)
	s.Provider = a.Text("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system")
	if s.Provider == "" {
		s.Provider, _, _ = strings.Cut(a.Text("ai.model.provider"), ".")
	}
	s.MessageID = a.Text("gen_ai.response.id", "ai.response.id", "llm.response.id")
	s.StopReason = a.stopReason()
	s.Tokens = a.tokens()
	if s.Kind == Agent {
		s.Name = cmp.Or(a.Text("gen_ai.agent.name", "agent.name", "agent_name", "ai.telemetry.functionId", "graph.node.id"), s.Name)
	}
	s.Input = book.Keep(a.Input(events, s.Kind))
	s.Output = a.Output(events, s.Kind)
}

func (a Attributes) stopReason() string {
	reasons := a.Get("gen_ai.response.finish_reasons")
	if reason := reasons.Get("0"); reason.Exists() {
		return session.Clean(reason.String())
	}
	if reasons.Exists() && !reasons.IsArray() {
		return session.Clean(reasons.String())
	}
	return a.Text("ai.response.finishReason", "gen_ai.response.finish_reason", "llm.response.finish_reason", "llm.response.stop_reason")
}

func (a Attributes) describeTool(s *Step) {
	s.Name = cmp.Or(a.Text("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "tool_call.function.name", "traceloop.entity.name"), s.Name)
	s.CallID = a.Text("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool.id")
	s.Arguments = Arguments(a.Get("gen_ai.tool.call.arguments", "ai.toolCall.args", "tool_arguments", "tool.parameters",
		"input.value", "traceloop.entity.input", "input"))
	if given := a.Get("gen_ai.tool.call.result", "ai.toolCall.result", "tool_response", "output.value", "traceloop.entity.output", "output"); given.Exists() {
		s.Given = Given(given)
	}
}

// Input are the messages that a span says the model, or an agent, was given.
func (a Attributes) Input(events []Event, kind Kind) []Message {
	var messages []Message
	if told := a.Get("gen_ai.system_instructions"); told.Exists() {
		messages = asSystem(Read(told, System))
	}
	for _, found := range [][]Message{
		Read(a.Get("gen_ai.input.messages"), User),
		a.indexedMessages("gen_ai.prompt.", User),
		a.indexedMessages("llm.input_messages.", User),
		Read(a.Get("ai.prompt.messages", "gen_ai.prompt", "ai.prompt"), User),
		spoken(events, false),
	} {
		if len(found) > 0 {
			return append(messages, found...)
		}
	}
	value := a.Get("input.value", "traceloop.entity.input", "input")
	found := Read(value, User)
	if len(found) == 0 && kind == Model {
		found = Datas(value, User)
	}
	return append(messages, found...)
}

// asSystem makes all messages instructions.
func asSystem(messages []Message) []Message {
	for i := range messages {
		messages[i].Role = System
	}
	return messages
}

// Output are the messages that a span says the model, or an agent, gave.
func (a Attributes) Output(events []Event, kind Kind) []Message {
	for _, found := range [][]Message{
		Read(a.Get("gen_ai.output.messages"), Assistant),
		a.indexedMessages("gen_ai.completion.", Assistant),
		a.indexedMessages("llm.output_messages.", Assistant),
		a.vercel(),
		spoken(events, true),
	} {
		if len(found) > 0 {
			return found
		}
	}
	value := a.Get("gen_ai.completion", "output.value", "traceloop.entity.output", "output")
	found := Read(value, Assistant)
	if len(found) == 0 && kind == Model {
		found = Datas(value, Assistant)
	}
	return found
}

// vercel is what the Vercel AI SDK says a model gave.
func (a Attributes) vercel() []Message {
	m := Message{Role: Assistant}
	if thought := a.Text("ai.response.reasoning"); thought != "" {
		m.add(session.Part{Type: session.Thinking, Text: thought})
	}
	m.text(a.Text("ai.response.text"))
	m.text(a.Text("ai.response.object"))
	Decoded(a.Get("ai.response.toolCalls")).ForEach(func(_, call gjson.Result) bool {
		if call.IsObject() {
			m.toolCall(call)
		}
		return true
	})
	if m.isEmpty() {
		return nil
	}
	return []Message{m}
}
