package deck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/query"
	"tapedeck/internal/sample"
)

func TestLoadRefusesBadArgumentsAndChangesNothing(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01"})
	for what, test := range map[string]struct {
		request LoadRequest
		code    string
		words   []string
	}{
		"an unknown topic":           {LoadRequest{Topics: []string{"/imu", "/battery/statu"}}, CodeUnknownTopic, []string{`"/battery/statu"`, "/battery/status", "get_recording_info"}},
		"no topic at all":            {LoadRequest{Topics: []string{}}, CodeBadArgument, []string{"topics is an empty list", "leave topics out"}},
		"an alias with a sign":       {LoadRequest{Alias: "run-1"}, CodeBadAlias, []string{`"run-1"`, "letters, digits and _"}},
		"an alias of digits":         {LoadRequest{Alias: "1"}, CodeBadAlias, []string{"such as r1"}},
		"an alias with SQL in it":    {LoadRequest{Alias: `x" AS SELECT 1; --`}, CodeBadAlias, nil},
		"an alias of 64 letters":     {LoadRequest{Alias: strings.Repeat("a", 64)}, CodeBadAlias, []string{"at most 63"}},
		"a bad start":                {LoadRequest{StartTime: "noon"}, CodeBadTime, []string{`start_time "noon"`, "2024-05-01T12:00:00Z", "microseconds"}},
		"a bad end":                  {LoadRequest{EndTime: "2025-06-31"}, CodeBadTime, []string{"end_time"}},
		"a start after the end":      {LoadRequest{StartTime: "2025-06-03T09:00:30Z", EndTime: "2025-06-03T09:00:10Z"}, CodeBadTime, []string{"is not after start_time"}},
		"an end that is the start":   {LoadRequest{StartTime: "1714564800000000", EndTime: "1714564800000000"}, CodeBadTime, []string{"start_time is included, end_time is not"}},
		"an end before all times":    {LoadRequest{EndTime: "1950-01-01"}, CodeBadTime, []string{"is not after start_time 0"}},
		"a negative downsample":      {LoadRequest{Downsample: -2}, CodeBadArgument, []string{"downsample -2", "10 keeps"}},
		"blobs that are not a thing": {LoadRequest{Blobs: "all"}, CodeBadArgument, []string{`"load"`, `"omit"`}},
	} {
		test.request.File = "drive_01"
		unchanged(t, d, what, func() {
			_, err := d.Load(t.Context(), test.request, nil)
			wantError(t, what, err, test.code, test.words...)
		})
	}
	if loads, making := onDisk(t, d); loads != 1 || making != 0 {
		t.Errorf("the cache holds %d loads and %d in the making", loads, making)
	}
}

func TestLoadTellsWhatItMade(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}, MemoryBudgetMB: 64})
	var last [2]uint64
	result, err := d.Load(t.Context(), LoadRequest{File: "drive_02.mcap", Alias: "r1"}, func(done, total uint64, _ string) { last = [2]uint64{done, total} })
	if err != nil {
		t.Fatal(err)
	}
	drive, rows := sample.Drives()[1], uint64(0)
	for topic, n := range drive.Messages {
		rows += uint64(n)
		name := "r1_" + strings.ReplaceAll(topic[1:], "/", "_")
		if got := result.Tables[name]; got.Rows != uint64(n) || got.Columns < 2 || got.Topic != topic {
			t.Errorf("%s: %+v, want %d rows", name, got, n)
		}
	}
	if result.Status != "loaded" || result.File != "drive_02.mcap" || result.Alias != "r1" || result.TotalRows != rows || len(result.Tables) != 4 {
		t.Errorf("%+v", result)
	}
	if result.MemoryMB <= 0 || result.MemoryUsedMB != result.MemoryMB || result.MemoryBudgetMB != 64 || result.FromCache || result.Lossy {
		t.Errorf("%+v", result)
	}
	if len(result.SkippedTopics) != 0 || result.SkippedTopics == nil || result.SkippedReason != nil || result.EvictedTables != nil || result.Warnings != nil {
		t.Errorf("%+v", result)
	}
	if last[1] == 0 || last[0] > last[1] {
		t.Errorf("progress ended at %v", last)
	}
	if again := load(t, d, LoadRequest{File: "drive_02.mcap", Alias: "r1"}); !again.FromCache || again.TotalRows != rows || again.ReplacedTables != nil {
		t.Errorf("again: %+v", again)
	}
}

func TestLoadPicksAndThins(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	for what, test := range map[string]struct {
		request LoadRequest
		rows    string
	}{
		"everything":        {LoadRequest{}, "[6000]"},
		"each hundredth":    {LoadRequest{Downsample: 100}, "[60]"},
		"a window":          {LoadRequest{StartTime: "2025-06-03T09:00:10Z", EndTime: "2025-06-03 09:00:20"}, "[1000]"},
		"from a time on":    {LoadRequest{StartTime: "2025-06-03T11:00:50+02:00"}, "[1000]"},
		"by microseconds":   {LoadRequest{EndTime: "1748941210000000"}, "[1000]"},
		"a window, thinned": {LoadRequest{StartTime: "2025-06-03T09:00:10Z", EndTime: "2025-06-03T09:00:20Z", Downsample: 50}, "[20]"},
	} {
		test.request.File, test.request.Topics = "drive_01", []string{"/imu"}
		result := load(t, d, test.request)
		if len(result.Tables) != 1 {
			t.Errorf("%s: tables %v", what, result.Tables)
		}
		if got := ask(t, d, "SELECT count(*) FROM imu"); fmt.Sprint(got) != "["+test.rows+"]" {
			t.Errorf("%s: %v rows, want %s", what, got, test.rows)
		}
	}
	load(t, d, LoadRequest{File: "drive_01", MessageColumns: true})
	wantRows(t, d, "SELECT bool_and(log_time_ns // 1000 = timestamp_us), min(sequence), count(DISTINCT channel_id) FROM imu", "[true,1,1]")
}

// A window that misses the recording gives empty tables, and says where the
// recording lies.
func TestWindowOutsideOfTheRecordingWarns(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "boot.mcap"), samples("/a", 1000))
	d := openDeck(t, Options{Folders: []string{dir}})
	result := load(t, d, LoadRequest{File: "boot", StartTime: "2025-06-03T09:00:00Z"})
	if result.TotalRows != 0 || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "runs from 1970-01-01T00:00:01.000+00:00 to 1970-01-01T00:00:01.999+00:00") {
		t.Errorf("%+v", result)
	}
	wantRows(t, d, "SELECT count(*) FROM a", "[0]")
	if inside := load(t, d, LoadRequest{File: "boot", StartTime: "1500000"}); inside.TotalRows != 500 || len(inside.Warnings) != 0 {
		t.Errorf("by microseconds since boot: %+v", inside)
	}
}

func TestTopicsWithoutDecoderAreSkippedAndListed(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "odd.mcap"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := mcap.NewWriter(f, &mcap.WriterOptions{Chunked: true})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.WriteHeader(&mcap.Header{}),
		w.WriteChannel(&mcap.Channel{ID: 1, Topic: "/odd", MessageEncoding: "x-acme"}),
		w.WriteChannel(&mcap.Channel{ID: 2, Topic: "/a", MessageEncoding: "json"}),
		w.WriteMessage(&mcap.Message{ChannelID: 1, Data: []byte("?")}),
		w.WriteMessage(&mcap.Message{ChannelID: 2, Data: []byte(`{"n":1}`)}),
		w.WriteMessage(&mcap.Message{ChannelID: 2, Data: []byte(`{`)}),
		w.Close())
	if err != nil {
		t.Fatal(err)
	}
	d := openDeck(t, Options{Folders: []string{dir}})
	result := load(t, d, LoadRequest{File: "odd"})
	if diff := cmp.Diff([]string{"/odd"}, result.SkippedTopics); diff != "" || result.SkippedReason == nil || !strings.Contains(*result.SkippedReason, "x-acme") {
		t.Errorf("skipped %v, %v", result.SkippedTopics, result.SkippedReason)
	}
	if u := result.Undecoded["/a"]; u.Messages != 1 || u.Reason == "" || !result.Lossy {
		t.Errorf("undecoded %v, lossy %v", result.Undecoded, result.Lossy)
	}
	wantRows(t, d, "SELECT n FROM a", "[1]")

	_, err = d.Query(t.Context(), QueryRequest{SQL: "FROM odd"})
	wantError(t, "a table that no load makes", err, CodeMissingTable)
	var e *Error
	if errors.As(err, &e) && (len(e.FoundIn) > 0 || strings.Contains(e.Hint, "odd.mcap")) {
		t.Errorf("a recording that can't bring the table is named: %+v", e)
	}
}

func TestMetadataIsThereForEveryRecording(t *testing.T) {
	dir := drives(t)
	record(t, filepath.Join(dir, "bare.mcap"), samples("/a", 1))
	record(t, filepath.Join(dir, "silent.mcap"), nil, mcap.Metadata{Name: "run", Metadata: map[string]string{"robot": "r9"}})
	d := openDeck(t, Options{Folders: []string{dir}})
	load(t, d, LoadRequest{File: "drive_01"})
	wantRows(t, d, "SELECT * FROM _metadata WHERE record_name = 'run'", `["run","robot","rover-7"]`, `["run","site","north yard"]`, `["run","weather","clear"]`)
	load(t, d, LoadRequest{File: "bare", Alias: "r1"})
	wantRows(t, d, "SELECT count(*) FROM r1__metadata", "[0]")
	load(t, d, LoadRequest{File: "silent", Alias: "R2"})
	wantRows(t, d, "SELECT value FROM r2__metadata", `["r9"]`)
	wantRows(t, d, "SELECT alias, message_count FROM _recordings WHERE alias <> '' ORDER BY alias", `["R2",0]`, `["r1",1]`)
	result := load(t, d, LoadRequest{File: "bare"})
	wantRows(t, d, "SELECT count(*) FROM _metadata", "[0]")
	if diff := cmp.Diff([]string{"_metadata"}, result.ReplacedTables); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
}

func TestClashWithoutAliasIsReported(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01"})
	result := load(t, d, LoadRequest{File: "drive_02", Topics: []string{"/imu"}})
	if diff := cmp.Diff([]string{"_metadata", "imu"}, result.ReplacedTables); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	wantRows(t, d, "SELECT (SELECT min(make_timestamp(timestamp_us))::DATE::VARCHAR || hour(min(make_timestamp(timestamp_us))) FROM imu), "+
		"(SELECT hour(min(make_timestamp(timestamp_us))) FROM battery_status)", `["2025-06-0310",9]`)
}

// Aliases that differ in case only mean the same tables.
func TestAliasesIgnoreCase(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	load(t, d, LoadRequest{File: "drive_01", Alias: "R1", Topics: []string{"/imu"}})
	load(t, d, LoadRequest{File: "drive_01", Alias: "r1", Topics: []string{"/log"}})
	wantRows(t, d, "SELECT count(*) > 0 FROM r1_imu, r1_log, r1__metadata", "[true]")
}

// A load's file is 3.4 MB, or some blocks of 256 kB more when the engine's
// threads wrote it in another order: two fit the budget, three don't.
func TestEvictionByTheMemoryBudget(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		record(t, filepath.Join(dir, name+".mcap"), bulky("/"+name, 6000), mcap.Metadata{Name: "is", Metadata: map[string]string{"name": name}})
	}
	d := openDeck(t, Options{Folders: []string{dir}, MemoryBudgetMB: 8})
	load(t, d, LoadRequest{File: "a", Alias: "x"})
	load(t, d, LoadRequest{File: "b", Alias: "y"})
	wantRows(t, d, "SELECT count(*) FROM x_a", "[6000]") // now y was used longer ago
	result := load(t, d, LoadRequest{File: "c", Alias: "z"})
	if diff := cmp.Diff([]string{"y__metadata", "y_b"}, result.EvictedTables); diff != "" || result.EvictionWarning == "" || result.MemoryUsedMB > 8 {
		t.Errorf("evicted (-want +got):\n%s%+v", diff, result)
	}
	wantRows(t, d, "SELECT count(*) FROM y_b", "[6000]")
	wantRows(t, d, "SELECT value FROM x__metadata", `["a"]`)
	if used := d.set.AttachedMB(); used > 8 {
		t.Errorf("%v MB are attached", used)
	}
	wantRows(t, d, "SELECT count(*) FROM main.x_a JOIN y_b USING (n) JOIN memory.main.z_c USING (n), y__metadata", "[6000]") // more than fits
	if used := d.set.AttachedMB(); used <= 8 {
		t.Errorf("only %v MB are attached: the test's recordings are too small", used)
	}
	_, err := d.Query(t.Context(), QueryRequest{SQL: "FROM x_a, never"})
	wantError(t, "a table that was never loaded", err, CodeMissingTable, `"never"`)
}

// The engine needs 2048 rows of a table at once, so large messages can take more
// than a load may.
func TestLoadBeyondTheMemoryLimitSaysWhatToDo(t *testing.T) {
	dir, text := t.TempDir(), strings.Repeat("x", 512<<10)
	var frames []message
	for i := range 150 {
		frames = append(frames, message{"/frames", time.Second + time.Duration(i)*time.Millisecond, fmt.Sprintf(`{"n":%d,"text":%q}`, i, text)})
	}
	record(t, filepath.Join(dir, "a.mcap"), frames)
	d := openDeck(t, Options{Folders: []string{dir}, Pool: query.Options{MemoryMB: 32}})
	unchanged(t, d, "a load beyond the limit", func() {
		_, err := d.Load(t.Context(), LoadRequest{File: "a"}, nil)
		wantError(t, "a load beyond the limit", err, CodeMemory, "loading a", "more than the 32 MB")
		var e *Error
		if errors.As(err, &e) && (!strings.Contains(e.Hint, "start_time") || strings.Contains(e.Message, "threads")) {
			t.Errorf("%+v", e)
		}
	})
	if loads, making := onDisk(t, d); loads != 0 || making != 0 {
		t.Errorf("the cache holds %d loads and %d in the making", loads, making)
	}
	if result := load(t, d, LoadRequest{File: "a", EndTime: "1970-01-01T00:00:01.005Z"}); result.TotalRows != 5 {
		t.Errorf("a part of it: %+v", result)
	}
	roomy := openDeck(t, Options{Folders: []string{dir}})
	if result := load(t, roomy, LoadRequest{File: "a"}); result.TotalRows != 150 {
		t.Errorf("with more memory: %+v", result)
	}
}

func TestCancelledLoadChangesNothing(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "a.mcap"), bulky("/a", 5000))
	d := openDeck(t, Options{Folders: []string{dir}})
	ctx, cancel := context.WithCancel(t.Context())
	unchanged(t, d, "a cancelled load", func() {
		_, err := d.Load(ctx, LoadRequest{File: "a"}, func(done, total uint64, _ string) {
			if done > total/3 {
				cancel()
			}
		})
		wantError(t, "a cancelled load", err, CodeCancelled, "nothing was changed")
	})
	if loads, making := onDisk(t, d); loads != 0 || making != 0 {
		t.Errorf("the cache holds %d loads and %d in the making", loads, making)
	}
	if result := load(t, d, LoadRequest{File: "a"}); result.TotalRows != 5000 || result.FromCache {
		t.Errorf("%+v", result)
	}
}

// Who waits for a load that another caller makes may give up too.
func TestWaitingForTheSameLoadIsCancelled(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "a.mcap"), bulky("/a", 5000))
	d := openDeck(t, Options{Folders: []string{dir}})
	working, goOn := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	var once sync.Once
	go func() {
		_, err := d.Load(context.Background(), LoadRequest{File: "a", Alias: "first"}, func(done, total uint64, _ string) {
			once.Do(func() { close(working); <-goOn })
		})
		first <- err
	}()
	<-working
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := d.Load(ctx, LoadRequest{File: "a", Alias: "second"}, nil)
		ended <- err
	}()
	select {
	case err := <-ended:
		wantError(t, "the second load", err, CodeCancelled)
	case <-time.After(10 * time.Second):
		t.Error("the second load waits for the first")
	}
	close(goOn)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"first__metadata", "first_a"}, d.set.Names()); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
}

func TestARecordingThatChangedIsLoadedAnew(t *testing.T) {
	dir := t.TempDir()
	path := record(t, filepath.Join(dir, "a.mcap"), samples("/a", 10))
	d := openDeck(t, Options{Folders: []string{dir}})
	load(t, d, LoadRequest{File: "a"})
	record(t, path, append(samples("/a", 20), samples("/b", 1)...))
	wantRows(t, d, "SELECT count(*) FROM a", "[10]") // what was loaded stays until it is loaded again
	if result := load(t, d, LoadRequest{File: "a"}); result.FromCache || result.TotalRows != 21 || result.ReplacedTables != nil {
		t.Errorf("%+v", result)
	}
	wantRows(t, d, "SELECT count(*) FROM a", "[20]")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantRows(t, d, "SELECT count(*) FROM a", "[20]")
	unchanged(t, d, "loading what is gone", func() {
		_, err := d.Load(t.Context(), LoadRequest{File: "a"}, nil)
		wantError(t, "loading what is gone", err, CodeFileNotFound)
	})
}

// Two programs on one cache: the second finds what the first made.
func TestASecondProgramAttaches(t *testing.T) {
	dir, cache := drives(t), t.TempDir()
	load(t, openDeck(t, Options{Folders: []string{dir}, CacheDir: cache}), LoadRequest{File: "drive_01"})
	second := openDeck(t, Options{Folders: []string{dir}, CacheDir: cache})
	if result := load(t, second, LoadRequest{File: "drive_01", Alias: "mine"}); !result.FromCache {
		t.Errorf("%+v", result)
	}
	wantRows(t, second, "SELECT count(*) FROM mine_imu", "[6000]")
}

// Recordings at the ends of what 64 bits of nanoseconds can tell.
func TestTimesAtTheEnds(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "ends.mcap"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := mcap.NewWriter(f, &mcap.WriterOptions{Chunked: true})
	if err != nil {
		t.Fatal(err)
	}
	last := uint64(1<<64 - 1)
	err = errors.Join(w.WriteHeader(&mcap.Header{}), w.WriteChannel(&mcap.Channel{ID: 1, Topic: "/a", MessageEncoding: "json"}),
		w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: 0, Data: []byte(`{"n":0}`)}),
		w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: 1<<63 - 1, Data: []byte(`{"n":1}`)}),
		w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: 1 << 63, Data: []byte(`{"n":2}`)}),
		w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: last, Data: []byte(`{"n":3}`)}),
		w.Close())
	if err != nil {
		t.Fatal(err)
	}
	d := openDeck(t, Options{Folders: []string{dir}})
	load(t, d, LoadRequest{File: "ends", MessageColumns: true})
	wantRows(t, d, "SELECT n, timestamp_us, log_time_ns FROM a", `[0,0,0]`, `[1,"9223372036854775","9223372036854775807"]`,
		`[2,"9223372036854775","9223372036854775808"]`, `[3,"18446744073709551","18446744073709551615"]`)
	wantRows(t, d, "SELECT start_time, end_time, duration_s > 1.8e10 FROM _recordings", `[0,"18446744073709551615",true]`)
	info, err := d.RecordingInfo(t.Context(), "ends")
	if err != nil || info.StartTime != "1970-01-01T00:00:00.000+00:00" || info.EndTime != "2554-07-21T23:34:33.709+00:00" {
		t.Errorf("%+v, %v", info, err)
	}
	load(t, d, LoadRequest{File: "ends", StartTime: "18446744073709551"})
	wantRows(t, d, "SELECT n FROM a", "[3]")
}

// Loads and queries of several callers, side by side.
func TestLoadsAndQueriesAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	rows := map[string]int{"a": 500, "b": 600, "c": 700}
	for name, n := range rows {
		record(t, filepath.Join(dir, name+".mcap"), bulky("/"+name, n))
	}
	d := openDeck(t, Options{Folders: []string{dir}, MemoryBudgetMB: 1})
	for name := range rows {
		load(t, d, LoadRequest{File: name, Alias: "r"})
	}
	var wg sync.WaitGroup
	for i, name := range slices.Concat(slices.Sorted(maps.Keys(rows)), slices.Sorted(maps.Keys(rows))) {
		wg.Go(func() {
			for n := range 3 {
				request := LoadRequest{File: name, Alias: "r"}
				if i%2 == 0 {
					request.Downsample = n // replaces the table while others ask for it
				}
				if _, err := d.Load(t.Context(), request, nil); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 3 {
				result, err := d.Query(t.Context(), QueryRequest{SQL: "SELECT count(*) FROM r_" + name})
				if err != nil {
					t.Error(err)
					continue
				}
				full, half := fmt.Sprintf("[%d]", rows[name]), fmt.Sprintf("[%d]", rows[name]/2)
				if got := string(result.Rows[0]); got != full && got != half {
					t.Errorf("%s: %s rows, want %s or %s", name, got, full, half)
				}
			}
		})
	}
	wg.Wait()
	if _, making := onDisk(t, d); making != 0 {
		t.Errorf("%d folders are left in the making", making)
	}
}
