package mcap

import (
	"context"
	"math"
	"slices"

	"tapedeck/internal/recording"
)

// scan reads every record of a file to summarise it.
type scan struct {
	f           *file
	defs        *definitions
	notes       *recording.Warnings
	scratch     recording.Scratch
	compression []string
	ordered     bool
	latest      uint64 // log time of the blocks so far
	messages    uint64 // with those of unknown channels
}

// summariseByScan makes the summary by reading every record. What the summary
// section says is used only for what is found nowhere else.
func (f *file) summariseByScan(ctx context.Context, sec *section) (*recording.Summary, error) {
	notes := &recording.Warnings{}
	notes.Append(sec.warnings)
	s := &scan{f: f, defs: newDefinitions(), notes: notes, ordered: true}
	w := f.walker(notes, func(sp span) error {
		s.block(sp)
		return ctx.Err()
	})
	if err := f.walkAll(ctx, w); err != nil {
		return nil, err
	}
	sum := f.newSummary()
	sum.Metadata, sum.Attachments = w.metadata, w.attachments
	sum.Ordered = s.ordered
	slices.Sort(s.compression)
	sum.Compression = s.compression
	if sec.usable {
		s.defs.adopt(sec)
	}
	s.defs.fill(sum, notes)
	if st := w.statistics; st != nil && !w.joined && st.messages != s.messages {
		notes.Add(recording.WarnStatisticsWrong, -1, "the statistics count %s, %d were found", counted(st.messages, "message"), s.messages)
	}
	sum.Warnings = notes.List()
	return sum, nil
}

func (f *file) newSummary() *recording.Summary {
	return &recording.Summary{Size: f.size, Profile: f.header.profile, Library: f.header.library}
}

// block counts the messages of one block and takes its definitions in.
func (s *scan) block(sp span) {
	if sp.chunk {
		if name := compressionName(sp.compression); (sp.timed || sp.cut) && !slices.Contains(s.compression, name) && len(s.compression) < maxCompressions {
			s.compression = append(s.compression, name)
		}
	}
	rs := records{b: s.f.load(sp, &s.scratch, s.notes)}
	first, last, n := uint64(math.MaxUint64), uint64(0), uint64(0)
	bad := badRecords{}
	for {
		at := rs.pos
		op, body, ok := rs.next()
		if !ok {
			break
		}
		switch op {
		case opMessage:
			if len(body) < messageHead {
				bad.short++
				continue
			}
			logTime := le.Uint64(body[6:])
			s.defs.id(le.Uint16(body)).current.add(logTime, len(body)-messageHead)
			first, last = min(first, logTime), max(last, logTime)
			n++
		case opSchema:
			bad.note(s.defs.schema(body))
		case opChannel:
			bad.note(s.defs.channel(body, sp.offset, at))
		case opChunk:
			bad.nested++
		}
	}
	bad.tell(sp, rs, n, s.notes)
	if n > 0 {
		s.ordered = s.ordered && first >= s.latest
		s.latest = max(s.latest, last)
		s.messages += n
	}
}

// badRecords counts what is wrong with the records of one block.
type badRecords struct {
	short  int // messages without all of their fields
	nested int // chunks in a chunk
	damage int // definitions that can't be read
}

func (b *badRecords) note(err error) {
	if err != nil {
		b.damage++
	}
}

// tell warns of the bad records of a block. rs is at the end of what could be
// read of it, which had n messages.
func (b *badRecords) tell(s span, rs records, n uint64, notes *recording.Warnings) {
	if b.short > 0 {
		notes.Add(recording.WarnBadRecord, s.offset, "%s in the block left out: shorter than the %d bytes of a message's fields", counted(b.short, "message"), messageHead)
	}
	if b.damage > 0 {
		notes.Add(recording.WarnBadRecord, s.offset, "%s in the block left out: shorter than their fields", counted(b.damage, "channel or schema record"))
	}
	if b.nested > 0 {
		notes.Add(recording.WarnNestedChunk, s.offset, "%s in the chunk left out: no chunk may lie in another", counted(b.nested, "chunk"))
	}
	switch left := len(rs.b) - rs.pos; {
	case s.cut && len(rs.b) > 0:
		notes.Add(recording.WarnCutChunk, s.offset, "the chunk has no end: %s read from its beginning, the rest is lost", counted(n, "whole message"))
	case left > 0:
		notes.Add(recording.WarnBadRecord, s.offset, "a record is longer than its block: %s read before it, %s lost from there on", counted(n, "message"), counted(left, "byte"))
	}
}
