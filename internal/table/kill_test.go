package table

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode/registry"
	"tapedeck/internal/recording/open"
)

// loadArg makes the test binary load a recording into a cache, both given
// behind it, so that the process can be killed.
const loadArg = "load-to-be-killed"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == loadArg {
		if err := loadAlone(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func loadAlone(recording, dir string) error {
	file, err := open.File(recording)
	if err != nil {
		return err
	}
	sum, err := file.Summary(context.Background())
	if err != nil {
		return err
	}
	cache, err := OpenCache(dir, CacheOptions{})
	if err != nil {
		return err
	}
	_, _, err = cache.Load(context.Background(), Source{Path: recording, Fingerprint: recording, Summary: sum, File: file}, registry.Decoders(), Options{}, nil)
	return err
}

// TestAKilledLoadIsNeverSeen kills a loading process at moments spread over the
// time that it takes. What it leaves must be nothing or a whole load, and the
// next to open the cache must find no litter.
func TestAKilledLoadIsNeverSeen(t *testing.T) {
	const rounds = 15
	var messages []message
	for i := range 60000 { // out of order, so that the load reads, sorts, and compacts
		messages = append(messages, message{"/a", uint64(i^3) * 1000, fmt.Sprintf(`{"n":%d,"text":"%x"}`, i, i*i*i)})
	}
	src := record(t, jsonChannels("/a"), messages, mcap.WriterOptions{Chunked: true, ChunkSize: 64 << 10})
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(dir string) *exec.Cmd {
		cmd := exec.Command(executable, loadArg, src.Path, dir)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	began := time.Now()
	if err := start(t.TempDir()).Wait(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(began)

	dir := t.TempDir()
	littered, finished := 0, 0
	for round := range rounds {
		cmd := start(dir)
		time.Sleep(whole * time.Duration(round+1) / rounds)
		if err := cmd.Process.Kill(); err == nil {
			if folders, err := os.ReadDir(filepath.Join(dir, "making")); err == nil && len(folders) > 0 {
				littered++
			}
		}
		cmd.Wait()
		cache, err := OpenCache(dir, CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if loads, err := cache.List(); err != nil {
			t.Fatal(err)
		} else if len(loads) > 0 {
			finished++
			wholeLoad(t, loads[0], len(messages))
			if _, _, err := cache.Clear(); err != nil {
				t.Fatal(err)
			}
		}
		sweptSoon(t, cache)
		left(t, cache, 0)
	}
	if littered == 0 {
		t.Errorf("no process was killed in the middle of its load (%d had finished)", finished)
	}
	cache, err := OpenCache(dir, CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wholeLoad(t, mustLoad(t, cache, src, registry.Decoders(), Options{}), len(messages))
	left(t, cache, 1)
}

func wholeLoad(t *testing.T, load *Load, messages int) {
	t.Helper()
	got := rows(t, load, "SELECT count(*), sum(n)::BIGINT, bool_and(ordered) FROM (SELECT n, timestamp_us >= lag(timestamp_us, 1, 0) OVER () AS ordered FROM a)")
	if want := fmt.Sprintf("[%d,%d,true]", messages, messages*(messages-1)/2); len(got) != 1 || got[0] != want {
		t.Errorf("the load has %v, want %s", got, want)
	}
}

// sweptSoon lets the minute pass that a folder without a lock is given, as it
// may be one whose maker has not come to locking it.
func sweptSoon(t *testing.T, cache *Cache) {
	t.Helper()
	folders, err := os.ReadDir(cache.making())
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-2 * time.Minute)
	for _, f := range folders {
		if err := os.Chtimes(filepath.Join(cache.making(), f.Name()), past, past); err != nil {
			t.Fatal(err)
		}
	}
	cache.sweep()
}
