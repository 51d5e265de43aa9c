package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Change is what would become of a client's file.
type Change struct {
	Path   string
	Before []byte // nil: there is no file
	After  []byte
}

// Plan works out the change that enters server under a name in the file at path.
func (c Client) Plan(path, name string, server Server) (*Change, error) {
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the configuration of %s: %w", c.Title, err)
	}
	after, err := setMember(before, c.section, name, c.entry(server))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrNotJSON, err)
	}
	return &Change{Path: path, Before: before, After: after}, nil
}

// Snippet is the text to enter by hand.
func (c Client) Snippet(name string, server Server) string {
	text, err := marshal(map[string]any{c.section: map[string]any{name: c.entry(server)}}, "", "  ")
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(text)
}

// Empty reports whether the file is already as it would become.
func (c *Change) Empty() bool { return c.Before != nil && bytes.Equal(c.Before, c.After) }

// Diff is the change as a unified diff; empty when there is none.
func (c *Change) Diff() string {
	text := string(diff.Diff(c.Path, c.Before, c.Path+" (changed)", c.After))
	_, unified, _ := strings.Cut(text, "\n") // the first line repeats both names
	return unified
}

// Write puts the changed file in its place, and returns where the old one was
// copied to; empty when there was none. A file that changed since Plan is an
// error, and stays as it is.
func (c *Change) Write() (backup string, err error) {
	path, err := target(c.Path)
	if err != nil {
		return "", err
	}
	mode := fs.FileMode(0o600)
	if c.Before != nil {
		if mode, err = c.unchanged(path); err != nil {
			return "", err
		}
		if backup, err = copyBeside(path, c.Before, mode); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return backup, fmt.Errorf("making the folder of the configuration: %w", err)
	}
	return backup, replace(path, c.After, mode)
}

// target follows links, so that a file kept elsewhere is changed there.
func target(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return real, err
}

// unchanged checks that the file is still as it was read, and returns its mode.
func (c *Change) unchanged(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(now, c.Before) {
		return 0, fmt.Errorf("%s was changed by another program meanwhile: nothing was written, try again", c.Path)
	}
	return info.Mode().Perm(), nil
}

// copyBeside keeps data as path.bak, or path.bak2 and so on where that is taken.
func copyBeside(path string, data []byte, mode fs.FileMode) (string, error) {
	for n := 1; ; n++ {
		backup := path + ".bak"
		if n > 1 {
			backup = fmt.Sprintf("%s.bak%d", path, n)
		}
		f, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("keeping a copy of the configuration: %w", err)
		}
		_, err = f.Write(data)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("keeping a copy of the configuration: %w", err)
		}
		return backup, nil
	}
}

// replace puts a whole new file in the place of path, or changes nothing.
func replace(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing the configuration: %w", err), os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(fmt.Errorf("writing the configuration: %w", err), os.Remove(f.Name()))
	}
	return nil
}

func marshal(value any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // paths may hold & and <
	encoder.SetIndent(prefix, indent)
	err := encoder.Encode(value)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
