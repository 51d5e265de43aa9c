package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sources are what settings are gathered from.
type Sources struct {
	Dir     string   // where tapedeck.toml is looked for first: the working folder
	UserDir string   // where tapedeck/tapedeck.toml is looked for next; empty: nowhere
	File    string   // file to read instead of those; it must be there
	Environ []string // as os.Environ gives it
	Flags   *Flags   // nil: none
}

// Layer is where a value comes from, the later over the earlier.
type Layer string

// The layers.
const (
	LayerDefault     Layer = "default"
	LayerFile        Layer = "file"
	LayerEnvironment Layer = "environment"
	LayerFlag        Layer = "flag"
)

// Origin tells where a value comes from.
type Origin struct {
	Layer  Layer  `json:"origin"`
	Detail string `json:"detail,omitempty"` // file and key, variable, flag, or a remark
}

// Value is a setting as it is in force; that of a secret is masked.
type Value struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Origin

	separator string
}

// Text is the value as one text.
func (v Value) Text() string { return formatValue(v.Value, v.separator) }

// Load gathers the settings. Its error joins one [Error] for each thing that is
// wrong, and wraps ErrInvalid.
func Load(src Sources) (*Config, error) {
	c := &Config{origins: map[string]Origin{}}
	for i := range settings {
		s := &settings[i]
		if s.Default == "" {
			continue
		}
		if err := s.set(c, s.Default); err != nil {
			panic(fmt.Sprintf("config: default of %s: %v", s.Name, err))
		}
	}
	problems := c.loadFile(src)
	problems = append(problems, c.loadEnvironment(src.Environ)...)
	problems = append(problems, c.loadFlags(src.Flags)...)
	if len(problems) == 0 {
		problems = c.finish(src.Environ)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return c, nil
}

// Values returns every setting in force, in the order of the table.
func (c *Config) Values() []Value {
	values := make([]Value, len(settings))
	for i := range settings {
		s := &settings[i]
		values[i] = Value{Name: s.Name, Value: s.value(c), Origin: c.Origin(s.Name), separator: s.separator()}
	}
	return values
}

// IsSet reports whether a setting has its value from anything but the defaults.
func (c *Config) IsSet(name string) bool { return c.Origin(name).Layer != LayerDefault }

// assign sets a setting from one layer.
func (c *Config) assign(s *Setting, raw any, source, key string, origin Origin) error {
	if err := s.set(c, raw); err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Source, e.Key = source, key
		}
		return err
	}
	c.origins[s.Name] = origin
	return nil
}

// Origin is where the value of a setting comes from.
func (c *Config) Origin(name string) Origin {
	if origin, ok := c.origins[name]; ok {
		return origin
	}
	return Origin{Layer: LayerDefault}
}

// finish settles what depends on several settings or on the machine.
func (c *Config) finish(environ []string) []error {
	c.finishEmbedding(environ)
	var problems []error
	if c.DefaultRowLimit > c.MaxRowLimit {
		if origin := c.Origin("default_row_limit"); origin.Layer != LayerDefault {
			problems = append(problems, &Error{
				Source:  origin.String(),
				Key:     "default_row_limit",
				Value:   fmt.Sprint(c.DefaultRowLimit),
				Allowed: fmt.Sprintf("at most max_row_limit, which is %d (%s)", c.MaxRowLimit, c.Origin("max_row_limit")),
			})
		}
		c.DefaultRowLimit = c.MaxRowLimit
		c.origins["default_row_limit"] = Origin{LayerDefault, "lowered to max_row_limit"}
	}
	if c.CacheDir == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			problems = append(problems, &Error{
				Source: string(LayerDefault), Key: "cache_dir", Value: "(none)",
				Allowed: "a folder to be set, since the machine names none: " + err.Error(),
			})
		}
		c.CacheDir = filepath.Join(dir, "tapedeck")
	}
	if c.StoreDir == "" {
		dir, err := userDataDir()
		if err != nil {
			problems = append(problems, &Error{
				Source: string(LayerDefault), Key: "store_dir", Value: "(none)",
				Allowed: "a folder to be set, since the machine names none: " + err.Error(),
			})
		}
		c.StoreDir = filepath.Join(dir, "tapedeck")
	}
	return problems
}

// String is the origin in a few words.
func (o Origin) String() string {
	if o.Detail == "" {
		return string(o.Layer)
	}
	return string(o.Layer) + " " + o.Detail
}

// testPrefix begins the variables that tell tests what they run against. They
// reach programs that tests start, and are no settings of those.
const testPrefix = envPrefix + "TEST_"

// loadEnvironment reads TAPEDECK_* and, where that is not set, MCAP_*
// variables. An empty variable counts as not set.
func (c *Config) loadEnvironment(environ []string) []error {
	given := variables(environ)
	var problems []error
	known := make([]string, len(settings))
	for i := range settings {
		s := &settings[i]
		known[i] = s.Env()
		for _, name := range []string{s.Env(), s.LegacyEnv} {
			value, ok := given[name]
			if !ok {
				continue
			}
			if err := c.assign(s, value, string(LayerEnvironment), name, Origin{LayerEnvironment, name}); err != nil {
				problems = append(problems, err)
			}
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, testPrefix) && !slices.Contains(known, name) {
			problems = append(problems, unknownVariable(name, known))
		}
	}
	for _, name := range ignored.env {
		if _, ok := given[name]; ok {
			c.ignore(string(LayerEnvironment), name)
		}
	}
	return problems
}

// variables are those of an environment that are not empty.
func variables(environ []string) map[string]string {
	given := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			given[name] = value
		}
	}
	return given
}

func (c *Config) loadFlags(flags *Flags) []error {
	if flags == nil {
		return nil
	}
	var problems []error
	for i := range settings {
		s := &settings[i]
		raw, ok := flags.raw(s)
		if !ok {
			continue
		}
		name := "--" + s.Flag()
		if err := c.assign(s, raw, "flags", name, Origin{LayerFlag, name}); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

func (c *Config) ignore(source, name string) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(
		"%s: %s has no effect: `tapedeck mcp` speaks over stdio, `tapedeck serve` over HTTP", source, name))
}
