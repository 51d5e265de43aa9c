package sqlite

import (
	"container/heap"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"tapedeck/internal/store"
)

// blockRows is how many vectors a block has: what is there need not be copied to
// make room for more.
const blockRows = 4096

// matrix is the vectors of a generation in memory: a byte a number, half of what
// is stored, and some 70 bytes a text. 100,000 texts of one vector with 256 numbers
// take 32 MB, 1,000,000 take 320.
type matrix struct {
	width    int
	words    int   // of a row
	seen     int64 // the last row that was read
	blocks   [][]uint64
	rows     []matrixRow
	entries  []matrixEntry
	places   map[int32]int32 // of slots, in entries
	replaced int             // entries
}

// matrixRow is a chunk's vector in steps of a size.
type matrixRow struct {
	step float32
	sum  int32 // of its numbers
}

// matrixEntry is the rows of a text.
type matrixEntry struct {
	id       int64 // where it is stored
	slot     int32 // gone: it was replaced
	first, n int32
}

func newMatrix(width int) *matrix {
	return &matrix{width: width, words: wordsOf(width), places: map[int32]int32{}}
}

// take reads what is new.
func (m *matrix) take(db *conn, generation int64, slot func(text int64) int32) error {
	return db.each("SELECT id, text, data FROM vector WHERE id > ? AND +generation = ? ORDER BY id", []any{m.seen, generation}, func(r *row) error {
		m.seen = r.int()
		if err := m.add(m.seen, slot(r.int()), r.blob()); err != nil {
			return fmt.Errorf("%w: vectors %d: %w", store.ErrUnavailable, m.seen, err)
		}
		return nil
	})
}

// add adds a text's vectors, in place of those that it had.
func (m *matrix) add(id int64, slot int32, data []byte) error {
	if old, known := m.places[slot]; known {
		m.entries[old].slot = gone
		m.replaced++
	}
	m.places[slot] = int32(len(m.entries))
	first := len(m.rows)
	err := eachChunk(data, m.width, func(c packedChunk) {
		m.rows = append(m.rows, matrixRow{step: c.step * finest / rowFinest})
		m.rows[len(m.rows)-1].sum = fillRow(m.newRow(), m.width, c)
	})
	m.entries = append(m.entries, matrixEntry{id, slot, int32(first), int32(len(m.rows) - first)})
	return err
}

// newRow is room for the last row's vector.
func (m *matrix) newRow() []uint64 {
	at := len(m.rows) - 1
	if at%blockRows == 0 {
		m.blocks = append(m.blocks, make([]uint64, blockRows*m.words))
	}
	return m.row(at)
}

func (m *matrix) row(at int) []uint64 {
	from := at % blockRows * m.words
	return m.blocks[at/blockRows][from : from+m.words]
}

// A near text is one with how near its nearest vector is, roughly.
type near struct {
	id    int64 // of its vectors
	slot  int32
	score float32
}

// nearest are the texts of those chosen that are nearest to a vector, roughly, the
// nearest first.
func (m *matrix) nearest(v []float32, chosen bits, limit int) []near {
	const share = 2048 // entries that are worth a goroutine
	query := newRoughQuery(v)
	workers := min(runtime.GOMAXPROCS(0), len(m.entries)/share+1)
	found := make([]nearHeap, workers)
	var work sync.WaitGroup
	for w := range workers {
		entries := m.entries[len(m.entries)*w/workers : len(m.entries)*(w+1)/workers]
		work.Go(func() { found[w] = m.scan(entries, &query, chosen, limit) })
	}
	work.Wait()
	all := slices.Concat(found...)
	slices.SortFunc(all, compareNear)
	return all[:min(len(all), limit)]
}

// scan looks through entries.
func (m *matrix) scan(entries []matrixEntry, query *roughQuery, chosen bits, limit int) nearHeap {
	best := nearHeap{}
	for _, e := range entries {
		if e.slot == gone || e.n == 0 || !chosen.has(e.slot) {
			continue
		}
		found := near{id: e.id, slot: e.slot, score: float32(math.Inf(-1))}
		for at := int(e.first); at < int(e.first+e.n); at++ {
			found.score = max(found.score, query.score(m.row(at), m.rows[at]))
		}
		if len(best) < limit {
			heap.Push(&best, found)
		} else if compareNear(found, best[0]) < 0 {
			best[0] = found
			heap.Fix(&best, 0)
		}
	}
	return best
}

// compareNear orders the nearer first.
func compareNear(a, b near) int {
	switch {
	case a.score > b.score || a.score == b.score && a.slot > b.slot:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// nearHeap has the least near on top.
type nearHeap []near

func (h nearHeap) Len() int           { return len(h) }
func (h nearHeap) Less(i, j int) bool { return compareNear(h[i], h[j]) > 0 }
func (h nearHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nearHeap) Push(x any)        { *h = append(*h, x.(near)) }
func (h *nearHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
