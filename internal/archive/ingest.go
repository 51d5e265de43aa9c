package archive

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

// take reads the files and stores their records. One goroutine reads, one
// writes; a third derives the streams of files that are read to their end, so
// that the first sessions of a long import are there before its last.
func (m *importing) take(ctx context.Context) error {
	m.bytes.expect(m.jobs)
	switch {
	case len(m.jobs) == 0:
		return nil
	case m.request.DryRun:
		return m.count(ctx)
	}
	work, within := errgroup.WithContext(ctx)
	free, full := make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		free <- newBatch(m.bytes.total.Load())
	}
	whole := make(chan struct{}, 1) // a file is read to its end
	work.Go(func() error {
		defer close(full)
		return m.readAll(within, free, full)
	})
	work.Go(func() error {
		defer close(whole)
		return m.write(within, free, full, whole)
	})
	work.Go(func() error {
		for range whole {
			if err := m.derivePending(within, &m.derived, 1, m.unfinished.has, nil); err != nil {
				return err
			}
		}
		return nil
	})
	return work.Wait()
}

func (m *importing) readAll(ctx context.Context, free, full chan *batch) error {
	for _, j := range m.jobs {
		if err := m.readInto(ctx, j, free, full); err != nil {
			return err
		}
	}
	return nil
}

// count is take for a dry run.
func (m *importing) count(ctx context.Context) error {
	for _, j := range m.jobs {
		m.read(ctx, j, j.cursor(), &countingSink{job: j, progress: m.advance(j)})
		if err := ctx.Err(); err != nil {
			return err
		}
		m.bytes.finished(j)
	}
	return nil
}

// readInto reads one file into batches.
func (m *importing) readInto(ctx context.Context, j *job, free, full chan *batch) error {
	from := j.cursor()
	sink := &batchSink{
		countingSink: countingSink{job: j, progress: m.advance(j)},
		ctx:          ctx, from: from, free: free, full: full, facts: map[session.Ref]session.StreamFacts{},
	}
	to, ok := m.read(ctx, j, from, sink)
	if err := ctx.Err(); err != nil {
		return err
	}
	m.bytes.finished(j)
	source := sink.source()
	if ok {
		tail, err := tailOf(j.path, to.Offset)
		if err != nil {
			j.result.Status, j.result.Reason = FileFailed, causeOf(err).Error()
		} else {
			source.Offset, source.State, source.Tail, source.Complete = to.Offset, to.State, tail, true
			source.Report = j.report(from.Offset > 0)
		}
	}
	return sink.last(source)
}

// write appends batches as they come.
func (m *importing) write(ctx context.Context, free, full chan *batch, whole chan<- struct{}) error {
	for b := range full {
		m.unfinished.add(b.streams)
		took, err := m.store.Append(ctx, store.Batch{Source: &b.source, Streams: b.streams})
		if err != nil {
			return err
		}
		r := &b.job.result
		r.Records += took.New
		r.Known += took.Known
		r.Deleted += took.Deleted
		if b.last {
			m.unfinished.clear()
			select {
			case whole <- struct{}{}:
			default: // it is told already
			}
		}
		b.empty()
		free <- b
	}
	return ctx.Err()
}

// streamSet are the streams of the file that is being stored: deriving them
// before its end would be done in vain.
type streamSet struct {
	mu   sync.Mutex
	refs map[session.Ref]bool
}

func (s *streamSet) add(streams []store.StreamRecords) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refs == nil {
		s.refs = map[session.Ref]bool{}
	}
	for _, stream := range streams {
		s.refs[stream.Ref] = true
	}
}

func (s *streamSet) has(ref session.Ref) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refs[ref]
}

func (s *streamSet) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.refs)
}

// progressBytes counts what was read of what is to be read.
type progressBytes struct {
	done, total atomic.Int64
	ofFile      int64 // of done, of the file that is read
}

func (p *progressBytes) expect(jobs []*job) {
	for _, j := range jobs {
		p.total.Add(j.expected())
	}
}

// expected is how much of a file there is to read, as far as that is known.
func (j *job) expected() int64 {
	return max(j.info.Size()-j.before.Offset, 0)
}

// advance is what a sink calls for each record.
func (m *importing) advance(j *job) func(int) {
	name, steps := filepath.Base(j.path), 0
	return func(bytes int) {
		p := &m.bytes
		bytes = int(min(int64(bytes), j.expected()-p.ofFile)) // a database's records say more than its size
		p.ofFile += int64(bytes)
		p.done.Add(int64(bytes))
		if steps++; m.progress != nil && steps%64 == 1 {
			m.progress(uint64(p.done.Load()), uint64(p.total.Load()), name)
		}
	}
}

// finished counts what of a file was no record.
func (p *progressBytes) finished(j *job) {
	p.done.Add(j.expected() - p.ofFile)
	p.ofFile = 0
}
