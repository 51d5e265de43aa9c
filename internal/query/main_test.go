package query

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/internal/duckdb"
)

// ungatedArg starts a worker that executes what it is sent: the walls behind the gate
// are tested with it. It exists in the test binary only.
const ungatedArg = "__query-worker-ungated"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case WorkerArg:
			os.Exit(WorkerMain())
		case ungatedArg:
			os.Exit(runWorker(func(setup) admission {
				return func(_ *duckdb.Conn, sql string) (approved, error) { return approved{text: sql}, nil }
			}))
		}
	}
	os.Exit(m.Run())
}

// testCatalog is a table file with the table imu(log_time, x, s) of a thousand rows.
func testCatalog(t testing.TB) *Catalog {
	t.Helper()
	path := filepath.Join(t.TempDir(), "imu.duckdb")
	tableFile(t, path, "CREATE TABLE f.imu AS SELECT i::BIGINT AS log_time, i * 0.5 AS x, 's' || i AS s FROM range(1000) t(i)")
	return &Catalog{
		Version:    path,
		Files:      []File{{Name: "file_1", Path: path}},
		Views:      []View{{Name: "imu", File: "file_1", Table: "imu"}},
		Recordings: []Recording{{Alias: "r1", FilePath: "it's/run.mcap", StartTimeNS: 1, EndTimeNS: 1_700_000_000_000_000_001, DurationS: 1.7, MessageCount: 1000, ChannelCount: 1}},
	}
}

// plainConn is a database of the test's own, which may do anything.
func plainConn(t testing.TB) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	return conn
}

func tableFile(t testing.TB, path, sql string) {
	t.Helper()
	conn := plainConn(t)
	for _, sql := range []string{"ATTACH " + duckdb.QuoteText(path) + " AS f", sql, "DETACH f"} {
		if err := conn.Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
}

func testPool(t testing.TB, o Options) *Pool {
	t.Helper()
	if o.Threads == 0 {
		o.Threads = 2
	}
	p, err := NewPool(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func ask(p *Pool, c *Catalog, sql string) (*Result, error) {
	return p.Query(context.Background(), c, Request{SQL: sql})
}

// rowsOf asks and gives the rows as one JSON text.
func rowsOf(t testing.TB, p *Pool, c *Catalog, sql string) string {
	t.Helper()
	r, err := ask(p, c, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	text, err := json.Marshal(r.Rows)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return string(text)
}

// testConn is a database as a worker has it, in this process.
func testConn(t testing.TB, c *Catalog) *duckdb.Conn {
	t.Helper()
	db, err := openEngine(setup{Catalog: *c, MemoryMB: 512, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	return conn
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}

// textRows executes sql in this process and gives its rows of texts.
func textRows(t testing.TB, conn *duckdb.Conn, sql string) (table [][]string) {
	t.Helper()
	statement, err := conn.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	rows, err := statement.Stream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		line, _ := rows.AppendJSON(nil, 1<<20, 1<<20)
		var row []string
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		table = append(table, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return table
}
