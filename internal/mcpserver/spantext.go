package mcpserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"tapedeck/internal/session"
)

const (
	mostParts      = 20   // of a span's input or output, where several spans are listed
	mostAttribute  = 200  // bytes of a name
	mostAttributes = 2000 // bytes of all attributes of a span
	leastText      = 200  // bytes of each text that a page of spans should have room for
	cutRoom        = 60   // bytes that text_bytes, offset and next_offset take of an answer
)

// spanLine is one step as an agent reads it.
type spanLine struct {
	ID           string            `json:"span_id"`
	TraceID      string            `json:"trace_id,omitempty"`
	SessionID    string            `json:"session_id,omitempty"`
	ParentID     string            `json:"parent_span_id,omitempty"`
	Seq          int               `json:"seq"`
	Kind         session.Kind      `json:"kind"`
	Name         string            `json:"name,omitempty"`
	Status       session.Status    `json:"status"`
	Error        string            `json:"error,omitempty"`
	Model        string            `json:"model,omitempty"`
	StopReason   string            `json:"stop_reason,omitempty"`
	StartedAt    session.Time      `json:"started_at,omitempty"`
	EndedAt      session.Time      `json:"ended_at,omitempty"`
	Usage        *session.Usage    `json:"usage,omitempty"`
	Attributes   map[string]string `json:"attributes,omitempty"`
	Input        []*partLine       `json:"input,omitempty"`
	Output       []*partLine       `json:"output,omitempty"`
	PartsOmitted int               `json:"parts_omitted,omitempty"`
	AttrsOmitted int               `json:"attributes_omitted,omitempty"`
}

// partLine is a piece of content. The input of a call that is too long for an
// answer stands in Text, as the beginning of its JSON.
type partLine struct {
	Part       string           `json:"part"` // "input.0", by which get_span finds it
	Type       session.PartType `json:"type"`
	Text       string           `json:"text,omitempty"`
	ID         string           `json:"id,omitempty"`
	Name       string           `json:"name,omitempty"`
	Input      any              `json:"input,omitempty"`
	MediaType  string           `json:"media_type,omitempty"`
	Bytes      int64            `json:"bytes,omitempty"`
	SHA256     string           `json:"sha256,omitempty"`
	URL        string           `json:"url,omitempty"`
	IsError    bool             `json:"is_error,omitempty"`
	TextBytes  int              `json:"text_bytes,omitempty"` // of the whole text, where a part of it is shown
	Offset     int              `json:"offset,omitempty"`     // where the part begins
	NextOffset int              `json:"next_offset,omitempty"`

	whole  string // the text, or the input's JSON
	isJSON bool
}

// lineOfSpan is a span with its parts, at most so many of input and of output.
// Their texts are left to fitTexts.
func lineOfSpan(s session.Span, most int) spanLine {
	line := spanLine{
		ID: s.ID, ParentID: s.ParentID, Seq: s.Seq, Kind: s.Kind, Name: s.Name, Status: s.Status,
		Error: cutText(s.Error, session.MaxPreview), Model: s.Model, StopReason: s.StopReason, StartedAt: s.StartedAt, EndedAt: s.EndedAt,
		Attributes: keepEntries(cutValues(s.Attributes), mostAttributes),
	}
	if s.Usage != (session.Usage{}) {
		line.Usage = &s.Usage
	}
	line.AttrsOmitted = len(s.Attributes) - len(line.Attributes)
	line.Input, line.Output = linesOfParts("input", keepFirst(s.Input, most)), linesOfParts("output", keepFirst(s.Output, most))
	line.PartsOmitted = len(s.Input) + len(s.Output) - len(line.Input) - len(line.Output)
	return line
}

func linesOfParts(side string, parts []session.Part) []*partLine {
	lines := make([]*partLine, len(parts))
	for i, p := range parts {
		lines[i] = &partLine{
			Part: fmt.Sprintf("%s.%d", side, i), Type: p.Type, ID: p.ID, Name: cutText(p.Name, mostAttribute), MediaType: cutText(p.MediaType, mostAttribute),
			Bytes: p.Bytes, SHA256: p.SHA256, URL: cutText(p.URL, session.MaxPreview), IsError: p.IsError,
			whole: cmp.Or(p.Text, string(p.Input)), isJSON: p.Text == "" && json.Valid(p.Input),
		}
	}
	return lines
}

// leaveToTools takes out of a model's span what the spans of the tools beside it
// say too: what tools were told, and what they gave.
func (s *spanLine) leaveToTools() {
	for _, p := range slices.Concat(s.Input, s.Output) {
		if p.Type == session.ToolCall || p.Type == session.ToolResult {
			p.whole, p.isJSON = "", false
		}
	}
}

// partsOf are the parts of all spans.
func partsOf(spans []spanLine) []*partLine {
	var all []*partLine
	for _, s := range spans {
		all = append(append(all, s.Input...), s.Output...)
	}
	return all
}

// fitTexts shows as much of each text as fits into room, of each at most the
// same number of bytes, and no more than perText. It reports whether any was cut.
func fitTexts(parts []*partLine, perText, room int) (cut bool) {
	longest := 0
	for _, p := range parts {
		longest = max(longest, len(p.whole)-p.Offset)
	}
	n := mostThatFit(min(longest, perText), func(n int) bool {
		taken := 0
		for _, p := range parts {
			taken += p.cost(n)
			if taken > room {
				return false
			}
		}
		return true
	})
	for _, p := range parts {
		cut = p.show(n) || cut
	}
	return cut
}

// cost is what n bytes of the text take of an answer, at most.
func (p *partLine) cost(n int) int {
	rest := p.whole[p.Offset:]
	if len(rest) <= n && p.isJSON && p.Offset == 0 {
		return cutRoom + len(rest)
	}
	return cutRoom + textCost(rest[:min(n, len(rest))])
}

// show puts at most n bytes of the text into the part, and reports whether that
// is less than all.
func (p *partLine) show(n int) (cut bool) {
	rest := p.whole[p.Offset:]
	if len(rest) <= n {
		if p.isJSON && p.Offset == 0 {
			p.Input = json.RawMessage(rest)
		} else {
			p.Text = rest
		}
		if p.Offset > 0 {
			p.TextBytes = len(p.whole)
		}
		return false
	}
	for n > 0 && !utf8.RuneStart(rest[n]) {
		n--
	}
	p.Text, p.TextBytes, p.NextOffset = rest[:n], len(p.whole), p.Offset+n
	return true
}

// textCost is how many bytes a text takes as JSON, without the quotes.
func textCost(text string) int {
	cost := 0
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
			cost += 2
		case r < 0x20 || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && width == 1:
			cost += len(`\u0000`)
		default:
			cost += width
		}
		i += width
	}
	return cost
}

// leastTexts is what the beginnings of texts take of an answer.
func leastTexts(parts []*partLine) int {
	need := 0
	for _, p := range parts {
		need += p.cost(min(leastText, len(p.whole)))
	}
	return need
}

// noteRoomOf is what is kept free of an answer for its note.
func noteRoomOf(c *call) int { return min(noteRoom, c.maxBytes/10) }
