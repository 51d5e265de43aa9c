package flatbuffer

import (
	"encoding/binary"
	"fmt"

	"tapedeck/decode"
)

// buffer is an encoded message or schema. Its methods check all that they read.
type buffer []byte

// check fails unless n bytes lie at a place.
func (b buffer) check(at, n int) error {
	if at < 0 || n < 0 || at > len(b) || n > len(b)-at {
		return fmt.Errorf("%d bytes at %d of %d: %w", n, at, len(b), decode.ErrTruncated)
	}
	return nil
}

// follow returns where the offset at a place points to. Offsets point onwards.
func (b buffer) follow(at int, wide bool) (int, error) {
	width := 4
	if wide {
		width = 8
	}
	if err := b.check(at, width); err != nil {
		return 0, err
	}
	offset := uint64(binary.LittleEndian.Uint32(b[at:]))
	if wide {
		offset = binary.LittleEndian.Uint64(b[at:])
	}
	if offset == 0 {
		return 0, fmt.Errorf("%w: an offset of 0 at %d", errMalformed, at)
	}
	if offset > uint64(len(b)-at) {
		return 0, fmt.Errorf("offset %d at %d of %d: %w", offset, at, len(b), decode.ErrTruncated)
	}
	return at + int(offset), nil
}

// vector returns where the elements of the vector at a place begin, and how
// many there are.
func (b buffer) vector(at, width int, wide bool) (begin, n int, err error) {
	header := 4
	if wide {
		header = 8
	}
	if err := b.check(at, header); err != nil {
		return 0, 0, err
	}
	length := uint64(binary.LittleEndian.Uint32(b[at:]))
	if wide {
		length = binary.LittleEndian.Uint64(b[at:])
	}
	if begin = at + header; length > uint64(len(b)-begin)/uint64(width) {
		return 0, 0, fmt.Errorf("vector of %d times %d bytes at %d of %d: %w", length, width, at, len(b), decode.ErrTruncated)
	}
	return begin, int(length), nil
}

// unsigned returns the number of width bytes at a place that was checked.
func (b buffer) unsigned(at, width int) uint64 {
	switch width {
	case 1:
		return uint64(b[at])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b[at:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b[at:]))
	}
	return binary.LittleEndian.Uint64(b[at:])
}

// table is a table in a buffer: at is where its fields are counted from.
type table struct {
	at     int
	vtable []byte // the slots of the fields, without the two sizes in front
}

// table returns the table at a place.
func (b buffer) table(at int) (table, error) {
	if err := b.check(at, 4); err != nil {
		return table{}, err
	}
	vtable := at - int(int32(binary.LittleEndian.Uint32(b[at:])))
	if err := b.check(vtable, 4); err != nil {
		return table{}, fmt.Errorf("vtable: %w", err)
	}
	size := int(binary.LittleEndian.Uint16(b[vtable:]))
	if size < 4 || size%2 != 0 {
		return table{}, fmt.Errorf("%w: a vtable of %d bytes", errMalformed, size)
	}
	if err := b.check(vtable, size); err != nil {
		return table{}, fmt.Errorf("vtable: %w", err)
	}
	return table{at, b[vtable+4 : vtable+size]}, nil
}

// field returns where a field is, or 0 when the table lacks it. Slot is the
// field's place in the vtable, sizes included.
func (t table) field(slot int) int {
	if slot-4 < 0 || slot-2 > len(t.vtable) {
		return 0
	}
	offset := int(binary.LittleEndian.Uint16(t.vtable[slot-4:]))
	if offset == 0 {
		return 0
	}
	return t.at + offset
}

// root returns the root table of a message. A message may have its size in
// front; a buffer whose root offset happens to look like that size has its
// root in its last four bytes, where no table of a real writer is that reads
// right both ways.
func (b buffer) root(identifier string) (table, error) {
	if at, ok := b.sizedRoot(identifier); ok {
		if t, err := b.table(at); err == nil {
			return t, nil
		}
	}
	at, err := b.follow(0, false)
	if err != nil {
		return table{}, err
	}
	return b.table(at)
}

func (b buffer) sizedRoot(identifier string) (int, bool) {
	if len(b) < 8 || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)-4) {
		return 0, false
	}
	if identifier != "" && string(b[4:8]) == identifier {
		return 0, false
	}
	at, err := b.follow(4, false)
	return at, err == nil
}
