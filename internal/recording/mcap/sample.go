package mcap

import (
	"cmp"
	"context"
	"slices"
)

// Limits on the work of estimating the sizes of messages.
const (
	sampleChunks = 16
	sampleBytes  = 4 << 20 // of message indexes
)

// sample is what is known of the sizes of a channel's messages.
type sample struct{ count, bytes uint64 }

// place is where a message lies in the records of its chunk.
type place struct {
	offset  uint64
	channel uint16
}

// meanSizes estimates the mean size of each channel's messages without
// decompressing any: from the distances between the places that the message
// indexes of the first chunks give. Channels that are in none of them get the
// mean over all messages.
func (f *file) meanSizes(ctx context.Context, sec *section) (map[uint16]float64, error) {
	means := make(map[uint16]float64, len(sec.channels))
	wanted := 0
	for _, n := range sec.statistics.counts {
		if n > 0 {
			wanted++
		}
	}
	budget := int64(sampleBytes)
	for i, read := 0, 0; i < len(sec.chunks) && len(means) < wanted && read < sampleChunks; i++ {
		c := &sec.chunks[i]
		if !c.hasUnsampled(means) || int64(c.indexLength) > budget {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		read++
		budget -= int64(c.indexLength)
		places, err := f.readPlaces(c)
		if err != nil {
			return nil, err
		}
		for id, s := range sampleSizes(places, c.size) {
			if _, ok := means[id]; !ok {
				means[id] = float64(s.bytes) / float64(s.count)
			}
		}
	}
	overall := sec.meanSize()
	for id, n := range sec.statistics.counts {
		if _, ok := means[id]; !ok && n > 0 {
			means[id] = overall
		}
	}
	return means, nil
}

func (c *chunkIndex) hasUnsampled(means map[uint16]float64) bool {
	for i := range c.channels() {
		id := c.channelAt(i)
		if _, ok := means[id]; !ok {
			return true
		}
	}
	return false
}

// meanSize is the mean size of all messages, by the sizes of the chunks.
func (s *section) meanSize() float64 {
	var size float64
	for i := range s.chunks {
		size += float64(s.chunks[i].size)
	}
	return max(0, size/float64(max(1, s.statistics.messages))-recordHead-messageHead)
}

// readPlaces reads the message indexes behind a chunk. What is odd in them is
// passed over: they are only used to estimate.
func (f *file) readPlaces(c *chunkIndex) ([]place, error) {
	w := window{r: f.r, size: f.size}
	b, err := w.peek(int64(c.offset+c.length), int64(c.indexLength))
	if err != nil {
		return nil, err
	}
	places := make([]place, 0, len(b)/messageIndexItem)
	rs := records{b: b}
	for {
		op, body, ok := rs.next()
		if !ok {
			return places, nil
		}
		if op != opMessageIndex {
			continue
		}
		fs := fields{b: body}
		id := fs.u16()
		items := fields{b: fs.sized()}
		for len(items.b) >= messageIndexItem {
			items.u64() // log time
			if at := items.u64(); at < c.size {
				places = append(places, place{at, id})
			}
		}
	}
}

// sampleSizes takes the distance from a message to the next as its size. A
// channel's first message in a chunk may have its definition before it, which
// would count to the message before that: such distances are used only for
// channels that have no other.
func sampleSizes(places []place, size uint64) map[uint16]sample {
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.offset, b.offset) })
	sure, unsure := make(map[uint16]sample), make(map[uint16]sample)
	met := make(map[uint16]bool)
	for i, p := range places {
		met[p.channel] = true
		end, into := size, sure
		if i+1 < len(places) {
			end = places[i+1].offset
			if !met[places[i+1].channel] {
				into = unsure
			}
		}
		if d := end - p.offset; d >= recordHead+messageHead {
			s := into[p.channel]
			into[p.channel] = sample{s.count + 1, s.bytes + d - recordHead - messageHead}
		}
	}
	for id, s := range unsure {
		if _, ok := sure[id]; !ok {
			sure[id] = s
		}
	}
	return sure
}
