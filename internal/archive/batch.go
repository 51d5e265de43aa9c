package archive

import (
	"context"
	"runtime"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/transcript"
)

const (
	// batchBytes and batchRecords bound what is appended at a time.
	batchBytes   = 4 << 20
	batchRecords = 4000
	// batches are how many there are: one is filled, one written, one waits. A
	// record that is larger than all of a batch waits until it is alone.
	batches = 3
)

// A batch is what is appended at one time: records of one file.
type batch struct {
	job     *job
	source  store.Source
	last    bool // of its file
	streams []store.StreamRecords
	places  map[session.Ref]int // in streams
	bodies  []byte              // holds all but the largest
	records int
}

// newBatch makes a batch for an import of so many bytes.
func newBatch(bytes int64) *batch {
	return &batch{bodies: make([]byte, 0, min(bytes, batchBytes)), places: map[session.Ref]int{}}
}

func (b *batch) empty() {
	clear(b.places)
	clear(b.streams) // lets go of the largest bodies
	*b = batch{streams: b.streams[:0], places: b.places, bodies: b.bodies[:0]}
}

// stream is where the records of a stream go.
func (b *batch) stream(ref session.Ref, facts session.StreamFacts) *store.StreamRecords {
	at, ok := b.places[ref]
	if !ok {
		at = len(b.streams)
		b.places[ref] = at
		b.streams = append(b.streams, store.StreamRecords{Ref: ref})
	}
	b.streams[at].Facts = facts
	return &b.streams[at]
}

// room reports whether a body fits in.
func (b *batch) room(bytes int) bool {
	return b.records < batchRecords && len(b.bodies)+bytes <= cap(b.bodies)
}

func (b *batch) add(ref session.Ref, facts session.StreamFacts, r session.Record) {
	if len(r.Body) <= cap(b.bodies)-len(b.bodies) {
		begin := len(b.bodies)
		b.bodies = append(b.bodies, r.Body...)
		r.Body = b.bodies[begin:len(b.bodies):len(b.bodies)]
	} else {
		r.Body = append([]byte(nil), r.Body...)
	}
	s := b.stream(ref, facts)
	s.Records = append(s.Records, r)
	b.records++
}

// batchSink puts what an importer reads into batches.
type batchSink struct {
	countingSink
	ctx        context.Context
	from       transcript.Cursor
	free, full chan *batch
	current    *batch
	facts      map[session.Ref]session.StreamFacts
}

// Stream keeps what is known of a stream for all batches with records of it.
func (s *batchSink) Stream(ref session.Ref, facts session.StreamFacts) error {
	s.facts[ref] = facts
	b, err := s.batch()
	if err != nil {
		return err
	}
	b.stream(ref, facts)
	return nil
}

// Record copies a record.
func (s *batchSink) Record(ref session.Ref, r session.Record) error {
	b, err := s.batch()
	if err != nil {
		return err
	}
	if !b.room(len(r.Body)) {
		if b, err = s.next(len(r.Body) > batchBytes); err != nil {
			return err
		}
	}
	b.add(ref, s.facts[ref], r)
	if len(r.Body) > batchBytes {
		s.hand(s.source()) // its memory is wanted back soon
	}
	s.advance(len(r.Body)) // the store counts which are new
	return nil
}

// batch is the one that is being filled.
func (s *batchSink) batch() (*batch, error) {
	if s.current != nil {
		return s.current, nil
	}
	select {
	case s.current = <-s.free:
		s.current.job = s.job
		return s.current, nil
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	}
}

// next hands the current batch on and gives an empty one; alone: once all that
// was handed on is written.
func (s *batchSink) next(alone bool) (*batch, error) {
	s.hand(s.source())
	if alone {
		if err := s.settle(); err != nil {
			return nil, err
		}
	}
	return s.batch()
}

// settle waits until all batches are free, and clears away what they held.
func (s *batchSink) settle() error {
	var held []*batch
	defer func() {
		for _, b := range held {
			s.free <- b
		}
	}()
	for len(held) < batches {
		select {
		case b := <-s.free:
			held = append(held, b)
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
	runtime.GC()
	return nil
}

func (s *batchSink) hand(source store.Source) {
	s.current.source = source
	s.full <- s.current // never blocks: there is room for all batches
	s.current = nil
}

// last hands on what is left, with how far the file was read. Nothing is noted
// of a file of which nothing could be read.
func (s *batchSink) last(source store.Source) error {
	if s.current == nil && !source.Complete {
		return nil
	}
	b, err := s.batch()
	if err != nil {
		return err
	}
	b.last = true
	s.hand(source)
	return nil
}

// source is the file as the store should know it while it is not read to its
// end: reading begins again where it began now.
func (s *batchSink) source() store.Source {
	j := s.job
	return store.Source{
		Path: j.path, Harness: j.importer.Harness(), Size: j.state.size, ModTime: j.state.modTime,
		Offset: s.from.Offset, State: s.from.State, Tail: j.tailBefore(s.from), Report: j.before.Report,
	}
}

// tailBefore goes with a cursor: the start has none.
func (j *job) tailBefore(from transcript.Cursor) string {
	if from.Offset == 0 {
		return ""
	}
	return j.before.Tail
}
