package query

import (
	"strings"
	"testing"
)

// What analysts write must be answered, not only admitted: a gate that is too narrow is
// turned off. The expressions stand over imu(log_time, x, s).
var analytics = map[string][]string{
	"time": {
		"time_bucket(INTERVAL '100 ms', make_timestamp(log_time))", "date_trunc('second', make_timestamp(log_time))", "date_part('epoch', make_timestamp(log_time))", "extract(millisecond FROM make_timestamp(log_time))",
		"epoch(make_timestamp(log_time))", "epoch_ms(make_timestamp(log_time))", "epoch_us(make_timestamp(log_time))", "epoch_ns(make_timestamp(log_time))", "epoch_ms(log_time)", "make_timestamp_ms(log_time)", "make_timestamp_ns(log_time)", "to_timestamp(log_time)",
		"date_diff('ms', make_timestamp(0), make_timestamp(log_time))", "datediff('day', DATE '2024-01-01', DATE '2024-02-01')", "date_add(DATE '2024-01-01', INTERVAL 1 MONTH)", "date_sub('month', DATE '2024-01-01', DATE '2024-02-01')", "make_timestamp(log_time) + to_microseconds(5)", "INTERVAL (log_time) SECONDS", "to_seconds(log_time)", "to_milliseconds(log_time)",
		"strftime(make_timestamp(log_time), '%Y-%m-%d %H:%M:%S.%f')", "strptime('2024-05-01 12:00:00', '%Y-%m-%d %H:%M:%S')", "try_strptime('x', '%Y')", "make_date(2024, 5, 1)", "make_time(12, 0, 0.5)", "make_timestamp(2024, 5, 1, 12, 0, 0.5)", "dayname(DATE '2024-05-01')", "monthname(DATE '2024-05-01')", "last_day(DATE '2024-05-01')", "age(TIMESTAMP '2024-05-01', TIMESTAMP '2024-01-01')",
		"year(DATE '2024-05-01'), month(DATE '2024-05-01'), day(DATE '2024-05-01'), hour(TIME '12:00'), minute(TIME '12:00'), second(TIME '12:00'), week(DATE '2024-05-01'), quarter(DATE '2024-05-01'), dayofweek(DATE '2024-05-01'), isodow(DATE '2024-05-01'), dayofyear(DATE '2024-05-01'), era(DATE '2024-05-01'), julian(DATE '2024-05-01')",
		"now() IS NOT NULL, current_date IS NOT NULL, current_timestamp IS NOT NULL, localtimestamp IS NOT NULL, today() IS NOT NULL", "TIMESTAMPTZ '2024-05-01 12:00:00+02' AT TIME ZONE 'Europe/Berlin'", "timezone('UTC', TIMESTAMP '2024-05-01')", "isfinite(TIMESTAMP 'infinity')", "TIMESTAMP_NS '2024-05-01 00:00:00.123456789' + INTERVAL 1 SECOND",
	},
	"aggregate": {
		"count(*), count(x), count(DISTINCT s), count_if(x > 1), count(*) FILTER (WHERE x > 1)", "sum(x), avg(x), mean(x), min(x), max(x), product(x + 1), fsum(x), kahan_sum(x), favg(x)", "min(x, 3), max(x, 3)", "median(x), mode(s), mad(x), entropy(s), skewness(x), kurtosis(x), kurtosis_pop(x), geomean(x + 1), sem(x)",
		"stddev(x), stddev_pop(x), stddev_samp(x), variance(x), var_pop(x), var_samp(x), covar_pop(x, log_time), covar_samp(x, log_time), corr(x, log_time)", "regr_slope(x, log_time), regr_intercept(x, log_time), regr_r2(x, log_time), regr_count(x, log_time), regr_avgx(x, log_time), regr_avgy(x, log_time), regr_sxx(x, log_time), regr_syy(x, log_time), regr_sxy(x, log_time)",
		"quantile_cont(x, 0.5), quantile_cont(x, [0.05, 0.95]), quantile_disc(x, 0.5), quantile(x, 0.5), percentile_cont(0.9) WITHIN GROUP (ORDER BY x), percentile_disc(0.9) WITHIN GROUP (ORDER BY x DESC), mode() WITHIN GROUP (ORDER BY s)", "approx_quantile(x, 0.9), approx_quantile(x, [0.1, 0.9]), approx_count_distinct(s), approx_top_k(s, 3), reservoir_quantile(x, 0.5)", "histogram(log_time % 3), histogram(x, [10, 100]), histogram_exact(log_time % 3, [0, 1]), equi_width_bins(min(x), max(x), 5, true)",
		"arg_max(s, x), arg_min(s, x), max_by(s, x), min_by(s, x), arg_max(s, x, 3), arg_max_null(s, x)", "first(s ORDER BY x), last(s ORDER BY x), any_value(s), list(x ORDER BY x DESC)[1], array_agg(x)[1], string_agg(s, ',' ORDER BY x)[1:3], group_concat(s)[1], listagg(s, ';')[1]", "bool_and(x >= 0), bool_or(x > 1), bit_and(log_time), bit_or(log_time), bit_xor(log_time), bitstring_agg(log_time)", "weighted_avg(x, log_time)", "json_group_array(s)[1], json_group_object(s, x)[1], map_from_entries(list({k: s, v: x}))['s1']", "avg(COLUMNS(* EXCLUDE (s)))", "sum(x) / count(*) * 100 // 1 % 7",
	},
	"window": {
		"row_number() OVER (ORDER BY log_time), rank() OVER (ORDER BY x), dense_rank() OVER (ORDER BY x), percent_rank() OVER (ORDER BY x), cume_dist() OVER (ORDER BY x), ntile(4) OVER (ORDER BY x)", "lag(x) OVER (ORDER BY log_time), lag(x, 2, 0) OVER (ORDER BY log_time), lead(x) OVER (ORDER BY log_time), first_value(x) OVER (ORDER BY log_time), last_value(x IGNORE NULLS) OVER (ORDER BY log_time), nth_value(x, 2) OVER (ORDER BY log_time)", "fill(CASE WHEN log_time % 2 = 0 THEN x END) OVER (ORDER BY log_time)",
		"avg(x) OVER (ORDER BY log_time ROWS BETWEEN 5 PRECEDING AND CURRENT ROW)", "avg(x) OVER (ORDER BY log_time RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING EXCLUDE CURRENT ROW)", "avg(x) OVER (ORDER BY make_timestamp(log_time) RANGE BETWEEN INTERVAL 1 SECOND PRECEDING AND CURRENT ROW)", "sum(x) OVER (PARTITION BY log_time % 3 ORDER BY log_time GROUPS 2 PRECEDING)", "count(DISTINCT s) OVER (ORDER BY log_time ROWS 3 PRECEDING)", "x - lag(x) OVER w AS dx, max(x) FILTER (x > 5) OVER w", "quantile_cont(x, 0.5) OVER w, list(x) OVER (ORDER BY log_time ROWS 2 PRECEDING)",
	},
	"list": {
		"list_transform([1, 2, 3], lambda v: v * 2)", "list_transform([1, 2], lambda v, i: v * i)", "list_filter([1, 2, 3], lambda v: v > 1)", "list_reduce([1, 2, 3], lambda a, b: a + b)", "[v * 2 FOR v IN [1, 2, 3] IF v > 1]", "list_apply([1], lambda v: v), array_transform([1], lambda v: v), filter([1], lambda v: v > 0)",
		"list_aggregate([1, 2], 'stddev'), list_avg([1, 2]), list_sum([1, 2]), list_min([1, 2]), list_max([1, 2]), list_median([1, 2]), list_var_pop([1, 2]), list_stddev_samp([1, 2]), list_count([1]), list_mode([1]), list_product([1.0, 2])", "list_sort([2, 1], 'DESC'), list_reverse_sort([1, 2]), list_distinct([1, 1]), list_unique([1, 1]), list_contains([1], 1), list_has_any([1], [1]), list_has_all([1], [1]), list_intersect([1], [1]), list_position([1], 1), list_concat([1], [2]), list_append([1], 2), list_prepend(1, [2]), list_slice([1, 2, 3], 1, 2), list_zip([1], [2]), list_resize([1], 3), list_grade_up([2, 1]), list_where([1, 2], [true, false]), list_select([1, 2], [2]), list_value(1, 2), list_reverse([1, 2]), list_extract([1], 1), flatten([[1], [2]])",
		"[1, 2, 3][2:], [1, 2, 3][-1], [1, 2, 3, 4][1:4:2], len([1, 2]), array_length([1, 2]), cardinality(MAP {'a': 1})", "unnest([1, 2, 3]), generate_subscripts([1, 2, 3], 1)", "unnest({a: 1, b: {c: 2}}, recursive := true)", "array_value(1.0, 2.0), array_cosine_similarity([1.0, 2.0]::DOUBLE[2], [1.0, 2.0]::DOUBLE[2]), array_distance([1.0]::FLOAT[1], [2.0]::FLOAT[1]), array_inner_product([1.0]::FLOAT[1], [2.0]::FLOAT[1]), array_cross_product([1.0, 0, 0]::DOUBLE[3], [0, 1.0, 0]::DOUBLE[3])", "list_cosine_similarity([1.0, 2.0], [1.0, 2.0]), list_distance([1.0], [2.0]), list_dot_product([1.0], [2.0])", "array_to_string([1, 2], ','), string_split('a,b', ','), list_pack(1, 2), range(3), generate_series(1, 3), [1, 2] && [2], [1] <@ [1, 2], [1, 2] @> [1]",
	},
	"struct, map, union, JSON": {
		"struct_pack(a := 1, b := 'x').b, {'a': 1}.a, {'a': 1}['a'], struct_extract({'a': 1}, 'a'), struct_insert({'a': 1}, b := 2), struct_concat({'a': 1}, {'b': 2}), row(1, 2), struct_keys({'a': 1}), struct_values({'a': 1}), struct_update({'a': 1}, a := 2)", "MAP {'a': 1}['a'], map(['a'], [1]), map_keys(MAP {'a': 1}), map_values(MAP {'a': 1}), map_entries(MAP {'a': 1}), map_contains(MAP {'a': 1}, 'a'), map_concat(MAP {'a': 1}, MAP {'b': 2}), map_extract(MAP {'a': 1}, 'a'), element_at(MAP {'a': 1}, 'a')", "union_tag(union_value(a := 1)), union_extract(union_value(a := 1), 'a')",
		`'{"a": [1, {"b": 2}]}'::JSON -> '$.a[1].b', '{"a": 1}'::JSON ->> 'a', json_extract('{"a": 1}', '$.a'), json_extract_string('{"a": "x"}', 'a'), json_value('{"a": 1}', '$.a'), json_exists('{"a": 1}', '$.a'), json_keys('{"a": 1}'), json_array_length('[1, 2]'), json_type('{}'), json_valid('{'), json_structure('{"a": 1}'), json_transform('{"a": 1}', '{"a": "INTEGER"}'), from_json('{"a": 1}', '{"a": "INTEGER"}'), to_json({'a': 1}), json_object('a', 1), json_array(1), json_merge_patch('{"a": 1}', '{"b": 2}'), json_contains('[1]', '1'), json_pretty('{}'), json_quote('x'), json('{}')`, `json_extract('{"a": 1}', ['$.a', '$.b'])`, `CAST('[1, 2]' AS INTEGER[])`,
	},
	"text": {
		"upper(s), lower(s), length(s), strlen(s), trim(s), ltrim(s, 's'), rtrim(s), lpad(s, 5, '0'), rpad(s, 5, '0'), left(s, 2), right(s, 2), substring(s, 1, 2), substr(s, 2), s[1:2], replace(s, 's', 't'), translate(s, 's', 't'), reverse(s), repeat(s, 2), concat(s, x), concat_ws('-', s, x), s || 'x', contains(s, '1'), starts_with(s, 's'), s ^@ 's', ends_with(s, '1'), prefix(s, 's'), suffix(s, '1'), instr(s, '1'), strpos(s, '1'), position('1' IN s), split_part('a-b', '-', 1), str_split(s, '1'), chr(65), ascii('A'), unicode('ü'), ord('a')",
		"regexp_matches(s, '^s[0-9]+$'), regexp_extract(s, 's([0-9])', 1), regexp_extract('a-1', '([a-z])-([0-9])', ['l', 'd']), regexp_extract_all(s, '[0-9]'), regexp_replace(s, '[0-9]', 'n', 'g'), regexp_split_to_array(s, '1'), regexp_full_match(s, '.*'), regexp_escape('a.b'), s ~ 's.*', s SIMILAR TO 's.*', s LIKE 's_%', s ILIKE 'S%', s NOT LIKE 'x', s LIKE 'a$%' ESCAPE '$', s GLOB 's*'", "format('{} {:.2f}', s, 1.5), printf('%05.1f', 1.5), levenshtein(s, 'x'), damerau_levenshtein(s, 'x'), jaro_winkler_similarity(s, 'x'), jaro_similarity(s, 'x'), jaccard(s || 'a', 's'), hamming('ab', 'ac'), strip_accents('é'), nfc_normalize('é'), url_encode('a b'), url_decode('a%20b'), format_bytes(1000), bar(1, 0, 2), s COLLATE NOCASE = 'S1', string_to_array('a b', ' '), parse_filename('/a/b.c'), parse_path('/a/b')",
	},
	"bytes and bits": {
		"hash(s), md5(s), sha1(s), sha256(s), encode(s), decode(encode(s)), to_base64(encode(s)), from_base64('YQ=='), base64(encode(s)), hex(s), unhex('61'), from_hex('61'), bin(5), to_binary(5), octet_length(encode(s)), bit_count(5), bitstring('101', 8), get_bit('101'::BIT, 1), set_bit('101'::BIT, 1, 1), bit_position('1'::BIT, '01'::BIT), '101'::BIT & '011'::BIT, 5 & 3, 5 | 3, 5 << 1, 5 >> 1, xor(5, 3), ~5, '\\xAA'::BLOB, uuid() IS NOT NULL, gen_random_uuid() IS NOT NULL, uuidv7() IS NOT NULL, bit_length('a')",
	},
	"number": {
		"abs(-1), ceil(1.5), floor(1.5), round(1.567, 2), round_even(2.5, 0), trunc(1.9), sign(-1), sqrt(x), cbrt(x), exp(1), ln(x + 1), log(x + 1), log2(x + 1), log10(x + 1), pow(x, 2), power(x, 2), x ^ 2, x ** 2, pi(), radians(180), degrees(1), sin(x), cos(x), tan(x), asin(0.5), acos(0.5), atan(x), atan2(x, 1), sinh(1), cosh(1), tanh(1), asinh(1), acosh(1), atanh(0.5), cot(1), mod(5, 3), fmod(5.5, 2), fdiv(5, 2), divide(5, 2), gcd(4, 6), lcm(4, 6), factorial(5), 5!, gamma(5), lgamma(5), even(1.5), nextafter(1.0, 2.0), signbit(-1.0), isnan('nan'::DOUBLE), isinf('inf'::DOUBLE), isfinite(1.0), random() < 1, greatest(1, 2), least(1, 2)",
		"x::INTEGER, CAST(x AS FLOAT), TRY_CAST(s AS DOUBLE), x::DECIMAL(9, 2), 1_000, 1e3, 0xFF, 170141183460469231731687303715884105727::HUGEINT, 1::UTINYINT, TRY(ln(-1)), typeof(x), pg_typeof(x)", "coalesce(NULL, x), ifnull(NULL, 1), nullif(1, 1), if(x > 1, 'a', 'b'), CASE WHEN x > 1 THEN 1 ELSE 2 END, CASE s WHEN 's1' THEN 1 END, x IS DISTINCT FROM NULL, x BETWEEN 1 AND 2, x IN (1, 2), (x, s) IN ((0, 's0'))", "alias(x), current_database(), current_schema(), version() IS NOT NULL",
	},
}

// What stands elsewhere than in a list of expressions.
var analyticStatements = []string{
	"FROM imu a ASOF JOIN imu b ON a.log_time >= b.log_time", "FROM imu a ASOF JOIN imu b ON a.log_time > b.log_time", "FROM imu a ASOF JOIN imu b ON a.log_time <= b.log_time", "FROM imu a ASOF LEFT JOIN imu b ON a.log_time < b.log_time AND a.log_time % 2 = b.log_time % 2", "FROM imu a ASOF JOIN imu b USING (s, log_time)",
	"SELECT a.log_time, b.x FROM imu a LEFT JOIN LATERAL (SELECT avg(x) AS x FROM imu c WHERE c.log_time BETWEEN a.log_time - 5 AND a.log_time) b ON true WHERE a.log_time < 3", "FROM imu POSITIONAL JOIN (FROM imu LIMIT 3)", "FROM imu NATURAL JOIN imu b", "FROM imu a FULL JOIN imu b ON a.log_time = b.log_time + 1", "FROM imu a SEMI JOIN (FROM imu LIMIT 3) b USING (log_time)", "FROM imu a ANTI JOIN (FROM imu LIMIT 3) b USING (log_time)", "FROM imu a, imu b WHERE a.log_time < 2 AND b.log_time < 2", "FROM imu a JOIN imu b ON b.log_time BETWEEN a.log_time AND a.log_time + 1", "FROM imu CROSS JOIN range(2) r(n)",
	"SELECT log_time % 3 AS k, grouping(k), sum(x) FROM imu GROUP BY GROUPING SETS ((k), ())", "SELECT log_time % 3 AS a, log_time % 2 AS b, sum(x) FROM imu GROUP BY CUBE (a, b) ORDER BY ALL", "SELECT log_time % 3 AS a, sum(x) FROM imu GROUP BY ROLLUP (a)", "SELECT log_time % 3, sum(x) FROM imu GROUP BY 1 HAVING sum(x) > 1 ORDER BY 2 DESC NULLS LAST", "SELECT log_time // 100 AS bucket, avg(x) FROM imu GROUP BY ALL ORDER BY ALL", "FROM imu QUALIFY row_number() OVER (PARTITION BY log_time % 3 ORDER BY x) = 1", "SELECT DISTINCT ON (log_time % 3) s FROM imu ORDER BY log_time",
	"FROM imu USING SAMPLE 100%", "FROM imu USING SAMPLE 10 ROWS", "FROM imu TABLESAMPLE bernoulli(99%)", "FROM imu USING SAMPLE reservoir(50 ROWS) REPEATABLE (42)", "FROM imu LIMIT 10% OFFSET 2", "FROM imu ORDER BY log_time DESC LIMIT 5 OFFSET 5", "FROM imu OFFSET 990",
	"PIVOT (SELECT log_time % 3 AS k, x FROM imu) ON k USING avg(x)", "PIVOT (SELECT log_time % 3 AS k, log_time % 2 AS g, x FROM imu) ON k IN (0, 1) USING avg(x) AS a, max(x) AS m GROUP BY g", "UNPIVOT imu ON x, log_time INTO NAME what VALUE v", "UNPIVOT (FROM imu) ON COLUMNS(* EXCLUDE (s)) INTO NAME what VALUE v", "FROM (UNPIVOT imu ON x) LIMIT 1", "SUMMARIZE imu", "SUMMARIZE SELECT x FROM imu", "SELECT column_name, null_percentage FROM (SUMMARIZE imu)", "DESCRIBE SELECT x + 1 FROM imu", "EXPLAIN ANALYZE SELECT sum(x) FROM imu", "FROM summary((FROM imu))",
	"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t", "WITH gaps AS (SELECT log_time, log_time - lag(log_time) OVER (ORDER BY log_time) AS gap FROM imu) SELECT max(gap), quantile_cont(gap, 0.99) FROM gaps", "WITH e AS (SELECT *, (x > 10)::INT AS on_, sum((x > 10)::INT) OVER (ORDER BY log_time) AS run FROM imu) SELECT run, min(log_time), max(log_time) FROM e GROUP BY run ORDER BY 1", "FROM imu SELECT x WHERE x > 1 ORDER BY x LIMIT 1", "SELECT s, x FROM imu UNION ALL BY NAME SELECT x FROM imu", "SELECT 1 EXCEPT SELECT 2", "SELECT x FROM imu INTERSECT SELECT 1", "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v(n, name)", "FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-02', INTERVAL 1 HOUR) t(moment)", "SELECT g.lo, count(i.x) FROM generate_series(0, 900, 100) g(lo) LEFT JOIN imu i ON i.log_time >= g.lo AND i.log_time < g.lo + 100 GROUP BY ALL ORDER BY ALL", "SELECT u.v FROM (SELECT [1, 2] AS l), unnest(l) u(v)", "SELECT * FROM unnest([1, 2]) WITH ORDINALITY", `SELECT e.key, e.value FROM json_each('{"a": 1}') e`, "SELECT COLUMNS('x|log.*') * 2 FROM imu", "SELECT max(COLUMNS(c -> c <> 's')) FROM imu", "SELECT imu FROM imu", "SELECT struct.* FROM (SELECT {'a': 1, 'b': 2} AS struct)", "SELECT x AS y, y + 1 FROM imu WHERE y > 5", "FROM imu WHERE log_time = (SELECT max(log_time) FROM imu)", "FROM imu WHERE x > ALL (SELECT 1)", "FROM imu i WHERE EXISTS (FROM imu j WHERE j.log_time = i.log_time + 1)", "SELECT array(SELECT x FROM imu LIMIT 3)", "SELECT #1 FROM (SELECT 1)",
}

func TestAnalystsAreAnswered(t *testing.T) {
	p, c := testPool(t, Options{Limits: Limits{MaxBytes: 4 << 20}}), testCatalog(t)
	for kind, list := range analytics {
		for _, expressions := range list {
			sql := "SELECT " + expressions + " FROM imu"
			if strings.Contains(expressions, "OVER w") {
				sql += " WINDOW w AS (ORDER BY log_time)"
			}
			if _, err := ask(p, c, sql); err != nil {
				t.Errorf("%s: %s: %v", kind, sql, err)
			}
		}
	}
	for _, sql := range analyticStatements {
		if r, err := ask(p, c, sql); err != nil || r.RowCount == 0 {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
