package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const roomy = 1 << 20

func TestValuesAreWrittenWithoutLoss(t *testing.T) {
	for _, test := range []struct{ sql, want string }{
		{"NULL", `null`},
		{"true", `true`},
		{"(-128)::TINYINT", `-128`},
		{"255::UTINYINT", `255`},
		{"9007199254740992", `9007199254740992`},
		{"9007199254740993", `"9007199254740993"`},
		{"-9007199254740993", `"-9007199254740993"`},
		{"18446744073709551615::UBIGINT", `"18446744073709551615"`},
		{"1::UBIGINT", `1`},
		{"1::HUGEINT", `1`},
		{"-1::HUGEINT", `-1`},
		{"-18446744073709551616::HUGEINT", `"-18446744073709551616"`},
		{"'-170141183460469231731687303715884105728'::HUGEINT", `"-170141183460469231731687303715884105728"`},
		{"factorial(33)", `"8683317618811886495518194401280000000"`},
		{"340282366920938463463374607431768211455::UHUGEINT", `"340282366920938463463374607431768211455"`},
		{"'123456789012345678901234567890123456789012345'::BIGNUM", `"123456789012345678901234567890123456789012345"`},
		{"'-5'::BIGNUM", `-5`},
		{"0::BIGNUM", `0`},
		{"1.50::DECIMAL(4,2)", `1.50`},
		{"-0.05::DECIMAL(9,4)", `-0.0500`},
		{"0::DECIMAL(18,6)", `0.000000`},
		{"123456789012345.000::DECIMAL(18,3)", `123456789012345.000`},
		{"1234567890123456.1::DECIMAL(18,1)", `"1234567890123456.1"`},
		{"12345678901234567890123456789.123456789::DECIMAL(38,9)", `"12345678901234567890123456789.123456789"`},
		{"0.1::FLOAT", `0.1`},
		{"16777216::FLOAT", `16777216`},
		{"0.1::DOUBLE + 0.2::DOUBLE", `0.30000000000000004`},
		{"1e300::DOUBLE", `1e+300`},
		{"'-0.0'::DOUBLE", `-0`},
		{"'nan'::DOUBLE", `"NaN"`},
		{"'inf'::FLOAT", `"Infinity"`},
		{"'-inf'::DOUBLE", `"-Infinity"`},
		{"DATE '2024-02-29'", `"2024-02-29"`},
		{"DATE '1960-01-01'", `"1960-01-01"`},
		{"'infinity'::DATE", `"infinity"`},
		{"'0044-03-15 (BC)'::DATE", `"-0043-03-15"`},
		{"'5881580-07-10'::DATE", `"+5881580-07-10"`},
		{"TIME '23:59:59.000001'", `"23:59:59.000001"`},
		{"TIME '24:00:00'", `"24:00:00.000000"`},
		{"'12:00:00.123456789'::TIME_NS", `"12:00:00.123456789"`},
		{"'01:02:03-05:30'::TIMETZ", `"01:02:03.000000-05:30"`},
		{"'01:02:03.5+15:59:59'::TIMETZ", `"01:02:03.500000+15:59:59"`},
		{"TIMESTAMP '2024-01-02 03:04:05'", `"2024-01-02T03:04:05.000000"`},
		{"TIMESTAMP '1969-12-31 23:59:59.999999'", `"1969-12-31T23:59:59.999999"`},
		{"'2024-01-02 03:04:05.123456789'::TIMESTAMP_NS", `"2024-01-02T03:04:05.123456789"`},
		{"'1677-09-22 00:00:00.000000001'::TIMESTAMP_NS", `"1677-09-22T00:00:00.000000001"`},
		{"'2024-01-02 03:04:05'::TIMESTAMP_S", `"2024-01-02T03:04:05"`},
		{"'2024-01-02 03:04:05.25'::TIMESTAMP_MS", `"2024-01-02T03:04:05.250"`},
		{"'2024-01-02 03:04:05+02'::TIMESTAMPTZ", `"2024-01-02T01:04:05.000000+00:00"`},
		{"'-infinity'::TIMESTAMPTZ", `"-infinity"`},
		{"'infinity'::TIMESTAMP_NS", `"infinity"`},
		{"INTERVAL '0 seconds'", `"PT0S"`},
		{"INTERVAL '-1 month 2 days 3.5 seconds'", `"P-1M2DT3.500000S"`},
		{"INTERVAL '-0.25 seconds'", `"PT-0.250000S"`},
		{"INTERVAL '14 months'", `"P14M"`},
		{"'00000000-0000-0000-0000-000000000001'::UUID", `"00000000-0000-0000-0000-000000000001"`},
		{"'fedcba98-7654-3210-fedc-ba9876543210'::UUID", `"fedcba98-7654-3210-fedc-ba9876543210"`},
		{`'\x00\xFFa'::BLOB`, `"00ff61"`},
		{"'0010101'::BIT", `"0010101"`},
		{"'POINT (1 2)'::GEOMETRY", `"0101000000000000000000f03f0000000000000040"`},
		{"'b'::ENUM('a','b')", `"b"`},
		{`'a"b\c' || chr(10) || chr(0) || chr(127)`, `"a\"b\\c\n\u0000\u007f"`},
		{"'x' || chr(8238) || chr(8203) || 'é😀' || chr(917569)", `"x\u202e\u200bé😀\udb40\udc41"`},
		{"[1, NULL, 3]", `[1,null,3]`},
		{"[]::INTEGER[]", `[]`},
		{"[[1], [], NULL]", `[[1],[],null]`},
		{"['a', 'a value longer than twelve bytes']", `["a","a value longer than twelve bytes"]`},
		{"[1.5, 2.5]::DOUBLE[2]", `[1.5,2.5]`},
		{"{a: 1, b: [{c: 'x'}]}", `{"a":1,"b":[{"c":"x"}]}`},
		{"{a: NULL::INTEGER}", `{"a":null}`},
		{"NULL::STRUCT(a INTEGER)", `null`},
		{"row(1, 'x')", `[1,"x"]`},
		{`{'a"b': 1}`, `{"a\"b":1}`},
		{"MAP {'k': 1, 'l': NULL}", `{"k":1,"l":null}`},
		{"MAP {1: 'x'}", `[{"key":1,"value":"x"}]`},
		{"MAP {}", `[]`},
		{"union_value(n := 2)", `{"n":2}`},
		{`'{"a": 1}'::JSON`, `"{\"a\": 1}"`},
	} {
		t.Run(test.sql, func(t *testing.T) {
			rows, _ := query(t, open(t), "SELECT "+test.sql)
			if want := "[" + test.want + "]"; len(rows) != 1 || rows[0] != want {
				t.Errorf("got %s, want %s", rows, want)
			}
		})
	}
}

// test_all_types gives the smallest and the greatest value of every type, then NULL.
func TestAllTypesOfTheEngine(t *testing.T) {
	rows, columns := query(t, open(t), "SELECT * FROM test_all_types()")
	if len(rows) != 3 {
		t.Fatalf("got %d rows, want 3", len(rows))
	}
	for i, row := range rows {
		values := decodeRow(t, row)
		if len(values) != len(columns) {
			t.Fatalf("row %d has %d values, want %d", i, len(values), len(columns))
		}
		for j, v := range values {
			if isNull := v == nil; isNull != (i == 2) {
				t.Errorf("row %d, %s: got %v", i, columns[j].Name, v)
			}
		}
	}
	for name, want := range map[string]string{
		"hugeint": `"170141183460469231731687303715884105727"`, "uhugeint": `"340282366920938463463374607431768211455"`,
		"ubigint": `"18446744073709551615"`, "timestamp_ns": `"2262-04-11T23:47:16.854775806"`,
		"dec38_10": `"9999999999999999999999999999.9999999999"`, "union": `{"age":5}`,
		"time_tz": `"24:00:00.000000-15:59:59"`, "bit": `"10101"`, "uuid": `"ffffffff-ffff-ffff-ffff-ffffffffffff"`,
		"interval": `"P999M999DT999.999999S"`, "map": `{"key1":"🦆🦆🦆🦆🦆🦆","key2":"goose"}`,
		"varchar": `"goo\u0000se"`, "blob": `"00000061"`,
		"double": `1.7976931348623157e+308`, "float": `3.4028235e+38`,
	} {
		i := columnNamed(t, columns, name)
		var values []json.RawMessage
		if err := json.Unmarshal([]byte(rows[1]), &values); err != nil {
			t.Fatal(err)
		}
		if got := string(values[i]); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// DuckDB keeps constants and repeated values in forms of their own; to_json shows what it means.
func TestNestedValuesAgreeWithTheEngine(t *testing.T) {
	const sql = `SELECT i, {a: i % 7, b: ['c', NULL, 'long long long ' || i], d: {e: true, f: NULL}} s,
		[{x: 1, y: [i]}, NULL] l, array_value(array_value(i, 2), array_value(3, NULL)) a, to_json(s)::VARCHAR sj, to_json(l)::VARCHAR lj, to_json(a)::VARCHAR aj
		FROM range(5000) t(i) WHERE i % 3 > 0`
	rows, _ := query(t, open(t), sql)
	if len(rows) != 3333 {
		t.Fatalf("got %d rows", len(rows))
	}
	for _, row := range rows {
		values := decodeRow(t, row)
		for j := range 3 {
			var want any
			if err := json.Unmarshal([]byte(values[4+j].(string)), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, values[1+j]); diff != "" {
				t.Fatalf("row %s: %s", row, diff)
			}
		}
	}
}

func TestTypeNamesAreTheEngines(t *testing.T) {
	conn := open(t)
	mustExec(t, conn, "CREATE TABLE t AS SELECT * FROM test_all_types()")
	_, columns := query(t, conn, "SELECT * FROM t")
	described, _ := query(t, conn, "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 't' ORDER BY column_index")
	for i, row := range described {
		want := decodeRow(t, row)[1].(string)
		if columns[i].Name == "medium_enum" { // cut
			want = strings.Replace(want[:strings.Index(want, ", 'enum_20'")]+")", ")", ", … 280 more)", 1)
		}
		if columns[i].Type != want {
			t.Errorf("%s: got %s, want %s", columns[i].Name, columns[i].Type, want)
		}
	}
}

func TestLargeValuesAreCut(t *testing.T) {
	const cell = 100
	for _, test := range []struct{ sql, has string }{
		{"repeat('y', 1000000)", `yyy… cut, 1000000 bytes in all"]`},
		{"repeat(chr(0), 1000000)", `\u0000… cut, 1000000 bytes in all"]`},
		{"repeat('é', 1000)", `é… cut, 2000 bytes in all"]`},
		{"repeat('y', 1000)::BLOB", `79… cut, 1000 bytes in all"]`},
		{"bitstring('1', 1000)", `0… cut, 1000 bits in all"]`},
		{"range(1000000)", ` more"]]`},
		{"[repeat('y', 1000), 'b', 'c']", `"… 2 more"]]`},
		{"{a: repeat('y', 1000), b: 2, c: NULL}", `"b":"…","c":null}]`},
		{"map_from_entries([('k' || x, x) for x in range(1000)])", ` more":null}]`},
		{"map_from_entries([(x, x) for x in range(1000)])", ` more"]]`},
		{"range(100000)::VARCHAR::JSON", `bytes in all"]`},
	} {
		t.Run(test.sql, func(t *testing.T) {
			rows := stream(t, open(t), "SELECT "+test.sql)
			defer rows.Close()
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
			got, fits := rows.AppendJSON(nil, cell, roomy)
			if !fits || len(got) > 3*cell || !json.Valid(got) {
				t.Errorf("%d bytes, fits %t: %.500s", len(got), fits, got)
			}
			if !strings.HasSuffix(string(got), test.has) {
				t.Errorf("it ends in %s, want %s", got[max(0, len(got)-200):], test.has)
			}
			if rows.CutCells() != 1 {
				t.Errorf("counted %d cut cells, want 1", rows.CutCells())
			}
		})
	}
}

func TestRowThatHasNoRoom(t *testing.T) {
	rows := stream(t, open(t), "SELECT repeat('y', 60), repeat('z', 60)")
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	if got, fits := rows.AppendJSON([]byte("kept"), roomy, 100); fits || string(got) != "kept" {
		t.Errorf("got %q, fits %t", got, fits)
	}
}

func TestVariantSaysHowToCastIt(t *testing.T) {
	s, err := open(t).Prepare("SELECT 1::VARIANT AS v")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err = s.Stream(context.Background()); err == nil || !strings.Contains(err.Error(), "AS JSON") {
		t.Errorf("got %v", err)
	}
}

func TestStreamComputesOnlyWhatIsRead(t *testing.T) {
	start := time.Now()
	rows := stream(t, open(t), "SELECT i FROM range(10000000000) t(i)")
	for range 10 {
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
	}
	rows.Close()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	conn := open(t)
	for _, sql := range []string{
		"SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
		"SELECT i FROM range(100000000000) t(i)",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		err := func() error {
			s, err := conn.Prepare(sql)
			if err != nil {
				return err
			}
			defer s.Close()
			rows, err := s.Stream(ctx)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
			}
			return rows.Err()
		}()
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v", sql, err)
		}
	}
	if rows, _ := query(t, conn, "SELECT 42"); rows[0] != "[42]" {
		t.Errorf("afterwards: %s", rows)
	}
}

func TestErrorsWhileStreaming(t *testing.T) {
	conn := open(t)
	rows := stream(t, conn, "SELECT CASE WHEN i = 10000000 THEN error('here') END FROM range(20000000) t(i)")
	defer rows.Close()
	count := 0
	for rows.Next() {
		count++
	}
	var engine *Error
	if !errors.As(rows.Err(), &engine) || !strings.Contains(engine.Text, "here") || count == 0 {
		t.Errorf("after %d rows: %v", count, rows.Err())
	}
}

func TestParseCountsWithoutExecuting(t *testing.T) {
	conn := open(t)
	mustExec(t, conn, "CREATE TABLE t AS SELECT 1 AS a")
	for sql, want := range map[string]int{
		"": 0, " -- nothing\n": 0, "SELECT 1": 1, "DROP TABLE t; SELECT 1": 2, "SELECT 1;;": 1,
	} {
		s, err := conn.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		if s.Count() != want {
			t.Errorf("%q: got %d, want %d", sql, s.Count(), want)
		}
		s.Close()
	}
	mustExec(t, conn, "FROM t")
	if _, err := conn.Parse("SELEC 1"); !errors.Is(err, ErrEngine) {
		t.Errorf("got %v", err)
	}
}

func FuzzTextIsValidJSON(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x00\xff\u202e\U000E0041", `"\`, "é😀"} {
		f.Add([]byte(seed), 10)
	}
	f.Fuzz(func(t *testing.T, s []byte, room int) {
		w := writer{}
		w.startCell(room)
		w.text(s)
		var back string
		if err := json.Unmarshal(w.buf, &back); err != nil {
			t.Fatalf("%q: %v", w.buf, err)
		}
		if want := strings.ToValidUTF8(string(s), "\ufffd"); !w.cut && len(back) < len(want) {
			t.Errorf("got %q, want %q", back, want)
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	db, err := Open("", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Connect()
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	s, err := conn.Prepare("SELECT i, i * 0.37 AS d, 'name ' || i AS s, make_timestamp_ns(i) AS t FROM range(1000000000000) t(i)")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Stream(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var buf []byte
	for b.Loop() {
		if !rows.Next() {
			b.Fatal(rows.Err())
		}
		buf, _ = rows.AppendJSON(buf[:0], roomy, roomy)
	}
	b.SetBytes(int64(len(buf)))
}

func stream(t *testing.T, conn *Conn, sql string) *Rows {
	t.Helper()
	s, err := conn.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	rows, err := s.Stream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rows.Close)
	return rows
}

func query(t *testing.T, conn *Conn, sql string) (lines []string, columns []Column) {
	t.Helper()
	rows := stream(t, conn, sql)
	defer rows.Close()
	for rows.Next() {
		line, _ := rows.AppendJSON(nil, roomy, roomy)
		if !json.Valid(line) {
			t.Fatalf("%s: not valid JSON: %s", sql, line)
		}
		lines = append(lines, string(line))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines, rows.Columns()
}

func decodeRow(t *testing.T, row string) []any {
	t.Helper()
	var values []any
	if err := json.Unmarshal([]byte(row), &values); err != nil {
		t.Fatalf("%s: %v", row, err)
	}
	return values
}

func columnNamed(t *testing.T, columns []Column, name string) int {
	t.Helper()
	for i, column := range columns {
		if column.Name == name {
			return i
		}
	}
	t.Fatal(fmt.Errorf("no column %s", name))
	return 0
}
