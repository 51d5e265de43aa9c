// Package library knows which recordings exist.
//
// # What it does
//
// It finds the recordings in the data folders, finds one by whatever name
// someone gives it, opens it, and keeps the summaries: in memory, and on disk by
// the file's fingerprint, so that only a new or changed file is read again.
//
// # What it does not
//
// It reads no messages, watches no folders, and changes nothing but its cache.
//
// # What it promises
//
// A file or folder that can't be read is a [Problem] and never hides the others.
// When it is confined, no name leads to a file outside of the data folders, and
// no error tells whether such a file exists.
package library

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"tapedeck/internal/recording"
	"tapedeck/internal/recording/open"
)

// Options say where the recordings are.
type Options struct {
	Folders   []string // data folders; at least one
	Recursive bool     // look into the folders' folders, but not into hidden ones
	CacheDir  string   // summaries are kept in its folder summaries; empty: only in memory
	Confined  bool     // refuse all that lies outside of the data folders
	Log       *slog.Logger
}

// Library finds recordings. It is safe for concurrent use.
type Library struct {
	folders   []string // absolute
	recursive bool
	confined  bool
	log       *slog.Logger
	store     *store

	mu    sync.Mutex
	known map[string]*knownFile // by path
}

// New makes a library of the recordings in the given folders. A folder need not
// exist yet.
func New(opt Options) (*Library, error) {
	if len(opt.Folders) == 0 {
		return nil, errors.New("no data folder given")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	l := &Library{recursive: opt.Recursive, confined: opt.Confined, log: opt.Log, known: make(map[string]*knownFile)}
	for _, path := range opt.Folders {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("data folder %q: %w", path, err)
		}
		l.folders = append(l.folders, abs)
	}
	if opt.CacheDir != "" {
		l.store = &store{dir: filepath.Join(opt.CacheDir, "summaries")}
	}
	return l, nil
}

// Entry is a recording that was found.
type Entry struct {
	Path    string // absolute
	Rel     string // what Resolve finds it by: relative to its data folder, with slashes
	Size    int64
	ModTime time.Time
	Summary *recording.Summary // shared; not to be changed
}

// Problem is a file or folder that can't be read, and why.
type Problem struct {
	Path   string
	Reason string
}

// Recording is an open recording.
type Recording struct {
	Path        string // absolute
	Rel         string // relative to its data folder, with slashes
	Fingerprint string
	Summary     *recording.Summary // shared; not to be changed
	File        recording.File
}

// Close closes the file.
func (r *Recording) Close() error { return r.File.Close() }

// Open opens the recording at a path that Resolve or Scan gave. When the
// library is confined, it refuses all other paths.
func (l *Library) Open(ctx context.Context, path string) (*Recording, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := l.allow(path); err != nil {
		return nil, err
	}
	file, err := open.File(path)
	if err != nil {
		return nil, err
	}
	known, err := l.summary(ctx, path, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Recording{Path: path, Rel: l.rel(path), Fingerprint: known.fingerprint, Summary: known.summary, File: file}, nil
}
