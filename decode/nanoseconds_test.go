package decode

import (
	"math"
	"testing"
)

func TestNanoseconds(t *testing.T) {
	const sec, rest = math.MaxInt64 / 1_000_000_000, math.MaxInt64 % 1_000_000_000
	for _, test := range []struct {
		kind      Kind
		sec, nsec int64
		want      int64
		fits      bool
	}{
		{Timestamp, 1, 5, 1_000_000_005, true},
		{Timestamp, -1, 500_000_000, -500_000_000, true},
		{Duration, 1, -1, 999_999_999, true},
		{Duration, 0, 3_000_000_000, 3_000_000_000, true},
		{Duration, sec, rest, math.MaxInt64, true},
		{Timestamp, sec, rest, math.MaxInt64, false}, // infinity
		{Timestamp, sec, rest - 1, math.MaxInt64 - 1, true},
		{Duration, -sec, -rest - 1, math.MinInt64, true},
		{Duration, -sec - 1, 1_000_000_000 - rest - 1, math.MinInt64, true},
		{Timestamp, -sec, -rest, -math.MaxInt64, false}, // -infinity
		{Timestamp, -sec, -rest + 1, -math.MaxInt64 + 1, true},
		{Duration, sec, rest + 1, 0, false},
		{Duration, sec + 1, 0, 0, false},
		{Duration, math.MaxInt64, math.MaxInt64, 0, false},
		{Duration, math.MinInt64, math.MinInt64, 0, false},
		{Duration, 0, math.MinInt64, math.MinInt64, true},
	} {
		ns, fits := Nanoseconds(test.kind, test.sec, test.nsec)
		if fits != test.fits || fits && ns != test.want {
			t.Errorf("kind %d, %d s and %d ns: %d, %t; want %d, %t", test.kind, test.sec, test.nsec, ns, fits, test.want, test.fits)
		}
	}
}
