package mcap

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/recording"
)

// corpus is the folder of shared inputs beside the repository.
func corpus(t *testing.T) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(here), "../../../../shared/corpus/mcap")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the shared corpus is not beside the repository: %v", err)
	}
	return dir
}

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

// expectedTopic is what the reference library read of a topic; times in microseconds.
type expectedTopic struct {
	Count       uint64
	First, Last uint64
}

type expectedFile struct {
	File        string
	Messages    uint64
	Metadata    int
	Attachments int
	Error       *string
	Topics      map[string]expectedTopic
}

// TestCorpusMatchesReference reads every real and conformance file and compares
// with what the format's reference library read, by the summary, by a forced
// scan, and by the messages themselves.
func TestCorpusMatchesReference(t *testing.T) {
	dir := corpus(t)
	list, err := os.Open(filepath.Join(dir, "EXPECTED.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 16<<20)
	files := 0
	for lines.Scan() {
		var want expectedFile
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		files++
		t.Run(want.File, func(t *testing.T) { compareFile(t, openPath(t, filepath.Join(dir, want.File)), want) })
	}
	if files < 400 {
		t.Errorf("read %d expectations, there should be over 400", files)
	}
}

func compareFile(t *testing.T, f *file, want expectedFile) {
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
	if diff := cmp.Diff(want.Topics, topicsOf(scanned)); diff != "" {
		t.Errorf("topics by scan (-want +got):\n%s", diff)
	}
	got := readAll(t, f, sum, recording.Selection{})
	if diff := cmp.Diff(want.Topics, got.topics); diff != "" {
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

func topicsOf(sum *recording.Summary) map[string]expectedTopic {
	topics := make(map[string]expectedTopic)
	for _, c := range sum.Channels {
		if c.Count == 0 {
			continue
		}
		x, ok := topics[c.Topic]
		if !ok {
			x = expectedTopic{First: c.Start / 1000, Last: c.End / 1000}
		}
		topics[c.Topic] = expectedTopic{x.Count + c.Count, min(x.First, c.Start/1000), max(x.Last, c.End/1000)}
	}
	return topics
}

// rows is all that was read of a file.
type rows struct {
	messages []recording.Message
	topics   map[string]expectedTopic
	counts   map[*recording.Channel]uint64
	bytes    map[*recording.Channel]float64
	warnings []recording.Warning
	codes    []string // of the warnings, sorted, each once
}

func readAll(t testing.TB, f *file, sum *recording.Summary, sel recording.Selection) rows {
	t.Helper()
	got := rows{
		topics: make(map[string]expectedTopic),
		counts: make(map[*recording.Channel]uint64),
		bytes:  make(map[*recording.Channel]float64),
	}
	var scratch recording.Scratch
	warnings, err := f.Blocks(t.Context(), sum, sel, func(b recording.Block) error {
		w, err := b.Messages(&scratch, func(m *recording.Message) error {
			x, ok := got.topics[m.Channel.Topic]
			if !ok {
				x = expectedTopic{First: m.LogTime / 1000, Last: m.LogTime / 1000}
			}
			got.topics[m.Channel.Topic] = expectedTopic{x.Count + 1, min(x.First, m.LogTime/1000), max(x.Last, m.LogTime/1000)}
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
