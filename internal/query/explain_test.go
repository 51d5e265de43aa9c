package query

import (
	"errors"
	"testing"
)

func TestSplitExplain(t *testing.T) {
	for _, test := range []struct{ sql, prefix, rest string }{
		{"SELECT 1", "", "SELECT 1"},
		{"'EXPLAIN' x", "", "'EXPLAIN' x"},
		{"EXPLAIN", "EXPLAIN", ""},
		{"explain select 1;", "EXPLAIN", "select 1;"},
		{";/* a */EXPLAIN--b\n ANALYZE /**/SELECT 1", "EXPLAIN ANALYZE", "SELECT 1"},
		{"EXPLAIN (SELECT 1)", "EXPLAIN", "(SELECT 1)"},
		{"EXPLAIN (FORMAT JSON) (SELECT 1)", "EXPLAIN (FORMAT JSON)", "(SELECT 1)"},
		{"EXPLAIN (ANALYZE) SELECT 1", "EXPLAIN ANALYZE", "SELECT 1"},
		{"EXPLAIN (format text, analyze) SELECT 1", "EXPLAIN (ANALYZE, FORMAT TEXT)", "SELECT 1"},
	} {
		prefix, rest, err := splitExplain(test.sql)
		if prefix != test.prefix || rest != test.rest || err != nil {
			t.Errorf("%q: got %q, %q, %v", test.sql, prefix, rest, err)
		}
	}
	for sql, want := range map[string]error{
		"EXPLAIN (ANALYZE, COSTS) SELECT 1": ErrRefused,
		"EXPLAIN (FORMAT xml) SELECT 1":     ErrRefused,
		"EXPLAIN (ANALYZE":                  ErrSQL,
		"EXPLAIN (FORMAT":                   ErrRefused,
	} {
		if _, _, err := splitExplain(sql); !errors.Is(err, want) {
			t.Errorf("%q: got %v", sql, err)
		}
	}
}
