package duckdb

import (
	"fmt"
	"runtime"
	"unsafe"

	c "github.com/duckdb/duckdb-go-bindings"

	"tapedeck/decode"
)

// VectorSize is how many rows a DuckDB vector holds.
const VectorSize = 2048

// Appender adds rows to one table.
type Appender struct {
	handle c.Appender
	chunk  c.DataChunk
	types  []c.LogicalType
	open   bool
}

// NewAppender returns an appender to catalog.main.table.
func (conn *Conn) NewAppender(catalog, table string) (*Appender, error) {
	a := &Appender{}
	if c.AppenderCreateExt(conn.handle, catalog, "main", table, &a.handle) == c.StateError {
		defer c.AppenderDestroy(&a.handle)
		return nil, engineError(c.AppenderError(a.handle))
	}
	a.open = true
	for i := range c.AppenderColumnCount(a.handle) {
		a.types = append(a.types, c.AppenderColumnType(a.handle, i))
	}
	a.chunk = c.CreateDataChunk(a.types)
	return a, nil
}

// Append adds the rows that columns hold. columns are in the table's order and of its types,
// each of the same length; a nil column is NULL in every row.
func (a *Appender) Append(columns []*decode.Vector, rows int) error {
	if len(columns) != len(a.types) {
		return fmt.Errorf("appending %d columns to a table of %d", len(columns), len(a.types))
	}
	for from := 0; from < rows; from += VectorSize {
		if err := a.appendChunk(columns, from, min(from+VectorSize, rows)); err != nil {
			return err
		}
	}
	return nil
}

func (a *Appender) appendChunk(columns []*decode.Vector, from, to int) error {
	c.DataChunkReset(a.chunk)
	var pins runtime.Pinner
	defer pins.Unpin()
	for i, column := range columns {
		target := c.DataChunkGetVector(a.chunk, c.IdxT(i))
		if column == nil {
			fillNull(target, to-from)
			continue
		}
		if err := fill(target, column, from, to, &pins); err != nil {
			return err
		}
	}
	c.DataChunkSetSize(a.chunk, c.IdxT(to-from))
	if c.AppendDataChunk(a.handle, a.chunk) == c.StateError {
		return engineError(c.AppenderError(a.handle))
	}
	return nil
}

// Close writes what is buffered and releases the appender.
func (a *Appender) Close() error {
	if !a.open {
		return nil
	}
	a.open = false
	var err error
	if c.AppenderClose(a.handle) == c.StateError {
		err = engineError(c.AppenderError(a.handle))
	}
	c.AppenderDestroy(&a.handle)
	c.DestroyDataChunk(&a.chunk)
	for i := range a.types {
		c.DestroyLogicalType(&a.types[i])
	}
	return err
}

// fill copies values from..to of v to the beginning of target.
func fill(target c.Vector, v *decode.Vector, from, to int, pins *runtime.Pinner) error {
	fillValidity(target, v, from, to)
	switch t := v.Type(); {
	case t.Kind == decode.List || t.Kind == decode.Map:
		return fillList(target, v, from, to, pins)
	case t.Kind == decode.Struct:
		return fillStruct(target, v, from, to, pins)
	case t.Kind.Width() > 0:
		width := t.Kind.Width()
		copy(bytesAt(c.VectorGetData(target), (to-from)*width), v.Fixed()[from*width:to*width])
	default:
		fillStrings(target, v, from, to, pins)
	}
	return nil
}

func fillNull(target c.Vector, rows int) {
	c.VectorEnsureValidityWritable(target)
	mask := unsafe.Slice((*uint64)(c.VectorGetValidity(target)), (rows+63)/64)
	clear(mask)
}

func fillValidity(target c.Vector, v *decode.Vector, from, to int) {
	valid := v.Validity()
	if valid == nil {
		return
	}
	c.VectorEnsureValidityWritable(target)
	mask := unsafe.Slice((*uint64)(c.VectorGetValidity(target)), (to-from+63)/64)
	if from%64 == 0 {
		copy(mask, valid[from/64:])
		return
	}
	for i := range mask {
		mask[i] = 0
	}
	for i := from; i < to; i++ {
		if !v.IsNull(i) {
			mask[(i-from)/64] |= 1 << ((i - from) % 64)
		}
	}
}

// entry is duckdb_list_entry.
type entry struct{ offset, length uint64 }

func fillList(target c.Vector, v *decode.Vector, from, to int, pins *runtime.Pinner) error {
	ends := v.Ends()
	first := 0
	if from > 0 {
		first = ends[from-1]
	}
	count := ends[to-1] - first
	if c.ListVectorReserve(target, c.IdxT(count)) == c.StateError ||
		c.ListVectorSetSize(target, c.IdxT(count)) == c.StateError {
		return engineError(fmt.Sprintf("no room for %d list elements", count))
	}
	entries := unsafe.Slice((*entry)(c.VectorGetData(target)), to-from)
	begin := first
	for i := range entries {
		end := ends[from+i]
		entries[i] = entry{uint64(begin - first), uint64(end - begin)}
		begin = end
	}
	if count == 0 {
		return nil
	}
	return fill(c.ListVectorGetChild(target), v.Elem(), first, first+count, pins)
}

func fillStruct(target c.Vector, v *decode.Vector, from, to int, pins *runtime.Pinner) error {
	fields := v.Type().Fields
	if len(fields) == 0 { // BOOLEAN, see decode.Type.SQL
		present := bytesAt(c.VectorGetData(target), to-from)
		for i := range present {
			present[i] = 1
		}
		return nil
	}
	for i := range fields {
		if err := fill(c.StructVectorGetChild(target, c.IdxT(i)), v.Field(i), from, to, pins); err != nil {
			return err
		}
	}
	return nil
}

// stringRef is duckdb_string_t: up to 12 bytes lie in it, longer ones behind a pointer.
type stringRef struct {
	length uint32
	prefix [4]byte
	rest   [8]byte
}

// fillStrings lets long values point into v's buffer, which stays pinned until
// DuckDB has copied it.
func fillStrings(target c.Vector, v *decode.Vector, from, to int, pins *runtime.Pinner) {
	ends, data := v.Ends(), v.Bytes()
	if len(data) > 0 {
		pins.Pin(&data[0])
	}
	refs := unsafe.Slice((*stringRef)(c.VectorGetData(target)), to-from)
	begin := 0
	if from > 0 {
		begin = ends[from-1]
	}
	for i := range refs {
		end := ends[from+i]
		setString(&refs[i], data[begin:end])
		begin = end
	}
}

func setString(ref *stringRef, s []byte) {
	*ref = stringRef{length: uint32(len(s))}
	if len(s) <= 12 {
		n := copy(ref.prefix[:], s)
		copy(ref.rest[:], s[n:])
		return
	}
	copy(ref.prefix[:], s)
	*(*uintptr)(unsafe.Pointer(&ref.rest)) = uintptr(unsafe.Pointer(&s[0]))
}

func bytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }
