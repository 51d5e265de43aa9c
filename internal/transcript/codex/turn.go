package codex

import (
	"tapedeck/internal/session"
)

// A modelCall is one call of the model: what it answered, and the tokens that
// were counted for it.
//
// The log does not say where a call ends. Newer versions write a call's items as
// they come, then its tokens, then the outputs of its tools. 0.58 and its like
// count the tokens first and write all items after, outputs among them; then
// the call goes on until the next one's tokens or turn_context.
type modelCall struct {
	Merge   string `json:"merge"`
	Content bool   `json:"content,omitempty"` // it has answers
	Thought bool   `json:"thought,omitempty"` // thinking that can be read among them
	Usage   bool   `json:"usage,omitempty"`   // its tokens were counted
	Outputs bool   `json:"outputs,omitempty"` // its tools gave something
	Open    bool   `json:"open,omitempty"`    // answers belong to it until it is ended
}

// ended reports whether a further answer is another call's.
func (c *modelCall) ended() bool {
	return c == nil || !c.Open && (c.Usage || c.Content && c.Outputs)
}

// answer tells a part of the current call's answer.
func (in *interpreter) answer(content ...session.Part) {
	in.answerAt(in.place(), content...)
}

func (in *interpreter) answerAt(at eventPlace, content ...session.Part) {
	in.flushPrompt()
	var usage *session.Usage
	if in.Call.ended() {
		in.Call = &modelCall{Merge: at.Key}
		usage = &session.Usage{Partial: true} // until the call's tokens are told
	}
	in.Call.Content = true
	for _, part := range content {
		in.Call.Thought = in.Call.Thought || part.Type == session.Thinking && part.Text != ""
	}
	in.emitAt(at, &session.Answer{Merge: in.Call.Merge, Content: content, Usage: usage})
}

// used tells the tokens of a call: of the current one, or of the next where the
// current one's are told.
func (in *interpreter) used(t tokens, model string) {
	if t == (tokens{}) {
		return
	}
	at := in.place()
	switch {
	case in.Call == nil || in.Call.Usage:
		in.flushPrompt()
		in.Call = &modelCall{Merge: at.Key, Open: !in.UsageLast}
	case !in.Call.Open:
		in.UsageLast = true
	}
	in.Call.Usage = true
	in.emitAt(at, &session.Answer{Merge: in.Call.Merge, Model: model, Usage: t.usage()})
}

// A waiting is an answer told by an event, which counts only where no item of
// the turn tells it.
type waiting struct {
	At   eventPlace `json:"at"`
	Text string     `json:"text"`
}

// said takes an answer that an event tells.
func (in *interpreter) said(text string) {
	in.flushPrompt()
	if text != "" && !in.Answers {
		in.Said = append(in.Said, &waiting{in.place(), text})
	}
}

// endTurn ends what belongs to a turn.
func (in *interpreter) endTurn() {
	for _, w := range in.Said {
		in.answerAt(w.At, textParts(w.Text)...)
	}
	in.settleTools()
	in.Call, in.Said, in.Answers = nil, nil, false
}
