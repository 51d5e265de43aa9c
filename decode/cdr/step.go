package cdr

import "tapedeck/decode"

// op says what a step does.
type op uint8

const (
	opDummy op = iota // skip the byte of an empty struct, if it is there
	opBool            // values of one vector
	op8
	op16
	op32
	op64
	opLongDouble
	opChar
	opWChar
	opString
	opWString
	opEnum
	opTime
	opDuration
	opJSON
	opBlob
	opNumbers  // a list of numbers, which are copied as a run
	opList     // a list of anything else: inner, once an element
	opRecord   // inner, then the end of a struct
	opOptional // parts[0], if the wire says that it is there
	opMembers  // parts, as the struct's extensibility frames them
	opUnion    // parts[0] is the discriminator, parts[i+1] member i
)

var scalarOps = [...]op{
	Bool: opBool, Int8: op8, Uint8: op8, Byte: op8, Int16: op16, Uint16: op16,
	Int32: op32, Uint32: op32, Float32: op32, Int64: op64, Uint64: op64, Float64: op64,
	LongDouble: opLongDouble, Char: opChar, WChar: opWChar, String: opString, WString: opWString,
	Enum: opEnum, Time: opTime, Duration: opDuration,
}

// sequence is the count of a list whose length is on the wire.
const sequence = -1

// frame says whether a list has a DHEADER in XCDR2.
type frame uint8

const (
	unframed frame = iota
	framed
	maybeFramed
)

// step is one thing to do on the way from bytes to vectors.
type step struct {
	op      op
	kind    decode.Kind
	framed  frame
	slot    int32 // of the vector written to; -1 for steps that have none
	elem    int32 // of a list: the slot of its elements
	width   int   // bytes of the value, or of a list's element, when it is one unit
	count   int   // of a list: its length, or sequence
	minimum int   // of a list: the fewest bytes an element takes
	weight  int   // of a list: what an element costs, see plan.charge
	typ     *Type
	name    string // for errors
	id      uint32 // of an optional member
	labels  map[int64]string
	inner   []step
	parts   []part
}

// part is a member: its steps, and the vectors that get a null when it is absent.
type part struct {
	steps []step
	slots []int32
}

func newPart(steps []step) part { return part{steps: steps, slots: ownSlots(nil, steps)} }

// ownSlots adds the vectors to which steps append one value.
func ownSlots(slots []int32, steps []step) []int32 {
	for _, s := range steps {
		if s.slot >= 0 {
			slots = append(slots, s.slot)
			continue
		}
		for _, p := range s.parts {
			slots = append(slots, p.slots...)
		}
	}
	return slots
}

// weigh returns how many values steps append, nulls included.
func weigh(steps []step) int {
	n := 0
	for _, s := range steps {
		n++
		if s.op == opRecord {
			n += weigh(s.inner)
		}
		for _, p := range s.parts {
			n += weigh(p.steps)
		}
	}
	return n
}
