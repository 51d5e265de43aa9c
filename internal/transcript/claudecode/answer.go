package claudecode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// synthetic is the model of messages that the harness made.
const synthetic = "<synthetic>"

// A message is the model's message whose lines are being read: each content
// block has a line of its own.
type message struct {
	ID     string
	Merge  string
	Inputs string   // its usage's numbers of input: the same on all lines
	Lines  []string // uuids of its lines, and of others between them, without a request
	Bytes  int      // of its content so far
}

// maxMessageLines bounds how many lines of a message are kept in mind.
const maxMessageLines = 512

// addAnswer interprets a line of a model's message.
func (in *interpreter) addAnswer(l *line) {
	m := l.message
	usage := m.Get("usage")
	answer := &session.Answer{
		MessageID:  m.Get("id").Str,
		RequestID:  l.request,
		Model:      m.Get("model").Str,
		StopReason: m.Get("stop_reason").Str,
		Content:    in.contentOf(m.Get("content")),
		Synthetic:  m.Get("model").Str == synthetic,
	}
	answer.Merge = in.mergeOf(l, answer, usage)
	if answer.Synthetic {
		answer.Model = ""
	} else {
		answer.Provider = providerOf(answer.Model)
		answer.Usage = in.usageOf(l, answer, usage)
	}
	if l.apiError {
		answer.Error = firstLine(textOf(answer.Content))
		if answer.Error == "" {
			answer.Error = "the call of the model failed"
		}
	}
	in.say(answer)
	eachBlock(m.Get("content"), func(block gjson.Result) {
		if isServerResult(block.Get("type").Str) {
			in.addResult(l, block, gjson.Result{})
		}
	})
}

// mergeOf is the identity of the message that the line is a part of.
//
// A message and a request together are one. Where requests have no identifiers,
// gateways give all messages the same one: then the lines of a message are those
// that follow each other; where the log doesn't tell that, those that were charged
// for the same input.
func (in *interpreter) mergeOf(l *line, a *session.Answer, usage gjson.Result) string {
	if a.MessageID == "" {
		in.state.Message = message{}
		return ""
	}
	inputs := inputsOf(usage)
	last := &in.state.Message
	follows := last.ID == a.MessageID && (slices.Contains(last.Lines, l.parent) || l.parent == "" && inputs == last.Inputs)
	merge := a.MessageID + ":" + a.RequestID
	switch {
	case a.RequestID != "":
		follows = last.Merge == merge
	case follows:
		merge = last.Merge
	default:
		merge = a.MessageID + "@" + in.record.Key
	}
	if !follows {
		*last = message{ID: strings.Clone(a.MessageID), Merge: merge, Inputs: inputs}
	}
	last.Bytes += bytesOf(a.Content)
	if a.RequestID == "" {
		last.add(in.record.Key)
	}
	return merge
}

func (m *message) add(uuid string) {
	if len(m.Lines) < maxMessageLines {
		m.Lines = append(m.Lines, uuid)
	}
}

// goOnBehind keeps a message together whose lines have another between them.
func (in *interpreter) goOnBehind(l *line) {
	if last := &in.state.Message; l.parent != "" && slices.Contains(last.Lines, l.parent) {
		last.add(in.record.Key)
	}
}

func inputsOf(usage gjson.Result) string {
	return strings.Join([]string{
		usage.Get("input_tokens").Raw,
		usage.Get("cache_read_input_tokens").Raw,
		usage.Get("cache_creation_input_tokens").Raw,
	}, "/")
}

func providerOf(model string) string {
	if strings.HasPrefix(model, "claude") {
		return "anthropic"
	}
	return ""
}

const (
	// fewTokens of output beside manyBytes of content were counted before the
	// answer was complete.
	fewTokens = 10
	manyBytes = 200

	partialReason = "Claude Code wrote the output tokens of some messages before they were complete"
)

// usageOf is the line's snapshot of the message's usage.
func (in *interpreter) usageOf(l *line, a *session.Answer, usage gjson.Result) *session.Usage {
	if !usage.IsObject() {
		return nil
	}
	u := &session.Usage{
		InputTokens:      tokens(usage.Get("input_tokens")),
		CacheReadTokens:  tokens(usage.Get("cache_read_input_tokens")),
		CacheWriteTokens: tokens(usage.Get("cache_creation_input_tokens")),
		OutputTokens:     tokens(usage.Get("output_tokens")),
		ReasoningTokens:  tokens(usage.Get("output_tokens_details.reasoning_tokens")),
	}
	if u.CacheWriteTokens == 0 {
		u.CacheWriteTokens = tokens(usage.Get("cache_creation.ephemeral_5m_input_tokens")) +
			tokens(usage.Get("cache_creation.ephemeral_1h_input_tokens"))
	}
	content := in.state.Message.Bytes
	if a.MessageID == "" {
		content = bytesOf(a.Content)
	}
	early := u.OutputTokens <= fewTokens && content > manyBytes
	if a.StopReason == "" && (early || wroteEarly(l.version)) {
		u.Partial = true
		in.tellPartial()
	}
	return u
}

func (in *interpreter) tellPartial() {
	if !in.state.ToldPartial {
		in.state.ToldPartial = in.thread == ""
		in.tell(&session.Facts{Partial: partialReason})
	}
}

// wroteEarly reports whether a version wrote usage when the answer began:
// 2.1.12 to 2.1.25 always did.
func wroteEarly(version string) bool {
	patch, ok := strings.CutPrefix(version, "2.1.")
	if !ok {
		return false
	}
	n, err := strconv.Atoi(patch)
	return err == nil && n >= 12 && n <= 25
}

// maxTokens bounds a count, so that no sum of counts overflows.
const maxTokens = 1 << 40

// tokens is a count of tokens; what is none counts nothing.
func tokens(value gjson.Result) int64 {
	if value.Type != gjson.Number {
		return 0
	}
	return min(max(value.Int(), 0), maxTokens)
}
