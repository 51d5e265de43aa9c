package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tapedeck/internal/store"
)

// errPacked is of vectors that are not what appendChunk makes.
var errPacked = errors.New("the packed vectors are damaged")

// finest is how many steps the largest number of a stored vector has.
const finest = math.MaxInt16

// appendChunk appends a chunk: its place, the size of a step, and its vector in
// steps, two bytes a number.
func appendChunk(to []byte, c store.ChunkVector) ([]byte, error) {
	if c.Start < 0 || c.End < c.Start {
		return nil, fmt.Errorf("a chunk from %d to %d is none", c.Start, c.End)
	}
	for _, x := range c.Vector {
		if x != x || math.IsInf(float64(x), 0) {
			return nil, fmt.Errorf("a vector has %v in it", x)
		}
	}
	to = binary.AppendUvarint(to, uint64(c.Start))
	to = binary.AppendUvarint(to, uint64(c.End-c.Start))
	largest := largestOf(c.Vector)
	to = binary.LittleEndian.AppendUint32(to, math.Float32bits(largest/finest))
	for _, x := range c.Vector {
		to = binary.LittleEndian.AppendUint16(to, uint16(inSteps(x, largest, finest)))
	}
	return to, nil
}

// largestOf is the largest number of a vector, without its sign.
func largestOf(v []float32) (largest float32) {
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	return largest
}

// inSteps is x in steps, of which the largest has n.
func inSteps(x, largest float32, n float64) int64 {
	if largest == 0 {
		return 0
	}
	return int64(math.RoundToEven(float64(x) / float64(largest) * n))
}

// packedChunk is a chunk as it is stored.
type packedChunk struct {
	start, end int
	step       float32
	numbers    []byte
}

// number is the i-th of the vector, in steps.
func (c packedChunk) number(i int) int {
	return int(int16(binary.LittleEndian.Uint16(c.numbers[2*i:])))
}

// product is that of the chunk's vector and another one.
func (c packedChunk) product(v []float32) float64 {
	var sum float64
	for i, x := range v {
		sum += float64(x) * float64(c.number(i))
	}
	return sum * float64(c.step)
}

// eachChunk calls take with each chunk of packed vectors.
func eachChunk(data []byte, width int, take func(packedChunk)) error {
	for len(data) > 0 {
		start, n := binary.Uvarint(data)
		if n <= 0 {
			return errPacked
		}
		length, k := binary.Uvarint(data[n:])
		if k <= 0 || len(data)-n-k < 4+2*width {
			return errPacked
		}
		data = data[n+k:]
		take(packedChunk{int(start), int(start + length), math.Float32frombits(binary.LittleEndian.Uint32(data)), data[4 : 4+2*width]})
		data = data[4+2*width:]
	}
	return nil
}
