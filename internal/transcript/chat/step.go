package chat

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strings"

	"tapedeck/internal/session"
)

// A Kind says what a step is.
type Kind int

const (
	Other Kind = iota // what only joins others
	Model             // a call of a model
	ToolUse
	Agent
	Happening // something that is told as a note: a retrieval, an embedding, an event
)

// A Step is one span or observation of a conversation.
type Step struct {
	Key               string // of its raw record
	Trace, ID, Parent string
	Order, End        int64 // in nanoseconds; 0: unknown
	Kind              Kind
	Name              string // of the agent, tool or happening
	Input             []*Message
	Output            []Message
	// of a model's call
	Model, Provider, MessageID, StopReason string
	Tokens                                 Tokens
	// of a tool's use
	CallID    string
	Arguments json.RawMessage
	Given     []session.Part

	Failed     bool
	Error      string
	Attributes map[string]string // of a happening
}

func (s *Step) began() session.Time { return milliseconds(s.Order) }
func (s *Step) ended() session.Time { return milliseconds(max(s.End, s.Order)) }

func milliseconds(nanoseconds int64) session.Time { return session.Time(nanoseconds / 1e6) }

// saysNothing reports whether a step holds nothing to tell.
func (s *Step) saysNothing() bool {
	return len(s.Input)+len(s.Output)+len(s.Given)+len(s.Arguments) == 0 && !s.Tokens.Known && s.CallID == "" && !s.Failed
}

// A Book holds each message of a conversation once, though each call repeats all
// earlier ones.
type Book map[[sha256.Size]byte]*Message

// Keep is the list with each message as the book holds it. Of what a model said
// before only that it did is kept: the call that gave it tells it.
func (b Book) Keep(messages []Message) []*Message {
	kept := make([]*Message, 0, len(messages))
	for _, m := range messages {
		if m.isEmpty() {
			continue
		}
		if m.Role == Assistant {
			m.Parts = nil
		}
		m.key = m.identity()
		if b[m.key] == nil {
			b[m.key] = &m
		}
		kept = append(kept, b[m.key])
	}
	return kept
}

// identity is the same for messages that say the same.
func (m Message) identity() [sha256.Size]byte {
	hash := sha256.New()
	write := func(texts ...string) {
		for _, text := range texts {
			_ = binary.Write(hash, binary.LittleEndian, int64(len(text))) // never fails
			hash.Write([]byte(text))
		}
	}
	parts := func(list []session.Part) {
		for _, p := range list {
			write(string(p.Type), strings.TrimSpace(p.Text), p.ID, p.Name, canonical(p.Input), p.MediaType, p.SHA256, p.URL)
		}
	}
	write(string(m.Role))
	parts(m.Parts)
	for _, r := range m.Results {
		write(r.CallID, r.Name)
		parts(r.Parts)
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
