package jsonmsg

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
)

// number is a number as it is written. While it has at most maxDigits digits it
// is digits × 10^exp; a longer one is read from its literal.
type number struct {
	digits   uint64
	count    int // digits in all
	exp      int
	negative bool
	integer  bool // written without fraction and exponent
}

const (
	maxDigits   = 19      // any 19 digits fit a uint64
	maxExact    = 1 << 53 // up to which a DOUBLE holds every integer
	maxExponent = 1 << 20 // beyond which an exponent makes no difference
)

// scanNumber reads the number at i and returns its end.
func scanNumber(buf []byte, i int) (n number, end int, err error) {
	if i < len(buf) && buf[i] == '-' {
		n.negative = true
		i++
	}
	start := i
	for ; i < len(buf) && buf[i]-'0' < 10; i++ {
		n.digits = n.digits*10 + uint64(buf[i]-'0')
	}
	switch n.count = i - start; {
	case n.count == 0 && n.negative:
		return n, i, unexpected(buf, i, "a digit")
	case n.count == 0:
		return n, i, unexpected(buf, i, "a value")
	case n.count > 1 && buf[start] == '0':
		return n, i, unexpected(buf, start, "no zero before other digits")
	}
	if i >= len(buf) || buf[i] != '.' && buf[i]|0x20 != 'e' {
		n.integer = true
		return n, i, nil
	}
	if buf[i] == '.' {
		i++
		start = i
		for ; i < len(buf) && buf[i]-'0' < 10; i++ {
			n.digits = n.digits*10 + uint64(buf[i]-'0')
		}
		if i == start {
			return n, i, unexpected(buf, i, "a digit")
		}
		n.count += i - start
		n.exp = start - i
	}
	if i < len(buf) && buf[i]|0x20 == 'e' {
		var exp int
		exp, i, err = scanExponent(buf, i+1)
		n.exp += exp
	}
	return n, i, err
}

func scanExponent(buf []byte, i int) (exp, end int, err error) {
	negative := i < len(buf) && buf[i] == '-'
	if negative || i < len(buf) && buf[i] == '+' {
		i++
	}
	if i >= len(buf) || buf[i]-'0' >= 10 {
		return 0, i, unexpected(buf, i, "a digit")
	}
	for ; i < len(buf) && buf[i]-'0' < 10; i++ {
		exp = min(exp*10+int(buf[i]-'0'), maxExponent)
	}
	if negative {
		exp = -exp
	}
	return exp, i, nil
}

// int64 returns the value of an integer that fits.
func (n number) int64() (x int64, ok bool) {
	switch {
	case !n.integer || n.count > maxDigits:
		return 0, false
	case n.negative:
		return -int64(n.digits), n.digits <= 1<<63
	}
	return int64(n.digits), n.digits <= math.MaxInt64
}

// declaredInt64 returns the value of a number that the schema calls an integer,
// which by JSON Schema 5.0 is too.
func (n number) declaredInt64() (x int64, ok bool) {
	if n.integer {
		return n.int64()
	}
	return n.integral()
}

// integral returns the value of a number that is written with fraction or
// exponent and is an integer all the same, such as 5.0 or 1e3, if it fits.
func (n number) integral() (x int64, ok bool) {
	if n.count > maxDigits {
		return 0, false
	}
	for ; n.digits != 0 && n.exp < 0; n.exp++ {
		if n.digits%10 != 0 {
			return 0, false
		}
		n.digits /= 10
	}
	for ; n.digits != 0 && n.exp > 0; n.exp-- {
		if n.digits > math.MaxUint64/10 {
			return 0, false
		}
		n.digits *= 10
	}
	n.integer = true
	return n.int64()
}

// magnitude returns an integer without its sign in 128 bits, if it fits.
func (n number) magnitude(literal []byte) (lo, hi uint64, ok bool) {
	if n.count <= maxDigits {
		return n.digits, 0, true
	}
	for _, c := range bytes.TrimPrefix(literal, []byte("-")) {
		over, top := bits.Mul64(hi, 10)
		carry, low := bits.Mul64(lo, 10)
		low, c1 := bits.Add64(low, uint64(c-'0'), 0)
		top, c2 := bits.Add64(top, carry, c1)
		if over != 0 || c2 != 0 {
			return 0, 0, false
		}
		lo, hi = low, top
	}
	return lo, hi, true
}

// hugeInt returns the halves of an integer, two's complement, if it fits.
func (n number) hugeInt(literal []byte) (lo, hi uint64, ok bool) {
	lo, hi, ok = n.magnitude(literal)
	if !n.negative {
		return lo, hi, ok && hi < 1<<63
	}
	ok = ok && (hi < 1<<63 || hi == 1<<63 && lo == 0)
	lo, borrow := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(0, hi, borrow)
	return lo, hi, ok
}

// exact reports whether a DOUBLE holds an integer exactly.
func (n number) exact(literal []byte) bool {
	lo, hi, ok := n.magnitude(literal)
	if !ok {
		return false
	}
	if hi == 0 {
		return bits.Len64(lo)-bits.TrailingZeros64(lo) <= 53
	}
	zeros := bits.TrailingZeros64(lo)
	if lo == 0 {
		zeros = 64 + bits.TrailingZeros64(hi)
	}
	return 64+bits.Len64(hi)-zeros <= 53
}

var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// float64 returns the nearest DOUBLE, if it can stand for the number: if that
// is not infinite, not zero for what is not, and exact for an integer.
func (n number) float64(literal []byte) (x float64, ok bool) {
	// Both operands are exact, so that the one rounding is the right one.
	if n.count <= maxDigits && n.digits <= maxExact && n.exp >= -22 && n.exp <= 22 {
		x = float64(n.digits)
		if n.exp < 0 {
			x /= powersOfTen[-n.exp]
		} else {
			x *= powersOfTen[n.exp]
		}
		if n.negative {
			x = -x
		}
		return x, true
	}
	if n.integer && !n.exact(literal) {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(literal), 64)
	if err != nil || x == 0 && !isZero(literal) {
		return 0, false
	}
	return x, true
}

// isZero reports whether a literal has no digit but zero before its exponent.
func isZero(literal []byte) bool {
	for _, c := range literal {
		switch c {
		case 'e', 'E':
			return true
		case '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return false
		}
	}
	return true
}

// traits returns what a number asks of its column. Of one that was declared an
// integer, 5.0 is one.
func (n number) traits(literal []byte, declared bool) traits {
	if !n.integer {
		if declared {
			if x, ok := n.integral(); ok {
				return integerTraits(x)
			}
		}
		if _, ok := n.float64(literal); !ok {
			return sawBeyond
		}
		return sawFraction
	}
	if x, ok := n.int64(); ok {
		return integerTraits(x)
	}
	t := sawHuge
	if _, _, ok := n.hugeInt(literal); !ok {
		t = sawBeyond
	}
	if !n.exact(literal) {
		t |= sawInexact
	}
	return t
}

func integerTraits(x int64) traits {
	if int64(float64(x)) != x || x == math.MaxInt64 {
		return sawInt | sawInexact
	}
	return sawInt
}
