package duckdb

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	c "github.com/duckdb/duckdb-go-bindings"
)

// maxTypeDepth bounds how deep types may nest; DuckDB's own casts stop earlier.
const maxTypeDepth = 128

// reader reads one vector. It is made once a column and bound once a chunk, so
// that no call into C remains per value.
type reader struct {
	kind     c.Type
	scale    int       // DECIMAL
	storage  c.Type    // DECIMAL, ENUM: how it lies in memory
	size     int       // ARRAY
	names    []string  // STRUCT fields, UNION tags, ENUM values
	tuple    bool      // STRUCT whose fields can't be told apart by name
	textKeys bool      // MAP
	children []*reader // LIST, ARRAY, MAP: one; STRUCT: a field each; UNION: the tag, then its members

	data  unsafe.Pointer
	valid unsafe.Pointer // a bit a value; nil: no NULLs
}

func newReader(t c.LogicalType) (*reader, error) { return newReaderAt(t, 0) }

func newReaderAt(t c.LogicalType, depth int) (*reader, error) {
	if depth > maxTypeDepth {
		return nil, fmt.Errorf("type nests deeper than %d", maxTypeDepth)
	}
	r := &reader{kind: c.GetTypeId(t)}
	switch r.kind {
	case c.TypeDecimal:
		r.scale, r.storage = int(c.DecimalScale(t)), c.DecimalInternalType(t)
	case c.TypeEnum:
		r.storage = c.EnumInternalType(t)
		r.names = make([]string, c.EnumDictionarySize(t))
		for i := range r.names {
			r.names[i] = c.EnumDictionaryValue(t, c.IdxT(i))
		}
	case c.TypeList:
		return r, r.addChild(c.ListTypeChildType(t), depth)
	case c.TypeArray:
		r.size = int(c.ArrayTypeArraySize(t))
		return r, r.addChild(c.ArrayTypeChildType(t), depth)
	case c.TypeMap:
		return r, r.addEntries(t, depth)
	case c.TypeStruct:
		return r, r.addFields(t, depth)
	case c.TypeUnion:
		return r, r.addMembers(t, depth)
	case c.TypeVariant:
		return nil, errors.New("values of type VARIANT can't be returned as they are; cast them: CAST(… AS JSON)")
	case c.TypeGeometry:
	default:
		if _, ok := plainTypeNames[r.kind]; !ok {
			return nil, fmt.Errorf("values of %s can't be returned as they are; cast them: CAST(… AS VARCHAR)", typeName(t))
		}
	}
	return r, nil
}

func (r *reader) addChild(t c.LogicalType, depth int) error {
	defer c.DestroyLogicalType(&t)
	child, err := newReaderAt(t, depth+1)
	r.children = append(r.children, child)
	return err
}

// addEntries makes the child of a MAP, which lies in memory as a list of structs.
func (r *reader) addEntries(t c.LogicalType, depth int) error {
	entries := &reader{kind: c.TypeStruct}
	r.children = []*reader{entries}
	if err := entries.addChild(c.MapTypeKeyType(t), depth); err != nil {
		return err
	}
	r.textKeys = entries.children[0].kind == c.TypeVarchar
	return entries.addChild(c.MapTypeValueType(t), depth)
}

func (r *reader) addFields(t c.LogicalType, depth int) error {
	seen := map[string]bool{"": true}
	for i := range c.StructTypeChildCount(t) {
		name := c.StructTypeChildName(t, i)
		r.names = append(r.names, name)
		r.tuple = r.tuple || seen[name]
		seen[name] = true
		if err := r.addChild(c.StructTypeChildType(t, i), depth); err != nil {
			return err
		}
	}
	return nil
}

// addMembers makes the children of a UNION, which lies in memory as a struct
// whose first field is the tag.
func (r *reader) addMembers(t c.LogicalType, depth int) error {
	r.children = []*reader{{kind: c.TypeUTinyInt}}
	for i := range c.UnionTypeMemberCount(t) {
		r.names = append(r.names, c.UnionTypeMemberName(t, i))
		if err := r.addChild(c.UnionTypeMemberType(t, i), depth); err != nil {
			return err
		}
	}
	return nil
}

// bind points the reader at a vector of the current chunk.
func (r *reader) bind(v c.Vector) {
	r.data, r.valid = c.VectorGetData(v), c.VectorGetValidity(v)
	switch r.kind {
	case c.TypeList, c.TypeMap:
		r.children[0].bind(c.ListVectorGetChild(v))
	case c.TypeArray:
		r.children[0].bind(c.ArrayVectorGetChild(v))
	case c.TypeStruct, c.TypeUnion:
		for i, child := range r.children {
			child.bind(c.StructVectorGetChild(v, c.IdxT(i)))
		}
	}
}

func (r *reader) isNull(i int) bool {
	return r.valid != nil && *(*uint64)(unsafe.Add(r.valid, i/64*8))>>(i%64)&1 == 0
}

func at[T any](r *reader, i int) T {
	var zero T
	return *(*T)(unsafe.Add(r.data, uintptr(i)*unsafe.Sizeof(zero)))
}

// bytes gives the i-th string, without copying it.
func (r *reader) bytes(i int) []byte {
	ref := (*stringRef)(unsafe.Add(r.data, uintptr(i)*unsafe.Sizeof(stringRef{})))
	if ref.length <= 12 {
		return unsafe.Slice((*byte)(unsafe.Pointer(&ref.prefix)), ref.length)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&ref.rest)), ref.length)
}

// index gives the i-th value of an ENUM, as its place in the dictionary.
func (r *reader) index(i int) int {
	switch r.storage {
	case c.TypeUTinyInt:
		return int(at[uint8](r, i))
	case c.TypeUSmallInt:
		return int(at[uint16](r, i))
	default:
		return int(at[uint32](r, i))
	}
}

// unscaled gives the i-th DECIMAL without its point.
func (r *reader) unscaled(i int) int128 {
	switch r.storage {
	case c.TypeSmallInt:
		return int128From(int64(at[int16](r, i)))
	case c.TypeInteger:
		return int128From(int64(at[int32](r, i)))
	case c.TypeBigInt:
		return int128From(at[int64](r, i))
	default:
		return at[int128](r, i)
	}
}

// value appends the i-th value that r reads.
func (w *writer) value(r *reader, i int) {
	if r.isNull(i) || r.kind == c.TypeSQLNull {
		w.raw("null")
		return
	}
	if w.full() {
		w.mark()
		return
	}
	switch r.kind {
	case c.TypeBoolean:
		w.buf = strconv.AppendBool(w.buf, at[uint8](r, i) != 0)
	case c.TypeTinyInt:
		w.integer(int64(at[int8](r, i)))
	case c.TypeSmallInt:
		w.integer(int64(at[int16](r, i)))
	case c.TypeInteger:
		w.integer(int64(at[int32](r, i)))
	case c.TypeBigInt:
		w.integer(at[int64](r, i))
	case c.TypeUTinyInt:
		w.integer(int64(at[uint8](r, i)))
	case c.TypeUSmallInt:
		w.integer(int64(at[uint16](r, i)))
	case c.TypeUInteger:
		w.integer(int64(at[uint32](r, i)))
	case c.TypeUBigInt:
		w.wideInteger(int128{lower: at[uint64](r, i)}.decimal())
	case c.TypeHugeInt:
		w.wideInteger(at[int128](r, i).decimal())
	case c.TypeUHugeInt:
		w.wideInteger(at[uint128](r, i).decimal())
	case c.TypeBigNum:
		w.wideInteger(bigNum(r.bytes(i)))
	case c.TypeDecimal:
		w.decimal(r.unscaled(i).decimal(), r.scale)
	case c.TypeFloat:
		w.float(float64(at[float32](r, i)), 32)
	case c.TypeDouble:
		w.float(at[float64](r, i), 64)
	case c.TypeVarchar:
		w.text(r.bytes(i))
	case c.TypeEnum:
		w.text([]byte(r.names[r.index(i)]))
	case c.TypeBlob, c.TypeGeometry:
		w.hex(r.bytes(i))
	case c.TypeBit:
		w.bits(r.bytes(i))
	case c.TypeUUID:
		w.uuid(at[int128](r, i))
	case c.TypeList, c.TypeArray, c.TypeMap, c.TypeStruct, c.TypeUnion:
		w.nested(r, i)
	default:
		w.temporal(r, i)
	}
}

func (w *writer) nested(r *reader, i int) {
	switch r.kind {
	case c.TypeList:
		e := at[entry](r, i)
		w.list(r.children[0], int(e.offset), int(e.length))
	case c.TypeArray:
		w.list(r.children[0], i*r.size, r.size)
	case c.TypeMap:
		w.mapEntries(r, at[entry](r, i))
	case c.TypeStruct:
		w.fields(r, i)
	case c.TypeUnion:
		tag := int(at[uint8](r.children[0], i))
		w.raw("{")
		w.name(r.names[tag])
		w.value(r.children[tag+1], i)
		w.raw("}")
	}
}

func (w *writer) list(child *reader, from, count int) {
	w.raw("[")
	for i := range count {
		if w.next(i, count) {
			w.value(child, from+i)
		} else {
			break
		}
	}
	w.raw("]")
}

func (w *writer) mapEntries(r *reader, e entry) {
	entries := r.children[0]
	keys, values := entries.children[0], entries.children[1]
	if !r.textKeys {
		w.raw("[")
		for i := range int(e.length) {
			if !w.next(i, int(e.length)) {
				break
			}
			w.raw(`{"key":`)
			w.value(keys, int(e.offset)+i)
			w.raw(`,"value":`)
			w.value(values, int(e.offset)+i)
			w.raw("}")
		}
		w.raw("]")
		return
	}
	w.raw("{")
	for i := range int(e.length) {
		if i > 0 {
			w.raw(",")
		}
		if w.full() {
			w.cut = true
			w.name(leftOut(int(e.length) - i))
			w.raw("null")
			break
		}
		w.text(keys.bytes(int(e.offset) + i))
		w.raw(":")
		w.value(values, int(e.offset)+i)
	}
	w.raw("}")
}

func (w *writer) fields(r *reader, i int) {
	brackets := "{}"
	if r.tuple {
		brackets = "[]"
	}
	w.raw(brackets[:1])
	for j, child := range r.children {
		if j > 0 {
			w.raw(",")
		}
		if !r.tuple {
			w.name(r.names[j])
		}
		w.value(child, i)
	}
	w.raw(brackets[1:])
}
