package config

import (
	"errors"
	"fmt"
	"strings"

	"tapedeck/internal/nearest"
)

// ErrInvalid is wrapped by every error of [Load].
var ErrInvalid = errors.New("configuration is not valid")

// Error tells what is wrong with one entry of one source. It wraps ErrInvalid.
type Error struct {
	Source  string   // "file tapedeck.toml", "environment", "flags"
	Key     string   // as the source spells it
	Value   string   // as given; empty for an unknown key
	Allowed string   // which values there may be; empty for an unknown key
	Nearest []string // known keys that look like an unknown one
}

func (e *Error) Error() string {
	if e.Allowed != "" {
		return fmt.Sprintf("%s: %s = %s: want %s", e.Source, e.Key, e.Value, e.Allowed)
	}
	text := fmt.Sprintf("%s: unknown setting %s", e.Source, e.Key)
	if len(e.Nearest) > 0 {
		text += ": did you mean " + strings.Join(e.Nearest, " or ") + "?"
	}
	return text
}

// Unwrap returns ErrInvalid.
func (e *Error) Unwrap() error { return ErrInvalid }

func unknown(source, key string, known []string) error {
	return &Error{Source: source, Key: key, Nearest: nearest.Nearest(key, known, 2)}
}

// unknownVariable compares what stands behind the prefix that all variables share.
func unknownVariable(name string, known []string) error {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = strings.TrimPrefix(k, envPrefix)
	}
	near := nearest.Nearest(strings.TrimPrefix(name, envPrefix), names, 2)
	for i := range near {
		near[i] = envPrefix + near[i]
	}
	return &Error{Source: string(LayerEnvironment), Key: name, Nearest: near}
}
