package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// expressionClasses are the expressions that DuckDB's parser makes. Functions, windows and
// parameters are looked at closer.
var expressionClasses = setOf("BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT DEFAULT FUNCTION LAMBDA LAMBDA_REF OPERATOR PARAMETER POSITIONAL_REFERENCE STAR SUBQUERY TYPE WINDOW")

// nodeTypes are all other nodes: queries, table references and how results are modified.
var nodeTypes = setOf("SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE CTE_NODE " +
	"BASE_TABLE SUBQUERY JOIN TABLE_FUNCTION EXPRESSION_LIST EMPTY PIVOT SHOW_REF " +
	"ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER " +
	"ORDER_DEFAULT ASCENDING DESCENDING")

// shown are the lists that SHOW gives.
var shown = setOf("tables databases schemas __show_tables_expanded")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

type object = map[string]any

func text(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// scope holds the names of common table expressions that are visible.
type scope struct {
	outer *scope
	name  string // in lower case
}

func (s *scope) with(name string) *scope { return &scope{s, lowerASCII(name)} }

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return true
		}
	}
	return false
}

// judge walks one syntax tree.
type judge struct {
	tables map[string]string // see gate
	named  map[string]bool   // the catalog's tables that the statement names
}

// checkTree refuses a syntax tree that holds a kind of node, a function or a table that
// is not known to be harmless. It gives the catalog's tables that the statement names.
func (g *gate) checkTree(tree any) ([]string, error) {
	j := &judge{tables: g.tables, named: map[string]bool{}}
	if err := j.check(tree, nil); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(j.named)), nil
}

func (j *judge) check(v any, s *scope) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := j.check(e, s); err != nil {
				return err
			}
		}
	case object:
		return j.checkNode(v, s)
	}
	return nil
}

func (j *judge) checkNode(o object, s *scope) error {
	s, err := j.checkCTEs(o, s)
	if err != nil {
		return err
	}
	if text(o, "type") == "RECURSIVE_CTE_NODE" {
		s = s.with(text(o, "cte_name"))
	}
	if err := j.checkKind(o, s); err != nil {
		return err
	}
	return j.checkChildren(o, s)
}

// checkChildren goes in the order of keys, so that of several faults the same is told
// each time.
func (j *judge) checkChildren(o object, s *scope) error {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if key == "cte_map" || key == "function" && text(o, "type") == "TABLE_FUNCTION" {
			continue // judged already
		}
		if err := j.check(o[key], s); err != nil {
			return err
		}
	}
	return nil
}

// checkCTEs judges the WITH clause of a query and gives the scope of the rest of it.
// Each expression sees those before it, and itself only when it is recursive.
func (j *judge) checkCTEs(o object, s *scope) (*scope, error) {
	clause, ok := o["cte_map"].(object)
	if !ok {
		return s, nil
	}
	entries, _ := clause["map"].([]any)
	for _, e := range entries {
		entry, _ := e.(object)
		name := text(entry, "key")
		if err := j.check(entry["value"], s); err != nil {
			return nil, err
		}
		s = s.with(name)
	}
	return s, nil
}

func (j *judge) checkKind(o object, s *scope) error {
	class, kind := text(o, "class"), text(o, "type")
	switch {
	case class == "FUNCTION" || class == "WINDOW":
		return checkFunction(scalarFunctions, "function", o)
	case class == "PARAMETER":
		return fmt.Errorf("%w: parameters can't be given here; write the values into the statement", ErrRefused)
	case class != "":
		if !expressionClasses[class] {
			return fmt.Errorf("%w: expressions of kind %s are not allowed", ErrRefused, class)
		}
		return nil
	case kind == "TABLE_FUNCTION":
		return j.checkTableFunction(o, s)
	case kind == "BASE_TABLE":
		return j.checkTable(o, s)
	case kind == "SHOW_REF":
		return checkShow(o)
	case kind == "" || nodeTypes[kind] || strings.HasSuffix(kind, "_TYPE_INFO"):
		return nil
	default:
		return fmt.Errorf("%w: %s is not allowed", ErrRefused, kind)
	}
}

func checkFunction(list nameList, what string, o object) error {
	name := lowerASCII(text(o, "function_name"))
	if list.allows(name) {
		return nil
	}
	if reason, ok := list.reason(name); ok {
		return fmt.Errorf("%w: %s %s is not allowed: %s", ErrRefused, what, name, reason)
	}
	return fmt.Errorf("%w: there is no %s %q; SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE '%%…%%' finds what there is", ErrSQL, what, name)
}

func (j *judge) checkTableFunction(o object, s *scope) error {
	call, _ := o["function"].(object)
	if text(call, "class") != "FUNCTION" {
		return fmt.Errorf("%w: only a plain function may stand in FROM", ErrRefused)
	}
	if err := checkFunction(tableFunctions, "table function", call); err != nil {
		return err
	}
	return j.checkChildren(call, s)
}

func (j *judge) checkTable(o object, s *scope) error {
	catalog, schema, table := text(o, "catalog_name"), text(o, "schema_name"), text(o, "table_name")
	written := strings.TrimLeft(catalog+"."+schema+"."+table, ".")
	if catalog != "" && schema == "" {
		written = catalog + "." + table
	}
	catalog, schema, name := lowerASCII(catalog), lowerASCII(schema), lowerASCII(table)
	switch {
	case catalog == "" && schema == "" && s.has(name):
		return nil
	case catalog == "" && schema == "recurring" && s.has(name): // the rows so far of WITH RECURSIVE … USING KEY
		return nil
	case j.tables[name] != "" && isOwn(catalog, schema):
		j.named[j.tables[name]] = true
		return nil
	case isSystemView(catalog, schema, name):
		return nil
	case strings.ContainsAny(table, `/\.*?:`) && j.tables[underscored(name)] == "":
		return fmt.Errorf("%w: %q is no table; files and URLs can't be read here, SHOW TABLES lists what can", ErrRefused, written)
	}
	return &MissingTableError{Table: written, Text: fmt.Sprintf("there is no table %q; SHOW TABLES lists those that are there", written)}
}

// underscored is what a table may be called whose name was written with other signs, as
// topics have them: a_b for /a/b.
func underscored(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && isWordByte(byte(r)) {
			return r
		}
		return '_'
	}, strings.TrimLeft(name, "/"))
}

// isOwn says whether a prefix means the schema that holds the catalog's views.
// One part may name a schema or a database, as in DuckDB.
func isOwn(catalog, schema string) bool {
	return (catalog == "" || catalog == database) && (schema == "" || schema == "main" || schema == database && catalog == "")
}

func isSystemView(catalog, schema, name string) bool {
	if catalog != "" && catalog != "system" && catalog != database {
		return false
	}
	if schema == "" || schema == "main" {
		return systemViews.allowed[name] || schema == "" && systemViews.allowed["pg_catalog."+name]
	}
	return systemViews.allowed[schema+"."+name]
}

// checkShow judges SHOW without a table; DESCRIBE, SUMMARIZE and SHOW of one hold a query,
// which is judged as any other.
func checkShow(o object) error {
	if o["query"] != nil || text(o, "show_type") == "SHOW_FROM" {
		return nil
	}
	if name := strings.Trim(lowerASCII(text(o, "table_name")), `"`); !shown[name] {
		return fmt.Errorf("%w: SHOW %s is not allowed; SHOW TABLES, SHOW ALL TABLES, SHOW SCHEMAS and SHOW t are", ErrRefused, name)
	}
	return nil
}
