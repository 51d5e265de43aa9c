package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"tapedeck/internal/duckdb"
)

const (
	// maxSQLBytes bounds the text. The parser's tree is some fifty times as large.
	maxSQLBytes = 256 << 10
	// maxColumns bounds the width of an answer.
	maxColumns = 2000
)

const whatIsAllowed = "only one statement that reads is"

// errNotReading refuses what can't be told more of.
var errNotReading = fmt.Errorf("%w: this is not allowed; %s", ErrRefused, whatIsAllowed)

// approved is a statement that the gate let through.
type approved struct {
	text    string
	explain bool
	pivot   bool     // DuckDB makes several statements of it, see completePivots
	tables  []string // of the catalog, that it names
}

// gate is the first wall: it parses statements without executing them.
type gate struct {
	tables map[string]string // names by their lower case
}

func newGate(c *Catalog) *gate {
	g := &gate{tables: map[string]string{recordingsTable: recordingsTable}}
	for _, v := range c.Views {
		g.tables[lowerASCII(v.Name)] = v.Name
	}
	return g
}

// admit says whether sql may be executed; conn parses it. The error wraps ErrRefused,
// ErrSQL or ErrMissingTable.
func (g *gate) admit(conn *duckdb.Conn, sql string) (approved, error) {
	if err := checkText(sql); err != nil {
		return approved{}, err
	}
	prefix, statement, err := splitExplain(sql)
	if err != nil {
		return approved{}, err
	}
	result := approved{text: sql}
	if prefix != "" {
		result.text, result.explain = prefix+"\n"+statement, true
	}
	tree, err := parseTree(conn, statement)
	if errors.Is(err, ErrRefused) && prefix == "" {
		if completed, ok := completePivots(statement); ok {
			result.pivot = true
			tree, err = parseTree(conn, completed)
		}
	}
	if err != nil {
		return approved{}, explainRefusal(err, statement)
	}
	result.tables, err = g.checkTree(tree)
	return result, err
}

func checkText(sql string) error {
	switch {
	case len(sql) > maxSQLBytes:
		return fmt.Errorf("%w: the statement has %d bytes, at most %d are allowed", ErrRefused, len(sql), maxSQLBytes)
	case strings.ContainsRune(sql, 0):
		return fmt.Errorf("%w: the statement holds a NUL character", ErrRefused)
	case !utf8.ValidString(sql):
		return fmt.Errorf("%w: the statement is not valid UTF-8", ErrRefused)
	}
	return nil
}

// explainRefusal turns "can't be parsed as a query" into what the writer of the
// statement can do about it.
func explainRefusal(err error, statement string) error {
	if !errors.Is(err, ErrRefused) {
		return err
	}
	first := ""
	for _, t := range lex(statement) {
		switch {
		case t.word == "PIVOT" || t.word == "PIVOT_WIDER":
			return fmt.Errorf("%w: write the values of this PIVOT as a list: PIVOT t ON c IN ('a', 'b') USING …", ErrRefused)
		case first == "" && t.kind == wordToken:
			first = t.word
		}
	}
	switch first {
	case "", "SELECT", "FROM", "WITH", "VALUES", "TABLE":
		return err
	case "PRAGMA", "CALL":
		return fmt.Errorf("%w: %s is not allowed; DESCRIBE t, SHOW TABLES and functions in FROM are", ErrRefused, first)
	default:
		return fmt.Errorf("%w: %s is not allowed; %s", ErrRefused, first, whatIsAllowed)
	}
}

// parseTree gives the syntax tree of the only statement of sql.
func parseTree(conn *duckdb.Conn, sql string) (any, error) {
	parsed, err := conn.Parse(sql)
	if err != nil {
		return nil, sqlError(err)
	}
	count := parsed.Count()
	parsed.Close()
	text, err := scalarText(conn, "SELECT json_serialize_sql(?::VARCHAR, skip_default := true, skip_null := true, skip_empty := true)::VARCHAR", sql)
	if err != nil {
		return nil, sqlError(err)
	}
	var answer struct {
		Error      bool   `json:"error"`
		Type       string `json:"error_type"`
		Message    string `json:"error_message"`
		Statements []any  `json:"statements"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, fmt.Errorf("%w: the statement nests too deep: %v", ErrRefused, err)
	}
	switch {
	case answer.Error && answer.Type == "not implemented" && count == 1:
		return nil, errNotReading
	case answer.Error && answer.Type == "not implemented", len(answer.Statements) > 1:
		return nil, fmt.Errorf("%w: %d statements are not allowed; %s", ErrRefused, count, whatIsAllowed)
	case answer.Error:
		return nil, fmt.Errorf("%w: %s", ErrSQL, answer.Message)
	case len(answer.Statements) == 0:
		return nil, fmt.Errorf("%w: the statement is empty", ErrSQL)
	}
	return answer.Statements[0], nil
}
