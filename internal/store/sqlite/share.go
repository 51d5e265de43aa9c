package sqlite

import (
	"encoding/binary"

	"tapedeck/internal/session"
)

// putDaily writes what a session took by day and model.
func (pr *projector) putDaily(id int64, ps session.ProjectedSession) error {
	var packed []byte
	for _, d := range ps.Daily {
		packed = appendShare(packed, d)
	}
	if packed == nil {
		packed = []byte{}
	}
	_, err := pr.conn.exec("INSERT OR REPLACE INTO daily (session, harness, project, shares) VALUES (?, ?, ?, ?)",
		id, ps.Session.Harness, ps.Session.Project, packed)
	return err
}

// Flags of a packed share.
const (
	flagPartial = 1 << iota
	flagUnpriced
)

// appendShare appends a share: its day and model, each behind its length, and its
// numbers, as varints.
func appendShare(to []byte, d session.DayUsage) []byte {
	to = append(binary.AppendUvarint(to, uint64(len(d.Day))), d.Day...)
	to = append(binary.AppendUvarint(to, uint64(len(d.Model))), d.Model...)
	flags := int64(0)
	if d.Usage.Partial {
		flags |= flagPartial
	}
	if d.Usage.Unpriced {
		flags |= flagUnpriced
	}
	u := d.Usage
	for _, n := range [...]int64{
		u.InputTokens, u.CacheReadTokens, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens, int64(u.Cost), flags,
		d.Messages, d.Prompts, d.ToolCalls, d.ToolErrors,
	} {
		to = binary.AppendVarint(to, n)
	}
	return to
}

// shares goes through the packed shares of a session. What it gives is valid until
// the next one; damaged bytes end it.
type shares struct {
	rest                                     []byte
	day, model                               []byte
	usage                                    session.Usage
	messages, prompts, toolCalls, toolErrors int64
}

func newShares(packed []byte) *shares { return &shares{rest: packed} }

func (s *shares) next() bool {
	if len(s.rest) == 0 {
		return false
	}
	s.day, s.model = s.text(), s.text()
	s.usage = session.Usage{
		InputTokens: s.int(), CacheReadTokens: s.int(), CacheWriteTokens: s.int(), OutputTokens: s.int(), ReasoningTokens: s.int(),
		Cost: session.USD(s.int()),
	}
	flags := s.int()
	s.usage.Partial, s.usage.Unpriced = flags&flagPartial != 0, flags&flagUnpriced != 0
	s.messages, s.prompts, s.toolCalls, s.toolErrors = s.int(), s.int(), s.int(), s.int()
	return true
}

func (s *shares) int() int64 {
	n, size := binary.Varint(s.rest)
	if size <= 0 {
		s.rest = nil
		return 0
	}
	s.rest = s.rest[size:]
	return n
}

func (s *shares) text() []byte {
	n, size := binary.Uvarint(s.rest)
	if size <= 0 || n > uint64(len(s.rest)-size) {
		s.rest = nil
		return nil
	}
	text := s.rest[size : size+int(n)]
	s.rest = s.rest[size+int(n):]
	return text
}
