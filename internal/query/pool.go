package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"
)

// Limits bound an answer. A zero field is the default that stands behind it.
type Limits struct {
	DefaultRows int           // rows when a request names no number; 1000
	MaxRows     int           // rows that a request may ask for; 10,000
	MaxBytes    int           // of the rows' JSON; 80,000
	CellBytes   int           // of one value's JSON; 64 KiB
	Timeout     time.Duration // from the start of the execution; 30 s
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.DefaultRows, 1000)
	setDefault(&l.MaxRows, 10_000)
	setDefault(&l.MaxBytes, 80_000)
	setDefault(&l.CellBytes, 64<<10)
	setDefault(&l.Timeout, 30*time.Second)
	l.DefaultRows = min(l.DefaultRows, l.MaxRows)
	return l
}

func setDefault[T int | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Options configure a pool. A zero field is the default that stands behind it.
type Options struct {
	Executable     string // what to start with WorkerArg; this program
	MaxWorkers     int    // statements executed at once; 4
	AddressSpaceMB int    // of one worker; MemoryMB + 3072
	MemoryMB       int    // of one worker's DuckDB; 1024
	Threads        int    // of one worker; the number of CPUs, at most 4
	Limits         Limits
	Log            *slog.Logger // none
}

func (o Options) withDefaults() (Options, error) {
	if o.Executable == "" {
		path, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("%w: %v", ErrWorker, err)
		}
		o.Executable = path
	}
	setDefault(&o.MaxWorkers, 4)
	setDefault(&o.MemoryMB, 1024)
	setDefault(&o.AddressSpaceMB, o.MemoryMB+3072)
	setDefault(&o.Threads, min(runtime.NumCPU(), 4))
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Limits = o.Limits.withDefaults()
	return o, nil
}

// Pool keeps workers and spreads statements over them. It may be used by several
// goroutines.
type Pool struct {
	options   Options
	workerArg string
	slots     chan struct{} // one taken for each statement that is executed
	closing   context.Context
	close     context.CancelFunc
	starts    sync.WaitGroup

	mu       sync.Mutex
	latest   string // version of the catalog that was asked for last
	idle     []*process
	starting bool // a spare is on its way
	busy     map[*process]bool
}

// NewPool returns a pool that has no workers yet; see Warm.
func NewPool(o Options) (*Pool, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Pool{options: o, workerArg: WorkerArg, slots: make(chan struct{}, o.MaxWorkers), busy: map[*process]bool{}}
	p.closing, p.close = context.WithCancel(context.Background())
	return p, nil
}

// Close ends all workers, also those that are executing.
func (p *Pool) Close() {
	p.close()
	p.starts.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		w.close()
	}
	p.idle = nil
	for w := range p.busy {
		w.kill()
	}
}

// Warm starts a worker for the catalog in the background, unless there is one.
func (p *Pool) Warm(c *Catalog) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retireOthers(c.Version)
	p.startSpare(c)
}

// retireOthers makes version the one that workers are kept for. p.mu is held.
func (p *Pool) retireOthers(version string) {
	p.latest = version
	kept := p.idle[:0]
	for _, w := range p.idle {
		if w.version == version && w.alive() {
			kept = append(kept, w)
		} else {
			w.close()
		}
	}
	p.idle = kept
}

// startSpare starts a worker ahead of the next statement when none is idle. p.mu is held.
func (p *Pool) startSpare(c *Catalog) {
	if p.starting || len(p.idle) > 0 || p.closing.Err() != nil {
		return
	}
	p.starting = true
	p.starts.Go(func() {
		w, err := p.startWorker(p.closing, c)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.starting = false
		switch {
		case err == nil:
			p.keep(w)
		case p.closing.Err() == nil:
			p.options.Log.Warn("no spare query worker", "error", err)
		}
	})
}

func (p *Pool) startWorker(ctx context.Context, c *Catalog) (*process, error) {
	return startProcess(ctx, p.options.Executable, p.workerArg, p.setup(c, ""))
}

func (p *Pool) setup(c *Catalog, exportPath string) setup {
	return setup{
		Catalog:        *c,
		AddressSpaceMB: p.options.AddressSpaceMB,
		MemoryMB:       p.options.MemoryMB,
		Threads:        p.options.Threads,
		ExportPath:     exportPath,
	}
}

// keep makes w idle, or ends it when it is of no use. p.mu is held.
func (p *Pool) keep(w *process) {
	if p.closing.Err() != nil || w.version != p.latest || len(p.idle) >= p.options.MaxWorkers || !w.alive() {
		w.close()
		return
	}
	p.idle = append(p.idle, w)
}

// acquire waits for its turn, no longer than patience, and gives a worker for the catalog.
func (p *Pool) acquire(ctx context.Context, c *Catalog, patience time.Duration) (*process, error) {
	if err := p.takeSlot(ctx, patience); err != nil {
		return nil, err
	}
	w := p.takeIdle(c)
	if w == nil {
		var err error
		if w, err = p.startWorker(ctx, c); err != nil {
			<-p.slots
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy[w] = true
	if p.closing.Err() != nil {
		w.kill()
	}
	if p.options.MaxWorkers > 1 {
		p.startSpare(c)
	}
	return w, nil
}

func (p *Pool) takeSlot(ctx context.Context, patience time.Duration) error {
	waiting := time.NewTimer(patience)
	defer waiting.Stop()
	select {
	case <-p.closing.Done():
		return fmt.Errorf("%w: the pool is closed", ErrWorker)
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-waiting.C:
		return ErrBusy
	}
}

func (p *Pool) takeIdle(c *Catalog) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retireOthers(c.Version)
	if len(p.idle) == 0 {
		return nil
	}
	w := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return w
}

// release gives a worker back.
func (p *Pool) release(w *process, reusable bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, w)
	if reusable {
		p.keep(w)
	} else {
		w.close()
	}
	<-p.slots
}

// Sink takes an answer as it comes: the columns once, then each row as a JSON array,
// which it may keep. An error from it ends the statement.
type Sink interface {
	Columns(names, types []string) error
	Row(row json.RawMessage) error
}

// Summary says how an answer ended.
type Summary struct {
	RowCount        int
	Truncated       bool
	TruncatedReason string // what cut the answer and how to go on
	ExecutionTimeMS float64
	Tables          []string // of the catalog, that the statement names
}

// Stream answers a request row by row. Once sink has seen a row, an error may still follow.
func (p *Pool) Stream(ctx context.Context, c *Catalog, r Request, sink Sink) (Summary, error) {
	q := p.options.Limits.statement(r)
	o, err := p.answer(ctx, c, q, sink)
	for died := 1; died <= p.options.MaxWorkers && errors.As(err, new(notBegunError)); died++ {
		o, err = p.answer(ctx, c, q, sink)
	}
	if err != nil {
		return Summary{}, q.explain(err)
	}
	reason := p.options.Limits.reason(o, q)
	return Summary{RowCount: o.Rows, Truncated: reason != "", TruncatedReason: reason, ExecutionTimeMS: o.Millis, Tables: o.Tables}, nil
}

// answer lets a worker answer one statement.
func (p *Pool) answer(ctx context.Context, c *Catalog, q statement, sink Sink) (outcome, error) {
	w, err := p.acquire(ctx, c, time.Duration(q.TimeoutMS)*time.Millisecond)
	if err != nil {
		return outcome{}, err
	}
	o, err := w.ask(ctx, q, sink)
	spoilt := err != nil || o.Spoilt
	if err == nil {
		err = o.Failure.err()
	}
	p.release(w, !spoilt)
	if spoilt {
		p.options.Log.Info("query worker replaced", "error", err, "stderr", w.stderr.String())
	}
	return o, err
}

// Query answers a request.
func (p *Pool) Query(ctx context.Context, c *Catalog, r Request) (*Result, error) {
	result := &Result{Columns: []string{}, Types: []string{}, Rows: []json.RawMessage{}}
	summary, err := p.Stream(ctx, c, r, collector{result})
	if err != nil {
		return nil, err
	}
	result.RowCount = summary.RowCount
	result.Truncated, result.TruncatedReason = summary.Truncated, summary.TruncatedReason
	result.ExecutionTimeMS, result.Tables = summary.ExecutionTimeMS, summary.Tables
	return result, nil
}

// collector is the sink that makes a Result.
type collector struct{ result *Result }

func (c collector) Columns(names, types []string) error {
	c.result.Columns, c.result.Types = names, types
	return nil
}

func (c collector) Row(row json.RawMessage) error {
	c.result.Rows = append(c.result.Rows, row)
	return nil
}
