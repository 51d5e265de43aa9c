package sqlite

import "encoding/binary"

// In memory a vector's numbers are whole, from -127 to 127. They stand eight in a
// word, each with 128 added so that it is not negative; a row's last word may have
// empty bytes at its end. Four of them times four numbers of a query is one
// multiplication of words, as that of polynomials: with the bytes in lanes of 16
// bits, and the query's numbers in the opposite order, the top lane gets the sum of
// the four products. No lane overflows, since 4 * 255 * 63 < 1 << 16.
const (
	rowFinest   = 127
	rowOffset   = rowFinest + 1
	queryFinest = 31
	queryOffset = queryFinest + 1
	lanes       = 0x00ff00ff00ff00ff
)

// wordsOf is how many words a row of a width takes.
func wordsOf(width int) int { return (width + 7) / 8 }

// fillRow puts a vector into a row and returns the sum of its numbers there.
func fillRow(row []uint64, width int, c packedChunk) (sum int32) {
	var bytes [8]byte
	for i := range row {
		clear(bytes[:])
		for j := range min(8, width-i*8) {
			n := roundedQuotient(c.number(i*8+j)*rowFinest, finest)
			sum += int32(n)
			bytes[j] = byte(n + rowOffset)
		}
		row[i] = binary.LittleEndian.Uint64(bytes[:])
	}
	return sum
}

func roundedQuotient(a, b int) int {
	if a < 0 {
		return -((-a + b/2) / b)
	}
	return (a + b/2) / b
}

// roughQuery is a vector to compare rows with, quickly and roughly.
type roughQuery struct {
	words [][2]uint64 // for the even and the odd bytes of a row's words
	step  float32
	sum   int64 // of its numbers
	width int64
}

func newRoughQuery(v []float32) roughQuery {
	largest := largestOf(v)
	q := roughQuery{words: make([][2]uint64, wordsOf(len(v))), step: largest / queryFinest, width: int64(len(v))}
	for i, x := range v {
		n := inSteps(x, largest, queryFinest)
		q.sum += n
		lane := 3 - i%8/2
		q.words[i/8][i%2] |= uint64(n+queryOffset) << (16 * lane)
	}
	return q
}

// score is about the product of the query and a row's vector.
func (q *roughQuery) score(row []uint64, r matrixRow) float32 {
	var even, odd uint64
	words := q.words[:len(row)]
	for i, w := range row {
		even += (w & lanes) * words[i][0] >> 48
		odd += (w >> 8 & lanes) * words[i][1] >> 48
	}
	// Of (a+128)(b+32), summed up, only the sum of ab is wanted.
	n := int64(even+odd) - queryOffset*int64(r.sum) - rowOffset*q.sum - rowOffset*queryOffset*q.width
	return float32(n) * q.step * r.step
}
