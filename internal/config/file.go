package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/v2"
	gotoml "github.com/pelletier/go-toml/v2"
)

// Names of the files that are looked for; of the first that is there all is read.
const (
	fileName       = "tapedeck.toml"
	legacyFileName = "mcap-mcp-server.toml"
)

// loadFile reads the file that src names, or the first of those it may find.
func (c *Config) loadFile(src Sources) []error {
	name, err := src.file()
	if err != nil || name == "" {
		return problem(err)
	}
	source := string(LayerFile) + " " + name
	entries, err := readTOML(name)
	if err != nil {
		return problem(fmt.Errorf("%w: %s: %w", ErrInvalid, source, err))
	}
	c.File = name
	return c.applyEntries(entries, name)
}

// file finds the file to read; empty when there is none.
func (src Sources) file() (string, error) {
	if src.File != "" {
		return src.File, nil
	}
	candidates := []string{filepath.Join(src.Dir, fileName), filepath.Join(src.Dir, legacyFileName)}
	if src.UserDir != "" {
		candidates = append(candidates, filepath.Join(src.UserDir, "tapedeck", fileName))
	}
	for _, name := range candidates {
		_, err := os.Stat(name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	return "", nil
}

// applyEntries sets what a file says, by keys of the form "section.key".
func (c *Config) applyEntries(entries map[string]any, name string) []error {
	source := string(LayerFile) + " " + name
	var problems []error
	known := slices.Clone(ignored.keys)
	for i := range settings {
		s := &settings[i]
		known = append(known, s.keys()...)
		given := slices.DeleteFunc(s.keys(), func(key string) bool { _, ok := entries[key]; return !ok })
		switch len(given) {
		case 0:
		case 1:
			key := given[0]
			if err := c.assign(s, entries[key], source, key, Origin{LayerFile, name + " " + key}); err != nil {
				problems = append(problems, err)
			}
		default:
			problems = append(problems, fmt.Errorf("%w: %s: %s are one setting: keep one of them",
				ErrInvalid, source, strings.Join(given, " and ")))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		switch {
		case slices.Contains(ignored.keys, key):
			c.ignore(source, key)
		case !slices.Contains(known, key) && !isEmptySection(key, entries[key], known):
			problems = append(problems, unknown(source, key, known))
		}
	}
	return problems
}

// isEmptySection reports whether an entry is a section of known keys with
// nothing in it.
func isEmptySection(key string, value any, known []string) bool {
	section, ok := value.(map[string]any)
	return ok && len(section) == 0 && slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, key+".") })
}

// readTOML returns the file's entries by their path, such as "limits.max_row_limit".
func readTOML(name string) (map[string]any, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseTOML(text)
}

// parseTOML does so for a file's text.
func parseTOML(text []byte) (map[string]any, error) {
	k := koanf.New(".")
	if err := k.Load(tomlText(text), toml.Parser()); err != nil {
		var syntax *gotoml.DecodeError
		if errors.As(err, &syntax) {
			line, column := syntax.Position()
			return nil, fmt.Errorf("line %d, column %d is no TOML: %w", line, column, err)
		}
		return nil, err
	}
	return k.All(), nil
}

// tomlText gives koanf the bytes of a file.
type tomlText []byte

// ReadBytes returns the bytes.
func (t tomlText) ReadBytes() ([]byte, error) { return t, nil }

// Read is what koanf calls when there is no parser; here there always is.
func (t tomlText) Read() (map[string]any, error) { return nil, errors.ErrUnsupported }

func problem(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}
