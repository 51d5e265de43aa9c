package cdr

import (
	"math"
	"strings"
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

func TestText(t *testing.T) {
	tests := map[string]struct {
		kind Kind
		w    *cdrtest.Writer
		want string
	}{
		"string":                  {String, cdrtest.CDR(cdrLE).Text("hé"), "hé"},
		"string of length 0":      {String, cdrtest.CDR(cdrLE).U32(0), ""},
		"string without NUL":      {String, cdrtest.CDR(cdrLE).U32(2).Bytes('h', 'i'), "hi"},
		"string that is no UTF-8": {String, cdrtest.CDR(cdrLE).U32(3).Bytes('h', 0xff, 0), "h\ufffd"},
		"wstring":                 {WString, cdrtest.CDR(cdrLE).U32(4).U16('H', 'i', 0xd83d, 0xde00), "Hi😀"},
		"wstring, big-endian":     {WString, cdrtest.CDR(cdrBE).U32(3).U16('H', 0xd83d, 0xde00), "H😀"},
		"wstring with NUL":        {WString, cdrtest.CDR(cdrLE).U32(2).U16('H', 0), "H"},
		"wstring, half a pair":    {WString, cdrtest.CDR(cdrLE).U32(2).U16(0xd83d, 'i'), "\ufffdi"},
		"wstring, pair cut off":   {WString, cdrtest.CDR(cdrLE).U32(1).U16(0xd83d), "\ufffd"},
		"char":                    {Char, cdrtest.CDR(cdrLE).Bytes('c'), "c"},
		"char 0":                  {Char, cdrtest.CDR(cdrLE).Bytes(0), ""},
		"wchar":                   {WChar, cdrtest.CDR(cdrLE).U16('é'), "é"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, structOf(Final, member("v", of(test.kind)), member("after", of(Int32))), CDR)
			wantRow(t, p, test.w.U32(9), row{"v": test.want, "after": int32(9)})
		})
	}
}

// Vendors write wide characters in three ways.
func TestWideCharactersOfOtherVendors(t *testing.T) {
	p := planOf(t, structOf(Final, member("c", of(WChar)), member("w", seqOf(of(WString))), member("after", of(Int32))), CDR)
	want := row{"c": "é", "w": []any{"Hi😀", "", "x"}, "after": int32(9)}
	tests := map[string]*cdrtest.Writer{
		"units":      cdrtest.CDR(cdrLE).U16('é').U32(3).U32(4).U16('H', 'i', 0xd83d, 0xde00).U32(0, 1).U16('x').U32(9),
		"double":     cdrtest.CDR(cdrLE).U32('é').U32(3).U32(3).U32('H', 'i', '😀').U32(0, 1).U32('x').U32(9),
		"surrogates": cdrtest.CDR(cdrBE).U32('é').U32(3).U32(4).U32('H', 'i', 0xd83d, 0xde00).U32(0, 1).U32('x').U32(9),
		"octets":     cdrtest.CDR(cdrLE).U16('é').U32(3).U32(8).U16('H', 'i', 0xd83d, 0xde00).U32(0, 2).U16('x').U32(9),
	}
	for name, w := range tests {
		t.Run(name, func(t *testing.T) { wantRow(t, p, w, want) })
	}
	t.Run("none of them", func(t *testing.T) {
		wantError(t, p, cdrtest.CDR(cdrLE).U16('é').U32(3).U32(7).U16('H').Message(), decode.ErrTruncated)
	})
}

// Labels are text that the definition holds once and each value asks for again.
func TestLongLabelsAreBounded(t *testing.T) {
	long := &Type{Kind: Enum, Bits: 8, Labels: []Label{{strings.Repeat("L", 1<<20), 1}}}
	p := planOf(t, structOf(Final, member("e", seqOf(long))), CDR)
	wantError(t, p, cdrtest.CDR(cdrLE).U32(4).Bytes(1, 1, 1, 1).Message(), errTooManyValues)
}

func TestROS1StringKeepsItsNUL(t *testing.T) {
	p := planOf(t, structOf(Final, member("v", of(String))), ROS1)
	wantRow(t, p, cdrtest.ROS1().Text("a\x00"), row{"v": "a\x00"})
}

func TestTimeAndDuration(t *testing.T) {
	const s = 1_000_000_000
	tests := map[string]struct {
		format    Format
		sec, nsec uint32
		t, d      int64
	}{
		"half a second before zero":    {CDR, 0xffffffff, 500_000_000, -s / 2, -s / 2},
		"nanoseconds carry":            {CDR, 1, 2_500_000_000, 3*s + s/2, 3*s + s/2},
		"latest":                       {CDR, math.MaxInt32, math.MaxUint32, math.MaxInt32*s + math.MaxUint32, math.MaxInt32*s + math.MaxUint32},
		"ROS 1 times have no sign":     {ROS1, 0xffffffff, 1, math.MaxUint32*s + 1, -s + 1},
		"ROS 1 durations may have two": {ROS1, 0, 0xffffffff, math.MaxUint32, -1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, structOf(Final, member("t", of(Time)), member("d", of(Duration))), test.format)
			w := cdrtest.CDR(cdrLE)
			if test.format == ROS1 {
				w = cdrtest.ROS1()
			}
			wantRow(t, p, w.U32(test.sec, test.nsec, test.sec, test.nsec), row{"t": test.t, "d": test.d})
		})
	}
}

func TestEnums(t *testing.T) {
	labels := []Label{{"OFF", 0}, {"LOW", -1}, {"ALSO_OFF", 0}}
	p := planOf(t, structOf(Final,
		member("a", &Type{Kind: Enum, Labels: labels}), member("b", &Type{Kind: Enum, Bits: 8, Labels: labels}),
		member("c", &Type{Kind: Enum, Bits: 16, Labels: labels})), CDR)
	wantRow(t, p, cdrtest.CDR(cdrLE).U32(0xffffffff).Bytes(0).U16(300), row{"a": "LOW", "b": "OFF", "c": "300"})
}

func TestLongDouble(t *testing.T) {
	tests := map[string]struct {
		hi, lo uint64
		want   float64
	}{
		"zero":         {0, 0, 0},
		"1.5":          {0x3fff_8000_0000_0000, 0, 1.5},
		"-2":           {0xc000_0000_0000_0000, 0, -2},
		"low bits":     {0x3fff_0000_0000_0000, 1 << 60, 1 + math.Ldexp(1, -52)},
		"infinity":     {0x7fff_0000_0000_0000, 0, math.Inf(1)},
		"too large":    {0x7ffe_0000_0000_0000, 0, math.Inf(1)},
		"too small":    {0x0001_0000_0000_0000, 0, 0},
		"x86 1.5":      {0x3fff, 0xc000_0000_0000_0000, 1.5},
		"x86 -0.1":     {0xbffb, 0xcccc_cccc_cccc_cccd, -0.1},
		"x86 infinity": {0x7fff, 0x8000_0000_0000_0000, math.Inf(1)},
	}
	p := planOf(t, structOf(Final, member("v", of(LongDouble))), CDR)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantRow(t, p, cdrtest.CDR(cdrLE).U64(test.lo, test.hi), row{"v": test.want})
			wantRow(t, p, cdrtest.CDR(cdrBE).U64(test.hi, test.lo), row{"v": test.want})
		})
	}
	got, err := decodetest.Decode(p, cdrtest.CDR(cdrLE).U64(1, 0x7fff_0000_0000_0000).Message())
	if err != nil || !math.IsNaN(got[0]["v"].(float64)) {
		t.Errorf("got %v, %v, want NaN", got, err)
	}
}
