package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/archive"
	"tapedeck/internal/nearest"
)

// kind is what a parameter takes.
type kind int

const (
	text    kind = iota
	moment       // a text; the archive reads it
	integer      // within min and max
	number       // from 0 to max
	boolean      // true or false, 1 or 0
)

// A param is one parameter of a route, of its path where that has its name in
// braces, else of the query.
type param struct {
	name     string
	kind     kind
	about    string
	allowed  []string // of a text; none: any
	preset   any      // what holds when it is not given; nil: nothing
	min, max int      // of an integer; of a number max
	required bool     // it has no preset, and no answer comes without it
}

// arguments are the checked values of a request, by parameter: string, int,
// float64 or bool. What was not given, and has no preset, is not there.
type arguments map[string]any

func (a arguments) text(name string) string { v, _ := a[name].(string); return v }
func (a arguments) integer(name string) int { v, _ := a[name].(int); return v }
func (a arguments) number(name string) float64 {
	v, _ := a[name].(float64)
	return v
}
func (a arguments) boolean(name string) bool { v, _ := a[name].(bool); return v }

// readArguments checks a request's parameters. An empty one counts as not given;
// one that the route does not have is an error, for a filter that is spelled
// wrongly must not choose everything.
func readArguments(r *http.Request, to route) (arguments, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badArgument(to, "the query can't be read: %v", err)
	}
	args := arguments{}
	inPath := pathParams(to.path)
	for _, p := range to.params {
		var given string
		if slices.Contains(inPath, p.name) {
			given = r.PathValue(p.name)
		} else {
			if len(query[p.name]) > 1 {
				return nil, badArgument(to, "%s is given %d times", p.name, len(query[p.name]))
			}
			given = query.Get(p.name)
			delete(query, p.name)
		}
		value, err := p.read(given)
		if err != nil {
			return nil, &archive.Error{Code: archive.CodeArgument, Message: p.name + " " + err.Error(), Hint: takes(to), Allowed: p.allowed}
		}
		if value != nil {
			args[p.name] = value
		}
	}
	for name := range query {
		return nil, unknownArgument(to, name)
	}
	return args, nil
}

// read is the value of a parameter; nil: not given. The error begins with a verb.
func (p param) read(given string) (any, error) {
	if given == "" {
		return p.preset, nil
	}
	switch p.kind {
	case integer:
		n, err := strconv.Atoi(given)
		if err != nil || n < p.min || n > p.max {
			return nil, fmt.Errorf("is %s; it takes whole numbers from %d to %d", quoted(given), p.min, p.max)
		}
		return n, nil
	case number:
		n, err := strconv.ParseFloat(given, 64)
		if err != nil || !(n >= 0 && n <= float64(p.max)) {
			return nil, fmt.Errorf("is %s; it takes numbers from 0 to %d", quoted(given), p.max)
		}
		return n, nil
	case boolean:
		switch given {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
		return nil, fmt.Errorf("is %s; it takes true or false", quoted(given))
	}
	if len(p.allowed) > 0 && !slices.Contains(p.allowed, given) {
		return nil, fmt.Errorf("is %s; it takes %s", quoted(given), strings.Join(p.allowed, ", "))
	}
	return given, nil
}

// quoted is a value in an error message, cut where it is long.
func quoted(value string) string { return strconv.Quote(printable(value)) }

func badArgument(to route, format string, a ...any) *archive.Error {
	return &archive.Error{Code: archive.CodeArgument, Message: fmt.Sprintf(format, a...), Hint: takes(to)}
}

// unknownArgument names the parameters nearest to one that there is not.
func unknownArgument(to route, name string) *archive.Error {
	e := badArgument(to, "there is no parameter %s", quoted(name))
	if e.Nearest = nearest.Nearest(name, queryParams(to), 3); len(e.Nearest) > 0 {
		e.Message += "; did you mean " + e.Nearest[0] + "?"
	}
	return e
}

// takes says which parameters a route takes in its query.
func takes(to route) string {
	names := queryParams(to)
	if len(names) == 0 {
		return to.method + " " + to.path + " takes no parameters"
	}
	return to.method + " " + to.path + " takes " + strings.Join(names, ", ")
}

func queryParams(to route) []string {
	var names []string
	inPath := pathParams(to.path)
	for _, p := range to.params {
		if !slices.Contains(inPath, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}
