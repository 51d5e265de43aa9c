package sqlite

import (
	"bytes"

	"tapedeck/internal/session"
	"tapedeck/internal/store/body"
)

// version is one of the records that a stream has with one key.
type version struct {
	session.Record // Body only of a new one
	id             int64
	sum            body.Sum
	size           int64
	piece          int64 // the root of its body
	counts         bool
	moved          bool
}

// outranks reports whether v counts, and not o (see session.Record).
func (v *version) outranks(o *version) bool {
	switch {
	case v.Version != o.Version:
		return v.Version > o.Version
	case v.size != o.size:
		return v.size > o.size
	}
	return bytes.Compare(v.sum[:], o.sum[:]) > 0
}

// versions are those of a batch's keys: what the stream has, and what is new.
type versions struct {
	byKey   map[string][]*version
	keys    []string // that new versions came of
	fresh   []*version
	moved   []*version // were there, and change
	newKeys int64
	places  []session.Place // of records that came, moved, or no longer count
}

func newVersions(n int) *versions { return &versions{byKey: make(map[string][]*version, n)} }

// known adds a version that the stream has.
func (vs *versions) known(v *version) {
	for _, o := range vs.byKey[v.Key] {
		if o.id == v.id {
			return // looked up twice
		}
	}
	vs.byKey[v.Key] = append(vs.byKey[v.Key], v)
}

// add adds a record of the batch; false: the stream has it.
func (vs *versions) add(r session.Record, sum body.Sum) bool {
	have := vs.byKey[r.Key]
	for _, v := range have {
		if v.Version == r.Version && v.sum == sum {
			vs.merge(v, r)
			return false
		}
	}
	v := &version{Record: r, sum: sum, size: int64(len(r.Body))}
	if len(have) == 0 {
		vs.newKeys++
	}
	vs.byKey[r.Key] = append(have, v)
	vs.keys = append(vs.keys, r.Key)
	vs.fresh = append(vs.fresh, v)
	return true
}

// merge takes from a copy of v what counts of the two: the least place. What
// importers say of equal bodies is equal otherwise; should it not be, what is said
// wins over what is not, and the lesser over the greater.
func (vs *versions) merge(v *version, r session.Record) {
	before := v.Record
	if r.Place().Before(v.Place()) {
		v.Order, v.Pos = r.Order, r.Pos
	}
	v.At = lesserKnown(v.At, r.At)
	v.Origin, v.About = lesserKnown(v.Origin, r.Origin), lesserKnown(v.About, r.About)
	if v.Order == before.Order && v.Pos == before.Pos && v.At == before.At && v.Origin == before.Origin && v.About == before.About {
		return
	}
	if v.id != 0 {
		vs.move(v)
		vs.places = append(vs.places, v.Place())
	}
}

func lesserKnown[T session.Time | string](a, b T) T {
	var unknown T
	if a == unknown || b != unknown && b < a {
		return b
	}
	return a
}

func (vs *versions) move(v *version) {
	if !v.moved {
		v.moved = true
		vs.moved = append(vs.moved, v)
	}
}

// settle decides which versions count.
func (vs *versions) settle() {
	for _, key := range vs.keys {
		var best *version
		for _, v := range vs.byKey[key] {
			if best == nil || v.outranks(best) {
				best = v
			}
		}
		for _, v := range vs.byKey[key] {
			counts := v == best
			if counts != v.counts && v.id != 0 {
				vs.move(v)
				vs.places = append(vs.places, v.Place())
			}
			v.counts = counts
		}
	}
	for _, v := range vs.fresh {
		vs.places = append(vs.places, v.Place())
	}
}
