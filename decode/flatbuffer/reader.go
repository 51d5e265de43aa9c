package flatbuffer

import (
	"fmt"
	"math"
)

// reader reads the tables of a schema. After its first error, which it keeps,
// it reads nothing.
type reader struct {
	b           buffer
	err         error
	definitions int // that may still be read
	budget      int // bytes of text and vectors that may still be read
}

// spend counts bytes that are read. Offsets may share them.
func (r *reader) spend(n int) bool {
	if r.budget -= n; r.budget < 0 && r.err == nil {
		r.err = fmt.Errorf("its texts and vectors are more than %d times as large as it is", readPerByte)
	}
	return r.err == nil
}

// define counts a definition.
func (r *reader) define() {
	if r.definitions--; r.definitions < 0 && r.err == nil {
		r.err = fmt.Errorf("it has more than %d fields and values", maxDefinitions)
	}
}

func (r *reader) follow(at int) int {
	if r.err != nil {
		return 0
	}
	to, err := r.b.follow(at, false)
	r.err = err
	return to
}

func (r *reader) table(at int) table {
	if r.err != nil {
		return table{}
	}
	t, err := r.b.table(at)
	r.err = err
	return t
}

// tables returns where the elements of a vector of offsets are.
func (r *reader) tables(t table, slot int) []int {
	at := t.field(slot)
	if at == 0 || r.err != nil {
		return nil
	}
	begin, n, err := r.b.vector(r.follow(at), 4, false)
	if r.err != nil || err != nil {
		if r.err == nil {
			r.err = err
		}
		return nil
	}
	if !r.spend(4 * n) {
		return nil
	}
	places := make([]int, n)
	for i := range places {
		places[i] = r.follow(begin + 4*i)
	}
	return places
}

// bytes returns the string at a place.
func (r *reader) bytes(at int) []byte {
	if r.err != nil {
		return nil
	}
	begin, n, err := r.b.vector(at, 1, false)
	if err != nil {
		r.err = err
		return nil
	}
	if !r.spend(n) {
		return nil
	}
	return r.b[begin : begin+n]
}

// name returns the string in a field.
func (r *reader) name(t table, slot int) string {
	at := t.field(slot)
	if at == 0 || r.err != nil {
		return ""
	}
	name := r.bytes(r.follow(at))
	if len(name) > maxNameLength {
		r.err = fmt.Errorf("name of %d bytes, beginning with %.40q: expected at most %d", len(name), name, maxNameLength)
		return ""
	}
	return string(name)
}

// uint returns the number of width bytes in a field, 0 when it is absent.
func (r *reader) uint(t table, slot, width int) uint64 {
	at := t.field(slot)
	if at == 0 || r.err != nil {
		return 0
	}
	if r.err = r.b.check(at, width); r.err != nil {
		return 0
	}
	return r.b.unsigned(at, width)
}

func (r *reader) real(t table, slot int) float64 { return math.Float64frombits(r.uint(t, slot, 8)) }
