package cli

import (
	"fmt"
	"log/slog"
	"strings"
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
			if len(entries) == 0 {
				a.note("nothing is cached")
				return nil
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
		Long: `Remove the loads with these keys from the cache, or all of them. The beginning
of a key is enough. Recordings are not touched: tables are made again when they
are needed.`,
		Example: `  tapedeck cache clear
  tapedeck cache clear 7aa11828`,
		Args: nArgs(0, -1),
		RunE: func(_ *cobra.Command, prefixes []string) error {
			cache, err := a.openCache()
			if err != nil {
				return err
			}
			keys, err := fullKeys(cache, prefixes)
			if err != nil {
				return err
			}
			loads, bytes, err := cache.Clear(keys...)
			if err != nil {
				return err
			}
			a.note("removed %s, %s", count(loads, "load", "loads"), size(float64(bytes)))
			return nil
		},
	}
}

// fullKeys finds the loads whose keys begin with prefixes, one each.
func fullKeys(cache *table.Cache, prefixes []string) ([]string, error) {
	loads, err := cache.List()
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(prefixes))
	for i, prefix := range prefixes {
		for _, l := range loads {
			if !strings.HasPrefix(l.Key, prefix) {
				continue
			}
			if keys[i] != "" {
				return nil, fmt.Errorf("%s begins the keys of several loads: give more of it", prefix)
			}
			keys[i] = l.Key
		}
		if keys[i] == "" || prefix == "" {
			return nil, fmt.Errorf("there is no load %s in the cache: `tapedeck cache ls` shows what is", named(prefix))
		}
	}
	return keys, nil
}

// openCache opens the cache alone: its commands need no deck.
func (a *app) openCache() (*table.Cache, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	return table.OpenCache(c.CacheDir, table.CacheOptions{MaxMB: c.CacheMaxMB, Log: newLogger(a.err, c, slog.LevelWarn)})
}

// cacheEntry is a cached load as it is listed.
type cacheEntry struct {
	Key       string     `json:"key"`
	Recording string     `json:"recording"`
	Tables    int        `json:"tables"`
	Rows      uint64     `json:"rows"`
	Bytes     int64      `json:"bytes"`
	Used      time.Time  `json:"used"`
	Options   cachedWith `json:"options"`
}

// cachedWith are the options that a load was made with, as the command line
// calls them; empty for a load of everything.
type cachedWith struct {
	Topics         []string `json:"topics,omitempty"`
	Start          string   `json:"start,omitempty"`
	End            string   `json:"end,omitempty"`
	Downsample     int      `json:"downsample,omitempty"`
	MessageColumns bool     `json:"message_columns,omitempty"`
	Blobs          string   `json:"blobs,omitempty"`
	FlattenDepth   int      `json:"flatten_depth,omitempty"`
}

func cacheEntries(loads []*table.Load) []cacheEntry {
	entries := make([]cacheEntry, len(loads))
	for i, l := range loads {
		e := cacheEntry{
			Key: l.Key, Recording: l.Manifest.Path, Tables: len(l.Manifest.Tables),
			Bytes: l.Bytes, Used: l.Used.UTC(), Options: optionsOf(l.Manifest.Options),
		}
		for _, t := range l.Manifest.Tables {
			e.Rows += t.Rows
		}
		entries[i] = e
	}
	return entries
}

func optionsOf(o table.Options) cachedWith {
	with := cachedWith{
		Topics: o.Topics, MessageColumns: o.MessageColumns, Blobs: string(o.Blobs), FlattenDepth: o.FlattenDepth,
	}
	if o.Downsample > 1 {
		with.Downsample = o.Downsample
	}
	if o.From > 0 {
		with.Start = timeOf(o.From)
	}
	if o.HasUntil {
		with.End = timeOf(o.Until)
	}
	return with
}

func timeOf(ns uint64) string {
	return time.Unix(int64(ns/1e9), int64(ns%1e9)).UTC().Format(time.RFC3339Nano)
}

// String is the options as flags; empty for a load of everything.
func (o cachedWith) String() string {
	var flags []string
	add := func(given bool, flag string) {
		if given {
			flags = append(flags, flag)
		}
	}
	for _, topic := range o.Topics[:min(listed, len(o.Topics))] {
		add(true, "--topic "+shorten(named(topic)))
	}
	add(len(o.Topics) > listed, "…")
	add(o.Start != "", "--start "+o.Start)
	add(o.End != "", "--end "+o.End)
	add(o.Downsample > 0, fmt.Sprint("--downsample ", o.Downsample))
	add(o.MessageColumns, "--message-columns")
	add(o.Blobs != "", "--blobs "+o.Blobs)
	add(o.FlattenDepth > 0, fmt.Sprint("--flatten-depth ", o.FlattenDepth))
	return strings.Join(flags, " ")
}

// shownKey is as much of a key as tells loads apart.
const shownKey = 12

func cacheGrid(entries []cacheEntry) *grid {
	g := &grid{columns: []column{
		{name: "KEY"}, {name: "LAST USED (UTC)"}, {name: "SIZE", right: true}, {name: "TABLES", right: true},
		{name: "ROWS", right: true}, {name: "RECORDING"}, {name: "LOADED WITH"},
	}}
	for _, e := range entries {
		g.add(e.Key[:min(shownKey, len(e.Key))], e.Used.Format(time.DateTime), size(float64(e.Bytes)),
			group(e.Tables), group(e.Rows), e.Recording, e.Options.String())
	}
	return g
}
