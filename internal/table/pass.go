package table

import (
	"context"

	"golang.org/x/sync/errgroup"

	"tapedeck/decode"
	"tapedeck/internal/duckdb"
	"tapedeck/internal/recording"
)

// Progress tells how far a load is: done of total bytes of the recording.
type Progress func(done, total int64)

// workers decode side by side: one appends, so more than two would wait.
const workers = 2

// pass reads a recording once, from its first block to its last, and fills the
// tables of its targets.
type pass struct {
	source   Source
	options  Options
	targets  []*target
	of       map[*recording.Channel]*target
	ownCols  []decode.Column
	sorts    bool // tables have a last column, orderColumn, to sort by
	conn     *duckdb.Conn
	progress Progress
	buffered int // bytes of messages whose rows the appenders hold
}

// orderColumn holds log times in nanoseconds while a table may need sorting.
// No topic's column has it, for CleanName leaves no control character.
const orderColumn = "order\x01"

func newPass(conn *duckdb.Conn, src Source, options Options, topics []*topic, sorts bool, progress Progress) *pass {
	p := &pass{source: src, options: options, of: map[*recording.Channel]*target{}, sorts: sorts, conn: conn, progress: progress,
		ownCols: ownColumns(options.MessageColumns)}
	if sorts {
		p.ownCols = append(p.ownCols, decode.Column{Name: orderColumn, Type: decode.Scalar(decode.Uint64)})
	}
	for i, t := range topics {
		target := &target{topic: t, index: i}
		p.targets = append(p.targets, target)
		for c := range t.planOf {
			p.of[c] = target
		}
	}
	return p
}

// ownRow appends what a message's record says to b.
func (p *pass) ownRow(b *decode.Batch, m *recording.Message) {
	b.Column(0).Append64(m.LogTime / 1000)
	i := 1
	if p.options.MessageColumns {
		b.Column(1).Append64(m.LogTime)
		b.Column(2).Append64(m.PublishTime)
		b.Column(3).Append32(m.Sequence)
		b.Column(4).Append16(m.Channel.ID)
		i = 5
	}
	if p.sorts {
		b.Column(i).Append64(m.LogTime)
	}
	b.CloseRow()
}

func (p *pass) newPart(t *target, plan int) *part {
	// A part that another plan used has other columns, so each plan would need a
	// pool of its own; topics with several plans are rare and do without.
	if len(t.plans) == 1 {
		if free, ok := t.free.Get().(*part); ok {
			return free
		}
	}
	return &part{target: t, plan: plan, own: decode.NewBatch(p.ownCols, nil), rows: decode.NewBatch(t.plans[plan].Columns(), t.plans[plan].sizes)}
}

func (p *pass) recycle(part *part) {
	if len(part.target.plans) == 1 {
		part.reset()
		part.target.free.Put(part)
	}
}

// job is a block on its way through a worker; parts come out in order.
type job struct {
	block    recording.Block
	parts    chan *part
	warnings []recording.Warning // set before parts is closed
}

// run fills the tables and returns what the reading warned of.
func (p *pass) run(ctx context.Context) ([]recording.Warning, error) {
	defer p.closeAppenders()
	if err := p.begin(); err != nil {
		return nil, err
	}
	g, ctx := errgroup.WithContext(ctx)
	todo, done := make(chan *job), make(chan *job, workers)
	var between, within []recording.Warning
	g.Go(func() (err error) {
		defer close(todo)
		defer close(done)
		between, err = p.source.File.Blocks(ctx, p.source.Summary, p.selection(), func(b recording.Block) error {
			return hand(ctx, &job{block: b, parts: make(chan *part, 4)}, done, todo)
		})
		return err
	})
	for range p.workers() {
		w := newWorker(p)
		g.Go(func() error { return w.work(ctx, todo) })
	}
	g.Go(func() (err error) {
		within, err = p.appendJobs(ctx, done)
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return append(between, within...), p.commit()
}

// workers is how many goroutines decode. Downsampling counts, so it needs one
// that sees all.
func (p *pass) workers() int {
	if p.options.every() > 1 && !p.sorts {
		return 1
	}
	return workers
}

func (p *pass) selection() recording.Selection {
	topics := make([]*topic, len(p.targets))
	for i, t := range p.targets {
		topics[i] = t.topic
	}
	return selection(p.options, topics)
}

// hand passes a job first to the appender, which takes jobs in order, then to
// a worker, which may take any.
func hand(ctx context.Context, j *job, queues ...chan<- *job) error {
	for _, q := range queues {
		select {
		case q <- j:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (w *worker) work(ctx context.Context, todo <-chan *job) error {
	for j := range todo {
		warnings, err := w.block(ctx, j.block, func(p *part) error {
			select {
			case j.parts <- p:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		j.warnings = warnings
		close(j.parts)
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) appendJobs(ctx context.Context, done <-chan *job) ([]recording.Warning, error) {
	var warnings []recording.Warning
	for j := range done {
		if err := p.appendJob(ctx, j); err != nil {
			return nil, err
		}
		warnings = append(warnings, j.warnings...)
		if p.progress != nil {
			p.progress(j.block.Offset(), p.source.Summary.Size)
		}
	}
	return warnings, nil
}

func (p *pass) appendJob(ctx context.Context, j *job) error {
	for {
		select {
		case part, more := <-j.parts:
			if !more {
				return nil
			}
			if err := p.append(part); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
