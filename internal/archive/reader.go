package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/transcript"
)

// A job is a file to read.
type job struct {
	path     string
	info     fs.FileInfo
	state    state
	importer transcript.Importer
	before   store.Source // how far it was read before
	known    bool         // it was, to its end of then
	result   FileResult
}

const (
	maxLosses  = 20      // of a file that are listed
	maxKinds   = 100     // unknown types of a file that are told apart
	tailBytes  = 4 << 10 // of a file before the cursor that tell whether it goes on
	otherKinds = "…"     // what is beyond maxKinds
)

// cursor is where to go on reading: at the start unless the file still holds
// what was read of it.
func (j *job) cursor() transcript.Cursor {
	from := transcript.Cursor{Offset: j.before.Offset, State: j.before.State}
	if from.Offset > j.info.Size() {
		return transcript.Cursor{}
	}
	if tail, err := tailOf(j.path, from.Offset); err != nil || tail != j.before.Tail {
		return transcript.Cursor{}
	}
	return from
}

// tailOf is a hash of the bytes just before offset; "" at the start.
func tailOf(path string, offset int64) (string, error) {
	if offset <= 0 {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	tail := make([]byte, min(offset, tailBytes))
	if _, err := f.ReadAt(tail, offset-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	sum := sha256.Sum256(tail)
	return hex.EncodeToString(sum[:]), nil
}

// read has the importer read a file into a sink, and notes what became of it.
func (m *importing) read(ctx context.Context, j *job, from transcript.Cursor, sink transcript.Sink) (to transcript.Cursor, ok bool) {
	r := &j.result
	r.Path, r.Harness, r.Status = j.path, j.importer.Harness(), FileNew
	if j.known {
		r.Status = FileGrown
	}
	to, err := m.readSafely(ctx, j, from, sink)
	r.Bytes = max(to.Offset-from.Offset, 0)
	if to.Offset == 0 {
		r.Bytes = j.info.Size() // an importer without offsets reads all of it
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Status, r.Reason = FileSkipped, "gone since it was found"
	case err != nil:
		r.Status, r.Reason = FileFailed, causeOf(err).Error()
	case r.LostTotal > 0:
		r.Status = FileDamaged
	}
	return to, err == nil
}

// readSafely keeps a fault in reading one file from ending the program.
func (m *importing) readSafely(ctx context.Context, j *job, from transcript.Cursor, sink transcript.Sink) (to transcript.Cursor, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			m.log.Error("an importer panicked", keyPath, j.path, keyError, fault, keyStack, string(debug.Stack()))
			err = fmt.Errorf("the importer of %s panicked: %v", j.importer.Harness(), fault)
		}
	}()
	return j.importer.Read(ctx, &transcript.File{Path: j.path, Info: j.info}, from, sink)
}

// countingSink counts what a file holds. It is the beginning of every sink, and
// all there is of a dry run.
type countingSink struct {
	job      *job
	refs     map[session.Ref]bool // nil: not wanted
	progress func(bytes int)      // nil: not wanted
}

// Stream notes the stream.
func (s *countingSink) Stream(ref session.Ref, _ session.StreamFacts) error {
	if s.refs != nil {
		s.refs[ref] = true
	}
	return nil
}

// Record counts a record.
func (s *countingSink) Record(ref session.Ref, r session.Record) error {
	s.job.result.Records++
	if s.refs != nil {
		s.refs[ref] = true
	}
	s.advance(len(r.Body))
	return nil
}

func (s *countingSink) advance(bytes int) {
	if s.progress != nil {
		s.progress(bytes)
	}
}

// Lost notes a part of the file that can't be read.
func (s *countingSink) Lost(offset int64, reason string) {
	r := &s.job.result
	r.LostTotal++
	if len(r.Lost) < maxLosses {
		r.Lost = append(r.Lost, Loss{Offset: offset, Reason: reason})
	}
}

// Unknown counts a record of a type that the importer does not know.
func (s *countingSink) Unknown(kind string) {
	r := &s.job.result
	if r.Unknown == nil {
		r.Unknown = map[string]int{}
	}
	kind = session.Clip(session.Clean(kind), 100)
	if _, known := r.Unknown[kind]; !known && len(r.Unknown) >= maxKinds {
		kind = otherKinds
	}
	r.Unknown[kind]++
}

// Cut notes that the file ends inside of a record.
func (s *countingSink) Cut(offset int64) { s.job.result.CutAt = &offset }

// A report is what the store keeps of what an importer said of a file.
type report struct {
	Lost    int            `json:"lost"`
	Unknown map[string]int `json:"unknown,omitempty"`
	CutAt   *int64         `json:"cut_at,omitempty"`
}

// report joins what was said now to what was said of the part read before.
func (j *job) report(continued bool) []byte {
	r := report{Lost: j.result.LostTotal, Unknown: map[string]int{}, CutAt: j.result.CutAt}
	var before report
	if continued {
		_ = json.Unmarshal(j.before.Report, &before) // an older program's: then it says nothing
	}
	r.Lost += before.Lost
	for _, counts := range []map[string]int{before.Unknown, j.result.Unknown} {
		for kind, n := range counts {
			r.Unknown[kind] += n
		}
	}
	text, _ := json.Marshal(r) // numbers and strings: it can't fail
	return text
}
