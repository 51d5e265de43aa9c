package corpus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/deck"
	"tapedeck/internal/query"
	"tapedeck/internal/table"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == query.WorkerArg {
		os.Exit(query.WorkerMain())
	}
	os.Exit(m.Run())
}

// open makes a deck over the corpus, with limits that suit a comparison.
func open(t *testing.T, dir string) *deck.Deck {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d, err := deck.Open(deck.Options{Folders: []string{dir}, Recursive: true, CacheDir: t.TempDir(), MemoryBudgetMB: 64 << 10,
		Pool: query.Options{Executable: executable, Limits: query.Limits{MaxBytes: 64 << 20, MaxRows: 100000, Timeout: 5 * time.Minute}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// coverage counts what was compared, for the line that the test prints.
type coverage struct {
	files, topics, rows, columns, rules int
	leftOut                             map[string]int
}

// group is how many recordings are loaded side by side: enough to show that
// they don't mix, few enough that queries need not attach hundreds of files.
const group = 10

// TestRealAndConformanceRecordings loads every recording of the corpus and
// holds counts, times and every leaf against what the reference libraries
// read, through the same query that users call. get_schema must equal the table.
func TestRealAndConformanceRecordings(t *testing.T) {
	dir := corpustest.Recording(t, ".")
	seen := coverage{leftOut: map[string]int{}}
	for files := range slices.Chunk(corpustest.Expected(t), group) {
		seen.group(t, dir, files)
	}
	fmt.Printf("corpus: %d files, %d topics, %d rows, %d columns compared (%d of them by count only, where a rule of docs/columns.md differs); left out: %v\n",
		seen.files, seen.topics, seen.rows, seen.columns, seen.rules, seen.leftOut)
	if seen.topics < 200 || seen.columns < 800 {
		t.Errorf("only %d topics and %d columns were compared", seen.topics, seen.columns)
	}
}

func (seen *coverage) group(t *testing.T, dir string, files []corpustest.File) {
	d := open(t, dir)
	defer d.Close()
	loads, plain := make([]*deck.LoadResult, len(files)), make([]map[string][]deck.Field, len(files))
	for i, e := range files {
		loads[i] = load(t, d, dir, e, i)
		plain[i] = loadPlain(t, d, filepath.Join(dir, filepath.FromSlash(e.File)), alias(i)+"d")
	}
	for i, e := range files {
		if loads[i] == nil {
			continue
		}
		seen.files++
		t.Run(e.File, func(t *testing.T) {
			for _, topic := range slices.Sorted(maps.Keys(e.Topics)) {
				seen.topic(t, d, loads[i], topic, e.Topics[topic])
			}
			for _, name := range slices.Sorted(maps.Keys(plain[i])) {
				schemaEqualsTable(t, d, name, plain[i][name])
			}
			metadata(t, d, dir, alias(i), e)
		})
	}
}

func alias(i int) string { return "f" + strconv.Itoa(i) }

func load(t *testing.T, d *deck.Deck, dir string, e corpustest.File, i int) *deck.LoadResult {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(e.File))
	r, err := d.Load(t.Context(), deck.LoadRequest{File: path, Alias: alias(i), Blobs: "load"}, nil)
	if err != nil {
		t.Errorf("%s: %v", e.File, err)
		return nil
	}
	info, err := d.RecordingInfo(t.Context(), path)
	if err != nil {
		t.Errorf("%s: %v", e.File, err)
		return nil
	}
	if info.MessageCount != e.Messages || len(info.Attachments) != e.Attachments {
		t.Errorf("%s: %d messages and %d attachments, want %d and %d", e.File, info.MessageCount, len(info.Attachments), e.Messages, e.Attachments)
	}
	for topic, want := range e.Topics {
		if got := info.Channels[topic].MessageCount; got != want.Count {
			t.Errorf("%s: %s has %d messages, want %d", e.File, topic, got, want.Count)
		}
	}
	return r
}

// loadPlain loads a recording as an agent does, without options, and holds
// what get_schema said before against the tables. It returns what get_schema
// said, by the tables' names.
func loadPlain(t *testing.T, d *deck.Deck, path, alias string) map[string][]deck.Field {
	t.Helper()
	schema, err := d.Schema(t.Context(), path, "")
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return nil
	}
	loaded, err := d.Load(t.Context(), deck.LoadRequest{File: path, Alias: alias}, nil)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return nil
	}
	if len(loaded.Tables) != len(schema.Topics) {
		t.Errorf("%s: get_schema tells %d tables, %d were loaded", path, len(schema.Topics), len(loaded.Tables))
	}
	fields := map[string][]deck.Field{}
	for topic, s := range schema.Topics {
		name := table.Aliased(alias, s.TableName)
		if loaded.Tables[name].Topic != topic {
			t.Errorf("%s: %s is not in table %s", path, topic, name)
			continue
		}
		fields[name] = s.Fields
	}
	return fields
}

// schemaEqualsTable holds the names, the order and the types that get_schema
// told against what DESCRIBE says.
func schemaEqualsTable(t *testing.T, d *deck.Deck, name string, fields []deck.Field) {
	t.Helper()
	var want, got []string
	for _, f := range fields {
		want = append(want, f.Name+" "+f.Type)
	}
	for _, column := range describe(t, d, name) {
		got = append(got, column.name+" "+column.kind)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: get_schema tells %v, the table has %v", name, want, got)
	}
}

type column struct{ name, kind string }

func describe(t *testing.T, d *deck.Deck, name string) []column {
	t.Helper()
	described, err := d.Query(t.Context(), deck.QueryRequest{SQL: "DESCRIBE " + sqlName(name), Limit: 100000})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	var columns []column
	for _, raw := range described.Rows {
		var row []any
		if err := json.Unmarshal(raw, &row); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, column{row[0].(string), row[1].(string)})
	}
	return columns
}

func (seen *coverage) topic(t *testing.T, d *deck.Deck, r *deck.LoadResult, topic string, want corpustest.Topic) {
	name := ""
	for n, loaded := range r.Tables {
		if loaded.Topic == topic {
			name = n
		}
	}
	if name == "" {
		seen.leaveOut(t, r, topic, want)
		return
	}
	rows := strconv.FormatUint(want.Count-want.DecodeErrors, 10)
	if want.SchemaError != "" {
		rows = strconv.FormatUint(want.Count-r.Undecoded[topic].Messages, 10) // the reference read none; ours may do better
	}
	facts := ask(t, d, fmt.Sprintf(`SELECT count(*), min(timestamp_us), max(timestamp_us), coalesce(bool_and(ordered), true) FROM
		(SELECT timestamp_us, timestamp_us >= lag(timestamp_us, 1, 0) OVER () AS ordered FROM %s)`, sqlName(name)))
	if facts == nil {
		return
	}
	if got := fmt.Sprint(facts[0]); got != rows {
		t.Errorf("%s: %s rows, want %s", topic, got, rows)
	}
	if want.DecodeErrors == 0 && (fmt.Sprint(facts[1]) != strconv.FormatInt(want.First, 10) || fmt.Sprint(facts[2]) != strconv.FormatInt(want.Last, 10)) {
		t.Errorf("%s: from %v to %v, want %d to %d", topic, facts[1], facts[2], want.First, want.Last)
	}
	if facts[3] != true {
		t.Errorf("%s: rows are not in log-time order", topic)
	}
	seen.topics++
	seen.rows += int(want.Count)
	seen.leaves(t, d, name, topic, want)
}

// leaveOut notes a topic without a table. Only encodings that no decoder
// claims, and definitions that the file lacks, so that the reference can't read
// the messages either, may have none.
func (seen *coverage) leaveOut(t *testing.T, r *deck.LoadResult, topic string, want corpustest.Topic) {
	i := slices.IndexFunc(r.Skipped, func(s deck.SkippedTopic) bool { return s.Topic == topic })
	switch {
	case i < 0:
		t.Errorf("%s has no table and no reason", topic)
	case strings.Contains(r.Skipped[i].Reason, "no decoder"):
		seen.leftOut[fmt.Sprintf("no decoder for %s/%s", want.Encoding, want.SchemaEncoding)]++
	case empty(want.Leaves) && strings.Contains(r.Skipped[i].Reason, "holds no definition of"):
		seen.leftOut["the file lacks the definition"]++
	default:
		t.Errorf("%s was skipped: %s", topic, r.Skipped[i].Reason)
	}
}

// empty reports whether the reference saw messages without fields only.
func empty(leaves map[string]corpustest.Leaf) bool {
	for _, l := range leaves {
		if l.Kind != "empty" {
			return false
		}
	}
	return true
}

// chunk is how many leaves one query compares.
const chunk = 100

func (seen *coverage) leaves(t *testing.T, d *deck.Deck, name, topic string, want corpustest.Topic) {
	columns := map[string]string{}
	for _, c := range describe(t, d, name) {
		columns[c.name] = c.kind
	}
	var all []comparison
	for _, path := range slices.Sorted(maps.Keys(want.Leaves)) {
		c, ok := compareLeaf(path, want.Leaves[path], columns)
		if !ok {
			t.Errorf("%s: no column for %s (%s) in %v", topic, path, want.Leaves[path].Kind, slices.Sorted(maps.Keys(columns)))
			continue
		}
		all = append(all, c)
	}
	for part := range slices.Chunk(all, chunk) {
		var exprs []string
		for _, c := range part {
			exprs = append(exprs, c.n, "("+c.sum+")::DOUBLE")
		}
		row := ask(t, d, "SELECT "+strings.Join(exprs, ", ")+" FROM "+sqlName(name))
		if row == nil {
			continue
		}
		for i, c := range part {
			seen.columns++
			if c.rule != "" {
				seen.rules++
			}
			n, _ := strconv.ParseUint(fmt.Sprint(row[2*i]), 10, 64)
			sum, _ := strconv.ParseFloat(fmt.Sprint(row[2*i+1]), 64)
			if err := c.agrees(n, sum); err != nil {
				t.Errorf("%s: %s (%s, column %s): %v", topic, c.path, c.want.Kind, c.sum, err)
			}
		}
	}
}

// metadata holds the number of metadata records, and of their values in SQL.
func metadata(t *testing.T, d *deck.Deck, dir, alias string, e corpustest.File) {
	info, err := d.RecordingInfo(t.Context(), filepath.Join(dir, filepath.FromSlash(e.File)))
	if err != nil {
		t.Error(err)
		return
	}
	records, values := len(info.Metadata), 0
	for _, record := range info.Metadata {
		values += len(record)
	}
	if info.MetadataRecords != nil {
		records, values = len(info.MetadataRecords), 0
		for _, record := range info.MetadataRecords {
			values += len(record.Values)
		}
	}
	if records != e.Metadata {
		t.Errorf("%d metadata records, want %d", records, e.Metadata)
	}
	if row := ask(t, d, "SELECT count(*) FROM "+table.Aliased(alias, table.MetadataTable)); row != nil && fmt.Sprint(row[0]) != strconv.Itoa(values) {
		t.Errorf("%v metadata values in SQL, want %d", row[0], values)
	}
}

// ask runs a statement that has one row.
func ask(t *testing.T, d *deck.Deck, sql string) []any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := d.Query(ctx, deck.QueryRequest{SQL: sql})
	if err != nil {
		t.Errorf("%v\n%s", err, sql)
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(r.Rows[0])))
	decoder.UseNumber()
	var row []any
	if err := decoder.Decode(&row); err != nil {
		t.Fatal(err)
	}
	return row
}

func sqlName(name string) string { return table.SQLName(name) }
