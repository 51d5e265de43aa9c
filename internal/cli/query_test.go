package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/deck"
	"tapedeck/internal/table"
)

var manyTables = []string{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11"}

func TestQueryFailures(t *testing.T) {
	missing := &deck.Error{
		Code: deck.CodeMissingTable, Message: `table "battery" is not loaded`, LoadedTables: []string{"imu"},
		Nearest: []string{"battery_status"}, FoundIn: []string{"drive_02.mcap"}, Hint: `load it first: load_recording with file "drive_02.mcap"`,
	}
	tests := []struct {
		name   string
		args   []string
		err    error
		code   int
		stderr string
	}{
		{
			"missing table", []string{"FROM battery"}, missing, 1,
			`tapedeck: table "battery" is not loaded
  Nearest: battery_status
  Loaded tables: imu
  Found in: drive_02.mcap
  Hint: name the recording: tapedeck query drive_02.mcap SQL
`,
		},
		{
			"missing table, nothing loaded", []string{"FROM battery"}, &deck.Error{Code: deck.CodeMissingTable, Message: "no such table"}, 1,
			"tapedeck: no such table\n  Loaded tables: none\n  Hint: name a recording in front of the SQL: tapedeck query FILE SQL\n",
		},
		{
			"bad time", []string{"--start", "noon", "a.mcap", "FROM imu"}, &deck.Error{Code: deck.CodeBadTime, Message: `start_time "noon" is no time`}, 2,
			"tapedeck: --start \"noon\" is no time\n",
		},
		{
			"ambiguous name", []string{"a.mcap", "FROM imu"}, &deck.Error{Code: deck.CodeFileAmbiguous, Message: "a.mcap is in two folders", Candidates: []string{"x/a.mcap", "y/a.mcap"}}, 1,
			"tapedeck: a.mcap is in two folders\n  It may be: x/a.mcap, y/a.mcap\n",
		},
		{
			"alias without a file", []string{"--load", "r1", "FROM imu"}, nil, 2,
			"tapedeck: --load r1: want ALIAS=FILE, such as r1=drive_01.mcap\n  Try: tapedeck query --help\n",
		},
		{
			"parquet to the terminal", []string{"--format", "parquet", "FROM imu"}, nil, 2,
			"tapedeck: parquet needs a file: give one with -o\n  Try: tapedeck query --help\n",
		},
		{
			"negative limit", []string{"--limit", "-1", "FROM imu"}, nil, 2,
			"tapedeck: --limit -1: want 1 or more\n  Try: tapedeck query --help\n",
		},
		{
			"limit of nothing", []string{"--limit", "0", "FROM imu"}, nil, 2,
			"tapedeck: --limit 0: want 1 or more\n  Try: tapedeck query --help\n",
		},
		{
			"limit that is no number", []string{"--limit", "5.5", "FROM imu"}, nil, 2,
			"tapedeck: --limit 5.5: want a whole number\n  Try: tapedeck query --help\n",
		},
		{
			"SQL forgotten", []string{"drive_02.mcap"}, nil, 2,
			"tapedeck: the SQL is missing behind drive_02.mcap\n  Try: tapedeck query --help\n",
		},
		{
			"one alias for two recordings", []string{"--load", "a=x.mcap", "--load", "A=y.mcap", "FROM a_imu"}, nil, 2,
			"tapedeck: --load A=y.mcap: the alias A is taken: give each recording its own\n  Try: tapedeck query --help\n",
		},
		{
			"too slow", []string{"FROM imu"}, &deck.Error{Code: deck.CodeTimeout, Message: "no answer within 30 s", Hint: "load with downsample"}, 1,
			"tapedeck: no answer within 30 s\n  Hint: narrow the time window with --start and --end, aggregate, load with --downsample, or allow more with --query-timeout-s\n",
		},
		{
			"too large to query", []string{"FROM imu"}, &deck.Error{Code: deck.CodeMemory, Message: "too much", Hint: "aggregate"}, 1,
			"tapedeck: too much\n  Hint: narrow the time window with --start and --end, select fewer columns, or allow more with --worker-memory-mb\n",
		},
		{
			"too large to load", []string{"FROM imu"},
			&deck.Error{Code: deck.CodeMemory, Message: "too much", Hint: "load with start_time, or raise worker_memory_mb", Err: &table.MemoryError{}}, 1,
			"tapedeck: too much\n  Hint: load with --start, or raise --worker-memory-mb\n",
		},
		{
			"many tables", []string{"FROM nope"}, &deck.Error{Code: deck.CodeMissingTable, Message: "not loaded", LoadedTables: manyTables}, 1,
			"tapedeck: not loaded\n  Loaded tables: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more\n  Hint: tapedeck schema FILE shows the tables of a recording\n",
		},
		{
			"control characters in an error", []string{"FROM imu"}, &deck.Error{Code: deck.CodeSQL, Message: "topic \x1b[2J is odd"}, 1,
			"tapedeck: topic \\x1b[2J is odd\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runWith(t, &fakeDeck{err: tt.err}, "", append([]string{"query"}, tt.args...)...).check(t, tt.code, "", tt.stderr)
		})
	}
}

func TestQueryFormats(t *testing.T) {
	answer := rows(
		[]string{"n", "name", "list", "n"}, []string{"BIGINT", "VARCHAR", "INTEGER[]", "DOUBLE"},
		`[1,"plain",[1,2],1.5]`, `[2,"",null,0]`, `[20,"a,\"b\"\nc",null,null]`, `[null,"\u001b[31mred",[],-0.25]`)
	tests := map[string]string{
		"table": "" +
			"   n  name         list       n\n" +
			"   1  plain        [1,2]    1.5\n" +
			"   2               NULL       0\n" +
			"  20  a,\"b\"\\nc     NULL    NULL\n" +
			"NULL  \\x1b[31mred  []     -0.25\n",
		"csv": "n,name,list,n\n1,plain,\"[1,2]\",1.5\n2,\"\",,0\n20,\"a,\"\"b\"\"\nc\",,\n,\x1b[31mred,[],-0.25\n",
		"ndjson": `{"n":1,"name":"plain","list":[1,2],"n_2":1.5}` + "\n" +
			`{"n":2,"name":"","list":null,"n_2":0}` + "\n" +
			`{"n":20,"name":"a,\"b\"\nc","list":null,"n_2":null}` + "\n" +
			`{"n":null,"name":"\u001b[31mred","list":[],"n_2":-0.25}` + "\n",
	}
	for format, want := range tests {
		t.Run(format, func(t *testing.T) {
			runWith(t, &fakeDeck{result: answer}, "", "query", "--format", format, "FROM t").check(t, 0, want, "")
		})
	}
}

// TestQueryLimits: what is read by people is bounded, exports are not, and a
// limit on the command line goes over the one for agents.
func TestQueryLimits(t *testing.T) {
	tests := []struct {
		args              []string
		defaultRows, most int
		limit             int
	}{
		{nil, 1000, 10000, 0},
		{[]string{"--limit", "50000"}, 1000, 50000, 50000},
		{[]string{"--json"}, 1000, 10000, 0},
		{[]string{"--format", "csv"}, unbounded, unbounded, 0},
		{[]string{"--format", "ndjson", "--limit", "3"}, unbounded, unbounded, 3},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			f := &fakeDeck{result: rows([]string{"a"}, []string{"BIGINT"})}
			runWith(t, f, "", append([]string{"query", "FROM t"}, tt.args...)...)
			got := f.opt.Pool.Limits
			if got.DefaultRows != tt.defaultRows || got.MaxRows != tt.most || got.MaxBytes != unbounded || got.CellBytes != unbounded {
				t.Errorf("limits are %+v", got)
			}
			if r := f.asked[0].(deck.QueryRequest); r.Limit != tt.limit {
				t.Errorf("asked with limit %d, want %d", r.Limit, tt.limit)
			}
		})
	}
}

func TestQueryTellsWhenItWasCut(t *testing.T) {
	answer := rows([]string{"a"}, []string{"BIGINT"}, "[1]")
	answer.Truncated = true
	runWith(t, &fakeDeck{result: answer}, "", "query", "FROM t").
		check(t, 0, "a\n1\n", "tapedeck: only the first 1 row: --limit N shows more, --format csv or ndjson all\n")
	runWith(t, &fakeDeck{result: answer}, "", "query", "--limit", "1", "FROM t").
		check(t, 0, "a\n1\n", "tapedeck: only the first 1 row, as --limit says\n")
}

func TestQueryShortensForPeopleOnly(t *testing.T) {
	long := strings.Repeat("é", 100)
	answer := rows([]string{"a"}, []string{"VARCHAR"}, `["`+long+`"]`)
	runWith(t, &fakeDeck{result: answer}, "", "query", "FROM t").check(t, 0, "a\n"+strings.Repeat("é", 79)+"…\n", "")
	runWith(t, &fakeDeck{result: answer}, "", "query", "FROM t", "--format", "csv").check(t, 0, "a\n"+long+"\n", "")
}

func TestQueryLoadsWhatItNames(t *testing.T) {
	f := &fakeDeck{loaded: &deck.LoadResult{}, result: rows([]string{"a"}, []string{"BIGINT"})}
	runWith(t, f, "SELECT 1", "query", "a.mcap", "--load", "r1=b=c.mcap", "--file", "d.mcap",
		"--topic", "/imu", "--topic", "/a,b", "--start", "1", "--end", "2", "--downsample", "3", "--blobs", "omit", "--message-columns", "-").
		check(t, 0, "a\n", "")
	load := deck.LoadRequest{Topics: []string{"/imu", "/a,b"}, StartTime: "1", EndTime: "2", Downsample: 3, Blobs: "omit", MessageColumns: true}
	a, b, c := load, load, load
	a.File, b.File, c.File, c.Alias = "a.mcap", "d.mcap", "b=c.mcap", "r1"
	want := []any{a, b, c, deck.QueryRequest{SQL: "SELECT 1"}}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Errorf("operations differ (-want +got):\n%s", diff)
	}
}

func TestQueryAfterALoadWithLoss(t *testing.T) {
	f := &fakeDeck{
		loaded: &deck.LoadResult{
			File: "a.mcap", Lossy: true, Warnings: []string{"chunk at byte 9 is damaged"}, ReplacedTables: []string{"imu"},
			Undecoded: map[string]deck.Undecoded{"/imu": {Messages: 2, Reason: "ends early"}},
		},
		result: rows([]string{"a"}, []string{"BIGINT"}, "[1]"),
	}
	runWith(t, f, "", "query", "a.mcap", "FROM imu").check(t, 3, "a\n1\n", `tapedeck: warning: a.mcap replaced tables of another recording: imu; give each an alias with --load ALIAS=FILE
tapedeck: warning: a.mcap: chunk at byte 9 is damaged
tapedeck: warning: a.mcap: 2 messages of /imu could not be decoded: ends early
tapedeck: a part of the recordings could not be read: 2 warnings above
`)
}

func TestQueryIntoAFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.CSV")
	if err := os.WriteFile(path, []byte("earlier"), 0o644); err != nil {
		t.Fatal(err)
	}
	answer := rows([]string{"a"}, []string{"BIGINT"}, "[1]")
	broken := *answer
	broken.Rows = append(broken.Rows, []byte(`[1,2]`))
	if o := runWith(t, &fakeDeck{result: &broken}, "", "query", "FROM t", "-o", path); o.code != 1 {
		t.Errorf("exit code %d after a broken answer, want 1", o.code)
	}
	checkFiles(t, dir, map[string]string{"out.CSV": "earlier"})
	runWith(t, &fakeDeck{result: answer}, "", "query", "FROM t", "-o", path).check(t, 0, "", "")
	checkFiles(t, dir, map[string]string{"out.CSV": "a\n1\n"})
}

func TestQueryIntoWhatIsNoFile(t *testing.T) {
	answer := rows([]string{"a"}, []string{"BIGINT"}, "[1]")
	dir := t.TempDir()
	if o := runWith(t, &fakeDeck{result: answer}, "", "query", "FROM t", "--format", "csv", "-o", dir); o.code != 1 || !strings.Contains(o.errOut, "is a folder") {
		t.Errorf("a folder: exit code %d, stderr %q", o.code, o.errOut)
	}
	if _, err := os.Stat(os.DevNull); err != nil || filepath.VolumeName(os.DevNull) != "" {
		t.Skip("there are no devices among the files here")
	}
	link := filepath.Join(dir, "null") // were it replaced, the machine would not suffer
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	runWith(t, &fakeDeck{result: answer}, "", "query", "FROM t", "--format", "csv", "-o", link).check(t, 0, "", "")
	f := &fakeDeck{}
	if o := runWith(t, f, "", "query", "FROM t", "--format", "parquet", "-o", link); o.code != 1 || len(f.asked) > 0 {
		t.Errorf("parquet: exit code %d, stderr %q", o.code, o.errOut)
	}
	if target, err := os.Readlink(link); err != nil || target != os.DevNull {
		t.Errorf("the device was replaced: %q, %v", target, err)
	}
}

func TestQueryIntoParquet(t *testing.T) {
	f := &fakeDeck{}
	runWith(t, f, "", "query", "FROM t", "-o", "out.parquet").check(t, 0, "", "tapedeck: 7 rows written to out.parquet\n")
	if diff := cmp.Diff([]any{[3]string{"FROM t", "parquet", "out.parquet"}}, f.asked); diff != "" {
		t.Errorf("operations differ (-want +got):\n%s", diff)
	}
}

func checkFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files differ (-want +got):\n%s", diff)
	}
}
