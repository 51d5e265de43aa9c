package config

import (
	"strings"

	"github.com/spf13/pflag"
)

// Flags holds the settings' flags as the command line gave them.
type Flags struct {
	given map[string]*flagValue // by setting
}

// AddFlags defines a flag for every setting that has one.
func AddFlags(set *pflag.FlagSet) *Flags {
	flags := &Flags{given: map[string]*flagValue{}}
	for i := range settings {
		s := &settings[i]
		if s.Flag() == "" {
			continue
		}
		value := &flagValue{setting: s}
		flags.given[s.Name] = value
		flag := set.VarPF(value, s.Flag(), "", s.flagHelp())
		if _, isBool := s.Default.(bool); isBool {
			flag.NoOptDefVal = "true"
		}
	}
	return flags
}

// flagHelp says what the setting is, which values it takes, and the default.
func (s *Setting) flagHelp() string {
	text := s.Help
	if s.Choices != nil {
		text += "; one of " + strings.Join(s.Choices, ", ")
	}
	return text + " (default " + s.DefaultText() + ")"
}

// raw is what the flag was given, and whether it was.
func (f *Flags) raw(s *Setting) (any, bool) {
	value, ok := f.given[s.Name]
	if !ok || len(value.texts) == 0 {
		return nil, false
	}
	if _, isList := s.Default.([]string); isList {
		return value.texts, true
	}
	return value.texts[len(value.texts)-1], true
}

// flagValue keeps what a flag was given: checking is the same for all layers
// and is done with them.
type flagValue struct {
	setting *Setting
	texts   []string
}

// Set keeps text.
func (v *flagValue) Set(text string) error {
	v.texts = append(v.texts, text)
	return nil
}

// String is what was kept.
func (v *flagValue) String() string { return strings.Join(v.texts, ",") }

// Type is the kind of value as help texts show it.
func (v *flagValue) Type() string {
	switch v.setting.Default.(type) {
	case bool:
		return "bool"
	case int:
		return "N"
	}
	switch v.setting.field(&Config{}).(type) {
	case *path, *paths:
		return "PATH"
	case *address:
		return "HOST:PORT"
	case *names:
		return "NAMES"
	case *dsn:
		return "DSN"
	case *target:
		return "URL"
	}
	if v.setting.Choices != nil {
		return "WORD"
	}
	return "TEXT"
}
