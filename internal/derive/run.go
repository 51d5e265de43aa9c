package derive

import (
	"context"
	"fmt"
	"slices"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
)

// baseBytes is how much is read between two bases at least.
const baseBytes = 64 << 10

// A base is a record before which the interpreter's state was kept.
type base struct {
	place      session.Place
	state      []byte
	prefixOver bool
}

// tally counts records with a place.
type tally struct {
	records, replayed int64
	copies            int64 // that an earlier session holds, also where they count as this one's
}

// source is where an event comes from.
type source struct {
	place    session.Place // of the record that made the interpreter give it
	base     *base         // where reading can go on to give it again; nil: nowhere
	tally                  // up to this record
	unplaced bool          // the record has no place
	ending   bool          // given by the interpreter's End: more records may unsay it
}

// event is an event of the stream with its source.
type event struct {
	session.Event
	from source
}

// A mark is a point that is not finished: sums over earlier traces are known at
// the end only.
type mark struct {
	point
	pending content
}

// run is one derivation: it reads records, has them interpreted, and deals the
// events to the sessions that they are of.
type run struct {
	ctx  context.Context
	in   Input
	main *fold

	threads     map[string]*fold
	threadOrder []*fold
	owners      map[string]owner // of threads

	packing   packing
	base      *base
	sinceBase int64 // bytes since base

	tally
	unplacedRecords, unplacedCopies int64
	prefixOver                      bool
	unplaced                        []session.Event
	digest                          string // "": no checkpoints can be made

	resumed *point  // where this run goes on; nil: at the first record
	passing bool    // events before the one that opens are passed over
	earlier []point // that stay as they are
	begun   []mark  // at the beginnings of the last traces
}

func newRun(ctx context.Context, in Input) *run {
	r := &run{
		ctx: ctx, in: in,
		threads: map[string]*fold{}, owners: map[string]owner{},
		packing: packing{limit: looseBytes},
	}
	r.main = newFold(r, in.Ref)
	return r
}

// goOnAt makes the run begin at a checkpoint.
func (r *run) goOnAt(at point, digest string, earlier []point) {
	r.resumed, r.passing, r.earlier, r.digest = &at, true, earlier, digest
	r.tally = tally{at.Records, at.Replayed, at.Copies}
	r.main.goOnAt(at)
}

// read reads the records from a place on, those without a place first.
func (r *run) read(from session.Place) error {
	interpreter, err := r.in.Importer.Interpreter(nil)
	if err != nil {
		return fmt.Errorf("interpreting %s: %w", r.in.Ref, err)
	}
	placed := false
	for record, err := range r.in.Records(from) {
		if err != nil {
			return fmt.Errorf("reading records of %s: %w", r.in.Ref, err)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if record.Order == 0 {
			err = r.takeUnplaced(interpreter, record)
		} else {
			if !placed {
				placed = true
				if interpreter, err = r.begin(interpreter); err != nil {
					return err
				}
			}
			err = r.take(interpreter, record)
		}
		if err != nil {
			return err
		}
	}
	if r.passing {
		return errReachesBack
	}
	if r.resumed != nil && r.copies+r.unplacedCopies != int64(r.in.ReplayedOrigins) {
		return errReachesBack // what was its own before is a copy now, or the other way
	}
	return r.end(interpreter)
}

// takeUnplaced reads a record without a place. What it says of the session as a
// whole is read in every run; anything else only in those from the beginning.
func (r *run) takeUnplaced(interpreter transcript.Interpreter, record session.Record) error {
	replayed := r.isCopy(record)
	if replayed {
		r.unplacedCopies++
	} else {
		r.unplacedRecords++
	}
	for _, e := range kept(interpreter.Add(record, replayed), replayed) {
		r.unplaced = append(r.unplaced, e)
		if r.resumed != nil {
			switch e.What.(type) {
			case *session.Title, *session.Facts, *session.Spawn:
			default:
				r.main.unplaced.at(e.At)
				continue
			}
		}
		if err := r.deal(event{e, source{unplaced: true}}); err != nil {
			return err
		}
	}
	return r.packing.err
}

// begin is called before the first record with a place: it gives the interpreter
// of those.
func (r *run) begin(interpreter transcript.Interpreter) (transcript.Interpreter, error) {
	digest, err := r.digestNow(interpreter)
	if err != nil {
		return nil, err
	}
	if r.resumed == nil {
		r.digest = digest
		return interpreter, nil
	}
	if digest != r.digest {
		return nil, errReachesBack
	}
	interpreter, err = r.in.Importer.Interpreter(r.resumed.State)
	if err != nil {
		return nil, errReachesBack // what an earlier program kept
	}
	r.prefixOver = r.resumed.PrefixOver
	return interpreter, nil
}

func (r *run) digestNow(interpreter transcript.Interpreter) (string, error) {
	state, can := interpreter.State()
	if !can || slices.ContainsFunc(r.unplaced, isContent) {
		return "", nil
	}
	return digestOf(r.in, state, r.unplaced)
}

// isContent reports whether e makes or changes traces.
func isContent(e session.Event) bool {
	switch e.What.(type) {
	case *session.Prompt, *session.Answer, *session.Call, *session.Result:
		return true
	}
	return false
}

// take reads a record that has a place.
func (r *run) take(interpreter transcript.Interpreter, record session.Record) error {
	place := record.Place()
	if r.passing && r.resumed.Place.Before(place) {
		return errReachesBack // the event that opened is gone
	}
	r.keepBase(interpreter, record)
	replayed := r.isReplay(record)
	if r.resumed == nil || r.resumed.Place.Before(place) {
		if replayed {
			r.replayed++
		} else {
			r.records++
		}
		if r.isCopy(record) {
			r.copies++
		}
	}
	from := source{place: place, base: r.base, tally: r.tally}
	for _, e := range kept(interpreter.Add(record, replayed), replayed) {
		if r.passing {
			if place != r.resumed.Place || e.Key != r.resumed.Opens {
				continue
			}
			r.passing = false
		}
		if replayed {
			e.At = 0 // it was the earlier session that was at work then
		}
		if err := r.deal(event{e, from}); err != nil {
			return err
		}
	}
	return r.packing.err
}

// kept are the events that count: of a replayed record those alone that set the
// stage.
func kept(events []session.Event, replayed bool) []session.Event {
	return slices.DeleteFunc(events, func(e session.Event) bool {
		if e.What == nil {
			return true
		}
		if !replayed {
			return false
		}
		switch e.What.(type) {
		case *session.Context, *session.Facts:
			return false
		}
		return true
	})
}

// isReplay reports whether the record is an earlier session's.
func (r *run) isReplay(record session.Record) bool {
	if record.Origin == "" || r.prefixOver {
		return false
	}
	replayed := r.isCopy(record)
	if !replayed && r.in.Importer.Replay() == transcript.ReplayPrefix {
		r.prefixOver = true
	}
	return replayed
}

// isCopy reports whether an earlier session holds the record too.
func (r *run) isCopy(record session.Record) bool {
	return record.Origin != "" && r.in.Replayed != nil && r.in.Replayed(record.Origin)
}

// keepBase keeps the interpreter's state before the record every now and then.
// Where depends on the records alone, so that every run keeps the same ones.
func (r *run) keepBase(interpreter transcript.Interpreter, record session.Record) {
	kept := int64(0)
	if r.base != nil {
		kept = int64(len(r.base.state))
	}
	if r.base == nil || r.sinceBase >= max(baseBytes, 16*kept) {
		if state, can := interpreter.State(); can {
			r.base, r.sinceBase = &base{record.Place(), state, r.prefixOver}, 0
		}
	}
	r.sinceBase += int64(len(record.Body))
}

// deal gives the event to the session that it is of.
func (r *run) deal(e event) error {
	if e.Thread == "" {
		return r.main.take(e)
	}
	if r.resumed != nil {
		return errReachesBack // sessions of threads are always derived whole
	}
	return r.thread(e.Thread).take(e)
}

// end takes what the interpreter still held.
func (r *run) end(interpreter transcript.Interpreter) error {
	from := source{ending: true, tally: r.tally}
	for _, e := range kept(interpreter.End(), false) {
		if err := r.deal(event{e, from}); err != nil {
			return err
		}
	}
	for _, f := range r.folds() {
		if err := f.end(); err != nil {
			return err
		}
	}
	r.matchThreads()
	r.packing.flush()
	return r.packing.err
}

// folds are the stream's own session, and those of its threads.
func (r *run) folds() []*fold { return append([]*fold{r.main}, r.threadOrder...) }

// reaches reports whether a trace before those in memory holds the span. If so,
// what an event that was read before says of it is in that trace; one that is
// new can't be told of it here.
func (r *run) reaches(f *fold, spanID string, from source) (bool, error) {
	if r.resumed == nil || f != r.main {
		return false, nil
	}
	holds, err := r.in.HasSpan(spanID, f.first)
	if err != nil || !holds {
		return false, err
	}
	if from.ending || !from.place.Before(r.in.Fresh) {
		return false, errReachesBack
	}
	return true, nil
}

// mark keeps what is needed to go on at the trace that the event opens.
func (r *run) mark(f *fold, e event) {
	seq := f.first + len(f.traces)
	if f != r.main || seq == 0 || e.from.base == nil || e.from.ending {
		return
	}
	r.begun = append(r.begun, mark{pending: *f.pending, point: point{
		Seq: seq, Place: e.from.place, Opens: e.Key,
		Base: e.from.base.place, State: e.from.base.state, PrefixOver: e.from.base.prefixOver,
		Records: e.from.records, Replayed: e.from.replayed, Copies: e.from.copies,
		Carried: f.carried, Waiting: f.waiting(),
	}})
	if len(r.begun) > keptPoints {
		r.begun = slices.Delete(r.begun, 0, 1)
	}
}

// touch tells that the event changes a trace. What only the interpreter's End
// said of it may be unsaid, so nothing can go on behind it.
func (r *run) touch(t *trace, from source) {
	if from.ending && t.fold == r.main {
		r.begun = slices.DeleteFunc(r.begun, func(m mark) bool { return m.Seq > t.Seq })
	}
}

// finish is the point, given the sums over earlier traces.
func (m mark) finish(before sums) (point, error) {
	pending, err := m.pending.pack()
	m.Pending, m.Sums = pending, before
	return m.point, err
}
