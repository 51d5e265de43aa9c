package library

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// readers is how many files are read at a time.
const readers = 4

// Scan finds the recordings in a folder, or in all data folders when folder is
// empty, and their summaries. A folder may be given like a name to Resolve: as
// an absolute path, or relative to the working folder or a data folder; it may
// also be one recording. Entries and problems are sorted by path. progress, if
// not nil, is called for each file, never twice at a time. The error is the
// context's, or tells why the folder can't be scanned.
func (l *Library) Scan(ctx context.Context, folder string, progress func(done, total int)) ([]Entry, []Problem, error) {
	paths, problems, err := l.findIn(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	s := scan{lib: l, progress: progress, total: len(paths), problems: problems}
	work := make(chan string)
	var wg sync.WaitGroup
	for range min(readers, len(paths)) {
		wg.Go(func() {
			for path := range work {
				s.file(ctx, path)
			}
		})
	}
	for _, path := range paths {
		if ctx.Err() != nil {
			break
		}
		work <- path
	}
	close(work)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(s.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(s.problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return s.entries, s.problems, nil
}

// findIn finds the files in a folder that a caller named.
func (l *Library) findIn(ctx context.Context, name string) ([]string, []Problem, error) {
	if name == "" {
		return l.find(ctx, l.folders)
	}
	path, err := l.place(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return []string{path}, nil, nil
	}
	return l.find(ctx, []string{path})
}

// scan gathers what the readers find.
type scan struct {
	lib      *Library
	progress func(done, total int)
	total    int

	mu       sync.Mutex
	done     int
	entries  []Entry
	problems []Problem
}

func (s *scan) file(ctx context.Context, path string) {
	known, err := s.lib.summary(ctx, path, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if err != nil {
		s.problems = append(s.problems, Problem{path, strings.TrimPrefix(reason(err), path+": ")})
	} else {
		s.entries = append(s.entries, Entry{
			Path: path, Rel: s.lib.rel(path),
			Size: known.info.Size(), ModTime: known.info.ModTime(), Summary: known.summary,
		})
	}
	if s.progress != nil {
		s.progress(s.done, s.total)
	}
}

// rel is the name of a path that Resolve finds it by: relative to its data
// folder, with slashes. Outside of them it is the path itself.
func (l *Library) rel(path string) string {
	for _, folder := range l.folders {
		if rel, ok := within(folder, path); ok {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

// within returns path relative to folder, if it is in there.
func within(folder, path string) (string, bool) {
	rel, err := filepath.Rel(folder, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}
