package corpus

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/corpustest"
	"tapedeck/internal/deck"
	"tapedeck/internal/table"
)

var update = flag.Bool("update", false, "write testdata/crafted.json anew; look at each changed row before committing it")

// crafted is an input that was built to hold one trap, and what is right.
type crafted struct{ File, What, Expect string }

// noRecordings are the crafted inputs that hold nothing to read. Every other
// one must load, whatever is wrong with it.
var noRecordings = []string{
	"container/empty_0_bytes.mcap", "container/file_level.mcap.zstd", "container/lfs_pointer.mcap",
	"container/magic_only.mcap", "container/magic_version_1.mcap",
}

// TestCraftedRecordings loads every hostile input: it must end well, with rows
// for all messages that are not counted as undecoded, and get_schema must equal
// the table.
func TestCraftedRecordings(t *testing.T) {
	dir := corpustest.Recording(t, "crafted")
	text, err := os.ReadFile(filepath.Join(dir, "EXPECTED.json"))
	if err != nil {
		t.Fatal(err)
	}
	var inputs []crafted
	if err := json.Unmarshal(text, &inputs); err != nil {
		t.Fatal(err)
	}
	tables, skipped, undecoded, refused := 0, 0, 0, 0
	for i, in := range inputs {
		d := open(t, dir)
		path := filepath.Join(dir, filepath.FromSlash(in.File))
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s is in EXPECTED.json but not in the corpus", in.File)
			continue
		}
		if slices.Contains(noRecordings, in.File) {
			refused++
			notARecording(t, d, path)
			continue
		}
		fields := loadPlain(t, d, path, alias(i))
		loaded, err := d.Load(t.Context(), deck.LoadRequest{File: path, Alias: alias(i)}, nil)
		if err != nil {
			t.Errorf("%s: %v", in.File, err)
			continue
		}
		info, err := d.RecordingInfo(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", in.File, err)
			continue
		}
		for name, l := range loaded.Tables {
			if want := info.Channels[l.Topic].MessageCount - loaded.Undecoded[l.Topic].Messages; l.Rows != want {
				t.Errorf("%s: %s has %d rows, want %d (%s)", in.File, name, l.Rows, want, in.Expect)
			}
		}
		for _, u := range loaded.Undecoded {
			undecoded += int(u.Messages)
		}
		tables, skipped = tables+len(loaded.Tables), skipped+len(loaded.SkippedTopics)
		for n, name := range slices.Sorted(maps.Keys(fields)) {
			if n < 10 { // of 3000 topics in one file
				schemaEqualsTable(t, d, name, fields[name])
			}
		}
	}
	fmt.Printf("crafted: %d inputs, %d of them no recordings, %d tables, %d topics skipped with a reason, %d messages counted as undecoded\n",
		len(inputs), refused, tables, skipped, undecoded)
}

func notARecording(t *testing.T, d *deck.Deck, path string) {
	t.Helper()
	for _, do := range []func() error{
		func() error { _, err := d.Schema(t.Context(), path, ""); return err },
		func() error { _, err := d.Load(t.Context(), deck.LoadRequest{File: path}, nil); return err },
	} {
		var known *deck.Error
		if err := do(); !errors.As(err, &known) || known.Code != deck.CodeNotRecording && known.Code != deck.CodeFileNotFound {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// answer is a statement about a crafted input with its right rows.
type answer struct {
	File string
	SQL  string
	Rows []string
}

// TestCraftedValues asks for the values that the inputs were built around.
func TestCraftedValues(t *testing.T) {
	dir := corpustest.Recording(t, "crafted")
	golden := filepath.Join("testdata", "crafted.json")
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var answers []answer
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		d := open(t, dir)
		if _, err := d.Load(t.Context(), deck.LoadRequest{File: filepath.Join(dir, filepath.FromSlash(a.File)), Blobs: string(table.BlobsLoad)}, nil); err != nil {
			t.Errorf("%s: %v", a.File, err)
			continue
		}
		result, err := d.Query(t.Context(), deck.QueryRequest{SQL: a.SQL})
		if err != nil {
			t.Errorf("%s: %v", a.File, err)
			continue
		}
		got := []string{}
		for _, row := range result.Rows {
			got = append(got, string(row))
		}
		if diff := cmp.Diff(a.Rows, got); diff != "" && !*update {
			t.Errorf("%s: %s (-want +got):\n%s", a.File, a.SQL, diff)
		}
		answers[i].Rows = got
		d.Close()
	}
	if len(answers) < 40 {
		t.Errorf("only %d answers", len(answers))
	}
	if *update {
		writeGolden(t, golden, answers)
	}
}

func writeGolden(t *testing.T, path string, answers []answer) {
	t.Helper()
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(answers); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
