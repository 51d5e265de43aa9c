package library

import (
	"os"
	"path/filepath"
	"strings"
)

// allow returns a ForbiddenError if the library is confined and the absolute
// path leads out of the data folders, by itself or by a link on its way. It
// looks at no file outside: whether one exists there does not show.
func (l *Library) allow(path string) error {
	if !l.confined {
		return nil
	}
	for _, folder := range l.folders {
		for _, spelling := range []string{folder, realPath(folder)} {
			if rel, ok := within(spelling, path); ok && l.staysInside(spelling, rel) {
				return nil
			}
		}
	}
	return &ForbiddenError{Folders: l.folders}
}

// staysInside follows the path rel below folder, name by name.
func (l *Library) staysInside(folder, rel string) bool {
	path := folder
	for _, name := range strings.Split(rel, string(filepath.Separator)) {
		path = filepath.Join(path, name)
		info, err := os.Lstat(path)
		if err != nil {
			return true // nothing is there that could lead anywhere
		}
		if info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !l.realInside(real) {
			return false
		}
	}
	return true
}

// realInside reports whether a path without links is in a data folder.
func (l *Library) realInside(path string) bool {
	for _, folder := range l.folders {
		if _, ok := within(realPath(folder), path); ok {
			return true
		}
	}
	return false
}

// realPath is a folder's path without links, or as it is while there is no
// such folder.
func realPath(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
}
