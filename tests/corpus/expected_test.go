package corpus

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// folder finds the corpus beside the repository, or skips.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "corpus", "mcap"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the corpus is not beside the repository (%v)", err)
	}
	return dir
}

// expectedFile is a line of EXPECTED.jsonl: what the reference libraries read.
type expectedFile struct {
	File        string
	Messages    uint64
	Metadata    int
	Attachments int
	Error       *string
	Topics      map[string]expectedTopic
}

type expectedTopic struct {
	Encoding       string
	SchemaEncoding string
	Schema         string
	Count          uint64
	First, Last    int64 // log time, microseconds
	DecodeErrors   uint64
	Undecoded      uint64
	SchemaError    string
	Leaves         map[string]leaf
}

// leaf is a value inside of messages, by its path joined with "_".
type leaf struct {
	Kind      string
	N         uint64
	Sum       float64
	Nonfinite uint64
}

func readExpected(t *testing.T, dir string) []expectedFile {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "EXPECTED.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var files []expectedFile
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e expectedFile
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		files = append(files, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(files) < 400 {
		t.Fatalf("EXPECTED.jsonl has only %d files", len(files))
	}
	return files
}
