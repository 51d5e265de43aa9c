package mcap

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/recording"
)

func openPath(t *testing.T, path string) *file {
	t.Helper()
	osFile, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { osFile.Close() })
	info, err := osFile.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := open(osFile, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	f.scanUpTo = 0 // test the index even of small files
	return f
}

// topicSpan is how many messages of a topic there are, and their log times in
// microseconds.
type topicSpan struct {
	count       uint64
	first, last uint64
}

// topicSpans are those of the topics that the reference library read.
func topicSpans(want corpustest.File) map[string]topicSpan {
	topics := map[string]topicSpan{}
	for name, topic := range want.Topics {
		topics[name] = topicSpan{topic.Count, uint64(topic.First), uint64(topic.Last)}
	}
	return topics
}

// TestCorpusMatchesReference reads every real and conformance file and compares
// with what the format's reference library read, by the summary, by a forced
// scan, and by the messages themselves.
func TestCorpusMatchesReference(t *testing.T) {
	for _, want := range corpustest.Expected(t) {
		t.Run(want.File, func(t *testing.T) { compareFile(t, openPath(t, corpustest.Recording(t, want.File)), want) })
	}
}

func compareFile(t *testing.T, f *file, want corpustest.File) {
	sum, err := f.Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	scanned, err := f.summariseByScan(t.Context(), &section{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Error == nil && len(sum.Warnings) > 0 {
		t.Errorf("warnings of a sound file: %v", sum.Warnings)
	}
	if len(sum.Metadata) != want.Metadata || len(sum.Attachments) != want.Attachments {
		t.Errorf("%d metadata, %d attachments; want %d, %d", len(sum.Metadata), len(sum.Attachments), want.Metadata, want.Attachments)
	}
	if sum.MessageCount != want.Messages || scanned.MessageCount != want.Messages {
		t.Errorf("%d messages, %d by scan; want %d", sum.MessageCount, scanned.MessageCount, want.Messages)
	}
	if sum.Start != scanned.Start || sum.End != scanned.End {
		t.Errorf("from %d to %d; the scan found %d to %d", sum.Start, sum.End, scanned.Start, scanned.End)
	}
	if diff := cmp.Diff(topicSpans(want), topicsOf(scanned), cmp.AllowUnexported(topicSpan{})); diff != "" {
		t.Errorf("topics by scan (-want +got):\n%s", diff)
	}
	got := readAll(t, f, sum, recording.Selection{})
	if diff := cmp.Diff(topicSpans(want), got.topics, cmp.AllowUnexported(topicSpan{})); diff != "" {
		t.Errorf("topics by messages (-want +got):\n%s", diff)
	}
	for _, c := range sum.Channels {
		if c.Count != got.counts[c] {
			t.Errorf("channel %d: the summary counts %d messages, there are %d", c.ID, c.Count, got.counts[c])
		}
		if n := got.counts[c]; n > 0 && !plausible(c.MeanSize, got.bytes[c]/float64(n)) {
			t.Errorf("channel %d (%s): mean size %.1f, the messages have %.1f", c.ID, c.Topic, c.MeanSize, got.bytes[c]/float64(n))
		}
	}
	if want.Error == nil && len(got.warnings) > 0 {
		t.Errorf("warnings while reading a sound file: %v", got.warnings)
	}
}

// plausible allows an estimate to be off, but not by a class of size.
func plausible(estimate, real float64) bool {
	return estimate <= 3*real+2000 && real <= 3*estimate+2000
}

func topicsOf(sum *recording.Summary) map[string]topicSpan {
	topics := make(map[string]topicSpan)
	for _, c := range sum.Channels {
		if c.Count == 0 {
			continue
		}
		x, ok := topics[c.Topic]
		if !ok {
			x = topicSpan{first: c.Start / 1000, last: c.End / 1000}
		}
		topics[c.Topic] = topicSpan{x.count + c.Count, min(x.first, c.Start/1000), max(x.last, c.End/1000)}
	}
	return topics
}

// rows is all that was read of a file.
type rows struct {
	messages []recording.Message
	topics   map[string]topicSpan
	counts   map[*recording.Channel]uint64
	bytes    map[*recording.Channel]float64
	warnings []recording.Warning
	codes    []string // of the warnings, sorted, each once
}

func readAll(t testing.TB, f *file, sum *recording.Summary, sel recording.Selection) rows {
	t.Helper()
	got := rows{
		topics: make(map[string]topicSpan),
		counts: make(map[*recording.Channel]uint64),
		bytes:  make(map[*recording.Channel]float64),
	}
	var scratch recording.Scratch
	warnings, err := f.Blocks(t.Context(), sum, sel, func(b recording.Block) error {
		w, err := b.Messages(&scratch, func(m *recording.Message) error {
			x, ok := got.topics[m.Channel.Topic]
			if !ok {
				x = topicSpan{first: m.LogTime / 1000, last: m.LogTime / 1000}
			}
			got.topics[m.Channel.Topic] = topicSpan{x.count + 1, min(x.first, m.LogTime/1000), max(x.last, m.LogTime/1000)}
			got.counts[m.Channel]++
			got.bytes[m.Channel] += float64(len(m.Data))
			keep := *m
			keep.Data = slices.Clone(m.Data)
			got.messages = append(got.messages, keep)
			return nil
		})
		got.warnings = append(got.warnings, w...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got.warnings = append(got.warnings, warnings...)
	got.codes = codesOf(got.warnings)
	return got
}

func codesOf(warnings []recording.Warning) []string {
	var codes []string
	for _, w := range warnings {
		codes = append(codes, w.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
