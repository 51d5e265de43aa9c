package table

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/gofrs/flock"

	"tapedeck/decode/registry"
)

// left checks that the cache holds so many loads and no litter.
func left(t *testing.T, c *Cache, loads int) {
	t.Helper()
	for dir, want := range map[string]int{c.loads(): loads, c.making(): 0} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != want {
			t.Errorf("%d entries in %s, want %d: %v", len(entries), filepath.Base(dir), want, entries)
		}
	}
}

func TestTheSameLoadIsMadeOnce(t *testing.T) {
	src := record(t, jsonChannels("/a", "/b"), []message{{"/a", 1, value(1)}, {"/b", 2, value(2)}}, chunked)
	cache := openCache(t)
	for i, test := range []struct {
		options Options
		cached  bool
	}{
		{Options{}, false},
		{Options{}, true},
		{Options{Topics: []string{"/a", "/b"}}, false},
		{Options{Topics: []string{"/b", "/a", "/b"}}, true},
		{Options{Downsample: 2}, false},
		{Options{FlattenDepth: 1}, false},
	} {
		load, cached, err := cache.Load(t.Context(), src, registry.Decoders(), test.options, nil)
		if err != nil {
			t.Fatal(err)
		}
		if cached != test.cached {
			t.Errorf("load %d: cached %v", i, cached)
		}
		if got := rows(t, load, "SELECT n FROM a"); len(got) != 1 {
			t.Errorf("load %d: rows %v", i, got)
		}
	}
	src.Fingerprint = "changed"
	if _, cached, err := cache.Load(t.Context(), src, registry.Decoders(), Options{}, nil); err != nil || cached {
		t.Errorf("a changed file: cached %v, error %v", cached, err)
	}
	left(t, cache, 5)
}

// Two caches on one folder stand for two processes: each makes the load, and
// both end with it whole.
func TestTwoLoadsAtATime(t *testing.T) {
	src := record(t, jsonChannels("/a"), []message{{"/a", 1, value(1)}}, chunked)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		cache, err := OpenCache(dir, CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			wg.Go(func() {
				if _, _, err := cache.Load(t.Context(), src, registry.Decoders(), Options{}, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	cache, err := OpenCache(dir, CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	left(t, cache, 1)
}

func TestABrokenLoadIsMadeAgain(t *testing.T) {
	src := record(t, jsonChannels("/a"), []message{{"/a", 1, value(1)}}, chunked)
	cache := openCache(t)
	load := mustLoad(t, cache, src, registry.Decoders(), Options{})
	for name, spoil := range map[string]func() error{
		"manifest cut off": func() error { return os.WriteFile(manifestIn(cache.folder(load.Key)), []byte("{"), 0o600) },
		"tables gone":      func() error { return os.Remove(load.Tables) },
		"tables cut off":   func() error { return os.Truncate(load.Tables, load.Bytes-1) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		again, cached, err := cache.Load(t.Context(), src, registry.Decoders(), Options{}, nil)
		if err != nil || cached {
			t.Fatalf("%s: cached %v, error %v", name, cached, err)
		}
		if got := rows(t, again, "SELECT n FROM a"); len(got) != 1 {
			t.Errorf("%s: rows %v", name, got)
		}
	}
	left(t, cache, 1)
}

func TestAKilledLoadIsSweptAway(t *testing.T) {
	cache := openCache(t)
	killed, alive, fresh := filepath.Join(cache.making(), "killed"), filepath.Join(cache.making(), "alive"), filepath.Join(cache.making(), "fresh")
	for _, dir := range []string{killed, alive, fresh} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(killed, lockFile), filepath.Join(killed, tablesFile)} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lock := flock.New(filepath.Join(alive, lockFile))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	cache.sweep()
	for dir, want := range map[string]bool{killed: false, alive: true, fresh: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(dir), err)
		}
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	var messages []message
	for i := range 40000 {
		messages = append(messages, message{"/a", uint64(i) * 1000, fmt.Sprintf(`{"text":"%x"}`, uint64(i)*0x9E3779B97F4A7C15)})
	}
	src := record(t, jsonChannels("/a"), messages, mcap.WriterOptions{Chunked: true})
	cache := openCache(t)
	used := ""
	cache.opt.MaxMB, cache.opt.InUse = 1, func(key string) bool { return key == used }
	make := func(downsample int) *Load {
		return mustLoad(t, cache, src, registry.Decoders(), Options{Downsample: downsample})
	}
	keys := func() (keys []string) {
		loads, err := cache.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range loads {
			keys = append(keys, l.Key)
		}
		slices.Sort(keys)
		return keys
	}
	old := make(0)
	if now := make(1); !slices.Equal(keys(), []string{now.Key}) {
		t.Errorf("left: %v, want the new load only", keys())
	} else {
		used = now.Key
	}
	now := make(2)
	if want := []string{used, now.Key}; !slices.Contains(keys(), used) || len(keys()) != 2 {
		t.Errorf("left: %v, want %v: one is in use, one is new; %s is old", keys(), want, old.Key)
	}
}

func TestClear(t *testing.T) {
	src := record(t, jsonChannels("/a"), []message{{"/a", 1, value(1)}}, chunked)
	cache := openCache(t)
	one := mustLoad(t, cache, src, registry.Decoders(), Options{})
	mustLoad(t, cache, src, registry.Decoders(), Options{Downsample: 2})
	if err := os.Mkdir(filepath.Join(cache.loads(), "of-an-older-format"), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, bytes, err := cache.Clear(one.Key); n != 1 || bytes != one.Bytes || err != nil {
		t.Errorf("one: %d loads, %d bytes, error %v", n, bytes, err)
	}
	if n, _, err := cache.Clear(); n != 1 || err != nil {
		t.Errorf("all: %d loads, error %v", n, err)
	}
	left(t, cache, 0)
}
