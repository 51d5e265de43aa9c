package otlp

import (
	"fmt"
	"strings"
)

const (
	traceA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	traceB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// spanID is the n-th span's identifier.
func spanID(n int) string { return fmt.Sprintf("%016x", n) }

// text is an attribute that is text.
func text(key, value string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
}

func count(key string, n int) string {
	return fmt.Sprintf(`{"key":%q,"value":{"intValue":"%d"}}`, key, n)
}

// spanText is the n-th span of a trace, below another (0: none), in its second.
func spanText(trace string, n, parent int, attributes ...string) string {
	below := ""
	if parent > 0 {
		below = spanID(parent)
	}
	return fmt.Sprintf(`{"traceId":%q,"spanId":%q,"parentSpanId":%q,"name":"span %d","startTimeUnixNano":"%d000000000","endTimeUnixNano":"%d500000000","attributes":[%s],"status":{}}`,
		trace, spanID(n), below, n, 1_700_000_000+n, 1_700_000_000+n, strings.Join(attributes, ","))
}

// request is one of the spans of one scope.
func request(spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[` + text("service.name", "planner") + `,` + text("service.version", "1.2") +
		`]},"scopeSpans":[{"scope":{"name":"lib"},"spans":[` + strings.Join(spans, ",") + `]}]}]}`
}

// asked is a call of a model as attributes.
func asked(prompt, answer string, more ...string) []string {
	return append([]string{
		text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "m"),
		text("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"`+prompt+`"}]}]`),
		text("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"`+answer+`"}]}]`),
		count("gen_ai.usage.input_tokens", 10), count("gen_ai.usage.output_tokens", 3),
	}, more...)
}

func inSession(key string) string { return text("gen_ai.conversation.id", key) }
