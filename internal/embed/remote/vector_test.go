package remote

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tapedeck/internal/embed"
)

func TestVector(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		text string
		want Vector
		fail string
	}{
		{`[1, -2.5e-1,0 ]`, Vector{1, -.25, 0}, ""},
		{`"AACAPwAAAMA="`, Vector{1, -2}, ""},
		{`[]`, Vector{}, ""},
		{`[ ]`, Vector{}, ""},
		{`""`, Vector{}, ""},
		{`null`, nil, ""},
		{`[1,null]`, Vector{1, nan}, ""},
		{`[1e999,1e-999]`, Vector{inf, 0}, ""},
		{`[1,"2"]`, nil, `there is "2" among them`},
		{`[[1],2]`, nil, "there is [1] among them"},
		{`[{"a":1}]`, nil, `there is {"a":1} among them`},
		{`[true]`, nil, "there is true among them"},
		{`{"0":1}`, nil, "array of numbers"},
		{`7`, nil, "array of numbers"},
		{`"%%%"`, nil, "illegal base64"},
		{`"AAA="`, nil, "2 bytes"},
	}
	for _, tt := range tests {
		var got Vector
		err := json.Unmarshal([]byte(tt.text), &got)
		if tt.fail != "" {
			if !errors.Is(err, errVector) || !strings.Contains(err.Error(), tt.fail) {
				t.Errorf("%s: %v; want %q", tt.text, err, tt.fail)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.text, err, diff)
		}
	}
}

func TestNormalise(t *testing.T) {
	for _, tt := range []struct{ v, want Vector }{
		{Vector{3, -4}, Vector{.6, -.8}},
		{Vector{1e-30, 0}, Vector{1, 0}},
		{Vector{3e38, 0}, Vector{1, 0}},
	} {
		if err := tt.v.normalise(0); err != nil || !cmp.Equal(tt.want, tt.v, cmpopts.EquateApprox(0, 1e-6)) {
			t.Errorf("normalise = %v, %v; want %v", tt.v, err, tt.want)
		}
	}
	for _, v := range []Vector{{0, 0}, {1, float32(math.NaN())}, {float32(math.Inf(-1))}} {
		var none *embed.TextError
		if err := v.normalise(3); !errors.As(err, &none) || none.Text != 3 {
			t.Errorf("normalise(%v) = %v; want a *TextError for text 3", v, err)
		}
	}
}

// The first answer says the width, also when two come at once.
func TestWidthIsLearnt(t *testing.T) {
	e, err := New(protocol, Options{Target: "h", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if e.Model().Width != 0 {
		t.Errorf("the width is %d before an answer", e.Model().Width)
	}
	var group sync.WaitGroup
	failures := make([]error, 16)
	for i := range failures {
		group.Go(func() { _, failures[i] = e.check([]Vector{make1(2 + i%2)}, 1) })
	}
	group.Wait()
	for i, err := range failures {
		agrees := e.Model().Width == 2+i%2
		if agrees != (err == nil) || !agrees && !errors.Is(err, embed.ErrWidth) {
			t.Errorf("a vector of %d numbers where the width is %d: %v", 2+i%2, e.Model().Width, err)
		}
	}
}

// An answer that is refused says nothing of the width.
func TestWidthOfARefusedAnswer(t *testing.T) {
	e, err := New(protocol, Options{Target: "h", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.check([]Vector{make1(3), make1(2)}, 2); !errors.Is(err, embed.ErrWidth) {
		t.Errorf("vectors of two widths: %v; want ErrWidth", err)
	}
	if got := e.Model().Width; got != 0 {
		t.Errorf("the width is %d after it; want 0", got)
	}
}

// make1 is a vector of length 1.
func make1(width int) Vector {
	v := make(Vector, width)
	v[0] = 1
	return v
}

func FuzzVector(f *testing.F) {
	for _, seed := range []string{`[1,-2e3]`, `"AACAPw=="`, `[null,[`, `null`, `[1e999]`, `[,]`, `"\u0041AAA"`, `[]]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var direct Vector
		err := direct.UnmarshalJSON(text)
		if err == nil && len(direct) > len(text) {
			t.Errorf("%d bytes make %d numbers", len(text), len(direct))
		}
		var numbers []float64
		if json.Unmarshal(text, &numbers) != nil {
			return
		}
		if err != nil || len(direct) != len(numbers) {
			t.Errorf("%q makes %d numbers, %v; want %d", text, len(direct), err, len(numbers))
		}
	})
}

func BenchmarkVector(b *testing.B) {
	numbers := make([]float64, 1536)
	for i := range numbers {
		numbers[i] = math.Sin(float64(i))
	}
	text, err := json.Marshal(numbers)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var v Vector
		if err := json.Unmarshal(text, &v); err != nil {
			b.Fatal(err)
		}
	}
}
