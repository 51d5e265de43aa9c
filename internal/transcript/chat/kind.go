package chat

import "strings"

// kinds are the words of the dialects for what a span is.
var kinds = map[string]Kind{
	// gen_ai.operation.name, and llm.request.type before it
	"chat": Model, "text_completion": Model, "generate_content": Model, "completion": Model, "responses": Model,
	"execute_tool": ToolUse,
	"invoke_agent": Agent, "invoke_workflow": Agent,
	"embeddings": Happening, "embedding": Happening, "retrieval": Happening, "rerank": Happening,
	"create_agent": Other, "plan": Other,
	// openinference.span.kind, traceloop.span.kind, types of Langfuse
	"llm": Model, "generation": Model,
	"tool":  ToolUse,
	"agent": Agent, "workflow": Agent,
	"retriever": Happening, "reranker": Happening, "guardrail": Happening, "evaluator": Happening, "event": Happening,
	"chain": Other, "task": Other, "span": Other, "prompt": Other,
}

// KindOf is the kind that a word of one of the dialects names.
func KindOf(word string) (Kind, bool) {
	kind, known := kinds[strings.ToLower(word)]
	return kind, known
}

// kind is what the attributes say a span is, by the clearest of them.
func (a Attributes) kind(name string) Kind {
	for _, key := range []string{"gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "langfuse.observation.type"} {
		if kind, known := KindOf(a.Text(key)); known {
			return kind
		}
	}
	if operation := a.Text("ai.operationId"); operation != "" {
		return vercelKind(operation)
	}
	if kind, known := KindOf(a.Text("llm.request.type")); known {
		return kind
	}
	switch {
	case a.Get("gen_ai.tool.name", "gen_ai.tool.call.id").Exists():
		return ToolUse
	case a.Get(modelKeys...).Exists() && (a.tokens().Known || len(a.Output(nil, Other)) > 0):
		return Model
	case strings.HasPrefix(name, "execute_tool "):
		return ToolUse
	case a.Get("gen_ai.agent.name").Exists() && strings.HasPrefix(name, "invoke_agent"):
		return Agent
	}
	return Other
}

// vercelKind is what an operation of the Vercel AI SDK is: ai.generateText has a
// call ai.generateText.doGenerate for each step, and ai.toolCall between them.
func vercelKind(operation string) Kind {
	switch {
	case operation == "ai.toolCall":
		return ToolUse
	case strings.HasPrefix(operation, "ai.embed"), strings.HasPrefix(operation, "ai.rerank"):
		return Happening
	case strings.HasSuffix(operation, ".doGenerate"), strings.HasSuffix(operation, ".doStream"):
		return Model
	case strings.HasPrefix(operation, "ai."):
		return Agent
	}
	return Other
}
