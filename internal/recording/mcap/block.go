package mcap

import (
	"maps"
	"math"
	"slices"

	"tapedeck/internal/recording"
)

// block implements recording.Block.
type block struct {
	view   *view
	span   span
	routes []route                  // as the block begins; shared, not to be changed
	events []recording.Redefinition // in the block
}

// Offset implements recording.Block.
func (b *block) Offset() int64 { return b.span.offset }

// Messages implements recording.Block.
func (b *block) Messages(scratch *recording.Scratch, yield func(*recording.Message) error) ([]recording.Warning, error) {
	var notes recording.Warnings
	r := reading{block: b, routes: b.routes, events: b.events}
	r.rs.b = b.view.f.load(b.span, scratch, &notes)
	r.turn()
	if err := r.messages(yield); err != nil {
		return notes.List(), err
	}
	r.tell(&notes)
	return notes.List(), nil
}

// reading is one pass over a block's records.
type reading struct {
	block  *block
	rs     records
	routes []route
	own    bool // routes is not shared any more
	events []recording.Redefinition
	nextAt int // where the next of events happens

	whole   uint64 // messages
	unknown map[uint16]uint64
	altered map[uint16]uint64 // messages of ids that the block defines otherwise than the summary
	bad     badRecords
}

func (r *reading) messages(yield func(*recording.Message) error) error {
	sel := &r.block.view.sel
	var m recording.Message
	for {
		if r.rs.pos >= r.nextAt {
			r.turn()
		}
		op, body, ok := r.rs.next()
		if !ok {
			return nil
		}
		if op != opMessage {
			r.other(op, body)
			continue
		}
		if len(body) < messageHead {
			r.bad.short++
			continue
		}
		r.whole++
		id := le.Uint16(body)
		if int(id) >= len(r.routes) || r.routes[id].ch == nil {
			r.miss(id)
			continue
		}
		route := &r.routes[id]
		m.LogTime = le.Uint64(body[6:])
		if !route.wanted || !sel.Covers(m.LogTime) {
			continue
		}
		m.Channel = route.ch
		m.Sequence = le.Uint32(body[2:])
		m.PublishTime = le.Uint64(body[14:])
		m.Data = body[messageHead:]
		if err := yield(&m); err != nil {
			return err
		}
	}
}

// turn applies the redefinitions up to where the reading is.
func (r *reading) turn() {
	for len(r.events) > 0 && int64(r.rs.pos) >= r.events[0].At {
		c := r.events[0].Channel
		r.reroute(c.ID, route{c, r.block.view.sel.Selects(c)})
		r.events = r.events[1:]
	}
	r.nextAt = math.MaxInt
	if len(r.events) > 0 {
		r.nextAt = int(r.events[0].At)
	}
}

func (r *reading) reroute(id uint16, to route) {
	if !r.own {
		r.routes, r.own = slices.Clone(r.routes), true
	}
	r.routes[id] = to
}

// other deals with a record that is no message.
func (r *reading) other(op byte, body []byte) {
	switch {
	case op == opChunk:
		r.bad.nested++
	case op == opChannel && r.block.view.check:
		r.checkChannel(body)
	}
}

// checkChannel compares a channel record with the summary. Where they differ
// the summary does not know what the id's messages are, and neither do we.
func (r *reading) checkChannel(body []byte) {
	f := fields{b: body}
	id, schema, topic, encoding := f.u16(), f.u16(), f.text(), f.text()
	if f.bad || int(id) >= len(r.routes) || r.routes[id].ch == nil {
		return
	}
	c := r.routes[id].ch
	if c.SchemaID == schema && c.Topic == topic && c.MessageEncoding == encoding {
		return
	}
	r.reroute(id, route{})
	if r.altered == nil {
		r.altered = make(map[uint16]uint64)
	}
	r.altered[id] = 0
}

// miss counts a message that has no channel.
func (r *reading) miss(id uint16) {
	if _, ok := r.altered[id]; ok {
		r.altered[id]++
		return
	}
	if r.unknown == nil {
		r.unknown = make(map[uint16]uint64)
	}
	r.unknown[id]++
}

// tell warns of what could not be read.
func (r *reading) tell(notes *recording.Warnings) {
	at := r.block.span.offset
	for _, id := range slices.Sorted(maps.Keys(r.unknown)) {
		notes.Add(recording.WarnUnknownChannel, at, "%s in the block lost: the channel %d is not defined in the file", counted(r.unknown[id], "message"), id)
	}
	for _, id := range slices.Sorted(maps.Keys(r.altered)) {
		notes.Add(recording.WarnChannelRedefined, at, "%s in the block left out: it defines the channel %d otherwise than the summary of the file", counted(r.altered[id], "message"), id)
	}
	r.bad.tell(r.block.span, r.rs, r.whole, notes)
}
