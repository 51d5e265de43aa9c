package mcap

import (
	"context"
	"fmt"

	"tapedeck/internal/recording"
)

// span is a part of the file that is read as one block: a chunk record, or a
// run of records outside of chunks.
type span struct {
	offset, size int64 // with the head of its first record
	chunk        bool
	cut          bool // a chunk without its end
	messages     bool // a run: it holds messages, not only definitions

	// Of a chunk, where known. The times are those that its header or its index
	// states.
	timed       bool
	start, end  uint64
	compression string
}

// walker goes from record to record outside of chunks and reads none of what
// it can pass by. Blocks go to visit; all else that a summary needs is kept.
type walker struct {
	win   window
	notes *recording.Warnings
	visit func(span) error

	metadata    []recording.Metadata
	attachments []recording.Attachment
	statistics  *statistics
	closed      bool // a footer was met
	joined      bool // a second recording follows the first

	pos, end int64
	run      span // records outside of chunks, up to pos
	zeroes   int  // records of opcode 0
	done     bool
}

func (f *file) walker(notes *recording.Warnings, visit func(span) error) *walker {
	return &walker{win: window{r: f.r, size: f.size}, notes: notes, visit: visit}
}

// walkAll walks everything behind the header.
func (f *file) walkAll(ctx context.Context, w *walker) error {
	if err := w.walk(ctx, f.dataStart, f.size); err != nil {
		return err
	}
	if !w.closed {
		w.notes.Add(recording.WarnTruncated, f.size, "the file ends without a footer: the recorder was stopped, or is still writing; what is whole was read")
	}
	return nil
}

// walk walks the records from byte from to byte to.
func (w *walker) walk(ctx context.Context, from, to int64) error {
	const checkEvery = 256
	w.pos, w.end, w.done = from, to, false
	for n := 0; w.pos < w.end && !w.done; n++ {
		if n%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := w.step(); err != nil {
			return err
		}
	}
	if w.zeroes > 0 {
		w.notes.Add(recording.WarnBadRecord, -1, "%s of opcode 0 left out: no record may have that", counted(w.zeroes, "record"))
		w.zeroes = 0
	}
	return w.closeRun()
}

// step passes one record.
func (w *walker) step() error {
	head, err := w.win.peek(w.pos, recordHead)
	if err != nil {
		return err
	}
	if len(head) < recordHead || w.end-w.pos < recordHead {
		w.notes.Add(recording.WarnTruncated, w.pos, "the file ends in the middle of a record: %d bytes are left where 9 are needed to begin one", min(int64(len(head)), w.end-w.pos))
		w.done = true
		return nil
	}
	op, n := recordAt(head)
	if n > uint64(w.end-w.pos-recordHead) {
		return w.overlong(op, n)
	}
	return w.record(op, int64(n))
}

// record passes a record that the file holds whole.
func (w *walker) record(op byte, n int64) error {
	size := recordHead + n
	switch op {
	case opSchema, opChannel, opMessage:
		return w.loose(op, size)
	case opChunk:
		return w.chunk(n)
	case opFooter:
		return w.footer(size)
	case 0:
		w.zeroes++
	}
	if op > opDataEnd && size <= maxName && w.run.size > 0 {
		return w.loose(op, size) // private records need not break a run
	}
	if err := w.closeRun(); err != nil {
		return err
	}
	if err := w.describe(op, n); err != nil {
		return err
	}
	w.pos += size
	return nil
}

// loose adds a record to the run of records outside of chunks.
func (w *walker) loose(op byte, size int64) error {
	if size > maxRecord {
		w.notes.Add(recording.WarnBadRecord, w.pos, "a record of %d bytes is larger than is read into memory; it is left out", size)
		err := w.closeRun()
		w.pos += size
		return err
	}
	if w.run.size > 0 && w.run.size+size > looseRun {
		if err := w.closeRun(); err != nil {
			return err
		}
	}
	if w.run.size == 0 {
		w.run.offset = w.pos
	}
	w.run.size += size
	w.run.messages = w.run.messages || op == opMessage
	w.pos += size
	return nil
}

// closeRun hands out the run of records outside of chunks, if there is one.
func (w *walker) closeRun() error {
	run := w.run
	w.run = span{}
	if run.size == 0 {
		return nil
	}
	return w.visit(run)
}

func (w *walker) chunk(n int64) error {
	if err := w.closeRun(); err != nil {
		return err
	}
	s := span{offset: w.pos, size: recordHead + n, chunk: true}
	if info, err := w.chunkInfo(n); err == nil {
		s.timed, s.start, s.end, s.compression = true, info.start, info.end, info.compression
	}
	w.pos += s.size
	return w.visit(s)
}

// chunkInfo reads the fields of the chunk at pos, of which the file has n bytes.
func (w *walker) chunkInfo(n int64) (chunkInfo, error) {
	b, err := w.win.peek(w.pos+recordHead, min(n, chunkHead+maxName))
	if err != nil {
		return chunkInfo{}, err
	}
	return parseChunkInfo(b)
}

// footer passes the footer and looks what follows it: the magic, and then
// nothing, or another recording.
func (w *walker) footer(size int64) error {
	if err := w.closeRun(); err != nil {
		return err
	}
	w.closed = true
	w.pos += size
	after, err := w.win.peek(w.pos, int64(2*len(magic)))
	if err != nil {
		return err
	}
	switch {
	case string(after) == magic:
		w.done = true
	case string(after) == magic+magic:
		w.notes.Add(recording.WarnConcatenated, w.pos+int64(len(magic)), "a second recording follows the first; it is read as well")
		w.pos += int64(2 * len(magic))
		w.joined = true
	case len(after) < len(magic):
		w.notes.Add(recording.WarnTruncated, w.pos, "the file ends in the 8 bytes that should end it; all records were read")
		w.done = true
	default:
		w.notes.Add(recording.WarnTrailingData, w.pos, "%d bytes follow the footer, where 8 should end the file; they are left out", w.end-w.pos)
		w.done = true
	}
	return nil
}

// overlong deals with a record that is longer than what is left of the file:
// the file was cut, or the length is wrong.
func (w *walker) overlong(op byte, n uint64) error {
	if err := w.closeRun(); err != nil {
		return err
	}
	left := w.end - w.pos - recordHead
	if op == opChunk {
		if info, err := w.chunkInfo(left); err == nil {
			return w.cutChunk(info)
		}
	}
	next, err := w.findChunk(w.pos + 1)
	if err != nil {
		return err
	}
	lost := "the rest of the file is lost"
	if next < w.end {
		lost = fmt.Sprintf("it is left out, and reading goes on with the chunk at byte %d", next)
	}
	code := recording.WarnBadRecord
	if next == w.end && n < maxRecord {
		code = recording.WarnTruncated
	}
	w.notes.Add(code, w.pos, "a record of opcode 0x%02x should have %d bytes, the file has %d more; %s", op, n, left, lost)
	w.pos = next
	return nil
}

// cutChunk deals with a chunk at pos whose end is missing, as its recorder died
// before it was closed (then its sizes are 2^64-1), or the file was cut.
func (w *walker) cutChunk(info chunkInfo) error {
	if info.compression == "" {
		// Its records lie here as those outside of chunks do.
		w.notes.Add(recording.WarnCutChunk, w.pos, "a chunk has no end; its records are read one by one")
		w.pos += recordHead + int64(info.records)
		return nil
	}
	next, err := w.findChunk(w.pos + 1)
	if err != nil {
		return err
	}
	s := span{offset: w.pos, size: next - w.pos, chunk: true, cut: true, compression: info.compression}
	w.pos = next
	return w.visit(s)
}
