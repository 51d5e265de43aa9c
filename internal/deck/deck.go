// Package deck holds the operations that every face offers: list, describe,
// load and question recordings. The command line, MCP and HTTP call these
// functions and add nothing but their form.
//
// It does not decode, store or execute: it brings library, table and query
// together, checks what callers give, and turns failures into [Error]s that say
// what to do next.
package deck

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tapedeck/decode"
	"tapedeck/decode/registry"
	"tapedeck/internal/library"
	"tapedeck/internal/query"
	"tapedeck/internal/table"
)

// Progress tells how far long work is. Total is 0 while unknown.
type Progress func(done, total uint64, what string)

// Operations are what the faces call. A Deck implements them; faces take the
// interface so that each is tested apart.
type Operations interface {
	ListRecordings(ctx context.Context, r ListRequest, p Progress) (*RecordingList, error)
	RecordingInfo(ctx context.Context, file string) (*RecordingInfo, error)
	Schema(ctx context.Context, file, topic string) (*RecordingSchema, error)
	Load(ctx context.Context, r LoadRequest, p Progress) (*LoadResult, error)
	Query(ctx context.Context, r QueryRequest) (*QueryResult, error)
	Version() Version
}

// Options say what a deck works on. Zero values are the defaults named.
type Options struct {
	Folders        []string // data folders; none: the working folder
	Recursive      bool
	Confined       bool   // files outside of the data folders are refused
	CacheDir       string // for summaries and tables; must be given
	CacheMaxMB     int    // 0: no bound
	MemoryBudgetMB int    // of attached tables; 0: 2048
	FlattenDepth   int    // see decode.Options
	Pool           query.Options
	Version        string // of the program
	Log            *slog.Logger
}

// Deck brings recordings, tables and queries together. It is safe for
// concurrent use.
type Deck struct {
	opt      Options
	decoders []decode.Decoder
	library  *library.Library
	cache    *table.Cache
	set      *table.Set
	pool     *query.Pool
	log      *slog.Logger
}

// Open makes a deck. Nothing heavy starts before it is needed: the query
// workers with the first query, DuckDB with the first load.
func Open(opt Options) (*Deck, error) {
	if opt.CacheDir == "" {
		return nil, errors.New("no cache folder given")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if len(opt.Folders) == 0 {
		opt.Folders = []string{"."}
	}
	if opt.MemoryBudgetMB == 0 {
		opt.MemoryBudgetMB = 2048
	}
	set := table.NewSet(opt.MemoryBudgetMB)
	cache, err := table.OpenCache(opt.CacheDir, table.CacheOptions{MaxMB: opt.CacheMaxMB, MemoryMB: opt.Pool.MemoryMB, InUse: set.Attached, Log: opt.Log})
	if err != nil {
		return nil, err
	}
	lib, err := library.New(library.Options{Folders: opt.Folders, Recursive: opt.Recursive, CacheDir: opt.CacheDir, Confined: opt.Confined, Log: opt.Log})
	if err != nil {
		return nil, err
	}
	pool, err := query.NewPool(opt.Pool)
	if err != nil {
		return nil, err
	}
	return &Deck{opt: opt, decoders: registry.Decoders(), library: lib, cache: cache, set: set, pool: pool, log: opt.Log}, nil
}

// Close ends the query workers.
func (d *Deck) Close() { d.pool.Close() }

// Cache is where the deck's tables are kept.
func (d *Deck) Cache() *table.Cache { return d.cache }

// open finds a recording by name or path and opens it.
func (d *Deck) open(ctx context.Context, name string) (*library.Recording, error) {
	path, err := d.library.Resolve(ctx, name)
	if err != nil {
		return nil, fileError(err)
	}
	rec, err := d.library.Open(ctx, path)
	if err != nil {
		return nil, fileError(err)
	}
	return rec, nil
}

func source(rec *library.Recording) table.Source {
	return table.Source{Path: rec.Path, Fingerprint: rec.Fingerprint, Summary: rec.Summary, File: rec.File}
}

// folderScan bounds a look through the data folders that only serves a better
// error message.
const folderScan = 2 * time.Second
