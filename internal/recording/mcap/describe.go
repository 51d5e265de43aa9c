package mcap

import (
	"fmt"

	"tapedeck/internal/recording"
)

// describe keeps what a summary tells of the record at pos, whose body has n
// bytes, if it is one that a summary tells of.
func (w *walker) describe(op byte, n int64) error {
	switch op {
	case opAttachment:
		return w.attachment(n)
	case opMetadata:
		return w.readMetadata(n)
	case opStatistics:
		b, err := w.win.peek(w.pos+recordHead, min(n, maxMetadata))
		if err != nil {
			return err
		}
		if s, err := parseStatistics(b); err == nil {
			w.statistics = s
		}
	}
	return nil
}

// attachment keeps an attachment's description and passes its data by. Its
// checksum covers the data and is not verified here.
func (w *walker) attachment(n int64) error {
	b, err := w.win.peek(w.pos+recordHead, min(n, attachmentHead+2*maxName))
	if err != nil {
		return err
	}
	a, problem := parseAttachment(b, n)
	if problem != "" {
		w.notes.Add(recording.WarnBadAttachment, w.pos, "an attachment of %d bytes is left out: %s", n, problem)
		return nil
	}
	w.attachments = append(w.attachments, a)
	return nil
}

// parseAttachment reads an attachment's description from the beginning of its
// body, which has n bytes in all.
func parseAttachment(b []byte, n int64) (a recording.Attachment, problem string) {
	f := fields{b: b}
	a.LogTime = f.u64()
	f.u64() // time of creation
	a.Name, a.MediaType = f.text(), f.text()
	a.Size = f.u64()
	if f.bad {
		return a, "its name or its media type is longer than the record"
	}
	if room := uint64(n) - attachmentHead - uint64(len(a.Name)+len(a.MediaType)); a.Size > room {
		return a, fmt.Sprintf("it says that it has %d bytes of data, the record has %d", a.Size, room)
	}
	return a, ""
}

func (w *walker) readMetadata(n int64) error {
	if n > maxMetadata {
		w.notes.Add(recording.WarnBadMetadata, w.pos, "a metadata record of %d bytes is larger than is read into memory; it is left out", n)
		return nil
	}
	b, err := w.win.peek(w.pos+recordHead, n)
	if err != nil {
		return err
	}
	m, err := parseMetadata(b)
	if err != nil {
		w.notes.Add(recording.WarnBadMetadata, w.pos, "the metadata record %q is left out: %v", shortName(m.Name), err)
		return nil
	}
	w.metadata = append(w.metadata, m)
	return nil
}
