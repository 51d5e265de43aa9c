package corpustest

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// fewest is how many real and conformance files there are at the least.
const fewest = 400

// File is what the reference libraries read in a recording.
type File struct {
	File        string // below Recording(t, ".")
	Messages    uint64
	Metadata    int
	Attachments int
	Error       *string // nil when the file is sound
	Topics      map[string]Topic
}

// Topic is what they read of a topic's messages.
type Topic struct {
	Encoding       string
	SchemaEncoding string
	Schema         string
	Count          uint64
	First, Last    int64 // log time, microseconds
	DecodeErrors   uint64
	Undecoded      uint64
	SchemaError    string
	Leaves         map[string]Leaf // by the path of the field, joined with "_"
}

// Leaf is what they found in one field: how many values, and the sum of their
// weights (see [Weight]).
type Leaf struct {
	Kind      string // num, bool, str, arr, time, …
	N         uint64
	Sum       float64
	Nonfinite uint64 // values that are not in Sum
}

// Expected returns what the reference libraries read in each real and
// conformance recording.
func Expected(t testing.TB) []File {
	t.Helper()
	text, err := os.ReadFile(Recording(t, "EXPECTED.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var files []File
	for line := range bytes.Lines(text) {
		var f File
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) < fewest {
		t.Fatalf("EXPECTED.jsonl has %d files, want at least %d", len(files), fewest)
	}
	return files
}

// Weight is what a value adds to the sum of its leaf: a number itself, true 1,
// anything else its length.
func Weight(value any) float64 {
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	default:
		return float64(v.Len())
	}
}
