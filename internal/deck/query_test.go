package deck

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/query"
	"tapedeck/internal/sample"
)

func TestQueryRefusesBadRequestsAndChangesNothing(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01"})
	for what, test := range map[string]struct {
		request QueryRequest
		code    string
		words   []string
	}{
		"no statement":          {QueryRequest{SQL: " \n"}, CodeBadArgument, []string{"sql is empty", "SHOW TABLES"}},
		"a negative limit":      {QueryRequest{SQL: "FROM imu", Limit: -1}, CodeBadArgument, []string{"must not be negative"}},
		"negative bytes":        {QueryRequest{SQL: "FROM imu", MaxBytes: -1}, CodeBadArgument, []string{"leave them out"}},
		"a negative time":       {QueryRequest{SQL: "FROM imu", TimeoutS: -1}, CodeBadArgument, nil},
		"a statement to write":  {QueryRequest{SQL: "DROP TABLE imu"}, CodeRefused, []string{"SELECT, FROM, WITH"}},
		"two statements":        {QueryRequest{SQL: "SELECT 1; SELECT 2"}, CodeRefused, nil},
		"a statement to attach": {QueryRequest{SQL: "ATTACH 'x.db'"}, CodeRefused, nil},
		"a file for a table":    {QueryRequest{SQL: "FROM '/etc/passwd'"}, CodeRefused, nil},
		"an unknown column":     {QueryRequest{SQL: "SELECT voltag FROM battery_status"}, CodeSQL, []string{"voltage", "get_schema"}},
		"no SQL":                {QueryRequest{SQL: "when did it stop?"}, CodeSQL, nil},
		"too little time":       {QueryRequest{SQL: "SELECT count(*) FROM range(1000000000000)", TimeoutS: 0.05}, CodeTimeout, []string{"narrow the time window"}},
	} {
		unchanged(t, d, what, func() {
			_, err := d.Query(t.Context(), test.request)
			wantError(t, what, err, test.code, test.words...)
		})
	}
	wantRows(t, d, "SELECT count(*) FROM imu", "[6000]")
}

// Limits that no clock can hold are the configured ones.
func TestTimeLimitsOfAnySize(t *testing.T) {
	d := openDeck(t, Options{})
	for _, seconds := range []float64{math.Inf(1), math.NaN(), 1e300, 1e-300} {
		result, err := d.Query(t.Context(), QueryRequest{SQL: "SELECT 1", TimeoutS: seconds})
		if err != nil || len(result.Rows) != 1 {
			t.Errorf("%v s: %v", seconds, err)
		}
	}
}

func TestMissingTableTellsWhatIsLoadedAndWhereItIs(t *testing.T) {
	dir := drives(t)
	record(t, filepath.Join(dir, "other", "status.mcap"), samples("/status", 1))
	record(t, filepath.Join(dir, "other", "gps.mcap"), samples("/sensors/gps", 1))
	d := openDeck(t, Options{Folders: []string{dir}, Recursive: true})
	ask := func(sql string) *Error {
		_, err := d.Query(t.Context(), QueryRequest{SQL: sql})
		wantError(t, sql, err, CodeMissingTable)
		return failure(t, err)
	}
	e := ask("FROM imu")
	if len(e.LoadedTables) != 0 || len(e.FoundIn) != 3 || !strings.Contains(e.Hint, "drive_01.mcap") {
		t.Errorf("nothing is loaded: %+v", e)
	}
	if !strings.Contains(string(e.JSON()), `"loaded_tables":[]`) {
		t.Errorf("no loaded_tables in %s", e.JSON())
	}
	load(t, d, LoadRequest{File: "drive_01", Alias: "r1"})
	loaded := []string{"r1__metadata", "r1_battery_status", "r1_imu", "r1_log", "r1_pose"}
	for sql, want := range map[string]struct{ nearest, found, hint string }{
		"FROM r1_battery_stats":                        {"r1_battery_status", "", "loaded_tables"},
		"FROM r1_imu JOIN sensors_gps USING (n)":       {"", "other/gps.mcap", `file "other/gps.mcap"`},
		"SELECT * FROM R7_Sensors_GPS":                 {"", "other/gps.mcap", `file "other/gps.mcap" and alias "R7"`},
		"FROM r2_battery_status":                       {"r1_battery_status", "drive_01.mcap", `alias "r2"`},
		"FROM status":                                  {"r1_battery_status", "other/status.mcap", `file "other/status.mcap"`},
		"FROM nothing_like_it_anywhere":                {"", "", "loaded_tables"},
		"SELECT (SELECT max(n) FROM memory.gps_x)":     {"", "", "loaded_tables"},
		"FROM main.sensors_gps":                        {"", "other/gps.mcap", `file "other/gps.mcap"`},
		"WITH a AS (FROM sensors_gps) SELECT * FROM a": {"", "other/gps.mcap", "load_recording"},
	} {
		e := ask(sql)
		if diff := cmp.Diff(loaded, e.LoadedTables); diff != "" {
			t.Errorf("%s: loaded tables (-want +got):\n%s", sql, diff)
		}
		if want.found != "" && (len(e.FoundIn) == 0 || e.FoundIn[0] != want.found) || want.found == "" && len(e.FoundIn) > 0 {
			t.Errorf("%s: found in %v, want %q", sql, e.FoundIn, want.found)
		}
		if !strings.Contains(e.Hint, want.hint) || want.nearest != "" && (len(e.Nearest) == 0 || e.Nearest[0] != want.nearest) {
			t.Errorf("%s: %+v", sql, e)
		}
	}
}

// What timestamp_us is for: each battery reading with the last pose
// before it.
func TestASOFJoinAcrossTopics(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_02", Alias: "r1"})
	load(t, d, LoadRequest{File: "drive_01", Alias: "r2"})
	wantRows(t, d, `SELECT count(*), bool_and(i.timestamp_us <= b.timestamp_us), max(b.timestamp_us - i.timestamp_us) < 20000
		FROM r1_battery_status b ASOF JOIN r1_imu i ON b.timestamp_us >= i.timestamp_us`,
		fmt.Sprintf("[%d,true,true]", sample.Drives()[1].Messages["/battery/status"]))
	wantRows(t, d, "SELECT min(timestamp_us) FROM r1_battery_status WHERE voltage < 22", fmt.Sprintf("[%d]", sample.LowVoltage.UnixMicro()))
	wantRows(t, d, "SELECT count(*) FROM r2_battery_status WHERE voltage < 22", "[0]")
	wantRows(t, d, "SELECT alias, message_count > 0, channel_count FROM _recordings ORDER BY alias", `["r1",true,4]`, `["r2",true,4]`)
}

func TestAnswersHaveTheSeedsShape(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01"})
	result, err := d.Query(t.Context(), QueryRequest{SQL: "SELECT timestamp_us, voltage FROM battery_status", Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]any{"columns": []any{"timestamp_us", "voltage"}, "types": []any{"BIGINT", "DOUBLE"}, "row_count": 3.0, "truncated": true} {
		if diff := cmp.Diff(want, got[field]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
	if rows, _ := got["rows"].([]any); len(rows) != 3 || got["execution_time_ms"] == nil {
		t.Errorf("%s", text)
	}
}

// collect is a sink that keeps the rows' number.
type collect struct{ rows int }

func (c *collect) Columns(_, _ []string) error { return nil }
func (c *collect) Row(json.RawMessage) error   { c.rows++; return nil }

func TestStreamAndExport(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01"})
	var sink collect
	summary, err := d.Stream(t.Context(), QueryRequest{SQL: "FROM imu", Limit: 10}, &sink)
	if err != nil || sink.rows != 10 || !summary.Truncated {
		t.Errorf("%d rows, %+v, %v", sink.rows, summary, err)
	}
	_, err = d.Stream(t.Context(), QueryRequest{}, &sink)
	wantError(t, "streaming nothing", err, CodeBadArgument)
	path := filepath.Join(t.TempDir(), "imu.parquet")
	if rows, err := d.Export(t.Context(), "FROM imu", "parquet", path); err != nil || rows != 6000 {
		t.Errorf("%d rows, %v", rows, err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Error(err)
	}
	_, err = d.Export(t.Context(), "FROM imus", "parquet", path+"2")
	wantError(t, "exporting a table that is not", err, CodeMissingTable, "imu")
}

func TestTablesRemovedFromTheCacheAreMadeAgain(t *testing.T) {
	dir := drives(t)
	d := openDeck(t, Options{Folders: []string{dir}})
	load(t, d, LoadRequest{File: "drive_01", Alias: "a", Topics: []string{"/imu"}})
	load(t, d, LoadRequest{File: "drive_02", Alias: "b"})
	wantRows(t, d, "SELECT count(*) FROM a_imu", "[6000]")
	clear := func() {
		t.Helper()
		other := openDeck(t, Options{CacheDir: d.opt.CacheDir})
		if n, _, err := other.Cache().Clear(); err != nil || n == 0 {
			t.Fatalf("%d loads cleared, %v", n, err)
		}
	}
	clear()
	wantRows(t, d, "SELECT count(*) FROM a_imu", "[6000]")
	if loads, _ := onDisk(t, d); loads != 1 {
		t.Errorf("%d loads were made again; the statement names one", loads)
	}
	wantRows(t, d, "SELECT count(*) FROM a_imu i ASOF JOIN b_imu j ON i.timestamp_us <= j.timestamp_us", "[6000]")

	clear()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	names := d.set.Names()
	_, err := d.Query(ctx, QueryRequest{SQL: "FROM a_imu"})
	wantError(t, "a cancelled query", err, CodeCancelled)
	if diff := cmp.Diff(names, d.set.Names()); diff != "" {
		t.Errorf("a cancelled query changed what is loaded (-before +after):\n%s", diff)
	}

	if err := os.Remove(filepath.Join(dir, "drive_01.mcap")); err != nil {
		t.Fatal(err)
	}
	wantRows(t, d, "SELECT count(*) FROM b_imu", "[6000]") // what is gone costs no other statement
	_, err = d.Query(t.Context(), QueryRequest{SQL: "FROM a_imu"})
	wantError(t, "a table that can't be made again", err, CodeMissingTable, "drive_01.mcap", "can't be made again", "load the recording again")
	_, err = d.Query(t.Context(), QueryRequest{SQL: "FROM a_imu"})
	wantError(t, "the same again", err, CodeMissingTable, `"a_imu" is not loaded`)
}

// A cache too small for what is loaded must not remove what is in use.
func TestTheCachesBoundSparesWhatIsAttached(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		record(t, filepath.Join(dir, name+".mcap"), bulky("/"+name, 2000))
	}
	d := openDeck(t, Options{Folders: []string{dir}, CacheMaxMB: 1})
	load(t, d, LoadRequest{File: "a"})
	load(t, d, LoadRequest{File: "b"})
	wantRows(t, d, "SELECT count(*) FROM a JOIN b USING (n)", "[2000]")
	if loads, _ := onDisk(t, d); loads != 2 {
		t.Errorf("%d loads are on disk", loads)
	}
}

// What a running query reads stays, whatever is loaded meanwhile.
func TestLoadingAgainWhileAQueryRuns(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "a.mcap"), samples("/a", 2000))
	d := openDeck(t, Options{Folders: []string{dir}})
	load(t, d, LoadRequest{File: "a", Alias: "r1"})
	var wg sync.WaitGroup
	running := make(chan struct{})
	wg.Go(func() {
		close(running)
		result, err := d.Query(t.Context(), QueryRequest{SQL: "SELECT count(*) FROM r1_a x, r1_a y, range(20) WHERE x.n + y.n >= range", TimeoutS: 60})
		if err != nil {
			t.Error(err)
		} else if got := string(result.Rows[0]); got != "[79998670]" && got != "[0]" { // all pairs but those below 20, or none in the window
			t.Errorf("%s rows, want those of one load", got)
		}
	})
	<-running
	for range 3 {
		load(t, d, LoadRequest{File: "a", Alias: "r1", StartTime: "999000000"})
		load(t, d, LoadRequest{File: "a", Alias: "r1"})
	}
	wantRows(t, d, "SELECT count(*) FROM r1_a", "[2000]")
	wg.Wait()
}

// workers are the process ids of this test's query workers.
func workers(t *testing.T) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …, and the name may hold anything (proc(5)).
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
	}
	return ids
}

func TestAKilledWorkerCostsItsQueryOnly(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the system does not tell which processes there are:", err)
	}
	d := openDeck(t, Options{Folders: []string{drives(t)}, Pool: query.Options{MaxWorkers: 1}})
	load(t, d, LoadRequest{File: "drive_01"})
	ended := make(chan error, 1)
	go func() {
		_, err := d.Query(context.Background(), QueryRequest{SQL: "SELECT count(*) FROM range(1000000000000)"})
		ended <- err
	}()
	var killed int
	for deadline := time.Now().Add(20 * time.Second); killed == 0 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		for _, id := range workers(t) {
			time.Sleep(100 * time.Millisecond) // so that it has begun
			if process, err := os.FindProcess(id); err == nil && process.Kill() == nil {
				killed++
			}
		}
	}
	select {
	case err := <-ended:
		wantError(t, "the query of a killed worker", err, CodeWorker, "unharmed")
	case <-time.After(20 * time.Second):
		t.Fatal("the query did not end with its worker")
	}
	wantRows(t, d, "SELECT count(*) FROM imu", "[6000]")
}

func TestCancelledQueryCostsNothing(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01"})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	unchanged(t, d, "a cancelled query", func() {
		_, err := d.Query(ctx, QueryRequest{SQL: "SELECT count(*) FROM range(1000000000000)"})
		if e := failure(t, err); e.Code != CodeCancelled && e.Code != CodeTimeout {
			t.Errorf("%+v", e)
		}
	})
	wantRows(t, d, "SELECT count(*) FROM imu", "[6000]")
}
