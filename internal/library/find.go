package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// suffix ends the names of recordings.
const suffix = ".mcap"

func hasSuffix(name string) bool { return strings.EqualFold(filepath.Ext(name), suffix) }

// finder collects the files named like recordings below folders.
type finder struct {
	ctx       context.Context
	lib       *Library
	paths     []string
	problems  []Problem
	visited   map[string]bool // real paths of folders: links may lead in circles
	realPaths map[string]int  // real path of each file to its place in paths
}

// find returns the paths of all files named like recordings below the folders,
// sorted. A file that is there several times by links is given once, by its own
// name if that is among them.
func (l *Library) find(ctx context.Context, folders []string) ([]string, []Problem, error) {
	f := &finder{ctx: ctx, lib: l, visited: make(map[string]bool), realPaths: make(map[string]int)}
	for _, folder := range folders {
		if err := f.folder(folder); err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(f.paths)
	return slices.Compact(f.paths), f.problems, nil
}

// folder collects from one folder. The error is the context's; all else is a
// problem.
func (f *finder) folder(path string) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		f.problem(path, err)
		return nil
	}
	if f.visited[real] {
		return nil
	}
	f.visited[real] = true
	entries, err := os.ReadDir(path)
	if err != nil {
		f.problem(path, err) // with the entries that could be read
	}
	for _, e := range entries {
		if err := f.entry(filepath.Join(path, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) entry(path string, e fs.DirEntry) error {
	switch {
	case e.IsDir():
		if f.lib.recursive && !strings.HasPrefix(e.Name(), ".") {
			return f.folder(path)
		}
	case e.Type()&fs.ModeSymlink != 0:
		return f.link(path, e)
	case hasSuffix(e.Name()):
		f.add(path, path)
	}
	return nil
}

// link follows a symbolic link to a file or a folder. Confined, it looks at
// nothing outside: whether a link leads to something there does not show.
func (f *finder) link(path string, e fs.DirEntry) error {
	named := hasSuffix(e.Name())
	enters := f.lib.recursive && !strings.HasPrefix(e.Name(), ".")
	if !named && !enters {
		return nil
	}
	if err := f.lib.allow(path); err != nil {
		f.problems = append(f.problems, Problem{path, "the link leads out of the data folders, or nowhere"})
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		if named {
			f.problem(path, err)
		}
		return nil
	case info.IsDir():
		if enters {
			return f.folder(path)
		}
		return nil
	case !named:
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		f.problem(path, err)
		return nil
	}
	f.add(path, real)
	return nil
}

// add takes a file in, which is real when links are followed.
func (f *finder) add(path, real string) {
	if path == real {
		if r, err := filepath.EvalSymlinks(path); err == nil {
			real = r // a folder on the way may be a link
		}
	}
	i, known := f.realPaths[real]
	switch {
	case !known:
		f.realPaths[real] = len(f.paths)
		f.paths = append(f.paths, path)
	case path == real:
		f.paths[i] = path
	}
}

func (f *finder) problem(path string, err error) {
	f.problems = append(f.problems, Problem{path, reason(err)})
}

// reason is an error without the path that it stands beside.
func reason(err error) string {
	var pathErr *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist, or is a link to what does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "this program has no permission to read it"
	case errors.As(err, &pathErr):
		return pathErr.Op + ": " + pathErr.Err.Error()
	}
	return err.Error()
}
