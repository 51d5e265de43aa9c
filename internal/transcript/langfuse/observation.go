package langfuse

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/chat"
)

// step is an observation as a step of the conversation.
func (in *interpreter) step(r session.Record, body gjson.Result) *chat.Step {
	s := &chat.Step{
		Key: r.Key, Trace: session.Clean(body.Get("traceId").String()), ID: session.Clean(body.Get("id").String()),
		Parent: session.Clean(textOf(body.Get("parentObservationId"))),
		Order:  r.Order, End: nanoseconds(moment(body.Get("endTime"))),
		Name: clean(body.Get("name")),
	}
	if body.Get("level").Str == "ERROR" {
		s.Failed, s.Error = true, clean(body.Get("statusMessage"))
	}
	o := observation{body: body, attributes: attributesOf(body.Get("metadata"))}
	o.input, o.output = chat.Decoded(body.Get("input")), chat.Decoded(body.Get("output"))
	switch s.Kind = o.kind(); s.Kind {
	case chat.Model:
		o.model(s, in.book)
	case chat.Agent:
		s.Input = in.book.Keep(chat.Read(o.input, chat.User))
		s.Output = chat.Read(o.output, chat.Assistant)
		s.Name = cmp.Or(o.attributes.Text("gen_ai.agent.name", "agent_name"), s.Name)
	case chat.ToolUse:
		o.tool(s)
	case chat.Happening:
		s.Attributes = map[string]string{"type": strings.ToLower(clean(body.Get("type")))}
		s.Output = chat.Read(o.output, chat.Assistant)
	}
	return s
}

// An observation is one, with what an instrumentation left in its metadata.
type observation struct {
	body, input, output gjson.Result
	attributes          chat.Attributes
}

// attributesOf are the attributes of the span that an observation was made of.
func attributesOf(metadata gjson.Result) chat.Attributes {
	all := chat.Attributes{}
	chat.Decoded(metadata).Get("attributes").ForEach(func(key, value gjson.Result) bool {
		all[key.Str] = value
		return true
	})
	return all
}

// kind is what the type says; of those that say little, what the attributes do.
func (o observation) kind() chat.Kind {
	if o.isToolMessage() {
		return chat.ToolUse
	}
	kind, _ := chat.KindOf(o.body.Get("type").Str)
	if kind != chat.Other {
		return kind
	}
	for _, key := range []string{"gen_ai.operation.name", "openinference.span.kind"} {
		if kind, known := chat.KindOf(o.attributes.Text(key)); known && kind != chat.Other {
			return kind
		}
	}
	if o.attributes.Get("gen_ai.tool.call.id", "gen_ai.tool.name").Exists() {
		return chat.ToolUse
	}
	return chat.Other
}

// isToolMessage knows a tool of LangChain by what it gave.
func (o observation) isToolMessage() bool {
	return o.output.Get("type").Str == "tool" && o.output.Get("tool_call_id").Type == gjson.String
}

func (o observation) model(s *chat.Step, book chat.Book) {
	s.Model = clean(o.body.Get("model"))
	s.Provider = o.attributes.Text("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system")
	s.MessageID = cmp.Or(o.attributes.Text("gen_ai.response.id"), clean(o.output.Get("id")))
	s.Tokens = tokens(o.body)
	input := chat.Read(o.input, chat.User)
	if len(input) == 0 {
		input = o.attributes.Input(nil, chat.Other)
	}
	if len(input) == 0 {
		input = chat.Datas(o.input, chat.User)
	}
	s.Input = book.Keep(input)
	s.Output = chat.Read(o.output, chat.Assistant)
	if len(s.Output) == 0 {
		s.Output = o.attributes.Output(nil, chat.Other)
	}
	if len(s.Output) == 0 {
		s.Output = chat.Datas(o.output, chat.Assistant)
	}
}

func (o observation) tool(s *chat.Step) {
	s.Name = cmp.Or(o.attributes.Text("gen_ai.tool.name", "tool.name"), toolName(s.Name))
	s.CallID = o.attributes.Text("gen_ai.tool.call.id")
	s.Arguments = chat.Arguments(o.input)
	s.Given = chat.Given(o.output)
	if o.isToolMessage() {
		s.Name = cmp.Or(clean(o.output.Get("name")), s.Name)
		s.CallID = cmp.Or(s.CallID, clean(o.output.Get("tool_call_id")))
		s.Given = chat.Given(o.output.Get("content"))
		s.Failed = s.Failed || o.output.Get("status").Str == "error"
	}
}

// toolName is a tool's name without what instrumentations write before it.
func toolName(name string) string {
	for _, before := range []string{"execute_tool ", "running tool: "} {
		name = strings.TrimPrefix(name, before)
	}
	return name
}
