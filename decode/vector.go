package decode

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// Vector is a growing column of values of one type. Values of fixed width lie
// one after the other in little-endian order; text and blobs lie in one buffer
// with the end of each; a list or map has the end of each value in its element
// vector; a struct has a vector a field. A null takes a place like any value.
//
// The zero Vector is not usable: vectors come from [NewBatch].
type Vector struct {
	typ    Type
	n      int
	width  int
	fixed  []byte
	bytes  []byte
	ends   []int
	valid  []uint64 // nil while no value is null
	elem   *Vector
	fields []*Vector
	sizes  bool // blobs are held as their lengths, in fixed
}

func newVector(t Type) *Vector {
	v := &Vector{typ: t, width: t.Kind.Width()}
	switch t.Kind {
	case List, Map:
		v.elem = newVector(*t.Elem)
	case Struct:
		v.fields = make([]*Vector, len(t.Fields))
		for i, f := range t.Fields {
			v.fields[i] = newVector(f.Type)
		}
	}
	return v
}

// Type returns the type of the values, as held: a blob column that holds sizes says Uint32.
func (v *Vector) Type() Type {
	if v.sizes {
		return Scalar(Uint32)
	}
	return v.typ
}

// Len returns how many values the vector has, nulls included.
func (v *Vector) Len() int { return v.n }

// Elem returns the vector of a list's or map's elements.
func (v *Vector) Elem() *Vector { return v.elem }

// Field returns the vector of a struct's i-th field.
func (v *Vector) Field(i int) *Vector { return v.fields[i] }

// Fixed returns the values of a fixed-width vector, little-endian, Width bytes each.
func (v *Vector) Fixed() []byte { return v.fixed }

// Bytes returns the buffer that holds all values of a text or blob vector.
func (v *Vector) Bytes() []byte { return v.bytes }

// Ends returns where each value ends: in Bytes for text and blobs, in Elem for lists and maps.
func (v *Vector) Ends() []int { return v.ends }

// Validity returns a bit a value, set when the value is not null, or nil when none is null.
func (v *Vector) Validity() []uint64 { return v.valid }

// IsNull reports whether value i is null.
func (v *Vector) IsNull(i int) bool {
	return v.valid != nil && v.valid[i/64]&(1<<(i%64)) == 0
}

// Append8 appends the bits of an 8-bit value.
func (v *Vector) Append8(x uint8) { v.fixed = append(v.fixed, x); v.appended() }

// Append16 appends the bits of a 16-bit value.
func (v *Vector) Append16(x uint16) {
	v.fixed = binary.LittleEndian.AppendUint16(v.fixed, x)
	v.appended()
}

// Append32 appends the bits of a 32-bit value.
func (v *Vector) Append32(x uint32) {
	v.fixed = binary.LittleEndian.AppendUint32(v.fixed, x)
	v.appended()
}

// Append64 appends the bits of a 64-bit value.
func (v *Vector) Append64(x uint64) {
	v.fixed = binary.LittleEndian.AppendUint64(v.fixed, x)
	v.appended()
}

// Append128 appends a HugeInt by its halves.
func (v *Vector) Append128(lo, hi uint64) {
	v.fixed = binary.LittleEndian.AppendUint64(v.fixed, lo)
	v.Append64(hi)
}

// AppendBool appends a Bool.
func (v *Vector) AppendBool(x bool) {
	var b uint8
	if x {
		b = 1
	}
	v.Append8(b)
}

// AppendFloat64 appends a Float64.
func (v *Vector) AppendFloat64(x float64) { v.Append64(math.Float64bits(x)) }

// AppendInt appends x to a vector of any integer kind, cut to its width.
func (v *Vector) AppendInt(x int64) {
	switch v.width {
	case 1:
		v.Append8(uint8(x))
	case 2:
		v.Append16(uint16(x))
	case 4:
		v.Append32(uint32(x))
	case 8:
		v.Append64(uint64(x))
	case 16:
		v.Append128(uint64(x), uint64(x>>63))
	}
}

// AppendFixed appends as many values as raw holds, little-endian, Width bytes each.
func (v *Vector) AppendFixed(raw []byte) {
	v.fixed = append(v.fixed, raw...)
	n := len(raw) / v.width
	if v.valid != nil {
		for i := v.n; i < v.n+n; i++ {
			v.setValid(i)
		}
	}
	v.n += n
}

// AppendBytes appends a text or blob value and copies b; text as [AppendText] does.
func (v *Vector) AppendBytes(b []byte) {
	if v.sizes {
		v.Append32(uint32(len(b)))
		return
	}
	if v.typ.Kind == Bytes {
		v.bytes = append(v.bytes, b...)
	} else {
		v.bytes = AppendText(v.bytes, b)
	}
	v.ends = append(v.ends, len(v.bytes))
	v.appended()
}

// AppendString is AppendBytes for a string.
func (v *Vector) AppendString(s string) {
	if v.sizes || !utf8.ValidString(s) {
		v.AppendBytes([]byte(s))
		return
	}
	v.bytes = append(v.bytes, s...)
	v.ends = append(v.ends, len(v.bytes))
	v.appended()
}

// AppendText appends b to dst as columns hold text: with U+FFFD for each byte
// that is not UTF-8.
func AppendText(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		dst = utf8.AppendRune(dst, r)
		b = b[n:]
	}
	return dst
}

// CloseList ends a list or map whose elements were appended to Elem since the last one.
func (v *Vector) CloseList() {
	v.ends = append(v.ends, v.elem.n)
	v.appended()
}

// CloseStruct ends a struct after one value was appended to each field.
func (v *Vector) CloseStruct() { v.appended() }

// AppendNull appends a null.
func (v *Vector) AppendNull() {
	v.appendFiller((*Vector).AppendNull)
	v.setNull(v.n - 1)
}

// AppendZero appends the type's zero: 0, false, "", an empty list, a struct of zeros.
func (v *Vector) AppendZero() { v.appendFiller((*Vector).AppendZero) }

var zeros [16]byte

// appendFiller appends a value of zero bits; inner says what the fields of a struct get.
func (v *Vector) appendFiller(inner func(*Vector)) {
	switch k := v.typ.Kind; {
	case v.sizes:
		v.Append32(0)
	case k == List || k == Map:
		v.CloseList()
	case k == Struct:
		for _, f := range v.fields {
			inner(f)
		}
		v.CloseStruct()
	case v.width > 0:
		v.fixed = append(v.fixed, zeros[:v.width]...)
		v.appended()
	default:
		v.ends = append(v.ends, len(v.bytes))
		v.appended()
	}
}

// Truncate drops all values from the n-th on.
func (v *Vector) Truncate(n int) {
	if n >= v.n {
		return
	}
	switch k := v.typ.Kind; {
	case v.sizes:
		v.fixed = v.fixed[:n*v.width]
	case k == List || k == Map:
		v.ends = v.ends[:n]
		v.elem.Truncate(lastEnd(v.ends))
	case k == Struct:
		for _, f := range v.fields {
			f.Truncate(n)
		}
	case v.width > 0:
		v.fixed = v.fixed[:n*v.width]
	default:
		v.ends = v.ends[:n]
		v.bytes = v.bytes[:lastEnd(v.ends)]
	}
	v.n = n
	if v.valid != nil {
		v.valid = v.valid[:(n+63)/64]
	}
}

// settle drops what an unfinished value left behind: elements of a list that
// was not closed, fields of a struct that was not.
func (v *Vector) settle() {
	switch v.typ.Kind {
	case List, Map:
		v.elem.Truncate(lastEnd(v.ends))
		v.elem.settle()
	case Struct:
		for _, f := range v.fields {
			f.Truncate(v.n)
			f.settle()
		}
	}
}

func lastEnd(ends []int) int {
	if len(ends) == 0 {
		return 0
	}
	return ends[len(ends)-1]
}

func (v *Vector) appended() {
	if v.valid != nil {
		v.setValid(v.n)
	}
	v.n++
}

func (v *Vector) setValid(i int) {
	for len(v.valid) <= i/64 {
		v.valid = append(v.valid, 0)
	}
	v.valid[i/64] |= 1 << (i % 64)
}

func (v *Vector) setNull(i int) {
	if v.valid == nil {
		v.valid = make([]uint64, 0, 32)
		for j := 0; j < i; j++ {
			v.setValid(j)
		}
	}
	for len(v.valid) <= i/64 {
		v.valid = append(v.valid, 0)
	}
	v.valid[i/64] &^= 1 << (i % 64)
}
