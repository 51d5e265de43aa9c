package duckdb

import (
	"encoding/json"
	"testing"

	"tapedeck/decode"
)

// get_schema tells types before there is a table; they must be spelled as
// DESCRIBE spells them after.
func TestTypesAreSpelledAsTheEngineDoes(t *testing.T) {
	conn := open(t)
	names := []string{"plain", "Capital", "_x", "x1", "1x", "a-b", "é", "a b", "x$", `quo"te`, "__proto__"}
	names = append(names, texts(t, conn, "SELECT keyword_name FROM duckdb_keywords()")...)
	if len(names) < 400 {
		t.Fatalf("only %d names", len(names))
	}
	for _, name := range names {
		typ := decode.ListOf(decode.StructOf(decode.Field{Name: name, Type: decode.MapOf(decode.Scalar(decode.String), decode.Scalar(decode.Timestamp))}))
		engine := texts(t, conn, "SELECT typeof(NULL::STRUCT("+decode.QuoteIdent(name)+" MAP(VARCHAR, TIMESTAMP_NS))[])")
		if got := typ.SQL(); got != engine[0] {
			t.Errorf("%s: %s, the engine spells it %s", name, got, engine[0])
		}
	}
}

// texts are the values of a statement's one column of text.
func texts(t *testing.T, conn *Conn, sql string) []string {
	t.Helper()
	statement, err := conn.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	rows, err := statement.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		text, _ := rows.AppendJSON(nil, 1<<20, 1<<20)
		var row []string
		if err := json.Unmarshal(text, &row); err != nil {
			t.Fatal(err)
		}
		all = append(all, row[0])
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return all
}
