package query

import (
	_ "embed"
	"strings"
)

//go:embed functions.txt
var functionsText string

// nameList is what functions.txt says of one kind of name.
type nameList struct {
	allowed map[string]bool
	refused map[string]string // the reason
}

var scalarFunctions, tableFunctions, systemViews = parseNames(functionsText)

func parseNames(text string) (functions, tables, views nameList) {
	lists := map[string]*nameList{"functions": &functions, "table functions": &tables, "system views": &views}
	for _, l := range lists {
		*l = nameList{map[string]bool{}, map[string]string{}}
	}
	var list *nameList
	var refused bool
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			verdict, kind, _ := strings.Cut(strings.Trim(line, "[]"), " ")
			list, refused = lists[kind], verdict == "refused"
		case refused:
			name, reason, _ := strings.Cut(line, ": ")
			list.refused[name] = reason
		default:
			list.allowed[line] = true
		}
	}
	return functions, tables, views
}

func (l nameList) allows(name string) bool {
	ok, _ := entry(l.allowed, name)
	return ok
}

// reason says why a name is refused; the second result is false when the list does
// not know the name.
func (l nameList) reason(name string) (string, bool) { return entry(l.refused, name) }

// entry finds what stands for name: itself or, from the longest, a beginning with _*.
func entry[V any](entries map[string]V, name string) (V, bool) {
	if v, ok := entries[name]; ok {
		return v, true
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] != '_' {
			continue
		}
		if v, ok := entries[name[:i+1]+"*"]; ok {
			return v, true
		}
	}
	var none V
	return none, false
}

// lowerASCII folds case as DuckDB does for names: letters outside ASCII stay.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}
