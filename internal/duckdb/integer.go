package duckdb

import (
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"strings"
)

// int128 is duckdb_hugeint.
type int128 struct {
	lower uint64
	upper int64
}

// uint128 is duckdb_uhugeint.
type uint128 struct{ lower, upper uint64 }

func int128From(v int64) int128 { return int128{lower: uint64(v), upper: v >> 63} }

func (v int128) decimal() string {
	if v.upper >= 0 {
		return uint128{v.lower, uint64(v.upper)}.decimal()
	}
	// Two's complement: the magnitude is the complement plus one, also of the smallest.
	magnitude := uint128{^v.lower + 1, ^uint64(v.upper)}
	if magnitude.lower == 0 {
		magnitude.upper++
	}
	return "-" + magnitude.decimal()
}

func (v uint128) decimal() string {
	n := new(big.Int).SetUint64(v.upper)
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(v.lower))
	return n.String()
}

// bigNum gives the digits of a BIGNUM: three bytes of sign and length, then the
// magnitude, big-endian. Of a negative number every bit is flipped.
func bigNum(b []byte) string {
	if len(b) < 3 {
		return "0"
	}
	magnitude := append([]byte(nil), b[3:]...)
	negative := b[0]&0x80 == 0
	if negative {
		for i := range magnitude {
			magnitude[i] = ^magnitude[i]
		}
	}
	n := new(big.Int).SetBytes(magnitude)
	if negative {
		n.Neg(n)
	}
	return n.String()
}

// placePoint puts a decimal point before the last scale digits and counts the
// significant digits: all from the first that is not 0, without the zeros that end a fraction.
func placePoint(digits string, scale int) (text string, significant int) {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)-scale], digits[len(digits)-scale:]
	significant = len(strings.TrimLeft(whole+strings.TrimRight(fraction, "0"), "0"))
	if scale == 0 {
		return sign + whole, significant
	}
	return sign + whole + "." + fraction, significant
}

// uuid appends a UUID, which DuckDB keeps with its highest bit flipped so that
// it sorts as a signed number.
func (w *writer) uuid(v int128) {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(v.upper)^(1<<63))
	binary.BigEndian.PutUint64(b[8:], v.lower)
	w.raw(`"`)
	for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if i > 0 {
			w.raw("-")
		}
		w.buf = hex.AppendEncode(w.buf, part)
	}
	w.raw(`"`)
}
