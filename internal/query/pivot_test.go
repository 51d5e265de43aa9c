package query

import "testing"

func TestCompletePivots(t *testing.T) {
	for _, test := range []struct{ sql, want string }{
		{"SELECT 1", ""},
		{"PIVOT t ON c IN (1, 2) USING sum(x)", ""},
		{"FROM t PIVOT (sum(x) FOR c IN (1))", ""},
		{"PIVOT t ON c", "PIVOT t ON c IN (1)"},
		{"PIVOT t ON c;", "PIVOT t ON c IN (1);"},
		{"pivot t on c using sum(x) group by y", "pivot t on c IN (1) using sum(x) group by y"},
		{"PIVOT t ON c, d IN (3), f(e, g) USING sum(x)", "PIVOT t ON c IN (1), d IN (3), f(e, g) IN (1) USING sum(x)"},
		{"FROM (PIVOT t ON c), (PIVOT u ON d USING sum(x))", "FROM (PIVOT t ON c IN (1)), (PIVOT u ON d IN (1) USING sum(x))"},
		{"PIVOT (PIVOT t ON c) ON d", "PIVOT (PIVOT t ON c IN (1)) ON d IN (1)"},
		{"PIVOT t ON 'a USING ' || c -- USING\n USING sum(x)", "PIVOT t ON 'a USING ' || c IN (1) -- USING\n USING sum(x)"},
		{"PIVOT t ON (c IN (1)) USING sum(x)", "PIVOT t ON (c IN (1)) IN (1) USING sum(x)"},
		{"PIVOT", ""}, {"PIVOT t ON", ""}, {"PIVOT t ON,", ""}, {"PIVOT t USING sum(x)", ""},
	} {
		got, any := completePivots(test.sql)
		if test.want == "" {
			test.want = test.sql
		}
		if got != test.want || any != (got != test.sql) {
			t.Errorf("%q: got %q, %t", test.sql, got, any)
		}
	}
}
