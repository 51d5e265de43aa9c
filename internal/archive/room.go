package archive

import (
	"encoding/json"
	"unicode/utf8"

	"tapedeck/internal/session"
)

// defaultMaxBytes bounds an answer's content unless the caller says otherwise.
const defaultMaxBytes = 1 << 20

// A room is what is left of the bytes that an answer may take as JSON.
type room struct {
	left int64
	cut  bool // something did not fit
}

// newRoom checks what a caller asks for.
func newRoom(maxBytes int64) (*room, error) {
	if maxBytes < 0 {
		return nil, &Error{Code: CodeArgument, Message: "max_bytes is negative: want a number of bytes, 0 for 1 MB"}
	}
	if maxBytes == 0 {
		maxBytes = defaultMaxBytes
	}
	return &room{left: maxBytes}, nil
}

// take takes away the room of a span without its content.
func (r *room) take(s session.Span) {
	s.Input, s.Output = nil, nil
	r.left -= jsonBytes(s)
}

// fit is as much of parts as there is room for, with each text, and each tool's
// input, cut to at most perText bytes (0: no bound).
func (r *room) fit(parts []session.Part, perText int) []session.Part {
	fitting := make([]session.Part, 0, len(parts))
	for _, p := range parts {
		if perText > 0 {
			p = r.clip(p, perText)
		}
		if r.left <= 0 {
			r.cut = true
			break
		}
		p, size := r.squeeze(p)
		r.left -= size
		fitting = append(fitting, p)
	}
	return fitting
}

// squeeze cuts a part to what is left, as far as it can be cut. Escapes make a
// text up to six times as long in JSON, so it is tried.
func (r *room) squeeze(p session.Part) (session.Part, int64) {
	whole, size := p, jsonBytes(p)
	for n := r.left; size > r.left && n > 0; n -= n/8 + 1 {
		p = r.clip(whole, int(n))
		size = jsonBytes(p)
	}
	return p, size
}

// clip cuts a part's text, and its input, to n bytes. What is left of an input is
// no JSON any more: it becomes a text in JSON.
func (r *room) clip(p session.Part, n int) session.Part {
	if len(p.Text) > n {
		p.Text, r.cut = clipped(p.Text, n), true
	}
	if len(p.Input) > n {
		p.Input, _ = json.Marshal(clipped(string(p.Input), n)) // a string: it can't fail
		r.cut = true
	}
	return p
}

// clipped is session.Clip, which puts a mark that may take more than n.
func clipped(text string, n int) string {
	if n < utf8.UTFMax {
		return ""
	}
	return session.Clip(text, n)
}

// jsonBytes is how long value is as JSON.
func jsonBytes(value any) int64 {
	text, err := json.Marshal(value)
	if err != nil {
		return 0 // it can't be answered either
	}
	return int64(len(text))
}
