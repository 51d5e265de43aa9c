package mcap

import (
	"bytes"
	"cmp"
	"hash/crc32"
	"slices"

	"tapedeck/internal/recording"
)

// tailSize is how far from the end of the file its footer is looked for: bytes
// may follow it in a file whose space was reserved beforehand.
const tailSize = 64 << 10

// section is what the summary section at the end of a file says. It is usable
// when it is there, whole, and does not contradict itself; whether it tells the
// truth about the rest of the file is for summariseByIndex to find out.
type section struct {
	usable     bool
	warnings   []recording.Warning // why not, where that is not the recorder's choice
	start, end int64               // of the section in the file; the footer begins at end
	fileEnd    int64               // behind the magic that ends the recording
	schemas    map[uint16]*recording.Schema
	channels   map[uint16]*recording.Channel
	chunks     []chunkIndex // by offset
	statistics *statistics
}

// section reads the summary section, once.
func (f *file) section() (*section, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.summary == nil {
		sec, err := f.readSection()
		if err != nil {
			return nil, err
		}
		f.summary = sec
	}
	return f.summary, nil
}

func (f *file) readSection() (*section, error) {
	s := &section{schemas: make(map[uint16]*recording.Schema), channels: make(map[uint16]*recording.Channel)}
	foot, at, err := f.findFooter()
	if err != nil || at < 0 || foot.summaryStart == 0 {
		return s, err
	}
	notes := &recording.Warnings{}
	defer func() { s.warnings = notes.List() }()

	const refused = "the summary section can't be used (%s); all records are read instead"
	if foot.summaryStart < uint64(f.dataStart) || foot.summaryStart > uint64(at) {
		notes.Add(recording.WarnBadSummary, at, "the footer says that the summary begins at byte %d, outside of bytes %d to %d; all records are read instead", foot.summaryStart, f.dataStart, at)
		return s, nil
	}
	s.start, s.end, s.fileEnd = int64(foot.summaryStart), at, at+recordHead+footerSize+int64(len(magic))
	if s.end-s.start > maxSummary {
		notes.Add(recording.WarnBadSummary, s.start, refused, "it is larger than is read into memory")
		return s, nil
	}
	w := window{r: f.r, size: f.size}
	withFooter := s.end - s.start + recordHead + footerSize - 4 // all that the checksum covers
	b, err := w.peek(s.start, withFooter)
	if err != nil {
		return nil, err
	}
	if int64(len(b)) < withFooter {
		notes.Add(recording.WarnBadSummary, s.start, refused, "the file became shorter meanwhile")
		return s, nil
	}
	if sum := crc32.ChecksumIEEE(b); foot.summaryCRC != 0 && foot.summaryCRC != sum {
		notes.Add(recording.WarnSummaryCRC, s.start, "the summary section has the checksum %08x, its footer says %08x; all records are read instead", sum, foot.summaryCRC)
		return s, nil
	}
	if problem := s.parse(b[:s.end-s.start]); problem != "" {
		notes.Add(recording.WarnBadSummary, s.start, refused, problem)
		return s, nil
	}
	s.usable = true
	if s.fileEnd < f.size {
		notes.Add(recording.WarnTrailingData, s.fileEnd, "%d bytes follow the end of the recording; they are left out", f.size-s.fileEnd)
	}
	return s, nil
}

// findFooter returns the last footer that the end magic follows and where it
// is, or -1 when there is none near the end of the file.
func (f *file) findFooter() (footer, int64, error) {
	w := window{r: f.r, size: f.size}
	tailStart := max(f.dataStart, f.size-tailSize)
	tail, err := w.peek(tailStart, f.size-tailStart)
	if err != nil {
		return footer{}, -1, err
	}
	for {
		i := bytes.LastIndex(tail, []byte(magic)) - footerSize - recordHead
		if i < 0 {
			return footer{}, -1, nil
		}
		if op, n := recordAt(tail[i:]); op == opFooter && n == footerSize {
			foot, _ := parseFooter(tail[i+recordHead:])
			return foot, tailStart + int64(i), nil
		}
		tail = tail[:i+footerSize+recordHead]
	}
}

// parse reads the section's records. It returns why they can't be relied on.
func (s *section) parse(b []byte) (problem string) {
	rs := records{b: b}
	for {
		op, body, ok := rs.next()
		if !ok {
			break
		}
		if problem := s.record(op, body); problem != "" {
			return problem
		}
	}
	if rs.pos != len(b) {
		return "its last record is not whole"
	}
	return s.sortChunks()
}

func (s *section) record(op byte, body []byte) (problem string) {
	switch op {
	case opSchema:
		v, err := parseSchema(body)
		if err != nil {
			return "a schema in it is damaged"
		}
		if old := s.schemas[v.ID]; old != nil && !sameSchema(old, v) {
			return "it defines a schema twice"
		}
		s.schemas[v.ID] = v
	case opChannel:
		c, err := parseChannel(body)
		if err != nil {
			return "a channel in it is damaged"
		}
		if old := s.channels[c.ID]; old != nil && !sameChannel(old, c) {
			return "it defines a channel twice"
		}
		s.channels[c.ID] = c
	case opChunkIndex:
		c, err := parseChunkIndex(body)
		if err != nil {
			return "a chunk index in it is damaged"
		}
		s.chunks = append(s.chunks, c)
	case opStatistics:
		v, err := parseStatistics(body)
		if err != nil {
			return "its statistics are damaged"
		}
		s.statistics = v
	case opHeader, opFooter, opMessage, opChunk, opMessageIndex, opAttachment, opMetadata, opDataEnd:
		return "it holds records that belong before it"
	}
	return ""
}

// sortChunks puts the chunk indexes in file order and makes sure that the
// chunks lie side by side before the section.
func (s *section) sortChunks() (problem string) {
	slices.SortFunc(s.chunks, func(a, b chunkIndex) int { return cmp.Compare(a.offset, b.offset) })
	free := uint64(len(magic))
	for i := range s.chunks {
		c := &s.chunks[i]
		end := uint64(s.start)
		if c.offset < free || c.offset > end || c.length < recordHead+chunkHead || c.length > end-c.offset || c.indexLength > end-c.offset-c.length {
			return "a chunk index in it points where no chunk can be"
		}
		free = c.offset + c.length + c.indexLength
	}
	return ""
}

func sameSchema(a, b *recording.Schema) bool {
	return a.Name == b.Name && a.Encoding == b.Encoding && bytes.Equal(a.Data, b.Data)
}

// sameChannel reports whether two definitions of an id give its messages the
// same meaning. Metadata does not take part in that.
func sameChannel(a, b *recording.Channel) bool {
	return a.SchemaID == b.SchemaID && a.Topic == b.Topic && a.MessageEncoding == b.MessageEncoding
}
