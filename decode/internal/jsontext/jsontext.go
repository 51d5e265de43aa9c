// Package jsontext writes the scalars of JSON text columns, which recursive
// and free-form messages become, the same way in every decoder.
//
// It writes text and numbers; objects and lists are their decoders' own. What
// is not UTF-8 stays as it is: the vector that takes the whole text mends it.
package jsontext

import (
	"math"
	"strconv"
)

// MaxDepth is how deep values may lie in one another. Types are recursive by
// mistake or for trees, which are not that deep.
const MaxDepth = 64

// AppendQuoted appends s as a JSON string.
func AppendQuoted[S ~string | ~[]byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// AppendFloat appends a number of 32 or 64 bits with as many digits as it
// needs. JSON has finite numbers only: the others become text, as in proto3's
// JSON mapping.
func AppendFloat(dst []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, bits)
}
