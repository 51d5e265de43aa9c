package decode

import (
	_ "embed"
	"regexp"
	"strings"
)

// QuoteIdent returns name as a quoted SQL identifier.
func QuoteIdent(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// keywordList is duckdb_keywords() of DuckDB 1.5, a word a line. A test of
// package duckdb holds it against the engine.
//
//go:embed keywords.txt
var keywordList string

var keywords = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(keywordList) {
		set[word] = true
	}
	return set
}()

var plainIdent = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// SpellIdent returns name as DuckDB spells it inside of types: quoted when it
// is no plain identifier or any keyword, needed or not.
func SpellIdent(name string) string {
	if plainIdent.MatchString(name) && !keywords[strings.ToLower(name)] {
		return name
	}
	return QuoteIdent(name)
}
