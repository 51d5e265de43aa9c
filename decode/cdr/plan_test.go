package cdr

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

type row = decodetest.Row

// Encapsulation identifiers.
const (
	cdrBE, cdrLE     = 0x0000, 0x0001
	plBE, plLE       = 0x0002, 0x0003
	cdr2BE, cdr2LE   = 0x0006, 0x0007
	dcdr2LE, pl2LE   = 0x0009, 0x000b
	oldCDR2, oldPL2  = 0x0011, 0x0013
	unknownIdentifer = 0x0042
)

func of(k Kind) *Type                    { return &Type{Kind: k} }
func seqOf(e *Type) *Type                { return &Type{Kind: Sequence, Elem: e} }
func arrayOf(n int, e *Type) *Type       { return &Type{Kind: Array, Len: n, Elem: e} }
func member(name string, t *Type) Member { return Member{Name: name, Type: t} }

// structOf returns a struct whose members have the ids 0, 1, 2 …
func structOf(e Extensibility, members ...Member) *Type {
	for i := range members {
		members[i].ID = uint32(i)
	}
	return &Type{Kind: Struct, Name: "S", Members: members, Extensibility: e}
}

func planOf(t testing.TB, root *Type, format Format) decode.Plan {
	t.Helper()
	p, err := Compile(root, format, decode.Options{})
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return p
}

func wantRow(t *testing.T, p decode.Plan, w *cdrtest.Writer, want row) {
	t.Helper()
	got, err := decodetest.Decode(p, w.Message())
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	if diff := cmp.Diff([]row{want}, got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

func wantError(t *testing.T, p decode.Plan, msg []byte, want error) {
	t.Helper()
	rows, err := decodetest.Decode(p, msg)
	if !errors.Is(err, want) || len(rows) != 0 {
		t.Errorf("Decode gave %d rows and the error %v, want %v", len(rows), err, want)
	}
}

func everyNumber() *Type {
	return structOf(Final,
		member("b", of(Bool)), member("i8", of(Int8)), member("i16", of(Int16)), member("u8", of(Uint8)),
		member("u16", of(Uint16)), member("o", of(Byte)), member("i32", of(Int32)), member("u32", of(Uint32)),
		member("i64", of(Int64)), member("u64", of(Uint64)), member("f32", of(Float32)), member("f64", of(Float64)))
}

func TestNumbersInEveryPlainEncapsulation(t *testing.T) {
	want := row{"b": true, "i8": int8(-2), "i16": int16(-3), "u8": uint8(200), "u16": uint16(60000), "o": uint8(7),
		"i32": int32(math.MinInt32), "u32": uint32(math.MaxUint32), "i64": int64(math.MinInt64),
		"u64": uint64(math.MaxUint64), "f32": float32(0.1), "f64": math.Inf(-1)}
	writers := map[string]*cdrtest.Writer{
		"CDR_BE": cdrtest.CDR(cdrBE), "CDR_LE": cdrtest.CDR(cdrLE), "CDR2_BE": cdrtest.CDR(cdr2BE),
		"CDR2_LE": cdrtest.CDR(cdr2LE), "CDR2_LE of XTypes 1.2": cdrtest.CDR(oldCDR2), "ROS 1": cdrtest.ROS1(),
	}
	for name, w := range writers {
		t.Run(name, func(t *testing.T) {
			w.Bytes(1, 0xfe).U16(0xfffd).Bytes(200).U16(60000).Bytes(7).U32(1<<31, math.MaxUint32)
			w.U64(1<<63, math.MaxUint64).U32(math.Float32bits(0.1)).F64(math.Inf(-1))
			format := CDR
			if name == "ROS 1" {
				format = ROS1
			}
			wantRow(t, planOf(t, everyNumber(), format), w, want)
		})
	}
}

func TestMessageThatEndsEarly(t *testing.T) {
	p := planOf(t, structOf(Final, member("n", of(Uint32)), member("s", of(String)), member("d", of(Float64))), CDR)
	whole := cdrtest.CDR(cdrLE).U32(1).Text("abc").F64(2).Message()
	for n := range whole {
		wantError(t, p, whole[:n], decode.ErrTruncated)
	}
	_, err := decodetest.Decode(p, whole[:len(whole)-1])
	const want = "d: message ends early: 8 bytes are needed at byte 20 and 7 are there"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestTrailingBytesAreLetBe(t *testing.T) {
	p := planOf(t, structOf(Final, member("n", of(Uint32))), CDR)
	wantRow(t, p, cdrtest.CDR(cdrLE).U32(1).Bytes(1, 2, 3, 4, 5, 6, 7, 8), row{"n": uint32(1)})
}

func TestUnknownEncapsulation(t *testing.T) {
	p := planOf(t, structOf(Final, member("n", of(Uint32))), CDR)
	_, err := decodetest.Decode(p, cdrtest.CDR(unknownIdentifer).U32(1).Message())
	if err == nil || err.Error() != "unknown CDR encapsulation 0x0042" {
		t.Errorf("error %v", err)
	}
}

func TestLengthsThatNoBytesBack(t *testing.T) {
	point := structOf(Final, member("x", of(Float64)), member("y", of(Float64)))
	tests := map[string]*Type{
		"numbers":   seqOf(of(Float64)),
		"octets":    seqOf(of(Uint8)),
		"string":    of(String),
		"wstring":   of(WString),
		"strings":   seqOf(of(String)),
		"structs":   seqOf(point),
		"sequences": seqOf(seqOf(point)),
	}
	for name, typ := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, structOf(Final, member("v", typ)), CDR)
			msg := cdrtest.CDR(cdrLE).U32(0xffffff00).U64(0, 0, 0).Message()
			wantError(t, p, msg, decode.ErrTruncated)
			if n := testing.AllocsPerRun(10, func() { p.Decode(msg, decode.NewBatch(p.Columns(), nil)) }); n > 50 {
				t.Errorf("%v allocations", n)
			}
		})
	}
	t.Run("array", func(t *testing.T) {
		p := planOf(t, structOf(Final, member("v", arrayOf(math.MaxInt, point))), CDR)
		wantError(t, p, cdrtest.CDR(cdrLE).F64(1, 2).Message(), decode.ErrTruncated)
	})
}

// Elements that take no bytes at all have nothing that bounds their number.
func TestElementsWithoutBytesAreBounded(t *testing.T) {
	empty := structOf(Final)
	wide := structOf(Final)
	for range 1000 {
		wide.Members = append(wide.Members, member("m", arrayOf(0, of(Int32))))
	}
	for name, elem := range map[string]*Type{"no members": empty, "a thousand empty members": wide} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, structOf(Final, member("v", seqOf(elem))), ROS1)
			wantRow(t, planOf(t, structOf(Final, member("v", seqOf(empty))), ROS1), cdrtest.ROS1().U32(2), row{"v": []any{row{}, row{}}})
			wantError(t, p, cdrtest.ROS1().U32(1<<31).Message(), errTooManyValues)
		})
	}
}

// Four bytes of a union's discriminator give a null to every member.
func TestUnionsOfManyMembersAreBounded(t *testing.T) {
	u := &Type{Kind: Union, Name: "U", Discriminator: of(Int32)}
	for i := range 5000 {
		u.Members = append(u.Members, Member{Name: "m", Type: of(Int32), Cases: []int64{int64(i) + 1}})
	}
	p := planOf(t, structOf(Final, member("v", seqOf(u))), CDR)
	msg := cdrtest.CDR(cdrLE).U32(100000).Bytes(make([]byte, 400000)...).Message()
	wantError(t, p, msg, errTooManyValues)
}

func TestPlanIsReusedAcrossBatchesAndForks(t *testing.T) {
	p := planOf(t, structOf(Final, member("v", seqOf(of(String)))), CDR)
	msg := cdrtest.CDR(cdrLE).U32(2).Text("a").Text("b").Message()
	want := []row{{"v": []any{"a", "b"}}}
	for _, plan := range []decode.Plan{p, p.Fork(), p} {
		got, err := decodetest.Decode(plan, msg)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("error %v, rows differ (-want +got):\n%s", err, diff)
		}
	}
}

func imu() *Type {
	vector := structOf(Final, member("x", of(Float64)), member("y", of(Float64)), member("z", of(Float64)))
	quaternion := structOf(Final, append(vector.Members[:3:3], member("w", of(Float64)))...)
	header := structOf(Final, member("stamp", of(Time)), member("frame_id", of(String)))
	cov := arrayOf(9, of(Float64))
	return structOf(Final, member("header", header),
		member("orientation", quaternion), member("orientation_covariance", cov),
		member("angular_velocity", vector), member("angular_velocity_covariance", cov),
		member("linear_acceleration", vector), member("linear_acceleration_covariance", cov))
}

func BenchmarkImu(b *testing.B) {
	p := planOf(b, imu(), CDR)
	w := cdrtest.CDR(cdrLE).U32(1700000000, 5).Text("imu_link")
	for i := range 37 {
		w.F64(float64(i))
	}
	decodetest.Benchmark(b, p, w.Message())
}
