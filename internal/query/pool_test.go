package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestQueryAnswers(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	got, err := ask(p, c, "SELECT log_time, x, s FROM imu ORDER BY log_time LIMIT 2;")
	if err != nil {
		t.Fatal(err)
	}
	want := &Result{
		Columns: []string{"log_time", "x", "s"}, Types: []string{"BIGINT", "DECIMAL(21,1)", "VARCHAR"},
		Rows:     []json.RawMessage{json.RawMessage(`[0,0.0,"s0"]`), json.RawMessage(`[1,0.5,"s1"]`)},
		RowCount: 2,
		Tables:   []string{"imu"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "ExecutionTimeMS")); diff != "" {
		t.Error(diff)
	}
	if got.ExecutionTimeMS <= 0 {
		t.Error("no execution time")
	}
}

func TestAnswerWithoutRows(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	got, err := ask(p, c, "SELECT x FROM imu WHERE false")
	if err != nil {
		t.Fatal(err)
	}
	if got.RowCount != 0 || got.Rows == nil || len(got.Columns) != 1 || got.Truncated {
		t.Errorf("got %+v", got)
	}
}

func TestRecordingsAreATable(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	got := rowsOf(t, p, c, "FROM _recordings")
	if want := `[["r1","it's/run.mcap",1,"1700000000000000001",1.7,1000,1]]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAskingForMoreThanTheLimit(t *testing.T) {
	c := testCatalog(t)
	p := testPool(t, Options{Limits: Limits{DefaultRows: 10, MaxRows: 100, MaxBytes: 2000, CellBytes: 200}})
	for _, test := range []struct {
		name     string
		request  Request
		rows     int
		reasons  []string
		complete bool
	}{
		{name: "default", request: Request{SQL: "FROM imu"}, rows: 10, reasons: []string{"first 10 rows", "OFFSET 10", "at most 100"}},
		{name: "exactly the limit", request: Request{SQL: "FROM imu LIMIT 10"}, rows: 10, complete: true},
		{name: "lowered", request: Request{SQL: "FROM imu", MaxRows: 3}, rows: 3, reasons: []string{"first 3 rows"}},
		{name: "raised", request: Request{SQL: "FROM range(200)", MaxRows: 1_000_000}, rows: 100, reasons: []string{"first 100 rows", "OFFSET 100"}},
		{name: "negative", request: Request{SQL: "FROM imu", MaxRows: -1}, rows: 10, reasons: []string{"first 10 rows"}},
		{name: "bytes", request: Request{SQL: "SELECT repeat('y', 150) FROM range(90)", MaxRows: 90}, rows: 12, reasons: []string{"2000 bytes", "OFFSET 12"}},
		{name: "bytes lowered", request: Request{SQL: "SELECT repeat('y', 95) FROM range(90)", MaxRows: 90, MaxBytes: 250}, rows: 2, reasons: []string{"250 bytes"}},
		{name: "a value", request: Request{SQL: "SELECT repeat('y', 20000000)"}, rows: 1, reasons: []string{"1 long values are cut", "left(c, 1000)"}},
		{name: "a row", request: Request{SQL: "SELECT repeat('y', 100) a, repeat('y', 100) b", MaxBytes: 150}, rows: 0, reasons: []string{"first row alone"}},
		{name: "comment", request: Request{SQL: "SELECT * FROM imu --"}, rows: 10, reasons: []string{"first 10 rows"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := p.Query(context.Background(), c, test.request)
			if err != nil {
				t.Fatal(err)
			}
			if got.RowCount != test.rows || len(got.Rows) != test.rows || got.Truncated == test.complete {
				t.Errorf("got %d rows, truncated %t, want %d", got.RowCount, got.Truncated, test.rows)
			}
			size := 0
			for _, row := range got.Rows {
				size += len(row)
			}
			if size > 2000 {
				t.Errorf("the answer has %d bytes", size)
			}
			for _, reason := range test.reasons {
				if !strings.Contains(got.TruncatedReason, reason) {
					t.Errorf("reason %q does not say %q", got.TruncatedReason, reason)
				}
			}
		})
	}
}

func TestColumnLimit(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	if _, err := ask(p, c, "SELECT "+strings.Repeat("1, ", 20_000)+"1"); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "20001 columns") {
		t.Errorf("got %v", err)
	}
}

// Text that is large or deep must cost its own statement only.
func TestHugeStatements(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 1}), testCatalog(t)
	for name, sql := range map[string]string{
		"too long":          "SELECT '" + strings.Repeat("x", 10<<20) + "'",
		"values":            "SELECT 1 IN (" + strings.Repeat("2, ", 50_000) + "1)",
		"unions":            "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 2000),
		"sub-selects":       strings.Repeat("SELECT (", 300) + "SELECT 1" + strings.Repeat(")", 300),
		"deep sub-selects":  strings.Repeat("SELECT (", 5000) + "SELECT 1" + strings.Repeat(")", 5000),
		"brackets":          "SELECT " + strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000),
		"negations":         "SELECT " + strings.Repeat("NOT ", 50_000) + "true",
		"lists":             "SELECT " + strings.Repeat("[", 2000) + "1" + strings.Repeat("]", 2000),
		"structs":           "SELECT " + strings.Repeat("{a: ", 200) + "1" + strings.Repeat("}", 200),
		"table expressions": "WITH a0 AS (SELECT 1)" + tableExpressions(2000) + " FROM a2000",
	} {
		start := time.Now()
		if _, err := p.Query(context.Background(), c, Request{SQL: sql, Timeout: 3 * time.Second}); errors.Is(err, ErrWorker) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if got := rowsOf(t, p, c, "SELECT 42"); got != "[[42]]" {
			t.Errorf("%s: afterwards: %s", name, got)
		}
	}
}

func tableExpressions(n int) string {
	var sql strings.Builder
	for i := range n {
		fmt.Fprintf(&sql, ", a%d AS (FROM a%d)", i+1, i)
	}
	return sql.String()
}

func TestErrorsAreSorted(t *testing.T) {
	p, c := testPool(t, Options{MemoryMB: 64}), testCatalog(t)
	for _, test := range []struct {
		sql  string
		want error
		has  string
	}{
		{"SELEC 1", ErrSQL, `syntax error at or near "SELEC"`},
		{"SELECT zz FROM imu", ErrSQL, `"zz" not found`},
		{"SELECT 'x'::INTEGER", ErrSQL, "Could not convert"},
		{"", ErrSQL, "empty"},
		{"DROP TABLE imu", ErrRefused, "DROP is not allowed"},
		{"FROM nowhere", ErrMissingTable, `"nowhere"`},
		{"SELECT $1", ErrRefused, "parameters"},
		{"SELECT list(i) FROM range(300000000) t(i)", ErrMemory, "Out of Memory"},
	} {
		_, err := ask(p, c, test.sql)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.has) {
			t.Errorf("%s: got %v", test.sql, err)
		}
		if err != nil && strings.Contains(err.Error(), filepath.Dir(c.Files[0].Path)) {
			t.Errorf("%s: shows a path: %v", test.sql, err)
		}
	}
}

func TestMissingTableIsNamed(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	var missing *MissingTableError
	if _, err := ask(p, c, `SELECT * FROM imu JOIN main."Gps" USING (log_time)`); !errors.As(err, &missing) || missing.Table != "main.Gps" {
		t.Errorf("got %v", err)
	}
}

func TestDeadline(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 2}), testCatalog(t)
	for _, sql := range []string{
		"SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
		"SELECT list_reduce(range(50000000), lambda a, b: a+b)", // heeds no interrupt
	} {
		start := time.Now()
		_, err := p.Query(context.Background(), c, Request{SQL: sql, Timeout: 300 * time.Millisecond})
		if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "300ms") {
			t.Errorf("%s: got %v", sql, err)
		}
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("%s: took %v", sql, took)
		}
		if got := rowsOf(t, p, c, "SELECT 42"); got != "[[42]]" {
			t.Errorf("afterwards: %s", got)
		}
	}
}

func TestCallerGivesUp(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 1}), testCatalog(t)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := p.Query(ctx, c, Request{SQL: "SELECT list_reduce(range(50000000), lambda a, b: a+b)"})
	if err == nil || time.Since(start) > 15*time.Second {
		t.Errorf("got %v after %v", err, time.Since(start))
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Query(cancelled, c, Request{SQL: "SELECT 1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := rowsOf(t, p, c, "SELECT 42"); got != "[[42]]" {
		t.Errorf("afterwards: %s", got)
	}
}

func TestWorkerThatDiesCostsOneQuery(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 2}), testCatalog(t)
	const long = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b"
	failed := make(chan error)
	go func() {
		_, err := ask(p, c, long)
		failed <- err
	}()
	var victim *process
	eventually(t, "a worker is busy", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for victim = range p.busy {
		}
		return victim != nil
	})
	time.Sleep(50 * time.Millisecond)
	if err := victim.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, p, c, "SELECT 42"); got != "[[42]]" {
		t.Errorf("another caller: %s", got)
	}
	if err := <-failed; !errors.Is(err, ErrWorker) {
		t.Errorf("got %v", err)
	}
}

func TestIdleWorkerThatDiesIsNotUsed(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 1}), testCatalog(t)
	rowsOf(t, p, c, "SELECT 1")
	p.mu.Lock()
	w := p.idle[0]
	p.mu.Unlock()
	w.cmd.Process.Kill()
	<-w.exited
	if got := rowsOf(t, p, c, "SELECT 42"); got != "[[42]]" {
		t.Errorf("got %s", got)
	}
}

// Nobody may have seen yet that idle workers died: what is asked then was not begun,
// and goes to another.
func TestIdleWorkersThatDieUnseenCostNothing(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 4}), testCatalog(t)
	for range 20 {
		rowsOf(t, p, c, "SELECT 1")
		p.mu.Lock()
		for _, w := range p.idle {
			w.cmd.Process.Kill()
		}
		p.mu.Unlock()
		if got := rowsOf(t, p, c, "SELECT 42"); got != "[[42]]" {
			t.Errorf("got %s", got)
		}
	}
}

func TestConcurrentCallersGetWorkersUpToTheMaximum(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 2}), testCatalog(t)
	var wg sync.WaitGroup
	most := 0
	for range 6 {
		wg.Go(func() {
			if got := rowsOf(t, p, c, "SELECT sum(i % 7) FROM range(70000000) t(i)"); got != "[[210000000]]" {
				t.Errorf("got %s", got)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for {
		p.mu.Lock()
		most = max(most, len(p.busy))
		p.mu.Unlock()
		select {
		case <-done:
			if most != 2 {
				t.Errorf("at most %d workers were busy, want 2", most)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestWaitingForAWorkerEnds(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 1}), testCatalog(t)
	p.slots <- struct{}{}
	_, err := p.Query(context.Background(), c, Request{SQL: "SELECT 1", Timeout: 10 * time.Millisecond})
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "busy") {
		t.Errorf("got %v", err)
	}
	<-p.slots
}

func TestWorkersAreReusedUntilTheCatalogChanges(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 1}), testCatalog(t)
	idle := func() *process {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.idle) != 1 {
			t.Fatalf("%d idle workers", len(p.idle))
		}
		return p.idle[0]
	}
	rowsOf(t, p, c, "SELECT 1")
	first := idle()
	if _, err := ask(p, c, "SELECT zz"); err == nil {
		t.Error("no error")
	}
	rowsOf(t, p, c, "FROM imu")
	if idle() != first {
		t.Error("the worker was replaced without need")
	}
	changed := *c
	changed.Version = "other"
	changed.Views = []View{{Name: "renamed", File: "file_1", Table: "imu"}}
	rowsOf(t, p, &changed, "FROM renamed")
	if first.alive() {
		t.Error("a worker of the old catalog still runs")
	}
	if _, err := ask(p, &changed, "FROM imu"); !errors.Is(err, ErrMissingTable) {
		t.Errorf("got %v", err)
	}
}

func TestSpareIsStartedAhead(t *testing.T) {
	p, c := testPool(t, Options{MaxWorkers: 2}), testCatalog(t)
	p.Warm(c)
	idle := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.idle)
	}
	eventually(t, "one worker is idle", func() bool { return idle() == 1 })
	rowsOf(t, p, c, "SELECT 1")
	eventually(t, "another is idle", func() bool { return idle() == 2 })
}

func TestTableFileThatIsGone(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	if err := os.Remove(c.Files[0].Path); err != nil {
		t.Fatal(err)
	}
	_, err := ask(p, c, "SELECT 1")
	if !errors.Is(err, ErrWorker) || !strings.Contains(err.Error(), "table file file_1") {
		t.Errorf("got %v", err)
	}
}

func TestClosedPool(t *testing.T) {
	p, c := testPool(t, Options{}), testCatalog(t)
	rowsOf(t, p, c, "SELECT 1")
	p.Close()
	if _, err := ask(p, c, "SELECT 1"); !errors.Is(err, ErrWorker) {
		t.Errorf("got %v", err)
	}
}

type brokenSink struct{ rows int }

var errSink = errors.New("no space")

func (s *brokenSink) Columns([]string, []string) error { return nil }
func (s *brokenSink) Row(json.RawMessage) error {
	s.rows++
	return errSink
}

func TestStreamEndsWithItsSink(t *testing.T) {
	p, c := testPool(t, Options{Limits: Limits{MaxRows: 1 << 30, DefaultRows: 1 << 30, MaxBytes: 1 << 40}}), testCatalog(t)
	sink := &brokenSink{}
	if _, err := p.Stream(context.Background(), c, Request{SQL: "FROM range(100000000)"}, sink); !errors.Is(err, errSink) || sink.rows != 1 {
		t.Errorf("got %v after %d rows", err, sink.rows)
	}
	if got := rowsOf(t, p, c, "SELECT 42"); got != "[[42]]" {
		t.Errorf("afterwards: %s", got)
	}
}

func BenchmarkCount(b *testing.B) {
	p, c := testPool(b, Options{}), testCatalog(b)
	rowsOf(b, p, c, "SELECT 1")
	for b.Loop() {
		rowsOf(b, p, c, "SELECT count(*) FROM imu")
	}
}

func BenchmarkStartWorker(b *testing.B) {
	p, c := testPool(b, Options{}), testCatalog(b)
	for b.Loop() {
		w, err := p.startWorker(context.Background(), c)
		if err != nil {
			b.Fatal(err)
		}
		w.close()
	}
}
