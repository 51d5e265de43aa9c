package protobuf

import (
	"encoding/binary"

	"tapedeck/decode"
)

// entries are the entries of a map while its message is read: the last entry
// of each key, in the order in which the keys came first.
type entries struct {
	list  []entry
	keys  []byte         // all keys, one behind the other
	index map[string]int // key → place in list, once there are many
}

type entry struct {
	from, to int // the key, in keys
	encoded  []byte
}

// manyEntries is where looking a key up by an index begins to pay.
const manyEntries = 16

// key returns the key of an entry.
func (e *entries) key(i int) []byte { return e.keys[e.list[i].from:e.list[i].to] }

// put adds an encoded entry, in the place of an earlier one of its key.
func (e *entries) put(encoded []byte, kind scalar) error {
	from := len(e.keys)
	var err error
	if e.keys, err = appendKey(e.keys, encoded, kind); err != nil {
		return err
	}
	key := e.keys[from:]
	if i := e.find(key); i >= 0 {
		e.list[i].encoded, e.keys = encoded, e.keys[:from]
		return nil
	}
	e.list = append(e.list, entry{from, len(e.keys), encoded})
	switch n := len(e.list); {
	case n == manyEntries:
		if e.index == nil {
			e.index = map[string]int{}
		}
		for i := range e.list {
			e.index[string(e.key(i))] = i
		}
	case n > manyEntries:
		e.index[string(key)] = n - 1
	}
	return nil
}

func (e *entries) find(key []byte) int {
	if len(e.list) >= manyEntries {
		if i, ok := e.index[string(key)]; ok {
			return i
		}
		return -1
	}
	for i := range e.list {
		if string(e.key(i)) == string(key) {
			return i
		}
	}
	return -1
}

func (e *entries) reset() {
	if len(e.list) == 0 {
		return
	}
	clear(e.list) // it points into the message
	e.list, e.keys = e.list[:0], e.keys[:0]
	clear(e.index)
}

// appendKey appends an entry's key in a form that two keys share only if they
// are one key in the column: text as it will be held, numbers in 8 bytes.
func appendKey(dst, encoded []byte, kind scalar) ([]byte, error) {
	var number uint64
	var text []byte
	var v value
	for b := encoded; len(b) > 0; {
		var err error
		if b, err = v.take(b); err != nil {
			return dst, err
		}
		if v.number == 1 && v.wire == kind.wire {
			number, text = v.bits, v.payload
		}
	}
	if kind.op != opText {
		return binary.LittleEndian.AppendUint64(dst, uint64(kind.integer(number))), nil
	}
	return decode.AppendText(dst, text), nil
}
