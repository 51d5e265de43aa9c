package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
)

// wholeSpan is the content that get_span reads at most to show a part of it.
const wholeSpan = 512 << 20

// spanView is a span with as much of its texts as an answer has room for.
type spanView struct {
	Span  spanLine       `json:"span"`
	Links []session.Link `json:"links,omitempty"`
	Note  string         `json:"note,omitempty"`
}

func getSpan(opt Options) tool {
	return tool{
		name:  "get_span",
		title: "Read a step of an agent session",
		description: "One span with its content: what went to a model or tool and what came back, in numbered parts. " +
			"Long texts are cut; go on with part and offset (next_offset of the answer before).",
		params: []param{
			{name: "trace_id", kind: text, required: true, about: "Trace that has the span"},
			{name: "span_id", kind: text, required: true, about: "Span, as search or get_session gives it"},
			{name: "part", kind: text, about: "Only this part, such as output.0"},
			{name: "offset", kind: integer, about: "Byte of the part's text to begin at"},
			{name: "max_bytes", kind: integer, min: 1, max: float64(opt.MaxAnswerBytes), about: "Most bytes of text to return"},
		},
		output: outputSchema[spanView](),
		run:    runGetSpan,
	}
}

func runGetSpan(ctx context.Context, c *call) (*answer, error) {
	part, offset := c.args.text("part"), c.args.integer("offset")
	if part == "" && offset > 0 {
		return nil, &archive.Error{Code: archive.CodeArgument, Message: "offset is of one part's text", Hint: "give part with it, such as output.0"}
	}
	found, err := c.archive.Span(ctx, archive.SpanRequest{TraceID: c.args.text("trace_id"), SpanID: c.args.text("span_id"), MaxBytes: wholeSpan})
	if err != nil {
		return nil, err
	}
	view := &spanView{Span: lineOfSpan(found.Span, len(found.Span.Input)+len(found.Span.Output)), Links: found.Links}
	view.Span.TraceID, view.Span.SessionID = found.Span.TraceID, found.Span.SessionID
	if part != "" {
		if err := view.choose(part, offset); err != nil {
			return nil, err
		}
	}
	view.dropParts(c.maxBytes / 2)
	room := c.maxBytes - size(view) - noteRoomOf(c)
	if most := c.args.integer("max_bytes"); most > 0 {
		room = min(room, most)
	}
	fitTexts(partsOf([]spanLine{view.Span}), c.maxBytes, room)
	view.Note = view.note()
	return &answer{data: view, note: view.Note}, nil
}

// choose keeps one part alone, from an offset on.
func (v *spanView) choose(name string, offset int) error {
	parts := partsOf([]spanLine{v.Span})
	i := slices.IndexFunc(parts, func(p *partLine) bool { return p.Part == name })
	if i < 0 {
		names := make([]string, len(parts))
		for i, p := range parts {
			names[i] = p.Part
		}
		return &archive.Error{Code: archive.CodeArgument, Message: fmt.Sprintf("the span has no part %q", cutText(name, 60)), Allowed: names}
	}
	p := parts[i]
	if offset > len(p.whole) {
		return &archive.Error{Code: archive.CodeArgument, Message: fmt.Sprintf("offset %d is behind the text's end at %d", offset, len(p.whole))}
	}
	for offset > 0 && offset < len(p.whole) && !utf8.RuneStart(p.whole[offset]) {
		offset--
	}
	p.Offset = offset
	if i < len(v.Span.Input) {
		v.Span.Input, v.Span.Output = []*partLine{p}, nil
	} else {
		v.Span.Input, v.Span.Output = nil, []*partLine{p}
	}
	v.Links, v.Span.Attributes, v.Span.AttrsOmitted, v.Span.Error = nil, nil, 0, ""
	return nil
}

// dropParts leaves out the parts, and links, whose mere names take more than room.
func (v *spanView) dropParts(room int) {
	v.Links = keepThatFit(v.Links, room/4)
	all := len(v.Span.Input) + len(v.Span.Output)
	v.Span.Output = keepThatFit(v.Span.Output, room/2)
	v.Span.Input = keepThatFit(v.Span.Input, room/2)
	v.Span.PartsOmitted = all - len(v.Span.Input) - len(v.Span.Output)
}

// note says where texts were cut and how to go on.
func (v *spanView) note() string {
	note := ""
	for _, p := range partsOf([]spanLine{v.Span}) {
		if p.NextOffset > 0 || p.TextBytes > 0 && p.Offset == 0 {
			note = fmt.Sprintf("%s is cut at byte %d of %d: go on with part=%s, offset=%d.", p.Part, p.NextOffset, p.TextBytes, p.Part, p.NextOffset)
			break
		}
	}
	if v.Span.PartsOmitted > 0 {
		note = join(note, fmt.Sprintf("%d parts are left out: part names one, such as output.%d.", v.Span.PartsOmitted, len(v.Span.Output)))
	}
	return note
}
