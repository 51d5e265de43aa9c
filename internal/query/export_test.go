package query

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"tapedeck/internal/duckdb"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExport(t *testing.T) {
	p, c := testPool(t, Options{Limits: Limits{MaxRows: 10, Timeout: 1}}), testCatalog(t)
	conn := plainConn(t)
	for _, test := range []struct {
		format, sql string
		rows        int64
	}{
		{"parquet", "SELECT log_time, x, s FROM imu ORDER BY log_time", 1000},
		{"csv", "; SELECT log_time, s FROM imu; -- all", 1000},
		{"json", "FROM imu LIMIT 3 --", 3},
		{"parquet", "PIVOT (FROM imu LIMIT 5) ON s IN ('s1', 's2') USING sum(x)", 5},
		{"parquet", "SELECT 1 AS a WHERE false", 0},
	} {
		path := filepath.Join(t.TempDir(), "it's out."+test.format)
		rows, err := p.Export(context.Background(), c, test.sql, test.format, path)
		if err != nil || rows != test.rows {
			t.Errorf("%s: %d rows, %v", test.sql, rows, err)
			continue
		}
		if test.rows == 0 {
			continue
		}
		if count := textRows(t, conn, "SELECT count(*)::VARCHAR FROM "+duckdb.QuoteText(path))[0][0]; count != strconv.FormatInt(rows, 10) {
			t.Errorf("%s: the file has %s rows, want %d", test.sql, count, rows)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
			t.Errorf("%s: left behind: %v", test.sql, left)
		}
	}
}

// Sums of integers have 128 bits, which Parquet has not.
func TestExportDoesNotRoundSums(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	conn := plainConn(t)
	path := filepath.Join(t.TempDir(), "sums.parquet")
	sql := `SELECT s, sum(9007199254740993) AS a, sum(9007199254740993) AS a, 2::UHUGEINT AS "odd ""name""" FROM (VALUES ('y'), ('x')) t(s) GROUP BY s ORDER BY s DESC --`
	if _, err := p.Export(context.Background(), c, sql, "parquet", path); err != nil {
		t.Fatal(err)
	}
	got := textRows(t, conn, `SELECT s, "a"::VARCHAR, "a_1"::VARCHAR, "odd ""name"""::VARCHAR FROM `+duckdb.QuoteText(path))
	want := [][]string{{"y", "9007199254740993", "9007199254740993", "2"}, {"x", "9007199254740993", "9007199254740993", "2"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExportThatFailsLeavesNothing(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "out.parquet")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sql, format string
		want        error
	}{
		{"DROP VIEW imu", "parquet", ErrRefused},
		{"SELECT 1) TO '/dev/null'; COPY (SELECT 1", "parquet", nil},
		{"SELECT 1; SELECT 2", "parquet", ErrRefused},
		{"EXPLAIN SELECT 1", "parquet", ErrRefused},
		{"PIVOT imu ON s USING sum(x)", "parquet", ErrRefused},
		{"FROM read_text('/etc/hostname')", "parquet", ErrRefused},
		{"SELECT error('late') FROM imu", "parquet", ErrSQL},
		{"SELECT 1", "xlsx", nil},
	} {
		_, err := p.Export(context.Background(), c, test.sql, test.format, path)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: got %v", test.sql, err)
		}
		if err != nil && strings.Contains(err.Error(), "tapedeck-export") {
			t.Errorf("%s: shows where it wrote: %v", test.sql, err)
		}
	}
	left, err := os.ReadDir(folder)
	if text, _ := os.ReadFile(path); err != nil || len(left) != 1 || string(text) != "before" {
		t.Errorf("left behind: %v, %q", left, text)
	}
	if _, err := p.Export(context.Background(), c, "SELECT 1", "csv", filepath.Join(folder, "no", "folder.csv")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
