package mcap

import "bytes"

// findChunk returns where the next chunk record begins, from byte from on, or
// the end of the walk. A chunk is known among other bytes by its length, which
// is stated twice in ways that must agree.
func (w *walker) findChunk(from int64) (int64, error) {
	const signature = recordHead + chunkHead + maxCompressionName
	for from < w.end {
		b, err := w.win.peek(from, min(largeWindow, w.end-from))
		if err != nil {
			return 0, err
		}
		for i := 0; ; i++ {
			j := bytes.IndexByte(b[i:], opChunk)
			if j < 0 {
				break
			}
			i += j
			if looksLikeChunk(b[i:], w.end-from-int64(i)) {
				return from + int64(i), nil
			}
		}
		if int64(len(b)) < min(largeWindow, w.end-from) || int64(len(b)) == w.end-from {
			break
		}
		from += int64(len(b)) - signature
	}
	return w.end, nil
}

// maxCompressionName is how long the name of a compression may be in a chunk
// that findChunk finds.
const maxCompressionName = 16

// looksLikeChunk reports whether b begins with a whole chunk record, where left
// bytes are left in the file.
func looksLikeChunk(b []byte, left int64) bool {
	if len(b) < recordHead+chunkHead {
		return false
	}
	_, n := recordAt(b)
	if n < chunkHead || n > uint64(left-recordHead) {
		return false
	}
	info, err := parseChunkInfo(b[recordHead:min(len(b), recordHead+chunkHead+maxCompressionName)])
	return err == nil && info.packed == n-uint64(info.records)
}
