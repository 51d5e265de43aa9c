package builtin

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// small is a model of two tokens of width 3, with parts that a test may spoil.
type small struct {
	magic      string
	version    uint32
	width      uint32
	tokens     uint32
	unknown    float32
	vocabulary string
	scales     []float32
	numbers    string
}

func newSmall() small {
	return small{magic: "TDEM", version: 1, width: 3, tokens: 2, unknown: .5,
		vocabulary: "a\n##b\n", scales: []float32{.5, 2}, numbers: "\x02\x00\xfe\x7f\x80\x01"}
}

func (s small) String() string {
	const name = "small"
	out := []byte(s.magic)
	for _, n := range []uint32{s.version, s.width, s.tokens, uint32(len(name)), uint32(len(s.vocabulary)), math.Float32bits(s.unknown)} {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	out = append(append(out, name...), s.vocabulary...)
	for _, scale := range s.scales {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(scale))
	}
	return string(append(out, s.numbers...))
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*small)
		says  string
	}{
		"another format":         {func(s *small) { s.magic = "GGUF" }, "TDEM"},
		"another version":        {func(s *small) { s.version = 2 }, "version 2"},
		"no width":               {func(s *small) { s.width = 0 }, "width 0"},
		"a huge width":           {func(s *small) { s.width = math.MaxUint32 }, "width 4294967295"},
		"no tokens":              {func(s *small) { s.tokens = 0 }, "0 tokens"},
		"more tokens than rows":  {func(s *small) { s.tokens = 3 }, "expected 32"},
		"a short last row":       {func(s *small) { s.numbers = s.numbers[1:] }, "24 bytes follow"},
		"bytes behind the end":   {func(s *small) { s.numbers += "\x00" }, "26 bytes follow"},
		"a token too many":       {func(s *small) { s.vocabulary += "c\n" }, "3 lines"},
		"an unended token":       {func(s *small) { s.vocabulary = "a\n##b" }, "1 lines"},
		"an unended third token": {func(s *small) { s.vocabulary = "a\n##b\nc" }, "2 lines"},
		"an infinite scale":      {func(s *small) { s.scales[1] = float32(math.Inf(1)) }, "token 1"},
		"a scale that is none":   {func(s *small) { s.scales[0] = float32(math.NaN()) }, "token 0"},
		"a negative scale":       {func(s *small) { s.scales[0] = -1 }, "token 0"},
		"nothing for unknowns":   {func(s *small) { s.unknown = 0 }, "unknown words"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSmall()
			c.spoil(&s)
			_, err := parse(s.String())
			if !errors.Is(err, errData) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("parse fails with %v; want errData and %q", err, c.says)
			}
		})
	}
	whole := newSmall().String()
	for size := range len(whole) {
		if _, err := parse(whole[:size]); !errors.Is(err, errData) {
			t.Errorf("parse of the first %d bytes fails with %v; want errData", size, err)
		}
	}
}

func TestVectorIsTheSumOfTokens(t *testing.T) {
	m, err := parse(newSmall().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want [3]float64 // not yet of length 1
	}{
		{"a", [3]float64{1, 0, -1}},
		{"A a", [3]float64{2, 0, -2}},
		{"áb", [3]float64{1 + 254, -256, -1 + 2}},
		{"\xffa\x00b\u200b", [3]float64{1 + 254, -256, -1 + 2}},
	} {
		got := newSummer(m).vector(c.text)
		length := math.Sqrt(c.want[0]*c.want[0] + c.want[1]*c.want[1] + c.want[2]*c.want[2])
		for i, x := range got {
			if math.Abs(float64(x)-c.want[i]/length) > 1e-6 {
				t.Errorf("the vector of %q is %v; want the direction of %v", c.text, got, c.want)
				break
			}
		}
	}
}

func TestTokensThatCancelEachOther(t *testing.T) {
	s := newSmall()
	s.vocabulary, s.scales, s.numbers = "a\nb\n", []float32{1, 1}, "\x01\x02\x03\xff\xfe\xfd"
	m, err := parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	v := newSummer(m).vector("a b")
	if v == nil || math.Abs(dot(v, v)-1) > 1e-6 {
		t.Errorf("the vector of tokens that cancel each other is %v; want one of length 1", v)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(newSmall().String(), "ab a")
	f.Add(newSmall().String()[:40], "")
	f.Fuzz(func(t *testing.T, data, text string) {
		m, err := parse(data)
		if err != nil {
			if !errors.Is(err, errData) {
				t.Errorf("parse fails with %v; want errData", err)
			}
			return
		}
		if v := newSummer(m).vector(text); v != nil && len(v) != m.width {
			t.Errorf("the vector has %d numbers; want %d", len(v), m.width)
		}
	})
}
