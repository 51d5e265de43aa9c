package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/duckdb"
)

type attack corpustest.Attack

// attacks are those of the corpus.
func attacks(t *testing.T) []attack {
	t.Helper()
	var list []attack
	for _, a := range corpustest.Attacks(t) {
		list = append(list, attack(a))
	}
	return list
}

// attackVerdicts say what an attack, by its id in the corpus, must come to where
// its class (see classVerdicts) does not: ok, refused (by the gate), missing (a
// table), sql (an error of the statement) or limited.
var attackVerdicts = map[string]string{
	"M02": "ok", "M03": "ok", "M05": "ok", "M07": "ok", "M09": "ok", "M10": "ok", "M11": "ok", "M12": "ok", "M14": "ok", "M15": "ok", "M16": "ok", "M18": "ok", "M19": "ok",
	"M20": "sql", "M21": "sql", // empty
	"A18": "missing", "A22": "missing", // views that the gate does not know
	"L09": "ok", "L12": "sql", // an unbalanced bracket
	"B07": "ok", "B22": "ok", // not bombs in this engine
	"U07": "missing", // "im" is no table
}

var classVerdicts = map[string]string{
	"read": "refused", "write": "refused", "ext": "refused", "set": "refused", "ddl": "refused", "multi": "refused",
	"limit": "ok", "bomb": "limited", "uni": "ok",
}

func verdict(a attack) string {
	if v, ok := attackVerdicts[a.ID]; ok {
		return v
	}
	return classVerdicts[a.Class]
}

func TestAttacksThroughThePool(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 2, MemoryMB: 256, AddressSpaceMB: 2048}), testCatalog(t)
	const timeout = time.Second
	outcomes := map[string]map[string]int{}
	for _, a := range attacks(t) {
		start := time.Now()
		r, err := p.Query(context.Background(), c, Request{SQL: a.SQL, Timeout: timeout})
		took := time.Since(start)
		got := outcomeName(r, err)
		if outcomes[a.Class] == nil {
			outcomes[a.Class] = map[string]int{}
		}
		outcomes[a.Class][got]++
		want := verdict(a)
		if got != want && !(want == "limited" && slices.Contains([]string{"timeout", "memory", "truncated", "ok"}, got)) && !(want == "ok" && got == "truncated") {
			t.Errorf("%s %s: got %s, want %s: %.100s (%v)", a.ID, a.Class, got, want, a.SQL, err)
		}
		if limit := timeout + killGrace + 15*time.Second; took > limit {
			t.Errorf("%s: took %v", a.ID, took)
		}
		checkSize(t, a, r)
		if again := rowsOf(t, p, c, "SELECT 42, count(*), sum(x), min(s), sin(0.0) FROM imu"); again != `[[42,1000,249750.0,"s0",0]]` {
			t.Fatalf("%s: afterwards the answer is %s", a.ID, again)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(outcomes)) {
		t.Logf("%-6s %v", class, outcomes[class])
	}
}

func outcomeName(r *Result, err error) string {
	switch {
	case err == nil && r.Truncated:
		return "truncated"
	case err == nil:
		return "ok"
	case errors.Is(err, ErrRefused):
		return "refused"
	case errors.Is(err, ErrMissingTable):
		return "missing"
	case errors.Is(err, ErrTimeout):
		return "timeout"
	case errors.Is(err, ErrMemory):
		return "memory"
	case errors.Is(err, ErrSQL):
		return "sql"
	default:
		return "other"
	}
}

func checkSize(t *testing.T, a attack, r *Result) {
	t.Helper()
	if r == nil {
		return
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Errorf("%s: the answer is no valid JSON: %v", a.ID, err)
	}
	if len(text) > 90_000 || r.RowCount > 1000 {
		t.Errorf("%s: the answer has %d bytes in %d rows", a.ID, len(text), r.RowCount)
	}
	if strings.ContainsAny(string(text), "\u202e\u200b\x00") {
		t.Errorf("%s: the answer holds invisible characters: %q", a.ID, text)
	}
}

// unlockable are attacks that no setting of DuckDB stops: they reach only what their own
// connection or transaction holds, or need the gate.
var unlockable = []string{
	"A16", "A17", "A18", "A20", "A21", "A22", "A23", "A25", // show the engine's state, no file
	"W06",                             // ATTACH ':memory:'
	"W09",                             // write_log
	"X08",                             // lists extensions
	"S09", "S11", "S12", "S15", "S21", // settings of a connection that ends with the statement
	"S16", "S17", // logging; the process can write no file
	"W11", // a secret in memory
}

// The configuration must hold when the gate is gone.
func TestConfigurationAlone(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("a,b\n1,s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	list := []attack{
		{"file", "read", "SELECT * FROM " + duckdb.QuoteText(secret)},
		{"csv", "read", "FROM read_csv(" + duckdb.QuoteText(secret) + ")"},
		{"text", "read", "FROM read_text(" + duckdb.QuoteText(secret) + ")"},
		{"blob", "read", "FROM read_blob(" + duckdb.QuoteText(secret) + ")"},
		{"glob", "read", "FROM glob(" + duckdb.QuoteText(filepath.Dir(secret)+"/*") + ")"},
		{"sniff", "read", "FROM sniff_csv(" + duckdb.QuoteText(secret) + ")"},
		{"plan", "read", "SELECT json_serialize_plan('FROM read_text(''" + secret + "'')')"},
		{"serialized", "read", "FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''" + secret + "'')'))"},
		{"table file", "read", "ATTACH " + duckdb.QuoteText(filepath.Join(folder, "other.duckdb")) + " AS o"},
		{"copy", "write", "COPY (SELECT 1) TO " + duckdb.QuoteText(filepath.Join(folder, "out.csv"))},
		{"copy imu", "write", "COPY imu TO " + duckdb.QuoteText(filepath.Join(folder, "out.parquet"))},
		{"export", "write", "EXPORT DATABASE " + duckdb.QuoteText(folder)},
		{"access", "set", "SET enable_external_access = true"},
		{"threads", "set", "SET threads = 64"},
		{"folders", "set", "SET allowed_directories = ['/']"},
		{"drop view", "ddl", "DROP VIEW imu"},
		{"delete", "ddl", "DELETE FROM file_1.main.imu"},
		{"recordings", "ddl", "DELETE FROM _recordings"},
		{"commit", "multi", "COMMIT; DROP VIEW imu; SELECT 1"},
		{"explained", "ddl", "EXPLAIN ANALYZE DELETE FROM file_1.main.imu"},
	}
	stoppedWithoutGate(t, list)
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestConfigurationAloneAgainstTheCorpus(t *testing.T) { stoppedWithoutGate(t, attacks(t)) }

// stoppedWithoutGate sends attacks to workers that have no gate.
func stoppedWithoutGate(t *testing.T, list []attack) {
	t.Helper()
	p, c := testPool(t, Options{MaxWorkers: 1}), testCatalog(t)
	p.workerArg = ungatedArg
	for _, a := range list {
		if !slices.Contains([]string{"read", "write", "ext", "set", "ddl", "multi"}, a.Class) || slices.Contains(unlockable, a.ID) {
			continue
		}
		r, err := p.Query(context.Background(), c, Request{SQL: a.SQL, Timeout: 2 * time.Second})
		answered := fmt.Sprint(r)
		if err == nil && r != nil {
			rows, _ := json.Marshal(r.Rows)
			answered = string(rows)
		}
		if strings.Contains(answered, "s3cret") || strings.Contains(answered, "root:") {
			t.Errorf("%s: read a file: %.200s", a.ID, answered)
		}
		if err == nil && (a.Class == "read" || a.Class == "write" || a.Class == "ext" || a.Class == "set") && a.ID != "plan" {
			t.Errorf("%s %s: not stopped: %s gave %.200s", a.ID, a.Class, a.SQL, answered)
		}
		if again := rowsOf(t, p, c, "SELECT count(*), sum(x), sin(0.0), (SELECT count(*) FROM _recordings) FROM imu"); again != `[[1000,249750.0,0,1]]` {
			t.Fatalf("%s: afterwards the answer is %s", a.ID, again)
		}
	}
}

// A value larger than the address space must fail for lack of memory, not
// because its deadline comes first: until then it would take what it likes.
func TestAddressSpaceAlone(t *testing.T) {
	if raceDetector || runtime.GOOS != "linux" {
		t.Skip("the address space is not bounded in this build")
	}
	p, c := testPool(t, Options{MaxWorkers: 1, MemoryMB: 1 << 20, AddressSpaceMB: 2048, Limits: Limits{Timeout: time.Minute}}), testCatalog(t)
	p.workerArg = ungatedArg
	for _, sql := range []string{"SELECT len(range(0, 300000000))", "SELECT length(lpad('x', 2000000000, 'y'))"} {
		if _, err := p.Query(t.Context(), c, Request{SQL: sql}); !errors.Is(err, ErrMemory) {
			t.Errorf("%s: got %v, want %v", sql, err, ErrMemory)
		}
		if again := rowsOf(t, p, c, "SELECT 42"); again != "[[42]]" {
			t.Errorf("afterwards: %s", again)
		}
	}
}

// The process must hold when gate and configuration let an attack through.
func TestProcessAlone(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 1, MemoryMB: 1 << 20, AddressSpaceMB: 2048}), testCatalog(t)
	p.workerArg = ungatedArg
	logs := filepath.Join(t.TempDir(), "logs")
	for _, test := range []struct {
		name, sql string
		want      error // or ErrTimeout on a slow machine
	}{
		{"standard output", "SELECT * FROM enable_logging('QueryLog', storage = 'stdout')", nil},
		{"a log file", "CALL enable_logging(storage = 'file', storage_path = " + duckdb.QuoteText(logs) + ")", ErrRefused},
		{"a deadline that is not heeded", "SELECT list_reduce(range(50000000), lambda a, b: a + b)", ErrTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			_, err := p.Query(context.Background(), c, Request{SQL: test.sql, Timeout: time.Second})
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
			if !errors.Is(err, test.want) && !errors.Is(err, ErrTimeout) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if again := rowsOf(t, p, c, "SELECT 42"); again != "[[42]]" {
				t.Errorf("afterwards: %s", again)
			}
			if written, _ := filepath.Glob(logs + "/*"); len(written) > 0 {
				if info, err := os.Stat(written[0]); err == nil && info.Size() > 0 {
					t.Errorf("wrote %s", written)
				}
			}
		})
	}
}
