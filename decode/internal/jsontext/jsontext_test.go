package jsontext

import (
	"encoding/json"
	"math"
	"testing"
)

func TestQuotedTextReadsBack(t *testing.T) {
	for _, s := range []string{"", `a "b" \c`, "\x00\x1f\n\r\t", "é日😀", "'"} {
		var got string
		if err := json.Unmarshal(AppendQuoted(nil, s), &got); err != nil || got != s {
			t.Errorf("%q became %s: %q, error %v", s, AppendQuoted(nil, []byte(s)), got, err)
		}
	}
}

func TestFloats(t *testing.T) {
	for _, test := range []struct {
		x    float64
		bits int
		want string
	}{
		{0.1, 64, "0.1"}, {float64(float32(0.1)), 32, "0.1"}, {1e300, 64, "1e+300"}, {-0.5, 64, "-0.5"},
		{math.NaN(), 64, `"NaN"`}, {math.Inf(1), 32, `"Infinity"`}, {math.Inf(-1), 64, `"-Infinity"`},
	} {
		got := string(AppendFloat([]byte("x"), test.x, test.bits))
		if got != "x"+test.want {
			t.Errorf("%v: %s, want x%s", test.x, got, test.want)
		}
		if !json.Valid([]byte(got[1:])) {
			t.Errorf("%s is no JSON", got[1:])
		}
	}
}
