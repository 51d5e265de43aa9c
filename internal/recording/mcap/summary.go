package mcap

import (
	"context"
	"errors"
	"math"
	"slices"

	"tapedeck/internal/recording"
)

// errOutside: there are messages that the index does not tell of.
var errOutside = errors.New("messages outside of indexed chunks")

// summariseByIndex makes the summary from the summary section, if that tells of
// every message in the file and agrees with itself: the statistics, the chunk
// indexes, the sizes of the message indexes, and what lies between the chunks.
// Any of these may be wrong in a file that some recorder left. It returns nil
// then, so that a scan can do it.
func (f *file) summariseByIndex(ctx context.Context, sec *section) (*recording.Summary, error) {
	if !sec.countsAgree() || !sec.channelsKnown() || !sec.timesAgree() {
		return nil, nil
	}
	notes := &recording.Warnings{}
	notes.Append(sec.warnings)
	gaps, err := f.walkGaps(ctx, sec, notes)
	if gaps == nil || err != nil {
		return nil, err
	}
	sum := f.newSummary()
	sum.Indexed = true
	sum.Metadata, sum.Attachments = gaps.metadata, gaps.attachments
	sum.MessageCount = sec.statistics.messages
	if sum.MessageCount > 0 {
		sum.Start, sum.End = sec.statistics.start, sec.statistics.end
	}
	sum.Ordered = sec.ordered()
	sum.Compression = sec.compressions(notes)
	sizes, err := f.meanSizes(ctx, sec)
	if err != nil {
		return nil, err
	}
	for id, known := range sec.channels {
		c := *known // the section's own stays as it was read
		c.Schema = sec.schemas[c.SchemaID]
		c.Count = sec.statistics.counts[id]
		c.MeanSize = sizes[id]
		sum.Channels = append(sum.Channels, &c)
	}
	sortChannels(sum.Channels)
	sum.Warnings = notes.List()
	return sum, nil
}

// countsAgree compares the statistics with the sizes of the message indexes.
func (s *section) countsAgree() bool {
	if s.statistics == nil {
		return false
	}
	var inChunks, inChannels uint64
	for i := range s.chunks {
		n, ok := s.chunks[i].messages()
		if !ok {
			return false
		}
		inChunks += n
	}
	for _, n := range s.statistics.counts {
		inChannels += n
	}
	return s.statistics.messages == inChunks && s.statistics.messages == inChannels
}

// channelsKnown makes sure that the section repeats all channels that messages
// are on, and their schemas.
func (s *section) channelsKnown() bool {
	for id, n := range s.statistics.counts {
		if n > 0 && s.channels[id] == nil {
			return false
		}
	}
	known := make([]bool, math.MaxUint16+1)
	for id, c := range s.channels {
		if c.SchemaID != 0 && s.schemas[c.SchemaID] == nil {
			return false
		}
		known[id] = true
	}
	for i := range s.chunks {
		c := &s.chunks[i]
		for j := range c.channels() {
			if id := c.channelAt(j); !known[id] {
				return false
			}
		}
	}
	return true
}

// timesAgree compares the statistics' times with those of the chunks.
func (s *section) timesAgree() bool {
	start, end := uint64(math.MaxUint64), uint64(0)
	for i := range s.chunks {
		c := &s.chunks[i]
		if n, _ := c.messages(); n == 0 {
			continue
		}
		if c.start > c.end {
			return false
		}
		start, end = min(start, c.start), max(end, c.end)
	}
	return s.statistics.messages == 0 || s.statistics.start == start && s.statistics.end == end
}

// ordered reports whether no chunk begins before an earlier one ends.
func (s *section) ordered() bool {
	var latest uint64
	for i := range s.chunks {
		c := &s.chunks[i]
		if n, _ := c.messages(); n == 0 {
			continue
		}
		if c.start < latest {
			return false
		}
		latest = max(latest, c.end)
	}
	return true
}

// compressions lists the names of the compressions in use, and warns of those
// that can't be read.
func (s *section) compressions(notes *recording.Warnings) []string {
	var names []string
	for i := range s.chunks {
		c := &s.chunks[i]
		name := compressionName(c.compression)
		if slices.Contains(names, name) || len(names) >= maxCompressions {
			continue
		}
		names = append(names, name)
		if c.compression != "" && c.compression != zstdName && c.compression != lz4Name {
			notes.Add(recording.WarnUnsupportedCompression, int64(c.offset), "chunks compressed with %q can't be read; their messages are lost", name)
		}
	}
	slices.Sort(names)
	return names
}

// walkGaps walks what lies between the indexed chunks and their message indexes.
// It returns nil if there are messages, or what is no sound record.
func (f *file) walkGaps(ctx context.Context, sec *section, notes *recording.Warnings) (*walker, error) {
	var found recording.Warnings
	w := f.walker(&found, func(s span) error {
		if s.chunk || s.messages {
			return errOutside
		}
		return nil
	})
	from := f.dataStart
	gap := func(to int64) error {
		if from == to {
			return nil
		}
		return w.walk(ctx, from, to)
	}
	for i := range sec.chunks {
		c := &sec.chunks[i]
		if err := gap(int64(c.offset)); err != nil {
			return nil, unlessOutside(err)
		}
		from = int64(c.offset + c.length + c.indexLength)
	}
	if err := gap(sec.start); err != nil {
		return nil, unlessOutside(err)
	}
	if w.closed || found.Has(recording.WarnTruncated) || found.Has(recording.WarnBadRecord) || found.Has(recording.WarnCutChunk) {
		return nil, nil
	}
	notes.Append(found.List())
	return w, nil
}

func unlessOutside(err error) error {
	if errors.Is(err, errOutside) {
		return nil
	}
	return err
}
