package table

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode/registry"
	"tapedeck/internal/recording"
)

// failing is a recording whose reading fails after so many blocks.
type failing struct {
	recording.File
	after int
}

var errDisk = errors.New("the disk is gone")

func (f failing) Blocks(ctx context.Context, sum *recording.Summary, sel recording.Selection, yield func(recording.Block) error) ([]recording.Warning, error) {
	n := 0
	return f.File.Blocks(ctx, sum, sel, func(b recording.Block) error {
		if n++; n > f.after {
			return errDisk
		}
		return yield(b)
	})
}

// However a load ends, its goroutines end with it, and it does not hang.
func TestNoGoroutineOutlivesALoad(t *testing.T) {
	var messages []message
	for i := range 20000 {
		messages = append(messages, message{"/a", uint64(i) * 1000, value(i)}, message{"/b", uint64(i) * 1000, value(i)})
	}
	src := record(t, jsonChannels("/a", "/b"), messages, mcap.WriterOptions{Chunked: true, ChunkSize: 16 << 10})
	cache := openCache(t)
	mustLoad(t, cache, src, registry.Decoders(), Options{Downsample: 3}) // what the engine starts once is running now
	before := runtime.NumGoroutine()

	for step := range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, _, err := cache.Load(ctx, src, registry.Decoders(), Options{}, func(_, _ int64) {
			if calls++; calls > step*5 {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d blocks: %v", step*5, err)
		}
		broken := src
		broken.File = failing{src.File, 2 + step*4}
		if _, _, err := cache.Load(t.Context(), broken, registry.Decoders(), Options{}, nil); !errors.Is(err, errDisk) {
			t.Errorf("failing after %d blocks: %v", 2+step*4, err)
		}
	}
	left(t, cache, 1)
	var now int
	for range 100 {
		if now = runtime.NumGoroutine(); now <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
}

// Thousands of topics are thousands of tables; they are made and filled in one
// transaction.
func TestThousandsOfTopics(t *testing.T) {
	const topics = 1500
	var channels []channel
	var messages []message
	for i := range topics {
		name := fmt.Sprintf("/robot/%d/state", i)
		channels = append(channels, jsonChannels(name)...)
		messages = append(messages, message{name, uint64(i) * 1000, value(i)})
	}
	load := mustLoad(t, openCache(t), record(t, channels, messages, mcap.WriterOptions{Chunked: true}), registry.Decoders(), Options{})
	if n := len(load.Manifest.Tables); n != topics {
		t.Errorf("%d tables", n)
	}
	if got := rows(t, load, "SELECT n FROM robot_1499_state"); len(got) != 1 || got[0] != "[1499]" {
		t.Errorf("rows %v", got)
	}
}
