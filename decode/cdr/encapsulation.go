package cdr

import (
	"encoding/binary"
	"fmt"

	"tapedeck/decode"
)

// form is how the members of the root lie in a message.
type form uint8

const (
	plain      form = iota // one after the other
	delimited              // the same behind a DHEADER
	parameters             // each behind its id and length
)

// encapsulation is what the four bytes in front of a CDR message say.
type encapsulation struct {
	form form
	v2   bool
}

// encapsulations by identifier, without the lowest bit, which is the byte order
// (RTPS 2.5, 10.2; the identifiers from 0x10 on are those of DDS-XTypes 1.2).
var encapsulations = map[uint16]encapsulation{
	0x0000: {plain, false}, 0x0002: {parameters, false},
	0x0006: {plain, true}, 0x0008: {delimited, true}, 0x000a: {parameters, true},
	0x0010: {plain, true}, 0x0012: {parameters, true}, 0x0014: {delimited, true},
}

// encapsulationSize is the length of the header, from whose end alignment counts.
const encapsulationSize = 4

// open starts to read msg and returns how its root is written.
func (r *reader) open(msg []byte) (form, error) {
	if len(msg) < encapsulationSize {
		return plain, fmt.Errorf("%w: it has %d bytes, and the CDR header alone takes %d", decode.ErrTruncated, len(msg), encapsulationSize)
	}
	id := binary.BigEndian.Uint16(msg)
	e, known := encapsulations[id&^1]
	if !known {
		return plain, fmt.Errorf("unknown CDR encapsulation 0x%04x", id)
	}
	*r = reader{buf: msg[encapsulationSize:], base: encapsulationSize, padding: int(msg[3] & 3), big: id&1 == 0, v2: e.v2, maxAlign: 8}
	if e.v2 {
		r.maxAlign = 4
	}
	return e.form, nil
}

// openPacked starts to read a ROS 1 message.
func (r *reader) openPacked(msg []byte) { *r = reader{buf: msg, maxAlign: 1, packed: true} }
