package mcap

import (
	"context"
	"errors"
	"sync"
	"testing"

	fox "github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/recording"
)

func TestSelections(t *testing.T) {
	for name, w := range soundFiles() {
		t.Run(name, func(t *testing.T) {
			f := openBytes(t, written(t, w))
			sum := summarise(t, f)
			one := map[*recording.Channel]bool{sum.Channels[1]: true}
			for _, c := range []struct {
				name string
				sel  recording.Selection
			}{
				{"all", recording.Selection{}},
				{"one channel", recording.Selection{Channels: one}},
				{"no channel", recording.Selection{Channels: map[*recording.Channel]bool{}}},
				{"from", recording.Selection{From: firstTime + 500_000}},
				{"until", recording.Selection{Until: firstTime + 500_000, HasUntil: true}},
				{"until 0", recording.Selection{HasUntil: true}},
				{"a window of one channel", recording.Selection{Channels: one, From: firstTime + 100_000, Until: firstTime + 200_000, HasUntil: true}},
				{"after the end", recording.Selection{From: firstTime + 999_001}},
			} {
				want := []uint32{}
				for i := range uint32(1000) {
					ch := sum.Channels[i%3]
					if t := firstTime + uint64(i)*1000; c.sel.Selects(ch) && c.sel.Covers(t) {
						want = append(want, i)
					}
				}
				got := []uint32{}
				for _, m := range readAll(t, f, sum, c.sel).messages {
					got = append(got, m.Sequence)
					if m.PublishTime != m.LogTime+1 || m.Channel != sum.Channels[m.Sequence%3] {
						t.Fatalf("%s: message %+v", c.name, m)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", c.name, diff)
				}
			}
		})
	}
}

// TestIndexSparesBlocks makes sure that blocks without selected messages are
// not handed out.
func TestIndexSparesBlocks(t *testing.T) {
	f := openBytes(t, written(t, writing{options: fox.WriterOptions{Chunked: true, ChunkSize: 2000}, channels: 1, messages: 1000, size: 50}))
	sum := summarise(t, f)
	count := func(sel recording.Selection) (n int) {
		_, err := f.Blocks(t.Context(), sum, sel, func(recording.Block) error { n++; return nil })
		check(t, err)
		return n
	}
	all, few := count(recording.Selection{}), count(recording.Selection{From: firstTime + 990_000})
	if all < 30 || few > 2 {
		t.Errorf("%d blocks of all, %d of the last messages", all, few)
	}
	if n := count(recording.Selection{Channels: map[*recording.Channel]bool{}}); n != 0 {
		t.Errorf("%d blocks of no channel", n)
	}
}

// TestBlocksInParallel reads the blocks of files by several goroutines, in no
// order, after Blocks has returned.
func TestBlocksInParallel(t *testing.T) {
	for name, w := range soundFiles() {
		f := openBytes(t, written(t, w))
		sum := summarise(t, f)
		blocks := make(chan recording.Block, 1000)
		_, err := f.Blocks(t.Context(), sum, recording.Selection{}, func(b recording.Block) error {
			blocks <- b
			return nil
		})
		check(t, err)
		close(blocks)
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := make(map[uint32]bool)
		for range 4 {
			wg.Go(func() {
				var scratch recording.Scratch
				for b := range blocks {
					_, err := b.Messages(&scratch, func(m *recording.Message) error {
						mu.Lock()
						defer mu.Unlock()
						seen[m.Sequence] = true
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if len(seen) != 1000 {
			t.Errorf("%s: %d messages seen", name, len(seen))
		}
	}
}

// TestLongRunsAreCut makes sure that a file without chunks is read in pieces.
func TestLongRunsAreCut(t *testing.T) {
	f := openBytes(t, written(t, writing{channels: 1, messages: 3000, size: 5000}))
	sum := summarise(t, f)
	blocks, messages := 0, 0
	var scratch recording.Scratch
	_, err := f.Blocks(t.Context(), sum, recording.Selection{}, func(b recording.Block) error {
		blocks++
		_, err := b.Messages(&scratch, func(*recording.Message) error { messages++; return nil })
		return err
	})
	check(t, err)
	if blocks < 3 || messages != 3000 || cap(scratch.Raw) > looseRun {
		t.Errorf("%d blocks of %d messages, read into %d bytes", blocks, messages, cap(scratch.Raw))
	}
}

func TestBlocksStop(t *testing.T) {
	f := openBytes(t, written(t, writing{options: fox.WriterOptions{Chunked: true, ChunkSize: 1000}, channels: 1, messages: 200, size: 50}))
	sum := summarise(t, f)
	stop := errors.New("enough")
	if _, err := f.Blocks(t.Context(), sum, recording.Selection{}, func(recording.Block) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped between blocks: %v", err)
	}
	var scratch recording.Scratch
	_, err := f.Blocks(t.Context(), sum, recording.Selection{}, func(b recording.Block) error {
		warnings, err := b.Messages(&scratch, func(*recording.Message) error { return stop })
		if len(warnings) > 0 {
			t.Errorf("stopping is no damage: %v", warnings)
		}
		return err
	})
	if !errors.Is(err, stop) {
		t.Errorf("stopped in a block: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Blocks(ctx, sum, recording.Selection{}, func(recording.Block) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestChunkContradictsSummary has a chunk that defines a channel otherwise than
// the summary section of its file: its messages must not be read wrongly.
func TestChunkContradictsSummary(t *testing.T) {
	f := openBytes(t, fileOf(chunkRecord(t, "", channelRecord(1, 0, "/other"), messageRecord(1, 1, ""))))
	sum := &recording.Summary{Indexed: true, Channels: []*recording.Channel{{ID: 1, Topic: "/a", MessageEncoding: "cdr"}}}
	got := readAll(t, f, sum, recording.Selection{})
	if diff := cmp.Diff([]string{recording.WarnChannelRedefined}, got.codes); diff != "" || len(got.messages) > 0 {
		t.Errorf("%d messages, warnings (-want +got):\n%s", len(got.messages), diff)
	}
}

func BenchmarkBlocks(b *testing.B) {
	for _, compression := range []fox.CompressionFormat{fox.CompressionZSTD, fox.CompressionLZ4, fox.CompressionNone} {
		b.Run("compression="+compressionName(string(compression)), func(b *testing.B) {
			data := written(b, writing{
				options:  fox.WriterOptions{Chunked: true, ChunkSize: 1 << 20, Compression: compression, IncludeCRC: true},
				channels: 4, messages: 300_000, size: 320,
			})
			f := openBytes(b, data)
			sum := summarise(b, f)
			var scratch recording.Scratch
			messages := 0
			b.ResetTimer()
			for b.Loop() {
				_, err := f.Blocks(b.Context(), sum, recording.Selection{}, func(bl recording.Block) error {
					_, err := bl.Messages(&scratch, func(m *recording.Message) error { messages++; return nil })
					return err
				})
				check(b, err)
			}
			b.ReportMetric(float64(messages)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

func BenchmarkSummary(b *testing.B) {
	data := written(b, writing{
		options:  fox.WriterOptions{Chunked: true, ChunkSize: 64 << 10, Compression: fox.CompressionZSTD, IncludeCRC: true},
		channels: 30, messages: 300_000, size: 320,
	})
	b.Run("by=index", func(b *testing.B) {
		for b.Loop() {
			summarise(b, openBytes(b, data))
		}
	})
	b.Run("by=scan", func(b *testing.B) {
		for b.Loop() {
			scanned(b, openBytes(b, data))
		}
	})
}
