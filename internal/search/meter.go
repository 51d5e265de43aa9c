package search

import (
	"math"
	"sync"
	"time"
)

// meterSlots is over how many seconds a rate is taken.
const meterSlots = 10

// A meter tells how many things were done a second, of late.
type meter struct {
	mu    sync.Mutex
	slots [meterSlots]struct {
		second int64
		n      int
	}
}

func (m *meter) add(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	second := time.Now().Unix()
	slot := &m.slots[second%meterSlots]
	if slot.second != second {
		slot.second, slot.n = second, 0
	}
	slot.n += n
}

// perSecond is the rate since the first second, of the last few, in which
// something was done, to one decimal.
func (m *meter) perSecond() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, sum := time.Now().Unix(), 0
	first := now
	for _, slot := range m.slots {
		if slot.n > 0 && now-slot.second < meterSlots {
			sum += slot.n
			first = min(first, slot.second)
		}
	}
	return math.Round(10*float64(sum)/float64(now-first+1)) / 10
}
