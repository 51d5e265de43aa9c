package query

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/duckdb"
)

// What agents write first must pass; a gate that is too narrow is turned off.
var harmless = []string{
	"SELECT 1", "SELECT 1;;", "; SELECT 1", "SELECT ';' AS a; -- DROP TABLE imu", "SELECT 1 /* ; DROP */",
	"sElEcT/**/1", "SELECT\u200b 1", "SELECT\u00a01", "SELECT $$;DROP TABLE imu$$", `SELECT E'\x41'`, `SELECT 1 AS "a;DROP TABLE imu;--"`,
	"FROM imu", "FROM imu SELECT count(*)", "VALUES (1), (2)", "TABLE imu", "(SELECT 1)", "FROM IMU", `FROM "imu" "u"`, "FROM main.imu", "FROM memory.imu", "FROM memory.main.imu", "FROM _recordings",
	"DESCRIBE imu", "DESC imu", "DESCRIBE SELECT 1", "DESCRIBE", "SHOW TABLES", "SHOW ALL TABLES", "SHOW imu", "SHOW SCHEMAS", "SHOW DATABASES", "SHOW TABLES FROM memory.main", "SUMMARIZE imu", "SUMMARIZE SELECT 1 AS a", "FROM (DESCRIBE imu)", "FROM (SHOW TABLES)",
	"EXPLAIN SELECT 1", "EXPLAIN ANALYZE FROM imu", "explain (format json) select 1", "EXPLAIN (ANALYZE, FORMAT json) FROM imu", "/* why */ EXPLAIN -- x\n (SELECT 1)", "EXPLAIN DESCRIBE imu",
	"PIVOT imu ON s IN ('s1', 's2') USING sum(x)", "PIVOT (FROM imu LIMIT 5) ON s USING sum(x)", "SELECT * FROM (PIVOT (SELECT log_time % 3 AS k, x FROM imu) ON k USING sum(x))",
	"PIVOT (FROM imu LIMIT 5) ON s, log_time % 2 USING sum(x), count(*) GROUP BY x ORDER BY 1 LIMIT 3", "WITH t AS (FROM imu LIMIT 3) PIVOT t ON (s || 'IN') USING first(x)",
	"UNPIVOT imu ON x, log_time INTO NAME n VALUE v", "FROM imu UNPIVOT (v FOR n IN (x, log_time))", "FROM imu PIVOT (sum(x) FOR s IN ('s1', 's2'))",
	"SELECT * FROM imu ASOF JOIN imu b USING (log_time)", "SELECT * FROM imu a ASOF LEFT JOIN imu b ON a.log_time >= b.log_time", "FROM imu POSITIONAL JOIN imu b", "FROM imu SEMI JOIN imu b USING (x)", "FROM imu a, LATERAL (SELECT a.x) b",
	"WITH a AS (SELECT 1), b AS (FROM a) FROM b", "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) FROM t", "WITH RECURSIVE t(n) USING KEY (n) AS (SELECT 1 UNION SELECT n + 1 FROM t WHERE n < 3) FROM t", "WITH x AS (SELECT 1 a) (FROM x) UNION ALL FROM x", "WITH a AS MATERIALIZED (SELECT 1) FROM a",
	"SELECT (WITH q AS (SELECT 1 z) SELECT z FROM q)", "SELECT 1 UNION BY NAME SELECT 2 AS b", "SELECT 1 EXCEPT SELECT 3 INTERSECT ALL SELECT 4", `WITH "A b" AS (SELECT 1) FROM "a B"`,
	"SELECT unnest(range(3)), unnest([1, 2, 3])", "FROM range(3) t(i)", "FROM generate_series(1, 3)", "FROM unnest([1, 2])", "FROM test_all_types()", "FROM repeat(1, 3)", `FROM json_each('{"a": 1}')`, "FROM duckdb_functions()", "FROM duckdb_tables()", "FROM information_schema.columns", "FROM information_schema.tables", "FROM pg_catalog.pg_tables", "FROM pg_tables", "FROM sqlite_master", "FROM pragma_table_info('imu')",
	"SELECT x, log_time - lag(log_time) OVER w AS dt, row_number() OVER (PARTITION BY s) FROM imu WINDOW w AS (ORDER BY log_time)", "SELECT * EXCLUDE (x) REPLACE (1 AS s) FROM imu", "SELECT COLUMNS('x|s') FROM imu", "SELECT min(COLUMNS(*)) FROM imu", "SELECT COLUMNS(c -> c LIKE 'x%') FROM imu", "SELECT * RENAME (x AS y) FROM imu", "SELECT * LIKE 'x%' FROM imu",
	"SELECT list_transform([1, 2], lambda x: x + 1), [a * 2 for a in [1, 2] if a > 1], list_filter([1], lambda v: v > 0), list_reduce([1, 2], lambda a, b: a + b)", "SELECT {'a': 1}.a, [1, 2][1], [1, 2][1:], MAP {'k': 1}['k'], row(1, 2), (1, 2)",
	"SELECT current_date, current_timestamp, now(), today(), DATE '2020-01-01' + INTERVAL 1 DAY, extract(year FROM now()), TIMESTAMP '2020-01-01' AT TIME ZONE 'UTC', epoch_us(now()), time_bucket(INTERVAL '1 s', now()), make_timestamp_ns(1), to_timestamp(1), strftime(now(), '%Y'), date_trunc('hour', now()), age(now())",
	"SELECT CASE WHEN x > 1 THEN 1 END, coalesce(x, 0), ifnull(x, 0), nullif(x, 0), if(x > 1, 1, 2), x BETWEEN 1 AND 2, x IN (1, 2), x NOT IN (SELECT x FROM imu), EXISTS (FROM imu), x IS DISTINCT FROM 1, s LIKE 'a%', s ILIKE 'a', s ~ 'a', s SIMILAR TO 'a', s GLOB 'a*', NOT true, x::VARCHAR, TRY_CAST(s AS INTEGER), CAST(x AS DECIMAL(9, 3)), TRY(s::INTEGER), s COLLATE NOCASE, position('a' IN s), substring(s FROM 1 FOR 2), trim(BOTH 's' FROM s), s.upper(), 5!, 2 ** 3, 5 // 2, 5 % 2, l[1] FROM (SELECT 1.5 x, 's' s, [1] l) t" + " WHERE false",
	"SELECT s, GROUPING(s), avg(x), stddev(x), quantile_cont(x, 0.5), approx_quantile(x, 0.9), arg_max(s, x), string_agg(s, ',' ORDER BY x), count(DISTINCT s), histogram(x), regr_slope(x, log_time), corr(x, log_time), list(x), first(x), sum(x) FILTER (x > 1) FROM imu GROUP BY ROLLUP (s)", "SELECT DISTINCT ON (s) * FROM imu QUALIFY row_number() OVER () = 1", "FROM imu ORDER BY ALL LIMIT 10%", "FROM imu USING SAMPLE 3", "FROM imu TABLESAMPLE reservoir(3 ROWS) REPEATABLE (1)", "SELECT s FROM imu GROUP BY ALL FETCH FIRST 3 ROWS ONLY", "SELECT count(*) FROM imu GROUP BY GROUPING SETS ((s), ())",
	"SELECT load FROM (SELECT 1 AS load)", `SELECT "copy" FROM (SELECT 1 AS copy)`, "SELECT 'please LOAD it', 'read_csv('", "SELECT 1 -- load", "SELECT regexp_matches(repeat('a', 30) || '!', '(a+)+$')", "SELECT factorial(33), power(10, 400), 'nan'::DOUBLE", `SELECT json_extract('{"a": [1]}', '$.a[0]'), '{"a": 1}'::JSON ->> 'a'`, "SELECT ST_AsText('POINT (1 2)'::GEOMETRY)", "SELECT system.main.repeat('x', 2)", "SELECT list_aggregate([1, 2], 'sum')", "SELECT 1::STRUCT(a INTEGER)" + "[] IS NULL WHERE false", "SELECT union_value(a := 1), enum_range(NULL::ENUM('a', 'b'))",
}

func TestGateLetsThroughWhatOnlyReads(t *testing.T) {
	c := testCatalog(t)
	conn := testConn(t, c)
	s := &server{admit: newGate(c).admit}
	for _, sql := range harmless {
		a, err := s.admit(conn, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		last, err := prepareLast(t.Context(), conn, a)
		if err != nil {
			t.Errorf("%s: admitted, but: %v", sql, err)
			continue
		}
		last.Close()
	}
}

func TestGateRefuses(t *testing.T) {
	c := testCatalog(t)
	conn, g := testConn(t, c), newGate(c)
	for _, test := range []struct {
		sql  string
		want error
		has  string
	}{
		{"", ErrSQL, "empty"},
		{" \n\t-- nothing", ErrSQL, "empty"},
		{";;", ErrSQL, "empty"},
		{"SELECT", ErrSQL, "SELECT clause without selection list"},
		{"EXPLAIN", ErrSQL, "empty"},
		{"SELECT 1\x00", ErrRefused, "NUL"},
		{"SELECT '\xff'", ErrRefused, "UTF-8"},
		{"SELECT '" + strings.Repeat("x", maxSQLBytes) + "'", ErrRefused, "at most"},
		{"SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), ErrSQL, ""},
		{"SELECT 1" + strings.Repeat("+1", 5000), ErrSQL, ""},
		{"SELECT 1; SELECT 2", ErrRefused, "2 statements"},
		{"SELECT 1; DROP TABLE imu", ErrRefused, "2 statements"},
		{"DROP TABLE imu; SELECT 1", ErrRefused, "DROP"},
		{"COMMIT; DROP TABLE imu; SELECT 1", ErrRefused, "COMMIT"},
		{"EXPLAIN ANALYZE DELETE FROM imu", ErrRefused, "DELETE"},
		{"EXPLAIN (ANALYZE) DELETE FROM imu", ErrRefused, "DELETE"},
		{"EXPLAIN (FORMAT json, PAGES 3) SELECT 1", ErrRefused, "EXPLAIN takes"},
		{"EXPLAIN SELECT 1; DROP TABLE imu", ErrRefused, "statements"},
		{"EXPLAIN EXPLAIN SELECT 1", ErrRefused, "EXPLAIN"},
		{"EXPLAIN PIVOT imu ON s USING sum(x)", ErrRefused, "as a list"},
		{"PIVOT imu ON s IN (SELECT 's1') USING sum(x)", ErrRefused, "as a list"},
		{"PIVOT imu ON s USING sum(x); DROP TABLE imu", ErrRefused, ""},
		{"PIVOT imu ON s USING sum(read_text('x'))", ErrSQL, "read_text"},
		{"PIVOT 'x.csv' ON s USING sum(x)", ErrRefused, "files"},
		{"PIVOT read_csv('x') ON s USING sum(x)", ErrRefused, "read_csv"},
		{"PRAGMA table_info('imu')", ErrRefused, "DESCRIBE"},
		{"CALL pragma_version()", ErrRefused, "DESCRIBE"},
		{"SELECT * INTO foo FROM imu", ErrSQL, "INTO"},
		{"WITH x AS (DELETE FROM imu RETURNING *) FROM x", ErrSQL, ""},
		{"FROM 'x.csv'", ErrRefused, "files"},
		{`FROM "https://127.0.0.1:1/x.parquet"`, ErrRefused, "files"},
		{"SUMMARIZE 'x.csv'", ErrRefused, "files"},
		{"DESCRIBE 'x.csv'", ErrRefused, "files"},
		{"TABLE 'x.csv'", ErrRefused, "files"},
		{`FROM "/imu"`, ErrMissingTable, "/imu"}, // a topic: the caller is told of the table
		{`FROM "/imu/x.csv"`, ErrRefused, "files"},
		{"FROM file_1.main.imu", ErrMissingTable, "file_1.main.imu"},
		{"FROM file_1.imu", ErrMissingTable, "file_1.imu"},
		{"FROM a", ErrMissingTable, `"a"`},
		{"WITH a AS (FROM a) FROM a", ErrMissingTable, `"a"`},
		{"WITH a AS (SELECT 1) FROM main.a", ErrMissingTable, "main.a"},
		{"SELECT (WITH a AS (SELECT 1) SELECT 1), (SELECT 1 FROM a)", ErrMissingTable, `"a"`},
		{"WITH x AS (FROM y), y AS (SELECT 1) FROM x", ErrMissingTable, `"y"`},
		{"SELECT read_text('x')", ErrSQL, "no function"},
		{"SELECT x FROM imu ORDER BY getenv('HOME')", ErrRefused, "environment"},
		{"SELECT DISTINCT ON (getenv(x)) x FROM imu", ErrRefused, "getenv"},
		{"SELECT sum(x) OVER w FROM imu WINDOW w AS (PARTITION BY getenv('x'))", ErrRefused, "getenv"},
		{"SELECT list_transform([1], lambda x: getenv(x))", ErrRefused, "getenv"},
		{"SELECT COLUMNS(c -> getenv(c)) FROM imu", ErrRefused, "getenv"},
		{"SELECT * REPLACE (getenv(s) AS s) FROM imu", ErrRefused, "getenv"},
		{"FROM range((SELECT getenv('x')))", ErrRefused, "getenv"},
		{"FROM imu LIMIT (SELECT getenv('x'))", ErrRefused, "getenv"},
		{"FROM imu a JOIN imu b ON getenv(a.s)", ErrRefused, "getenv"},
		{"VALUES (getenv('x'))", ErrRefused, "getenv"},
		{"SELECT a.b.getenv('x')", ErrRefused, "getenv"},
		{`SELECT "GetEnv"('x')`, ErrRefused, "getenv"},
		{"WITH a AS (FROM read_text('x')) SELECT 1", ErrRefused, "read_text"},
		{"DESCRIBE FROM read_csv('x')", ErrRefused, "read_csv"},
		{"EXPLAIN FROM read_csv('x')", ErrRefused, "read_csv"},
		{"FROM system.main.read_csv('x')", ErrRefused, "read_csv"},
		{"FROM query('SELECT 1')", ErrRefused, "has not seen"},
		{"FROM query_table('imu')", ErrRefused, "has not seen"},
		{"FROM histogram('x.csv', a)", ErrRefused, "has not seen"},
		{"SELECT json_serialize_plan('FROM ''x.csv''')", ErrRefused, "has not seen"},
		{"FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", ErrRefused, "has not seen"},
		{"SELECT sleep_ms(60000)", ErrRefused, "blocks"},
		{"SELECT __internal_decompress_string(1)", ErrRefused, "planner"},
		{"FROM duckdb_databases", ErrMissingTable, ""},
		{"FROM duckdb_databases()", ErrRefused, "paths"},
		{"FROM pragma_database_list", ErrMissingTable, ""},
		{"FROM pg_catalog.pg_settings", ErrMissingTable, ""},
		{"SHOW VARIABLES", ErrRefused, "SHOW"},
		{"SELECT ?", ErrRefused, "parameters"},
		{"ＳＥＬＥＣＴ 1", ErrSQL, ""},
	} {
		a, err := g.admit(conn, test.sql)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.has) {
			t.Errorf("%.100s: got %+.100v, %v", test.sql, a, err)
		}
	}
}

func TestGateNamesTheTables(t *testing.T) {
	c := testCatalog(t)
	conn, g := testConn(t, c), newGate(c)
	for sql, want := range map[string][]string{
		"SELECT 1": nil,
		"WITH t AS (FROM IMU) FROM t, _recordings": {"_recordings", "imu"},
		"WITH imu AS (SELECT 1) FROM imu":          nil,
		"DESCRIBE main.imu":                        {"imu"},
		"PIVOT imu ON s USING sum(x)":              {"imu"},
		"EXPLAIN FROM imu a JOIN imu b USING (x)":  {"imu"},
	} {
		if a, err := g.admit(conn, sql); err != nil || !slices.Equal(a.tables, want) {
			t.Errorf("%s: got %q, %v", sql, a.tables, err)
		}
	}
}

// A function that a new version of DuckDB brings is refused until somebody has looked at it.
func TestEveryFunctionIsReviewed(t *testing.T) {
	conn := testConn(t, &Catalog{})
	for _, test := range []struct {
		list nameList
		sql  string
	}{
		{scalarFunctions, "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')"},
		{tableFunctions, "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')"},
	} {
		for _, name := range names(t, conn, test.sql) {
			reason, refused := test.list.reason(name)
			if allowed := test.list.allows(name); allowed == refused || refused && reason == "" {
				t.Errorf("%s: allowed %t, refused %t because %q: it must stand once in functions.txt", name, allowed, refused, reason)
			}
		}
	}
	if kinds := names(t, conn, "SELECT DISTINCT function_type FROM duckdb_functions() ORDER BY 1"); !slices.Equal(kinds, []string{"aggregate", "macro", "pragma", "scalar", "table", "table_macro"}) {
		t.Errorf("kinds of functions: %q", kinds)
	}
}

// What the allowed views and functions show of the system must not tell where files lie.
func TestSystemViewsShowNoPaths(t *testing.T) {
	p, c := testPool(t, Options{Limits: Limits{DefaultRows: 10_000, MaxBytes: 16 << 20}}), testCatalog(t)
	statements := []string{"SHOW ALL TABLES", "SHOW DATABASES", "SHOW SCHEMAS", "DESCRIBE imu", "SUMMARIZE imu", "EXPLAIN FROM imu", "EXPLAIN ANALYZE FROM imu", "FROM pragma_table_info('imu')", "FROM pragma_show('imu')"}
	for name := range systemViews.allowed {
		statements = append(statements, "FROM "+name)
	}
	for name := range tableFunctions.allowed {
		if strings.HasPrefix(name, "duckdb_") {
			statements = append(statements, "FROM "+name+"()")
		}
	}
	for _, sql := range statements {
		rows := rowsOf(t, p, c, sql)
		if strings.Contains(rows, "imu.duckdb") || strings.Contains(rows, t.TempDir()) {
			t.Errorf("%s shows a path", sql)
		}
	}
}

func names(t *testing.T, conn *duckdb.Conn, sql string) (list []string) {
	t.Helper()
	for _, row := range textRows(t, conn, sql) {
		list = append(list, row[0])
	}
	if len(list) == 0 {
		t.Fatal(fmt.Errorf("%s: nothing", sql))
	}
	return list
}

func FuzzGate(f *testing.F) {
	for _, sql := range harmless {
		f.Add(sql)
	}
	for _, sql := range []string{"DROP TABLE imu; SELECT 1", "PIVOT imu ON s USING sum(x); DROP TABLE imu", "EXPLAIN (", "SELECT /* /* */ 1", "SELECT $a$ x $a$; DROP TABLE imu", "SELECT E'\\''; DROP TABLE imu --'"} {
		f.Add(sql)
	}
	c := &Catalog{}
	conn := testConn(f, c)
	if err := conn.Exec("CREATE TABLE imu (log_time BIGINT, x DOUBLE, s VARCHAR)"); err != nil {
		f.Fatal(err)
	}
	g := newGate(c)
	g.tables["imu"] = "imu"
	f.Fuzz(func(t *testing.T, sql string) {
		a, err := g.admit(conn, sql)
		if err != nil {
			if !errors.Is(err, ErrRefused) && !errors.Is(err, ErrSQL) && !errors.Is(err, ErrMissingTable) {
				t.Fatalf("%q: an error of no kind: %v", sql, err)
			}
			return
		}
		parsed, err := conn.Parse(a.text)
		if err != nil {
			t.Fatalf("%q: admitted, but: %v", sql, err)
		}
		defer parsed.Close()
		if parsed.Count() != 1 && !a.pivot {
			t.Fatalf("%q: admitted with %d statements", sql, parsed.Count())
		}
		checkKinds(t, sql, parsed)
	})
}

// largeNumber finds what a statement could be slow to plan with: DuckDB computes
// expressions of constants while it plans.
var largeNumber = regexp.MustCompile(`\d{5}|\d[eE_]|!|\*\*|\^|pow|factorial`)

// checkKinds plans the statements, which must all be of a kind that reads.
func checkKinds(t *testing.T, sql string, parsed *duckdb.Statements) {
	if largeNumber.MatchString(sql) {
		return
	}
	for i := range parsed.Count() {
		statement, err := parsed.Prepare(i)
		if err != nil {
			return // a name or a type that is not there
		}
		last := i == parsed.Count()-1
		kind := statement.Kind()
		statement.Close()
		if last && kind != duckdb.Select && kind != duckdb.Explain || !last && kind != duckdb.Create {
			t.Fatalf("%q: statement %d is of kind %d", sql, i, kind)
		}
	}
}
