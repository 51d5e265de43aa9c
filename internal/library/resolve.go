package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tapedeck/internal/nearest"
	"tapedeck/internal/recording"
)

// maxName is how long a name may be, in bytes.
const maxName = 4096

// Resolve returns the absolute path of the recording that a name means. A name
// may be a path, absolute or relative to the working folder or to a data folder,
// or the end of one anywhere below the data folders; `.mcap` may be left out.
// A name that is a path from a folder goes before one that is the end of a path.
// Errors are a NotFoundError, an AmbiguousError, a ForbiddenError, or wrap
// recording.ErrNotRecording for what is no file.
func (l *Library) Resolve(ctx context.Context, name string) (string, error) {
	if err := l.checkName(name); err != nil {
		return "", err
	}
	var refused error // what has the name, but is no file
	for _, ending := range []string{"", suffix} {
		path, err := l.placeFile(name + ending)
		if path != "" {
			return path, nil
		}
		if err != nil && !errors.Is(err, recording.ErrNotRecording) {
			return "", err
		}
		refused = cmp.Or(refused, err)
	}
	path, err := l.search(ctx, name)
	if refused != nil && errors.Is(err, ErrNotFound) {
		return "", refused
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err == nil {
		err = recording.CheckFile(path, info)
	}
	if err != nil {
		return "", err
	}
	return path, nil
}

func (l *Library) checkName(name string) error {
	reason := ""
	switch {
	case strings.TrimSpace(name) == "":
		reason = "the name is empty"
	case len(name) > maxName:
		reason = fmt.Sprintf("the name has %d bytes, at most %d are allowed", len(name), maxName)
	case strings.ContainsRune(name, 0):
		reason = "the name has a NUL character in it"
	default:
		return nil
	}
	return &NotFoundError{Name: name, Reason: reason, Folders: l.folders}
}

// places are the paths that a name may mean from a folder. Confined, the
// working folder is none of them.
func (l *Library) places(name string) ([]string, error) {
	if filepath.IsAbs(name) {
		return []string{filepath.Clean(name)}, l.allow(filepath.Clean(name))
	}
	bases := slices.Clone(l.folders)
	if !l.confined {
		if here, err := os.Getwd(); err == nil {
			bases = append(bases, here)
		}
	}
	var paths []string
	var refused error
	for _, base := range bases {
		path := filepath.Join(base, filepath.FromSlash(name))
		if err := l.allow(path); err != nil {
			refused = err
			continue
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		return nil, refused
	}
	return paths, nil
}

// placeFile returns the file that a name means from a folder, if there is one.
func (l *Library) placeFile(name string) (string, error) {
	paths, err := l.places(name)
	if err != nil {
		return "", err
	}
	var found []string
	var infos []os.FileInfo
	var refused error
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if err := recording.CheckFile(path, info); err != nil {
			refused = err
			continue
		}
		if !slices.ContainsFunc(infos, func(other os.FileInfo) bool { return os.SameFile(other, info) }) {
			found, infos = append(found, path), append(infos, info)
		}
	}
	switch len(found) {
	case 0:
		return "", refused
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{Name: name, Candidates: found}
}

// place returns the folder or file that a name means from a folder.
func (l *Library) place(name string) (string, error) {
	if len(name) > maxName || strings.ContainsRune(name, 0) {
		return "", l.checkName(name)
	}
	paths, err := l.places(name)
	if err != nil {
		return "", err
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", &NotFoundError{Name: name, Reason: "there is no such folder", Folders: l.folders}
}

// search finds a name as the end of a path below the data folders, without
// regard to case if it must.
func (l *Library) search(ctx context.Context, name string) (string, error) {
	paths, _, err := l.find(ctx, l.folders)
	if err != nil {
		return "", err
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = l.rel(path)
	}
	wanted := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "./")
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []string
		for i := range paths {
			if endsWith(names[i], wanted, same) {
				found = append(found, paths[i])
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return "", &AmbiguousError{Name: name, Candidates: l.distinctNames(found)}
		}
	}
	missing := &NotFoundError{Name: name, Nearest: nearest.Nearest(wanted, names, 5), Folders: l.folders}
	if strings.ContainsAny(name, "*?") {
		missing.Reason = "wildcards are not understood: give one recording at a time"
	}
	return "", missing
}

// endsWith reports whether the last parts of a path are those of a name, whose
// suffix may be missing.
func endsWith(path, name string, same func(a, b string) bool) bool {
	have, want := strings.Split(path, "/"), strings.Split(name, "/")
	if len(want) > len(have) {
		return false
	}
	have = have[len(have)-len(want):]
	last := len(want) - 1
	for i := range last {
		if !same(have[i], want[i]) {
			return false
		}
	}
	stem := have[last][:len(have[last])-len(suffix)]
	return same(have[last], want[last]) || same(stem, want[last])
}

// distinctNames are names for paths that Resolve can tell apart: relative where
// that is enough.
func (l *Library) distinctNames(paths []string) []string {
	uses := make(map[string]int)
	for _, path := range paths {
		uses[l.rel(path)]++
	}
	var names []string
	for _, path := range paths {
		name := l.rel(path)
		if uses[name] > 1 {
			name = path
		}
		names = append(names, name)
	}
	return names
}
