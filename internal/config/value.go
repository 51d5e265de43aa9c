package config

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The kinds of fields that are not plain values, by how text is read into them.
type (
	paths   []string // joined as in PATH; a leading ~/ is the home folder
	path    string   // a leading ~/ is the home folder
	names   []string // joined by commas
	address string   // host:port
	dsn     string   // of a PostgreSQL database; shown without its password
	target  string   // a server's URL; shown without its password
)

// set parses raw into the setting's field. Raw is a string from the environment
// or a flag, []string from a repeated flag, or what TOML holds.
func (s *Setting) set(c *Config, raw any) error {
	var ok bool
	switch field := s.field(c).(type) {
	case *bool:
		*field, ok = parseBool(raw)
	case *int:
		*field, ok = parseInt(raw)
		ok = ok && *field >= s.Min && *field <= s.Max
	case *string:
		*field, ok = s.parseString(raw)
	case *path:
		var text string
		text, ok = raw.(string)
		*field, ok = path(expandHome(text)), ok && text != ""
	case *address:
		*field, ok = parseAddress(raw)
	case *dsn:
		*field, ok = parseDSN(raw)
	case *target:
		var text string
		text, ok = raw.(string)
		text = strings.TrimSpace(text)
		*field, ok = target(text), ok && (text != "" || s.Default == "") && !strings.ContainsAny(text, " \t\n")
	case *paths:
		*field, ok = parseList(raw, s.separator())
		ok = ok && len(*field) > 0
		for i, p := range *field {
			(*field)[i] = expandHome(p)
		}
	case *names:
		*field, ok = parseList(raw, s.separator())
		ok = ok && s.allows(*field)
	default:
		panic("config: setting " + s.Name + " has a field of no known kind")
	}
	if !ok {
		return &Error{Value: s.shown(raw), Allowed: s.allowed()}
	}
	return nil
}

// value is the setting's value as JSON and texts show it.
func (s *Setting) value(c *Config) any {
	var value any
	switch field := s.field(c).(type) {
	case *bool:
		value = *field
	case *int:
		value = *field
	case *string:
		value = *field
	case *path:
		value = string(*field)
	case *address:
		value = string(*field)
	case *dsn:
		value = field.shown()
	case *target:
		value = dsn(*field).shown()
	case *paths:
		value = []string(*field)
	case *names:
		value = []string(*field)
	}
	if s.Secret && value != "" {
		return masked
	}
	return value
}

const masked = "********"

// shown is raw as errors show it.
func (s *Setting) shown(raw any) string {
	if s.Secret {
		return masked
	}
	if text, ok := raw.(string); ok {
		switch s.field(&Config{}).(type) {
		case *dsn, *target:
			text = dsn(text).shown()
		}
		return strconv.Quote(text)
	}
	return fmt.Sprint(raw)
}

// allowed says which values the setting takes.
func (s *Setting) allowed() string {
	switch s.field(&Config{}).(type) {
	case *bool:
		return "true or false"
	case *int:
		return fmt.Sprintf("a whole number from %d to %d", s.Min, s.Max)
	case *path:
		return "a folder"
	case *address:
		return "HOST:PORT, such as 127.0.0.1:8081; port 0 takes a free one"
	case *dsn:
		return "postgres://USER@HOST:PORT/DATABASE, or host=HOST dbname=DATABASE user=USER"
	case *target:
		return "a URL, such as http://localhost:11434"
	case *paths:
		return fmt.Sprintf("an array of folders, or folders joined by %q", s.separator())
	case *names:
		if s.Choices != nil {
			return "an array, or words joined by commas, of " + strings.Join(s.Choices, ", ")
		}
		return "an array of host names, or host names joined by commas"
	}
	if s.Choices != nil {
		return "one of " + strings.Join(s.Choices, ", ")
	}
	return "a text that is not empty"
}

func (s *Setting) separator() string {
	if _, ok := s.field(&Config{}).(*paths); ok {
		return string(os.PathListSeparator)
	}
	return ","
}

// allows reports whether all of a list are among the choices, if there are any.
func (s *Setting) allows(list []string) bool {
	return s.Choices == nil || !slices.ContainsFunc(list, func(item string) bool { return !slices.Contains(s.Choices, item) })
}

// parseBool takes the spellings of the Python server and their opposites.
func parseBool(raw any) (value, ok bool) {
	if value, ok = raw.(bool); ok {
		return value, true
	}
	text, _ := raw.(string)
	switch strings.ToLower(text) {
	case "1", "true", "yes", "on":
		return true, true
	case "0", "false", "no", "off":
		return false, true
	}
	return false, false
}

func parseInt(raw any) (int, bool) {
	switch value := raw.(type) {
	case int:
		return value, true
	case int64:
		return int(value), int64(int(value)) == value
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(value))
		return n, err == nil
	}
	return 0, false
}

func parseAddress(raw any) (address, bool) {
	text, _ := raw.(string)
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return address(text), err == nil
}

func (s *Setting) parseString(raw any) (string, bool) {
	text, ok := raw.(string)
	if s.Choices == nil {
		return text, ok && (text != "" || s.Default == "")
	}
	for _, choice := range s.Choices {
		if ok && strings.EqualFold(choice, text) {
			return choice, true
		}
	}
	return "", false
}

// parseList takes a list of items, or one or more texts that each hold some.
func parseList(raw any, separator string) ([]string, bool) {
	list := []string{}
	switch value := raw.(type) {
	case string:
		list = appendItems(list, value, separator)
	case []string:
		for _, text := range value {
			list = appendItems(list, text, separator)
		}
	case []any:
		for _, item := range value {
			text, ok := item.(string)
			if !ok || text == "" {
				return nil, false
			}
			list = append(list, text)
		}
	default:
		return nil, false
	}
	return list, true
}

func appendItems(list []string, text, separator string) []string {
	for item := range strings.SplitSeq(text, separator) {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// expandHome replaces a leading ~/, which no shell does for files and for the
// environment that MCP clients give.
func expandHome(p string) string {
	rest, ok := strings.CutPrefix(p, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return p
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return p
	}
	return filepath.Join(home, rest)
}

func formatValue(value any, separator string) string {
	if list, ok := value.([]string); ok {
		return strings.Join(list, separator)
	}
	return fmt.Sprint(value)
}
