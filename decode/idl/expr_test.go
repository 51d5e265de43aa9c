package idl

import (
	"fmt"
	"testing"
)

func TestExpressions(t *testing.T) {
	for src, want := range map[string]int{
		"7":                    7,
		"017":                  15,
		"0x1F":                 31,
		"0":                    0,
		"1 + 2 * 3":            7,
		"(1 + 2) * 3":          9,
		"10 - 3 - 2":           5,
		"7 / 2":                3,
		"-7 / 2 + 10":          7,
		"7 % 4":                3,
		"1 << 4 | 1":           17,
		"256 >> 2 >> 1":        32,
		"6 & 3 ^ 1":            3,
		"1 | 6 ^ 2":            5,
		"1 + 1 << 2":           8,
		"~-8":                  7,
		"- -5":                 5,
		"+5":                   5,
		"N":                    12,
		"::m::N + m::K":        15,
		"BYTE":                 254,
		"'a' - '\\x60'":        1,
		"WIDE >> 60":           15,
		"D":                    4,
		"/* two */ 2 // two\n": 2,
	} {
		t.Run(src, func(t *testing.T) {
			root := mustCompile(t, fmt.Sprintf(`
				module m { const long N = 3 * 4; const short K = N / 4; };
				const long N = m::N;
				const octet BYTE = ~1;
				const unsigned long long WIDE = 0xffffffffffffffff;
				enum E { A, B = 3, C };
				const E D = C;
				struct T { octet a[1 + (%s)]; };`, src))
			if got := root.Members[0].Type.Len - 1; got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}
