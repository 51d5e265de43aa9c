package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNotEditable: a configuration file can't be changed safely by a program.
var ErrNotEditable = errors.New("the configuration file can't be changed safely")

// An Entry is a setting with a text as its value.
type Entry struct {
	Name  string // of the setting
	Value string
}

// Line is the entry as the file has it, below its section.
func (e Entry) Line() (section, line string) {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == e.Name })
	section, key, _ := strings.Cut(settings[i].Key, ".")
	return section, key + " = " + strconv.Quote(e.Value)
}

// AddEntries returns the text of a configuration file with entries that it does
// not have yet. Those that it has with other values are kept as they are, and
// returned. All else keeps its bytes.
func AddEntries(text []byte, entries []Entry) (after []byte, kept []string, err error) {
	before, err := parseTOML(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotEditable, err)
	}
	want := make(map[string]any, len(before))
	for key, value := range before {
		want[key] = value
	}
	after = text
	for _, e := range entries {
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == e.Name })
		given, there := firstOf(before, settings[i].keys())
		switch {
		case !there:
			section, line := e.Line()
			after = addLine(after, section, line)
			want[settings[i].Key] = e.Value
		case given != e.Value:
			kept = append(kept, e.Name)
		}
	}
	// The lines were put in by eye: only what reads back as it should is returned.
	found, err := parseTOML(after)
	if err != nil || !reflect.DeepEqual(withoutEmptySections(found), withoutEmptySections(want)) {
		return nil, nil, fmt.Errorf("%w: it is written in a form that tapedeck does not edit", ErrNotEditable)
	}
	return after, kept, nil
}

func firstOf(entries map[string]any, keys []string) (value any, ok bool) {
	for _, key := range keys {
		if value, ok = entries[key]; ok {
			return value, true
		}
	}
	return nil, false
}

// withoutEmptySections leaves out what an empty section becomes.
func withoutEmptySections(entries map[string]any) map[string]any {
	rest := map[string]any{}
	for key, value := range entries {
		if section, ok := value.(map[string]any); !ok || len(section) > 0 {
			rest[key] = value
		}
	}
	return rest
}

// addLine puts a line below the heading of its section, or with the heading
// behind all else.
func addLine(text []byte, section, line string) []byte {
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	heading := regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*` + regexp.QuoteMeta(section) + `[ \t]*\][ \t]*(#[^\r\n]*)?(\r?\n|\r?\z)`)
	if at := heading.FindIndex(text); at != nil {
		if !bytes.HasSuffix(text[:at[1]], []byte("\n")) {
			line = newline + line
		}
		return slices.Concat(text[:at[1]], []byte(line+newline), text[at[1]:])
	}
	gap := ""
	if len(text) > 0 {
		if !bytes.HasSuffix(text, []byte("\n")) {
			gap = newline
		}
		gap += newline
	}
	return slices.Concat(text, []byte(gap+"["+section+"]"+newline+line+newline))
}
