package query

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tapedeck/decode"
	"tapedeck/internal/duckdb"
)

// exportFormats are the forms that an export may take, with DuckDB's options for them.
var exportFormats = map[string]string{
	"parquet": "FORMAT parquet, COMPRESSION zstd",
	"csv":     "FORMAT csv, HEADER",
	"json":    "FORMAT json",
}

// export writes the statement's rows to the one file that the configuration allows.
func (s *server) export(ctx context.Context, conn *duckdb.Conn, a approved, format string, o *outcome) error {
	options, ok := exportFormats[format]
	if !ok || s.setup.ExportPath == "" {
		return fmt.Errorf("%w: format %q is not known", ErrRefused, format)
	}
	switch {
	case a.explain:
		return fmt.Errorf("%w: a plan can't be exported", ErrRefused)
	case a.pivot: // DuckDB would put a transaction of its own around it
		return fmt.Errorf("%w: to be exported a PIVOT must list its values: PIVOT t ON c IN ('a', 'b') USING …", ErrRefused)
	}
	rowsOf := bare(a.text)
	if format == "parquet" {
		exact, err := exactIntegers(ctx, conn, rowsOf)
		if err != nil {
			return sqlError(err)
		}
		rowsOf = exact
	}
	a.text = "COPY (" + rowsOf + "\n) TO " + duckdb.QuoteText(s.setup.ExportPath) + " (" + options + ")"
	last, err := prepareLast(ctx, conn, a)
	if err != nil {
		return sqlError(err)
	}
	defer last.Close()
	if last.Kind() != duckdb.Copy {
		return errNotReading
	}
	rows, err := last.Stream(ctx)
	if err != nil {
		return sqlError(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return sqlError(rows.Err())
	}
	count, _ := rows.AppendJSON(nil, 64, 64)
	_, err = fmt.Sscanf(string(count), "[%d]", &o.Rows)
	return err
}

// exactIntegers makes 128-bit integers decimals, of which Parquet has 38 digits:
// the engine would write them as doubles and round, and every sum of integers is one.
func exactIntegers(ctx context.Context, conn *duckdb.Conn, query string) (string, error) {
	statement, err := conn.Prepare("DESCRIBE FROM (" + query + "\n)")
	if err != nil {
		return "", err
	}
	defer statement.Close()
	rows, err := statement.Stream(ctx)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var replaced []string
	for rows.Next() {
		text, _ := rows.AppendJSON(nil, maxRowBytes, maxRowBytes)
		var described []any // column_name, column_type, …
		if err := json.Unmarshal(text, &described); err != nil {
			return "", err
		}
		if kind := described[1]; kind == "HUGEINT" || kind == "UHUGEINT" {
			name := decode.QuoteIdent(described[0].(string))
			replaced = append(replaced, "CAST("+name+" AS DECIMAL(38, 0)) AS "+name)
		}
	}
	if len(replaced) == 0 {
		return query, rows.Err()
	}
	return "SELECT * REPLACE (" + strings.Join(replaced, ", ") + ") FROM (" + query + "\n)", rows.Err()
}
