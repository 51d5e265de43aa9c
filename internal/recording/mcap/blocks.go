package mcap

import (
	"context"

	"tapedeck/internal/recording"
)

// route is where the messages of a channel id go.
type route struct {
	ch     *recording.Channel
	wanted bool
}

// view is a selection of messages by the channels of a summary.
type view struct {
	f      *file
	sel    recording.Selection
	routes []route // by channel id, as they are when the next block begins
	events []recording.Redefinition
	check  bool // the summary came from an index: definitions may contradict it
}

func (f *file) view(sum *recording.Summary, sel recording.Selection) *view {
	v := &view{f: f, sel: sel, events: sum.Redefined, check: sum.Indexed}
	for _, c := range sum.Channels {
		v.set(c)
	}
	// Messages before the first definition of an id belong to that.
	for i := len(sum.Redefined) - 1; i >= 0; i-- {
		v.set(sum.Redefined[i].Channel)
	}
	return v
}

func (v *view) set(c *recording.Channel) {
	for int(c.ID) >= len(v.routes) {
		v.routes = append(v.routes, route{})
	}
	v.routes[c.ID] = route{c, v.sel.Selects(c)}
}

// block returns the block for a span. Spans must come in the order of the file.
func (v *view) block(s span) *block {
	passed := 0
	for passed < len(v.events) && v.events[passed].Block < s.offset {
		passed++
	}
	if passed > 0 {
		v.routes = append([]route(nil), v.routes...) // earlier blocks keep theirs
		for _, e := range v.events[:passed] {
			v.set(e.Channel)
		}
		v.events = v.events[passed:]
	}
	own := 0
	for own < len(v.events) && v.events[own].Block == s.offset {
		own++
	}
	return &block{view: v, span: s, routes: v.routes, events: v.events[:own]}
}

// holds reports whether the span may hold selected messages.
func (v *view) holds(s span) bool {
	if !s.chunk {
		return s.messages
	}
	return !s.timed || s.start > s.end || v.sel.Overlaps(s.start, s.end)
}

// Blocks implements recording.File.
func (f *file) Blocks(ctx context.Context, sum *recording.Summary, sel recording.Selection, yield func(recording.Block) error) ([]recording.Warning, error) {
	v := f.view(sum, sel)
	visit := func(s span) error {
		if !v.holds(s) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(v.block(s))
	}
	if sum.Indexed {
		sec, err := f.section()
		if err != nil {
			return nil, err
		}
		if sec.usable {
			return nil, v.indexed(sec, visit)
		}
	}
	notes := &recording.Warnings{}
	err := f.walkAll(ctx, f.walker(notes, visit))
	return notes.List(), err
}

// indexed visits the chunks that have messages of selected channels.
func (v *view) indexed(sec *section, visit func(span) error) error {
	for i := range sec.chunks {
		c := &sec.chunks[i]
		if !v.wants(c) {
			continue
		}
		s := span{offset: int64(c.offset), size: int64(c.length), chunk: true, timed: true, start: c.start, end: c.end}
		if err := visit(s); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) wants(c *chunkIndex) bool {
	for i := range c.channels() {
		if id := c.channelAt(i); int(id) < len(v.routes) && v.routes[id].wanted {
			return true
		}
	}
	return false
}
