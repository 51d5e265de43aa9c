package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tapedeck/internal/table"
)

func newCache(a *app) *cobra.Command {
	return newGroup("cache", "Look after the tables that are kept on disk", newCacheLs(a), newCacheClear(a))
}

func newCacheLs(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "ls",
		Short:   "List cached loads, the last used first",
		Example: `  tapedeck cache ls`,
		Args:    nArgs(0, 0),
		RunE: func(*cobra.Command, []string) error {
			cache, err := a.openCache()
			if err != nil {
				return err
			}
			loads, err := cache.List()
			if err != nil {
				return err
			}
			entries := cacheEntries(loads)
			if asJSON {
				return printJSON(a.out, map[string]any{"loads": entries})
			}
			return cacheGrid(entries).print(a.out)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func newCacheClear(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "clear [KEY…]",
		Short: "Remove cached loads: those named, or all",
		Long: `Remove the loads with these keys from the cache, or all of them. Recordings are
not touched: tables are made again when they are needed.`,
		Example: `  tapedeck cache clear`,
		Args:    nArgs(0, -1),
		RunE: func(_ *cobra.Command, keys []string) error {
			cache, err := a.openCache()
			if err != nil {
				return err
			}
			if err := knownKeys(cache, keys); err != nil {
				return err
			}
			loads, bytes, err := cache.Clear(keys...)
			if err != nil {
				return err
			}
			a.note("removed %s, %s MB", count(loads, "load", "loads"), megabytes(bytes))
			return nil
		},
	}
}

// knownKeys checks that all keys are those of cached loads.
func knownKeys(cache *table.Cache, keys []string) error {
	loads, err := cache.List()
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !slices.ContainsFunc(loads, func(l *table.Load) bool { return l.Key == key }) {
			return fmt.Errorf("there is no load %s in the cache: `tapedeck cache ls` shows what is", key)
		}
	}
	return nil
}

// openCache opens the cache alone: its commands need no deck.
func (a *app) openCache() (*table.Cache, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	return table.OpenCache(c.CacheDir, table.CacheOptions{MaxMB: c.CacheMaxMB, Log: newLogger(a.err, c)})
}

// cacheEntry is a cached load as it is listed.
type cacheEntry struct {
	Key       string        `json:"key"`
	Recording string        `json:"recording"`
	Tables    int           `json:"tables"`
	Rows      uint64        `json:"rows"`
	Bytes     int64         `json:"bytes"`
	Used      time.Time     `json:"used"`
	Options   table.Options `json:"options"`
}

func cacheEntries(loads []*table.Load) []cacheEntry {
	entries := make([]cacheEntry, len(loads))
	for i, l := range loads {
		e := cacheEntry{
			Key: l.Key, Recording: l.Manifest.Path, Tables: len(l.Manifest.Tables),
			Bytes: l.Bytes, Used: l.Used, Options: l.Manifest.Options,
		}
		for _, t := range l.Manifest.Tables {
			e.Rows += t.Rows
		}
		entries[i] = e
	}
	return entries
}

func cacheGrid(entries []cacheEntry) *grid {
	g := &grid{columns: []column{
		{name: "KEY"}, {name: "RECORDING"}, {name: "TABLES", right: true}, {name: "ROWS", right: true},
		{name: "MB", right: true}, {name: "LAST USED"},
	}}
	for _, e := range entries {
		g.add(e.Key, e.Recording, fmt.Sprint(e.Tables), fmt.Sprint(e.Rows), megabytes(e.Bytes), e.Used.Format(time.RFC3339))
	}
	return g
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/(1<<20)) }
