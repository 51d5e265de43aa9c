// Package chat reads what instrumentations and tracing tools wrote of model
// calls, in the many shapes that they use, and tells it in the events that all
// harnesses share.
//
// # What it reads
//
// [Read] takes messages: those of the GenAI conventions (role and parts), of
// OpenAI (chat, responses), Anthropic, Google, the Vercel AI SDK, LangChain and
// OpenInference, as JSON, as JSON in a string, or flattened into indexed keys.
// [Attributes] takes the attributes of a span in any dialect that is in use. Both
// end in a [Step], and [Tell] makes events of a conversation's steps.
//
// # What it promises
//
// A call is told once, though an outer span repeats what an inner one says; a
// user's message once, though each call repeats the whole history. What comes out
// depends on the steps, not on the order in which they are given. A value in a
// shape that is not known is kept as data, never guessed at.
package chat

import (
	"crypto/sha256"
	"strings"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A Role says whose message it is.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// A Message is one message that a model was given or gave.
type Message struct {
	Role       Role
	Parts      []session.Part // all but the results of tools
	Results    []ToolResult
	StopReason string

	depth int               // of those in whose content it stands
	key   [sha256.Size]byte // its identity, in a Book
}

// A ToolResult is what a tool gave, as the model was told it.
type ToolResult struct {
	CallID  string // "": not told
	Name    string
	Parts   []session.Part
	IsError bool
}

// isEmpty reports whether a message says nothing.
func (m Message) isEmpty() bool { return len(m.Parts)+len(m.Results) == 0 }

// roles are the words for roles that are in use.
var roles = map[string]Role{
	"system": System, "developer": System, "systemmessage": System,
	"user": User, "human": User, "humanmessage": User, "humanmessagechunk": User,
	"assistant": Assistant, "ai": Assistant, "model": Assistant, "aimessage": Assistant, "aimessagechunk": Assistant,
	"tool": Tool, "function": Tool, "ipython": Tool, "toolmessage": Tool, "functionmessage": Tool,
}

// Texts is a message that is plain text; none where the text is blank.
func Texts(text string, role Role) []Message {
	part, ok := textPart(text)
	if !ok {
		return nil
	}
	return []Message{{Role: role, Parts: []session.Part{part}}}
}

// Datas is a message of an object or list that is in no shape known here.
func Datas(value gjson.Result, role Role) []Message {
	value, _ = decoded(value)
	if data := raw(value); data != nil && value.Type == gjson.JSON {
		return []Message{{Role: role, Parts: []session.Part{{Type: session.Data, Input: data}}}}
	}
	return nil
}

func textPart(text string) (session.Part, bool) {
	return session.Part{Type: session.Text, Text: session.Clean(text)}, strings.TrimSpace(text) != ""
}
