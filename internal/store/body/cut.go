package body

import "math/bits"

// Bounds of the parts that content is cut into, in bytes. Small parts repeat more
// often, large ones take fewer references: a part of a history that changed costs
// about one part and its reference.
const (
	least   = 512
	average = 1536
)

// Bounds of how many pieces a list holds. The root is written anew each time that
// anything changes, so it holds fewer.
const (
	fewest   = 8
	most     = 96
	rootMost = 32
)

// A part ends where the high bits of a rolling hash over the last 64 bytes are
// zero: rarely before the average (strict), often after it (loose), so that sizes
// stay near it (Xia et al., "FastCDC", 2016).
const (
	strict uint64 = 0xFFE0_0000_0000_0000 // 11 bits
	loose  uint64 = 0xFF80_0000_0000_0000 // 9 bits
)

// gear gives each byte the number that the rolling hash takes for it. It must
// never change: content that was kept would no longer be met again.
var gear = func() (table [256]uint64) {
	x := uint64(0x7461_7065_6465_636B)
	for i := range table { // splitmix64
		x += 0x9E37_79B9_7F4A_7C15
		z := x
		z = (z ^ z>>30) * 0xBF58_476D_1CE4_E5B9
		z = (z ^ z>>27) * 0x94D0_49BB_1331_11EB
		table[i] = z ^ z>>31
	}
	return table
}()

// boundary is where the first part of the content ends.
func boundary(content []byte) int {
	if len(content) <= least {
		return len(content)
	}
	end := min(len(content), Whole)
	middle := min(end, average)
	var hash uint64
	i := least
	for ; i < middle; i++ {
		if hash = hash<<1 + gear[content[i]]; hash&strict == 0 {
			return i + 1
		}
	}
	for ; i < end; i++ {
		if hash = hash<<1 + gear[content[i]]; hash&loose == 0 {
			return i + 1
		}
	}
	return end
}

// listBoundary is how many of the pieces the first list holds: up to one whose ID
// says so, one in 32.
func listBoundary(pieces []*Piece) int {
	for i := fewest; i < min(len(pieces), most); i++ {
		if bits.TrailingZeros8(pieces[i-1].ID[len(ID{})-1]) >= 5 {
			return i
		}
	}
	return min(len(pieces), most)
}
