package sqlite

import (
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// A choice is what a filter chooses of a catalog.
type choice struct {
	catalog       *catalog
	sessions      []bool
	kind          byte // otherKind: of any
	model         int32
	anyModel      bool
	after, before session.Time
}

// choose works out what the filter asks of sessions.
func (c *catalog) choose(f store.IndexFilter) (choice, error) {
	kind, err := kindOf(f.Scope)
	ch := choice{
		catalog: c, sessions: make([]bool, len(c.sessions)), kind: kindByte(kind), model: -1, anyModel: f.Model == "",
		after: f.After, before: f.Before,
	}
	if model, known := c.models[store.Fold(f.Model)]; known {
		ch.model = model
	}
	project := store.Fold(f.Project)
	for i, s := range c.sessions {
		ch.sessions[i] = !s.internal && (!s.subagent || !onlyMain(f.Scope)) &&
			(f.SessionID == "" || f.SessionID == s.sid) &&
			(f.Harness == "" || f.Harness == s.harness) &&
			(project == "" || project == s.project || project == s.cwd)
	}
	return ch, err
}

// has reports whether a document is chosen.
func (ch *choice) has(d *catalogDocument) bool {
	return d.slot != gone && ch.sessions[d.session] &&
		(ch.kind == otherKind || ch.kind == d.kind) &&
		(ch.anyModel || ch.model == d.model) &&
		(ch.after == 0 || d.started >= ch.after) &&
		(ch.before == 0 || d.started < ch.before && d.started != 0)
}

// texts are the slots that have a chosen document, one bit each.
func (ch *choice) texts() bits {
	b := newBits(len(ch.catalog.firsts))
	documents := ch.catalog.documents
	for i := range documents {
		if d := &documents[i]; ch.has(d) {
			b.set(d.slot)
		}
	}
	return b
}

// of are the chosen documents with a slot's text, the latest added first.
func (ch *choice) of(slot int32) (ids []int64) {
	for at := ch.catalog.firsts[slot]; at >= 0; at = ch.catalog.documents[at].next {
		if d := &ch.catalog.documents[at]; ch.has(d) {
			ids = append(ids, d.id)
		}
	}
	return ids
}

// bits are one for each slot.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) set(i int32)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int32) bool { return b[i/64]>>(i%64)&1 != 0 }
