package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/deck"
	"tapedeck/internal/nearest"
)

// arguments are the checked values of a call, by parameter: string, int,
// float64, bool or []string. What was not given is not there.
type arguments map[string]any

func (a arguments) text(name string) string    { v, _ := a[name].(string); return v }
func (a arguments) integer(name string) int    { v, _ := a[name].(int); return v }
func (a arguments) number(name string) float64 { v, _ := a[name].(float64); return v }
func (a arguments) boolean(name string) bool   { v, _ := a[name].(bool); return v }
func (a arguments) texts(name string) []string { v, _ := a[name].([]string); return v }

// readArguments checks the arguments of a call. Models and their clients send
// null or "" for what they leave out, and numbers, lists and booleans as text;
// all of that is understood.
func readArguments(tool string, params []param, raw json.RawMessage) (arguments, error) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, badArgument(tool, params, "arguments are %s, not an object", describe(raw))
		}
	}
	args := arguments{}
	for _, p := range params {
		value := bytes.TrimSpace(given[p.name])
		delete(given, p.name)
		if len(value) == 0 || string(value) == "null" || string(value) == `""` {
			continue
		}
		v, err := p.read(value)
		if err != nil {
			e := badArgument(tool, params, "%s %v", p.name, err)
			e.Nearest = nearest.Nearest(unquoted(value), p.enum, 3)
			return nil, e
		}
		args[p.name] = v
	}
	if len(given) > 0 {
		return nil, unknownArgument(tool, params, given)
	}
	for _, p := range params {
		if _, ok := args[p.name]; p.required && !ok {
			return nil, badArgument(tool, params, "%s is missing", p.name)
		}
	}
	return args, nil
}

// read is the value of a parameter. The error begins with a verb.
func (p param) read(raw json.RawMessage) (any, error) {
	switch p.kind {
	case texts:
		return readTexts(raw)
	case boolean:
		return readBoolean(raw)
	case integer:
		n, err := p.readNumber(raw)
		if err != nil {
			return nil, err
		}
		if n != math.Trunc(n) {
			return nil, fmt.Errorf("is %s; it takes whole numbers", describe(raw))
		}
		return int(n), nil
	case number:
		return p.readNumber(raw)
	case moment:
		if digits, ok := readDigits(raw); ok {
			return digits, nil
		}
	}
	return p.readText(raw)
}

func (p param) readText(raw json.RawMessage) (any, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("is %s; it takes a string", describe(raw))
	}
	if len(p.enum) > 0 && !slices.Contains(p.enum, s) {
		return nil, fmt.Errorf("is %s; it takes %s", describe(raw), strings.Join(p.enum, " or "))
	}
	return s, nil
}

// readNumber takes a number, or a string that holds one, within the bounds.
func (p param) readNumber(raw json.RawMessage) (float64, error) {
	n, err := strconv.ParseFloat(unquoted(raw), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("is %s; it takes a number", describe(raw))
	}
	most := p.max
	if most == 0 {
		most = math.MaxInt32
	}
	if n < p.min || n > most {
		return 0, fmt.Errorf("is %s; it takes %s to %s", describe(raw), plain(p.min), plain(most))
	}
	return n, nil
}

// readDigits is a JSON number as text, exact where it is whole.
func readDigits(raw json.RawMessage) (string, bool) {
	n, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil:
		return "", false
	case bytes.ContainsAny(raw, "eE"):
		return plain(n), true
	default:
		return string(raw), true
	}
}

func readBoolean(raw json.RawMessage) (bool, error) {
	switch unquoted(raw) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("is %s; it takes true or false", describe(raw))
}

// readTexts takes a list, one string, or a string that holds a list.
func readTexts(raw json.RawMessage) ([]string, error) {
	var all []string
	if json.Unmarshal(raw, &all) == nil {
		return all, nil
	}
	var one string
	if json.Unmarshal(raw, &one) != nil {
		return nil, fmt.Errorf("is %s; it takes a list of strings", describe(raw))
	}
	if json.Unmarshal([]byte(one), &all) == nil {
		return all, nil
	}
	return []string{one}, nil
}

// unquoted is a scalar without the quotes it may have come in.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(raw)
}

// plain is a number without an exponent.
func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// describe is a value in an error message, cut where it is long.
func describe(raw json.RawMessage) string {
	const most = 60
	shown := strings.ToValidUTF8(string(raw), "")
	if runes := []rune(shown); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return shown
}

// badArgument says what is wrong with a call and what the tool takes.
func badArgument(tool string, params []param, format string, a ...any) *deck.Error {
	takes := make([]string, 0, len(params))
	for _, p := range params {
		if p.required {
			takes = append(takes, p.name+" (required)")
		} else {
			takes = append(takes, p.name)
		}
	}
	hint := tool + " takes no parameters"
	if len(takes) > 0 {
		hint = tool + " takes " + strings.Join(takes, ", ")
	}
	return &deck.Error{Code: deck.CodeBadArgument, Message: fmt.Sprintf(format, a...), Hint: hint}
}

// unknownArgument names the parameters nearest to the first that there is not.
func unknownArgument(tool string, params []param, rest map[string]json.RawMessage) *deck.Error {
	name := slices.Sorted(maps.Keys(rest))[0]
	e := badArgument(tool, params, "there is no parameter %s", describe([]byte(strconv.Quote(name))))
	names := make([]string, 0, len(params))
	for _, p := range params {
		names = append(names, p.name)
	}
	e.Nearest = nearest.Nearest(name, names, 3)
	return e
}
