package decode

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var everyKind = StructOf(
	Field{Name: "b", Type: Scalar(Bool)}, Field{Name: "i8", Type: Scalar(Int8)}, Field{Name: "u16", Type: Scalar(Uint16)},
	Field{Name: "i32", Type: Scalar(Int32)}, Field{Name: "u64", Type: Scalar(Uint64)}, Field{Name: "h", Type: Scalar(HugeInt)},
	Field{Name: "s", Type: Scalar(String)}, Field{Name: "blob", Type: Scalar(Bytes)},
	Field{Name: "list", Type: ListOf(Scalar(Float32))}, Field{Name: "map", Type: MapOf(Scalar(String), ListOf(Scalar(Int16)))},
	Field{Name: "none", Type: StructOf()},
)

// appendRandom appends one random value, nested as deep as the type goes.
func appendRandom(r *rand.Rand, v *Vector) {
	if r.IntN(4) == 0 {
		v.AppendNull()
		return
	}
	switch t := v.Type(); {
	case t.Kind == List || t.Kind == Map:
		for range r.IntN(4) {
			appendRandom(r, v.Elem())
		}
		v.CloseList()
	case t.Kind == Struct:
		for i := range t.Fields {
			appendRandom(r, v.Field(i))
		}
		v.CloseStruct()
	case t.Kind == HugeInt:
		v.Append128(r.Uint64(), r.Uint64())
	case t.Kind.Width() > 0:
		v.AppendInt(r.Int64())
	default:
		v.AppendBytes(make([]byte, r.IntN(20)))
	}
}

// check finds out whether all parts of a vector agree on how many values there are.
func check(t *testing.T, v *Vector) {
	t.Helper()
	k := v.Type().Kind
	switch {
	case k == List || k == Map:
		if len(v.Ends()) != v.Len() || lastEnd(v.Ends()) != v.Elem().Len() {
			t.Fatalf("list of %d: %d ends, the last %d, of %d elements", v.Len(), len(v.Ends()), lastEnd(v.Ends()), v.Elem().Len())
		}
		check(t, v.Elem())
	case k == Struct:
		for i := range v.Type().Fields {
			if v.Field(i).Len() != v.Len() {
				t.Fatalf("struct of %d: field %d has %d", v.Len(), i, v.Field(i).Len())
			}
			check(t, v.Field(i))
		}
	case k.Width() > 0:
		if len(v.Fixed()) != v.Len()*k.Width() {
			t.Fatalf("%d values in %d bytes", v.Len(), len(v.Fixed()))
		}
	default:
		if len(v.Ends()) != v.Len() || lastEnd(v.Ends()) != len(v.Bytes()) {
			t.Fatalf("text of %d: %d ends, the last %d, of %d bytes", v.Len(), len(v.Ends()), lastEnd(v.Ends()), len(v.Bytes()))
		}
	}
	if v.Validity() != nil && len(v.Validity()) != (v.Len()+63)/64 {
		t.Fatalf("%d values, %d words of validity", v.Len(), len(v.Validity()))
	}
}

func TestTruncateGoesBackToWhatWas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		long, short := newVector(ListOf(everyKind)), newVector(ListOf(everyKind))
		keep := r.IntN(130)
		seed := r.Uint64()
		a, b := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 0))
		for range keep {
			appendRandom(a, long)
			appendRandom(b, short)
		}
		for range r.IntN(130) {
			appendRandom(a, long)
		}
		long.Truncate(keep)
		check(t, long)
		if diff := cmp.Diff(values(short), values(long)); diff != "" {
			t.Fatalf("after truncating to %d (-want +got):\n%s", keep, diff)
		}
		appendRandom(a, long)
		check(t, long)
	}
}

// values is what a vector holds, without spare validity: all valid and no
// validity at all are the same.
func values(v *Vector) any {
	nulls := make([]bool, v.Len())
	for i := range nulls {
		nulls[i] = v.IsNull(i)
	}
	out := []any{nulls, string(v.Fixed()), string(v.Bytes()), append([]int{}, v.Ends()...)}
	if v.Elem() != nil {
		out = append(out, values(v.Elem()))
	}
	for i := range v.fields {
		out = append(out, values(v.Field(i)))
	}
	return out
}

func TestDropRowForgetsUnfinishedValues(t *testing.T) {
	b := NewBatch([]Column{{Name: "x", Type: Scalar(Int32)}, {Name: "list", Type: ListOf(everyKind)}, {Name: "last", Type: Scalar(String)}}, nil)
	r := rand.New(rand.NewPCG(3, 4))
	row := func() {
		for i := range b.Columns() {
			appendRandom(r, b.Column(i))
		}
		b.CloseRow()
	}
	row()
	want := values(b.Column(1))
	b.Column(0).AppendInt(1)
	for range 5 { // a list that is not closed, of a struct that is not either
		appendRandom(r, b.Column(1).Elem())
	}
	b.Column(1).Elem().Field(0).AppendBool(true)
	b.DropRow()
	if diff := cmp.Diff(want, values(b.Column(1))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	row()
	for i := range b.Columns() {
		check(t, b.Column(i))
		if b.Column(i).Len() != b.Rows() {
			t.Errorf("column %d has %d values, %d rows", i, b.Column(i).Len(), b.Rows())
		}
	}
	b.Reset()
	if b.Rows() != 0 || b.Size() != 0 {
		t.Errorf("after Reset: %d rows, %d bytes", b.Rows(), b.Size())
	}
}

func TestTextThatIsNotUTF8IsKept(t *testing.T) {
	v := newVector(Scalar(String))
	v.AppendBytes([]byte("a\xff\xfeb"))
	v.AppendString("caf\xe9")
	blob := newVector(Scalar(Bytes))
	blob.AppendBytes([]byte("a\xff"))
	if got, want := string(v.Bytes()), "a\uFFFD\uFFFDbcaf\uFFFD"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got := string(blob.Bytes()); got != "a\xff" {
		t.Errorf("blob %q was changed", got)
	}
}

func TestZeroIsNotNull(t *testing.T) {
	v := newVector(everyKind)
	v.AppendZero()
	v.AppendNull()
	check(t, v)
	for i := range v.fields {
		if v.Field(i).IsNull(0) || !v.Field(i).IsNull(1) {
			t.Errorf("field %d: null %v, %v", i, v.Field(i).IsNull(0), v.Field(i).IsNull(1))
		}
	}
}

func TestAppendFixedAfterNull(t *testing.T) {
	v := newVector(Scalar(Uint16))
	v.AppendNull()
	v.AppendFixed([]byte{1, 0, 2, 0})
	check(t, v)
	if v.Len() != 3 || !v.IsNull(0) || v.IsNull(1) || v.IsNull(2) {
		t.Errorf("len %d, nulls %v %v %v", v.Len(), v.IsNull(0), v.IsNull(1), v.IsNull(2))
	}
}

func TestSizesStandForBlobs(t *testing.T) {
	b := NewBatch([]Column{{Name: "image", Type: Scalar(Bytes)}}, []bool{true})
	v := b.Column(0)
	v.AppendBytes(make([]byte, 300))
	v.AppendNull()
	v.AppendZero()
	v.Truncate(2)
	if got := v.Type().Kind; got != Uint32 {
		t.Errorf("type %v", got)
	}
	if diff := cmp.Diff([]byte{44, 1, 0, 0, 0, 0, 0, 0}, v.Fixed()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
