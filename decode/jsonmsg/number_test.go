package jsonmsg

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Integers and fractions of one field share a DOUBLE only while it holds each exactly.
func TestNumbers(t *testing.T) {
	text := func(s string) string { return "\"`" + s + "`\"" }
	for _, tt := range []loadCase{
		{
			name:     "the range of BIGINT",
			messages: []string{`9223372036854775807`, `-9223372036854775808`, `0`, `-0`},
			columns:  []string{"value BIGINT"},
			rows:     []string{"9223372036854775807", "-9223372036854775808", "0", "0"},
		},
		{
			name:     "HUGEINT beyond it",
			messages: []string{`18446744073709551615`, `9223372036854775808`, `-9223372036854775809`, `-1`, `170141183460469231731687303715884105727`, `-170141183460469231731687303715884105728`},
			columns:  []string{"value HUGEINT"},
			rows:     []string{"18446744073709551615", "9223372036854775808", "-9223372036854775809", "-1", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"},
		},
		{
			name:     "JSON text beyond that",
			messages: []string{`170141183460469231731687303715884105728`, `1`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{text("170141183460469231731687303715884105728"), text("1")},
		},
		{
			name:     "and below",
			messages: []string{`-170141183460469231731687303715884105729`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{text("-170141183460469231731687303715884105729")},
		},
		{
			name:     "DOUBLE for fractions, with integers that it holds",
			messages: []string{`1.0`, `1e3`, `-0.0`, `9007199254740992`, `9007199254740994`, `18446744073709551616`, `0.1`, `1E-7`, `2.5e+2`},
			columns:  []string{"value DOUBLE"},
			rows:     []string{"1.0", "1000.0", "-0.0", "9007199254740992.0", "9007199254740994.0", "18446744073709552000.0", "0.1", "1e-7", "250.0"},
		},
		{
			name:     "JSON text where a DOUBLE would round an integer",
			messages: []string{`1.50`, `9007199254740993`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{text("1.50"), text("9007199254740993")},
		},
		{
			name:     "or a HUGEINT",
			messages: []string{`18446744073709551617`, `0.5`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{text("18446744073709551617"), text("0.5")},
		},
		{
			name:     "JSON text where a DOUBLE is infinite",
			messages: []string{`1e309`, `1`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{text("1e309"), text("1")},
		},
		{
			name:     "or zero for what is not",
			messages: []string{`-1e-400`, `0e-400`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{text("-1e-400"), text("0e-400")},
		},
		{
			name:     "zeros with whatever exponent",
			messages: []string{`0e-400`, `0.0e99999999999999999999`, `-0e1`},
			columns:  []string{"value DOUBLE"},
			rows:     []string{"0.0", "0.0", "-0.0"},
		},
		{
			name:     "the order of messages does not matter",
			messages: []string{`9007199254740993`, `1.50`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{text("9007199254740993"), text("1.50")},
		},
	} {
		tt.run(t)
	}
}

// Every literal reads as strconv and math/big read it.
func TestNumbersAgreeWithTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		literal := randomNumber(rng)
		n, end, err := scanNumber([]byte(literal), 0)
		if valid := json.Valid([]byte(literal)); (err == nil && end == len(literal)) != valid {
			t.Fatalf("%s: end %d, error %v, but json.Valid says %t", literal, end, err, valid)
		} else if !valid {
			continue
		}
		if x, ok := n.float64([]byte(literal)); ok {
			if want, err := strconv.ParseFloat(literal, 64); err != nil || x != want {
				t.Fatalf("%s read as %v, want %v (%v)", literal, x, want, err)
			}
		}
		exact, isInt := new(big.Int).SetString(literal, 10)
		if isInt != n.integer {
			t.Fatalf("%s: integer is %t", literal, n.integer)
		}
		if !isInt {
			continue
		}
		if x, ok := n.int64(); ok != exact.IsInt64() || ok && x != exact.Int64() {
			t.Fatalf("%s read as %d, %t", literal, x, ok)
		}
		_, _, fits := n.hugeInt([]byte(literal))
		if want := exact.BitLen() < 128 || exact.String() == "-170141183460469231731687303715884105728"; fits != want {
			t.Fatalf("%s: HUGEINT holds it is %t", literal, fits)
		}
		_, accuracy := new(big.Float).SetInt(exact).Float64()
		if got := n.exact([]byte(literal)); fits && got != (accuracy == big.Exact) {
			t.Fatalf("%s: a DOUBLE holds it is %t", literal, got)
		}
	}
}

func randomNumber(rng *rand.Rand) string {
	digits := func(most int) string {
		b := make([]byte, rng.IntN(most+1))
		for i := range b {
			b[i] = byte('0' + rng.IntN(10))
		}
		return string(b)
	}
	s := ""
	if rng.IntN(3) == 0 {
		s = "-"
	}
	if rng.IntN(6) == 0 {
		// Few bits set, so that many of them are exact.
		x := new(big.Int).Lsh(big.NewInt(rng.Int64N(1<<54)), uint(rng.IntN(80)))
		return s + x.String()
	}
	s += digits([]int{1, 5, 18, 20, 41}[rng.IntN(5)])
	if rng.IntN(2) == 0 {
		s += "." + digits(20)
	}
	if rng.IntN(4) == 0 {
		s += []string{"e", "E", "e-", "e+"}[rng.IntN(4)] + digits(3)
	}
	return s
}

func TestIntegral(t *testing.T) {
	for literal, want := range map[string]int64{
		"5.0": 5, "-5.00": -5, "1e3": 1000, "12.5e1": 125, "0.0": 0, "0e-99": 0, "500e-2": 5, "9.223372036854775807e18": 9223372036854775807,
	} {
		n, _, _ := scanNumber([]byte(literal), 0)
		if got, ok := n.integral(); !ok || got != want {
			t.Errorf("%s is %d, %t", literal, got, ok)
		}
	}
	for _, literal := range []string{"5.5", "1e19", "9.223372036854775808e18", "1e-1", "1e999999999999", "5.00000000000000000000"} {
		n, _, _ := scanNumber([]byte(literal), 0)
		if got, ok := n.integral(); ok {
			t.Errorf("%s is %d", literal, got)
		}
	}
}
