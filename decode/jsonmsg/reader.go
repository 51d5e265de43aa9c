package jsonmsg

import (
	"maps"
	"slices"

	"tapedeck/decode"
)

// op says which values a slot takes and what it does with them. Each takes null.
type op uint8

const (
	readNothing op = iota // nothing but null was seen
	readEmpty             // nothing but {} was seen
	readBool
	readInt
	readHuge
	readFloat
	readText
	readBlob
	readStamp
	readJSON
	readList
	readStruct
	readColumns // an object whose fields are columns
)

// slot is a place in the messages with the vector that its values go to. One
// slot serves one reader: it remembers the last message.
type slot struct {
	op       op
	declared bool        // an integer by its schema, so that 5.0 is one
	level    int         // of the objects and arrays around it
	column   int         // in the batch, if it has one of its own
	width    int         // vectors that a null goes to
	stamp    decode.Kind // of readStamp
	nanos    string
	vector   *decode.Vector
	elem     *slot // of readList

	entries []entry // of readStruct and readColumns
	index   map[string]int
	first   int    // the entry with which the last object began
	turn    uint64 // objects read
}

// entry is a key of an object.
type entry struct {
	slot
	quoted string // the key as it is most likely written, or empty
	next   int    // the entry that came behind it in the last object
	seen   uint64 // the turn in which it had a value
}

// newSlot makes the slot of a place that a layout puts at node.
func newSlot(s *shape, node decode.Node) slot {
	if node.Column < 0 {
		sl := slot{op: readColumns, level: s.level}
		sl.addEntries(s, node.Fields)
		return sl
	}
	sl := innerSlot(s)
	sl.column = node.Column
	return sl
}

// innerSlot makes the slot of a place within a column.
func innerSlot(s *shape) slot {
	sl := slot{op: s.op(), level: s.level, width: 1, declared: s.declared == intForm, stamp: s.stamp, nanos: s.nanos}
	switch sl.op {
	case readList:
		elem := innerSlot(s.elem)
		sl.elem = &elem
	case readStruct:
		sl.addEntries(s, nil)
	}
	return sl
}

func (s *shape) op() op {
	switch s.form() {
	case boolForm:
		return readBool
	case intForm:
		return readInt
	case hugeForm:
		return readHuge
	case floatForm:
		return readFloat
	case textForm:
		return readText
	case blobForm:
		return readBlob
	case jsonForm:
		return readJSON
	case listForm:
		return readList
	case objectForm:
		switch {
		case s.stamp != decode.Invalid:
			return readStamp
		case len(s.members) > 0:
			return readStruct
		case s.seen&sawObject != 0:
			return readEmpty
		}
	}
	return readNothing
}

// addEntries makes the entries of an object: columns where nodes lays them
// out, and fields of a struct without.
func (sl *slot) addEntries(s *shape, nodes []decode.Node) {
	sl.index = maps.Clone(s.index)
	sl.entries = make([]entry, len(s.members))
	for i, m := range s.members {
		e := entry{quoted: quoted(m.key), next: i + 1}
		if nodes != nil {
			e.slot = newSlot(m, nodes[i])
		} else {
			e.slot = innerSlot(m)
		}
		sl.entries[i] = e
		sl.width += e.width
	}
}

// quoted returns a key in quotes if it can be written so. One that needs
// escapes can't be compared as it is written.
func quoted(key string) string {
	for i := range len(key) {
		if key[i] < ' ' || key[i] == '"' || key[i] == '\\' {
			return ""
		}
	}
	return `"` + key + `"`
}

// clone returns a slot that does the same, without a vector.
func (sl *slot) clone() slot {
	c := *sl
	c.vector = nil
	if sl.elem != nil {
		elem := sl.elem.clone()
		c.elem = &elem
	}
	c.entries = slices.Clone(sl.entries)
	for i := range c.entries {
		c.entries[i].slot = sl.entries[i].slot.clone()
	}
	return c
}

// bind gives the slot, and those in it, their vectors of b.
func (sl *slot) bind(b *decode.Batch) {
	if sl.op != readColumns {
		sl.attach(b.Column(sl.column))
		return
	}
	for i := range sl.entries {
		sl.entries[i].bind(b)
	}
}

func (sl *slot) attach(v *decode.Vector) {
	sl.vector = v
	if sl.elem != nil {
		sl.elem.attach(v.Elem())
	}
	for i := range sl.entries {
		sl.entries[i].attach(v.Field(i))
	}
}

// null appends a null to each column of the slot.
func (sl *slot) null() {
	if sl.op != readColumns {
		sl.vector.AppendNull()
		return
	}
	for i := range sl.entries {
		sl.entries[i].null()
	}
}

// undo drops the last value of each column of the slot.
func (sl *slot) undo() {
	if sl.op != readColumns {
		sl.vector.Truncate(sl.vector.Len() - 1)
		return
	}
	for i := range sl.entries {
		sl.entries[i].undo()
	}
}

// reader appends messages to batches. It is a plan whose columns no longer change.
type reader struct {
	columns []decode.Column
	root    slot
	value   *slot // of messages that are no object, if there is a column for them
	whole   bool  // every message goes to that column
	objects bool  // messages are objects, so that null needs no column
	bound   *decode.Batch
	spare   int    // nulls that the message may still have
	scratch []byte // a string without its escapes
	blob    []byte
}

func newReader(t *tree, opt decode.Options) *reader {
	// This can't fail: maxPlaces and maxLevels are within the bounds of Flatten.
	layout, _ := decode.Flatten(t.columnType(), opt)
	r := &reader{columns: layout.Columns, whole: t.root.json != notJSON, objects: t.objects()}
	r.root = newSlot(t.root, layout.Root)
	if t.valueForm() != anyForm {
		value := innerSlot(t.value)
		if t.valueForm() == jsonForm {
			value = slot{op: readJSON}
		}
		value.column = len(layout.Columns) - 1
		r.value = &value
	}
	return r
}

// Columns implements [decode.Plan].
func (r *reader) Columns() []decode.Column { return r.columns }

// Fork implements [decode.Plan].
func (r *reader) Fork() decode.Plan {
	f := &reader{columns: r.columns, whole: r.whole, objects: r.objects, root: r.root.clone()}
	if r.value != nil {
		value := r.value.clone()
		f.value = &value
	}
	return f
}

func (r *reader) bind(b *decode.Batch) {
	r.bound = b
	r.root.bind(b)
	if r.value != nil {
		r.value.bind(b)
	}
}
