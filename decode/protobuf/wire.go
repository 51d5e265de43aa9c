package protobuf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"tapedeck/decode"
)

// value is a field's value as it lies on the wire.
type value struct {
	number  protowire.Number
	wire    protowire.Type
	bits    uint64 // of a varint or a fixed value
	payload []byte // of what has a length, and of a group
}

// take sets v to the first value of an encoded message that is not empty, and
// returns what follows.
func (v *value) take(b []byte) (rest []byte, err error) {
	tag, n := uint64(b[0]), 1
	if tag >= 0x80 {
		if tag, n = protowire.ConsumeVarint(b); n < 0 {
			return nil, wireError(n)
		}
	}
	if tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
		return nil, fmt.Errorf("%w: field number %d", errMalformed, tag>>3)
	}
	v.number, v.wire = protowire.Number(tag>>3), protowire.Type(tag&7)
	b = b[n:]
	switch v.wire {
	case protowire.VarintType:
		v.bits, n = protowire.ConsumeVarint(b)
	case protowire.Fixed64Type:
		if n = 8; len(b) < n {
			return nil, decode.ErrTruncated
		}
		v.bits = binary.LittleEndian.Uint64(b)
	case protowire.Fixed32Type:
		if n = 4; len(b) < n {
			return nil, decode.ErrTruncated
		}
		v.bits = uint64(binary.LittleEndian.Uint32(b))
	case protowire.BytesType:
		v.payload, n = protowire.ConsumeBytes(b)
	case protowire.StartGroupType:
		v.payload, n = protowire.ConsumeGroup(v.number, b)
	default:
		return nil, fmt.Errorf("%w: wire type %d of field %d", errMalformed, v.wire, v.number)
	}
	if n < 0 {
		return nil, wireError(n)
	}
	return b[n:], nil
}

func wireError(n int) error {
	err := protowire.ParseError(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return decode.ErrTruncated
	}
	return fmt.Errorf("%w: %w", errMalformed, err)
}

// packed calls yield for each number of a packed list.
func packed(wire protowire.Type, b []byte, yield func(bits uint64) error) error {
	for len(b) > 0 {
		var x uint64
		var n int
		switch wire {
		case protowire.VarintType:
			x, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var x32 uint32
			x32, n = protowire.ConsumeFixed32(b)
			x = uint64(x32)
		default:
			x, n = protowire.ConsumeFixed64(b)
		}
		if n < 0 {
			return wireError(n)
		}
		if err := yield(x); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
