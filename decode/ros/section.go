package ros

import (
	"errors"
	"fmt"
	"strings"
)

// section is the definition of one type in a schema's text.
type section struct {
	name  string // clean; empty for the text in front of the first header
	lines []line
}

// line is a line of a schema's text.
type line struct {
	number int
	text   string
}

// split cuts a schema's text in sections. The first is the text in front of
// the first header, which may be blank.
func split(text string) ([]section, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	sections := []section{{}}
	separated := false // the last line that was not blank is a separator
	for i, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		name, isHeader, err := header(trimmed)
		switch last := &sections[len(sections)-1]; {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		case isHeader:
			sections = append(sections, section{name: cleanName(name)})
			separated = false
		case isSeparator(trimmed):
			separated = true
		case separated && trimmed != "":
			return nil, fmt.Errorf("line %d: %q stands behind a separator, where \"MSG: package/Type\" is expected", i+1, clip(trimmed))
		default:
			last.lines = append(last.lines, line{i + 1, l})
		}
	}
	return sections, nil
}

func isSeparator(l string) bool { return len(l) >= 3 && strings.Trim(l, "=") == "" }

// header returns the name in a line such as "MSG: std_msgs/Header".
func header(l string) (name string, is bool, err error) {
	label, name, found := strings.Cut(l, ":")
	name = strings.TrimSpace(name)
	if !found || !isTypeName(name) {
		return "", false, nil
	}
	switch label {
	case "MSG", "SRV", "ACTION":
		return name, true, nil
	case "IDL":
		return "", false, errors.New("it is IDL, which the schema encoding ros2idl is for")
	}
	return "", false, nil
}

func (s section) isBlank() bool {
	for _, l := range s.lines {
		if strings.TrimSpace(l.text) != "" {
			return false
		}
	}
	return true
}

// parts cuts a section where .srv and .action files are cut.
func (s section) parts() [][]line {
	parts := [][]line{nil}
	for _, l := range s.lines {
		if strings.TrimSpace(l.text) == "---" {
			parts = append(parts, nil)
			continue
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], l)
	}
	return parts
}

// clip shortens text for an error.
func clip(s string) string {
	const limit = 60
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}
