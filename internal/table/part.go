package table

import (
	"context"
	"errors"
	"fmt"

	"tapedeck/decode"
	"tapedeck/internal/recording"
)

// Bounds on a part, so that wide tables and large messages take no more memory
// than narrow and small ones.
const (
	partRows  = 2048    // one DuckDB vector
	partBytes = 4 << 20 // of messages
	partCells = 1 << 20 // rows times columns
)

// part is a run of rows of one topic and one plan, on its way from the
// goroutine that decodes to the one that appends.
type part struct {
	target *target
	plan   int
	own    *decode.Batch // columns from the messages' records
	rows   *decode.Batch // columns from the messages' data
	bytes  int           // of the messages

	// Of the messages seen, also of those that gave no row:
	seen        bool
	first, last uint64 // log time of the first, and the latest
	disordered  bool   // one is earlier than the one before it
	undecoded   uint64
	reason      string // of the first that could not be decoded
	widen       bool   // one does not fit the columns
}

func (p *part) see(logTime uint64) {
	if !p.seen {
		p.seen, p.first, p.last = true, logTime, logTime
		return
	}
	if logTime < p.last {
		p.disordered = true
		return
	}
	p.last = logTime
}

func (p *part) full() bool {
	n := p.own.Rows()
	return n >= partRows || p.bytes >= partBytes || n*p.rows.Columns() >= partCells
}

func (p *part) reset() {
	own, rows := p.own, p.rows
	own.Reset()
	rows.Reset()
	*p = part{target: p.target, plan: p.plan, own: own, rows: rows}
}

// worker decodes blocks into parts. It is one goroutine's.
type worker struct {
	pass    *pass
	scratch recording.Scratch
	plans   [][]decode.Plan // by target and plan: forks of the topic's
	open    []*part         // by target: the part being filled, or nil
	touched []*target       // targets with an open part
	counts  []uint64        // by target: messages seen, for downsampling

	lastChannel *recording.Channel
	lastTarget  *target
	out         func(*part) error
}

func newWorker(p *pass) *worker {
	w := &worker{pass: p, plans: make([][]decode.Plan, len(p.targets)), open: make([]*part, len(p.targets)), counts: make([]uint64, len(p.targets))}
	for i, t := range p.targets {
		for _, plan := range t.plans {
			w.plans[i] = append(w.plans[i], plan.Fork())
		}
	}
	return w
}

// block decodes the messages of a block and hands out parts in their order.
func (w *worker) block(ctx context.Context, b recording.Block, out func(*part) error) ([]recording.Warning, error) {
	w.out = out
	n := 0
	warnings, err := b.Messages(&w.scratch, func(m *recording.Message) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return w.message(m)
	})
	if err != nil {
		return warnings, err
	}
	for _, t := range w.touched {
		if p := w.open[t.index]; p != nil {
			w.open[t.index] = nil
			if err := out(p); err != nil {
				return warnings, err
			}
		}
	}
	w.touched = w.touched[:0]
	return warnings, nil
}

func (w *worker) message(m *recording.Message) error {
	if m.Channel != w.lastChannel {
		w.lastChannel, w.lastTarget = m.Channel, w.pass.of[m.Channel]
	}
	t := w.lastTarget
	if t == nil || t.abandoned.Load() {
		return nil
	}
	p, err := w.partFor(t, t.planOf[m.Channel])
	if err != nil {
		return err
	}
	p.see(m.LogTime)
	if w.skips(t) {
		return nil
	}
	p.bytes += len(m.Data)
	if err := w.decode(w.plans[t.index][p.plan], m.Data, p.rows); err != nil {
		p.rows.DropRow()
		w.failed(p, err)
	} else {
		w.pass.ownRow(p.own, m)
	}
	if p.full() {
		w.open[t.index] = nil
		return w.out(p)
	}
	return nil
}

// partFor returns the open part of a target for a plan. Rows stay in the
// order of the file, so another plan begins another part.
func (w *worker) partFor(t *target, plan int) (*part, error) {
	p := w.open[t.index]
	if p != nil && p.plan != plan {
		if err := w.out(p); err != nil {
			return nil, err
		}
		p = nil
	}
	if p == nil {
		p = w.pass.newPart(t, plan)
		w.open[t.index] = p
		w.touched = append(w.touched, t)
	}
	return p, nil
}

// skips counts a message and reports whether downsampling leaves it out. A
// pass that sorts leaves it to the sort.
func (w *worker) skips(t *target) bool {
	every := w.pass.options.every()
	if every == 1 || w.pass.sorts {
		return false
	}
	n := w.counts[t.index]
	w.counts[t.index]++
	return n%every != 0
}

func (w *worker) decode(plan decode.Plan, data []byte, b *decode.Batch) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: %v", errFault, fault)
		}
	}()
	return plan.Decode(data, b)
}

func (w *worker) failed(p *part, err error) {
	if errors.Is(err, decode.ErrWiden) {
		p.widen = true
		p.target.abandoned.Store(true)
		return
	}
	if p.undecoded == 0 {
		p.reason = err.Error()
	}
	p.undecoded++
}
