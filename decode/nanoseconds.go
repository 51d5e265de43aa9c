package decode

import "math"

// Nanoseconds joins the parts of a point in time (Timestamp) or of a Duration,
// and reports whether that fits its column. The ends of the range of TIMESTAMP_NS
// stand for infinity in DuckDB and are no points in time.
func Nanoseconds(k Kind, sec, nsec int64) (ns int64, fits bool) {
	const second = 1_000_000_000
	switch { // so that the earliest and the latest times don't overflow on the way
	case sec < 0 && nsec > 0:
		sec, nsec = sec+1, nsec-second
	case sec > 0 && nsec < 0:
		sec, nsec = sec-1, nsec+second
	}
	if sec > math.MaxInt64/second || sec < math.MinInt64/second {
		return 0, false
	}
	whole := sec * second
	if ns = whole + nsec; (ns > whole) != (nsec > 0) {
		return 0, false
	}
	return ns, k != Timestamp || ns > -math.MaxInt64 && ns < math.MaxInt64
}
