package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"tapedeck/decode"
)

// The files of a load's folder.
const (
	tablesFile   = "tables.duckdb"
	manifestFile = "manifest.json"
	lockFile     = "lock" // held by the process that is making the load
)

// Cache keeps loads on disk, a folder each, under the loads' keys. Several
// processes may use one folder at a time.
type Cache struct {
	dir  string
	opt  CacheOptions
	mu   sync.Mutex
	busy map[string]chan struct{} // by key of a load in the making: closed when its maker is done
}

// CacheOptions bound a cache.
type CacheOptions struct {
	MaxMB    int                   // of disk; the loads longest unused go first; 0: no bound
	MemoryMB int                   // for making one load; 0: 1024
	InUse    func(key string) bool // loads that are not to be removed for MaxMB; nil: none
	Log      *slog.Logger
}

// Load is a load on disk.
type Load struct {
	Key      string
	Tables   string // path of the DuckDB file
	Bytes    int64  // of the DuckDB file
	Used     time.Time
	Manifest *Manifest
}

// OpenCache opens the cache in dir, makes the folder when it is missing, and
// sweeps away what killed loads left.
func OpenCache(dir string, opt CacheOptions) (*Cache, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.InUse == nil {
		opt.InUse = func(string) bool { return false }
	}
	opt.MemoryMB = cmp.Or(opt.MemoryMB, 1024)
	c := &Cache{dir: dir, opt: opt, busy: map[string]chan struct{}{}}
	for _, d := range []string{c.loads(), c.making()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("making the cache folder: %w", err)
		}
	}
	c.sweep()
	return c, nil
}

func (c *Cache) loads() string            { return filepath.Join(c.dir, "loads") }
func (c *Cache) making() string           { return filepath.Join(c.dir, "making") }
func (c *Cache) folder(key string) string { return filepath.Join(c.loads(), key) }
func tablesIn(folder string) string       { return filepath.Join(folder, tablesFile) }
func manifestIn(folder string) string     { return filepath.Join(folder, manifestFile) }

// exclusive waits until no other goroutine makes the load of a key, or ctx ends.
func (c *Cache) exclusive(ctx context.Context, key string) (done func(), err error) {
	for {
		c.mu.Lock()
		other, busy := c.busy[key]
		if !busy {
			mine := make(chan struct{})
			c.busy[key] = mine
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				delete(c.busy, key)
				close(mine)
			}, nil
		}
		c.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Load returns the load of a recording with options, and whether it was there
// already. A load that fails or is cancelled leaves nothing behind.
func (c *Cache) Load(ctx context.Context, src Source, decoders []decode.Decoder, options Options, progress Progress) (load *Load, cached bool, err error) {
	key := options.key(src.Fingerprint)
	done, err := c.exclusive(ctx, key)
	if err != nil {
		return nil, false, err
	}
	defer done()
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if load, err := c.open(key); err == nil {
		c.touch(load)
		return load, true, nil
	}
	b := &builder{source: src, options: options, decoders: decoders, memoryMB: c.opt.MemoryMB, progress: progress}
	if err := c.make(ctx, key, b); err != nil {
		return nil, false, err
	}
	if load, err = c.open(key); err != nil {
		return nil, false, err
	}
	c.bound(key)
	return load, false, nil
}

// make builds a load in a folder of its own and renames it to its place.
func (c *Cache) make(ctx context.Context, key string, b *builder) (err error) {
	folder, lock, err := c.lockedFolder(key)
	if err != nil {
		return fmt.Errorf("making a folder for the load: %w", err)
	}
	defer func() {
		err = errors.Join(err, lock.Close(), os.RemoveAll(folder))
	}()
	spill := filepath.Join(folder, "spill")
	manifest, err := b.build(ctx, tablesIn(folder), spill)
	if err != nil {
		return err
	}
	info, err := os.Stat(tablesIn(folder))
	if err != nil {
		return fmt.Errorf("looking at the finished load: %w", err)
	}
	manifest.Bytes = info.Size()
	if err := manifest.write(manifestIn(folder)); err != nil {
		return err
	}
	if err := os.RemoveAll(spill); err != nil {
		return fmt.Errorf("removing spilled data: %w", err)
	}
	return c.publish(folder, key)
}

// lockedFolder makes a folder and locks it. Another process that sweeps may be
// faster with the lock and remove the folder; then it takes the next.
func (c *Cache) lockedFolder(key string) (folder string, lock *flock.Flock, err error) {
	for {
		if folder, err = os.MkdirTemp(c.making(), key+"-"); err != nil {
			return "", nil, err
		}
		lock = flock.New(filepath.Join(folder, lockFile))
		err = lock.Lock()
		if err == nil {
			if _, err = os.Stat(lock.Path()); err == nil {
				return folder, lock, nil
			}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", nil, errors.Join(err, lock.Close(), os.RemoveAll(folder))
		}
		lock.Close()
	}
}

// publish renames a finished folder to its place. A folder that another
// process put there meanwhile is as good; one that can't be read is replaced.
func (c *Cache) publish(folder, key string) error {
	err := os.Rename(folder, c.folder(key))
	if err == nil {
		return os.Remove(filepath.Join(c.folder(key), lockFile))
	}
	if _, openErr := c.open(key); openErr == nil {
		return nil
	}
	if err := os.RemoveAll(c.folder(key)); err != nil {
		return fmt.Errorf("replacing a broken load: %w", err)
	}
	if err := os.Rename(folder, c.folder(key)); err != nil {
		return fmt.Errorf("putting the load in its place: %w", err)
	}
	return os.Remove(filepath.Join(c.folder(key), lockFile))
}

// onDisk reports whether the load is still in the cache.
func (l *Load) onDisk() bool {
	_, err := os.Stat(l.Tables)
	return err == nil
}

func (c *Cache) open(key string) (*Load, error) {
	folder := c.folder(key)
	manifest, err := readManifest(manifestIn(folder))
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(manifestIn(folder))
	if err != nil {
		return nil, err
	}
	tables, err := os.Stat(tablesIn(folder))
	if err != nil {
		return nil, err
	}
	if tables.Size() != manifest.Bytes {
		return nil, fmt.Errorf("%s has %d bytes, not %d", tablesIn(folder), tables.Size(), manifest.Bytes)
	}
	return &Load{Key: key, Tables: tablesIn(folder), Bytes: tables.Size(), Used: info.ModTime(), Manifest: manifest}, nil
}

// touch notes that a load is in use.
func (c *Cache) touch(l *Load) {
	l.Used = time.Now()
	if err := os.Chtimes(manifestIn(c.folder(l.Key)), l.Used, l.Used); err != nil {
		c.opt.Log.Debug("the load's time of use was not noted", "key", l.Key, "error", err)
	}
}

// List returns the loads on disk, the last used first.
func (c *Cache) List() ([]*Load, error) {
	folders, err := os.ReadDir(c.loads())
	if err != nil {
		return nil, fmt.Errorf("listing the cache: %w", err)
	}
	var loads []*Load
	for _, folder := range folders {
		load, err := c.open(folder.Name())
		if err != nil {
			c.opt.Log.Debug("a folder of the cache is no load", "key", folder.Name(), "error", err)
			continue
		}
		loads = append(loads, load)
	}
	slices.SortFunc(loads, func(a, b *Load) int { return b.Used.Compare(a.Used) })
	return loads, nil
}

// Clear removes the loads with the given keys, or all of them and whatever
// else is in their folder when there are none, and returns how many and how
// many bytes. What a running query reads stays readable for it.
func (c *Cache) Clear(keys ...string) (loads int, bytes int64, err error) {
	list, err := c.List()
	if err != nil {
		return 0, 0, err
	}
	for _, l := range list {
		if len(keys) > 0 && !slices.Contains(keys, l.Key) {
			continue
		}
		if err := os.RemoveAll(c.folder(l.Key)); err != nil {
			return loads, bytes, fmt.Errorf("clearing the cache: %w", err)
		}
		loads, bytes = loads+1, bytes+l.Bytes
	}
	if len(keys) > 0 {
		return loads, bytes, nil
	}
	c.sweep()
	rest, err := os.ReadDir(c.loads())
	for _, folder := range rest { // of older formats, or broken
		err = errors.Join(err, os.RemoveAll(c.folder(folder.Name())))
	}
	return loads, bytes, err
}

// bound removes the loads longest unused until the rest fits, but not those in
// use. keep is about to be.
func (c *Cache) bound(keep string) {
	if c.opt.MaxMB == 0 {
		return
	}
	loads, err := c.List()
	if err != nil {
		c.opt.Log.Warn("the cache was not bounded", "error", err)
		return
	}
	var total int64
	for _, l := range loads {
		total += l.Bytes
		if total <= int64(c.opt.MaxMB)<<20 || l.Key == keep || c.opt.InUse(l.Key) {
			continue
		}
		if err := os.RemoveAll(c.folder(l.Key)); err != nil {
			c.opt.Log.Warn("a load was not removed from the cache", "key", l.Key, "error", err)
			continue
		}
		total -= l.Bytes
	}
}

// sweep removes what loads left that were killed: folders that nobody holds.
func (c *Cache) sweep() {
	folders, err := os.ReadDir(c.making())
	if err != nil {
		c.opt.Log.Warn("the cache was not swept", "error", err)
		return
	}
	for _, f := range folders {
		if err := sweepFolder(filepath.Join(c.making(), f.Name())); err != nil {
			c.opt.Log.Warn("a killed load's folder was not removed", "folder", f.Name(), "error", err)
		}
	}
}

func sweepFolder(folder string) error {
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	path := filepath.Join(folder, lockFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && time.Since(info.ModTime()) < time.Minute {
		return nil // its maker has not come to locking it
	}
	lock := flock.New(path)
	free, err := lock.TryLock()
	if err != nil || !free {
		return err
	}
	return errors.Join(os.RemoveAll(folder), lock.Close())
}
