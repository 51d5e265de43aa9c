package protobuf

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
	"tapedeck/internal/corpustest"
)

// recorded is a channel's messages, each with the plan of its own schema.
type recorded struct {
	plan   decode.Plan
	batch  *decode.Batch
	err    error // of the schema
	errors []error
}

// readTopics decodes all protobuf messages of a recording, by topic and schema id.
func readTopics(t *testing.T, path string) map[string]map[uint16]*recorded {
	t.Helper()
	topics := map[string]map[uint16]*recorded{}
	for m := range decodetest.Messages(t, path) {
		if !New().Claims(m.Encoding, m.Schema.Encoding) {
			continue
		}
		if topics[m.Topic] == nil {
			topics[m.Topic] = map[uint16]*recorded{}
		}
		topic := topics[m.Topic][m.SchemaID]
		if topic == nil {
			topic = &recorded{}
			topics[m.Topic][m.SchemaID] = topic
			if topic.plan, topic.err = New().Compile(m.Schema, decode.Options{}); topic.err == nil {
				topic.batch = decode.NewBatch(topic.plan.Columns(), nil)
			}
		}
		if topic.err != nil {
			continue
		}
		if err := topic.plan.Decode(m.Data, topic.batch); err != nil {
			topic.errors = append(topic.errors, err)
			topic.batch.DropRow()
		}
	}
	return topics
}

// TestRealRecordings compares counts, errors and sums with those of the
// reference libraries.
func TestRealRecordings(t *testing.T) {
	compared := 0
	for _, file := range corpustest.Expected(t) {
		var topics map[string]map[uint16]*recorded
		for name, want := range file.Topics {
			if want.Encoding != "protobuf" {
				continue
			}
			if topics == nil {
				topics = readTopics(t, corpustest.Recording(t, file.File))
			}
			compared++
			t.Run(file.File+"/"+name, func(t *testing.T) {
				if len(topics[name]) != 1 {
					t.Fatalf("%d schemas, want 1", len(topics[name]))
				}
				for _, topic := range topics[name] {
					if topic.err != nil {
						t.Fatal(topic.err)
					}
					decodetest.CheckBatch(t, topic.batch)
					if got := uint64(topic.batch.Rows() + len(topic.errors)); got != want.Count || uint64(len(topic.errors)) != want.DecodeErrors {
						t.Errorf("%d messages, %d errors; want %d and %d", got, len(topic.errors), want.Count, want.DecodeErrors)
					}
					compareLeaves(t, joinTimes(want.Leaves), topic)
				}
			})
		}
	}
	if compared < 14 {
		t.Errorf("only %d topics compared", compared)
	}
}

// joinTimes makes one leaf of the seconds and nanos that the reference keeps apart.
func joinTimes(leaves map[string]corpustest.Leaf) map[string]corpustest.Leaf {
	joined := map[string]corpustest.Leaf{}
	add := func(name string, l corpustest.Leaf) { joined[plainName(name)] = l }
	for name, l := range leaves {
		switch base, isSeconds := strings.CutSuffix(name, "_seconds"); {
		case isSeconds:
			add(base, corpustest.Leaf{Kind: "num", N: l.N, Sum: l.Sum*1e9 + leaves[base+"_nanos"].Sum})
		case !strings.HasSuffix(name, "_nanos"):
			add(name, l)
		}
	}
	return joined
}

// plainName is a name without what the reference may change: it writes some
// names in camel case.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

func compareLeaves(t *testing.T, want map[string]corpustest.Leaf, topic *recorded) {
	t.Helper()
	for i, column := range topic.plan.Columns() {
		name := plainName(column.Name)
		w, ok := want[name]
		if !ok {
			t.Errorf("column %s is not among the reference's", column.Name)
			continue
		}
		delete(want, name)
		n, sum := measure(topic.batch.Column(i))
		tolerance := 1e-9
		if column.Type.Kind == decode.Float32 {
			tolerance = 1e-6
		}
		if n != w.N || math.Abs(sum-w.Sum) > tolerance*math.Max(1, math.Abs(w.Sum)) {
			t.Errorf("column %s: %d values, sum %v; want %d and %v", column.Name, n, sum, w.N, w.Sum)
		}
	}
	for name := range want {
		t.Errorf("the reference's column %s is missing", name)
	}
}

// measure counts the values of a column and sums them, or their lengths.
func measure(v *decode.Vector) (n uint64, sum float64) {
	for i := range v.Len() {
		if v.IsNull(i) {
			continue
		}
		n++
		sum += corpustest.Weight(decodetest.Value(v, i))
	}
	return n, sum
}

// TestCraftedRecordings has files that were each made to hold one trap.
func TestCraftedRecordings(t *testing.T) {
	dir := corpustest.Recording(t, "crafted/protobuf")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{ // file → what the error must say
		"fds_missing_dependency.mcap": `"b.proto"`,
		"schema_empty.mcap":           "no data",
		"schema_name_wrong.mcap":      "it has t.",
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			for name, schemas := range readTopics(t, filepath.Join(dir, file.Name())) {
				for _, topic := range schemas {
					if says, ok := refused[file.Name()]; ok {
						if !errors.Is(topic.err, decode.ErrSchema) || !strings.Contains(topic.err.Error(), says) {
							t.Errorf("%s: error %v, want one that says %q", name, topic.err, says)
						}
						continue
					}
					if topic.err != nil {
						t.Fatalf("%s: %v", name, topic.err)
					}
					if len(topic.errors) > 0 || topic.batch.Rows() == 0 {
						t.Errorf("%s: %d rows, errors %v", name, topic.batch.Rows(), topic.errors)
					}
					decodetest.CheckBatch(t, topic.batch)
				}
			}
		})
	}
}

// TestOneNameTwoDefinitions: each message is read by its own schema.
func TestOneNameTwoDefinitions(t *testing.T) {
	path := corpustest.Recording(t, "crafted/protobuf/same_type_two_definitions.mcap")
	got := map[any]bool{}
	for _, schemas := range readTopics(t, path) {
		for _, topic := range schemas {
			for _, row := range decodetest.Rows(topic.plan, topic.batch) {
				got[row["n"]] = true
			}
		}
	}
	if diff := cmp.Diff(map[any]bool{int32(5): true, "five": true, "six": true}, got); diff != "" {
		t.Errorf("values of n (-want +got):\n%s", diff)
	}
}
