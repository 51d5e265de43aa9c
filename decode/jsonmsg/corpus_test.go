package jsonmsg

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
	"tapedeck/internal/corpustest"
)

// channel is a JSON channel of a recording.
type channel struct {
	schema   decode.Schema
	messages [][]byte
}

func (c *channel) texts() []string {
	var texts []string
	for _, m := range c.messages {
		texts = append(texts, string(m))
	}
	return texts
}

// readChannels returns the JSON channels of a recording by topic.
func readChannels(t *testing.T, name string) map[string]*channel {
	t.Helper()
	channels := map[string]*channel{}
	for m := range decodetest.Messages(t, corpustest.Recording(t, name)) {
		if m.Encoding != "json" {
			continue
		}
		if channels[m.Topic] == nil {
			channels[m.Topic] = &channel{schema: m.Schema}
		}
		c := channels[m.Topic]
		c.messages = append(c.messages, m.Data)
	}
	return channels
}

func TestCraftedRecordings(t *testing.T) {
	for _, tt := range []struct {
		file string
		want table
	}{
		{"keys_hostile", table{
			Columns: []string{"_ BIGINT", "a.b BIGINT", "a_b BIGINT", "A BIGINT", `quo"te BIGINT`, "sp ace BIGINT", "select BIGINT", "日本 BIGINT",
				"__proto__ BIGINT", "log_time BIGINT", "'; DROP TABLE t;-- BIGINT", "[0] BIGINT", "$ BIGINT"},
			Rows: []string{"1 2 3 4 5 6 7 8 9 10 11 12 13"},
		}},
		{"schema_empty", table{Columns: []string{"a BIGINT"}, Rows: []string{"1"},
			Warnings: []string{"the columns come from the messages alone: the JSON schema is empty"}}},
		{"schema_invalid", table{Columns: []string{"a BIGINT"}, Rows: []string{"1"},
			Warnings: []string{"the columns come from the messages alone: the JSON schema can't be used: not valid JSON: byte 1: expected null, found 'o'"}}},
		{"schema_features", table{
			Columns: []string{"p_x DOUBLE", "p_next VARCHAR", "any BIGINT[]", "e VARCHAR", "o VARCHAR", `arr STRUCT(k VARCHAR)[]`,
				"tuple VARCHAR", "bytes BLOB", "noType_z BIGINT", "t TIMESTAMP_NS", "extra DOUBLE"},
			Rows: []string{
				"null \"`{\\\"x\\\":1}`\" [1] \"`1`\" \"`5`\" [{\"k\":\"v\"}] \"`[1,\\\"a\\\"]`\" \"000102\" 1 \"1970-01-01T00:00:01.000000002Z\" 3.5",
				"null null null null null null null null null null null",
			},
			Warnings: []string{
				`message: keys that the schema does not declare became columns: "extra"`,
				"tuple: declared an array of one kind, found elements of several (integers, string): it is JSON text",
			},
		}},
		{"type_drift", table{
			Columns: []string{"v VARCHAR"},
			Rows:    []string{"\"`1`\"", "\"`1.5`\"", "\"`\\\"1\\\"`\"", "\"`true`\"", "\"`{\\\"x\\\":1}`\"", "\"`[1]`\"", "null", "null"},
		}},
		{"non_object_and_invalid", table{
			Columns: []string{"a VARCHAR", "value VARCHAR"},
			Rows: []string{
				"null \"`[1,2,3]`\"", "null \"`42`\"", "null \"`\\\"s\\\"`\"", "null null", "null \"`true`\"",
				"error: message ends early: byte 0: expected a value",
				"error: message ends early: byte 1: expected a value",
				"error: message ends early: byte 1: expected a key in quotes",
				"error: not valid JSON: byte 7: expected a key in quotes, found '}'",
				"error: not valid JSON: byte 5: expected a value, found NaN, which JSON has no number for",
				"error: not valid JSON: byte 6: expected a digit, found Infinity, which JSON has no number for",
				"\"`1`\" null", "\"`2`\" null", "\"`\\\"\\\\ufffd\\\"`\" null",
				"error: not valid JSON: byte 7: expected the end of the message, found '{'",
				"error: not valid JSON: byte 6: 0xe9 is not UTF-8",
				"error: JSON lies too deep: byte 512: more than 512 levels",
			},
		}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			c := readChannels(t, "crafted/json/"+tt.file+".mcap")["/j"]
			got := loadAs(t, c.schema, decode.Options{}, c.texts()...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestWideRecording(t *testing.T) {
	c := readChannels(t, "crafted/container/wide_5000_columns.mcap")["/wide"]
	p := compile(t, c.schema, decode.Options{})
	if got := len(p.Columns()); got != 5000 || !p.Settled() {
		t.Fatalf("%d columns, settled %t; want 5000, true", got, p.Settled())
	}
	b := decode.NewBatch(p.Columns(), nil)
	for _, m := range c.messages {
		if err := p.Decode(m, b); err != nil {
			t.Fatal(err)
		}
	}
	for i := range b.Columns() {
		if got := cell(b.Column(i), 0); got != double(i) {
			t.Fatalf("column %d is %v, want %d", i, got, i)
		}
	}
}

// Every JSON channel of the real recordings decodes by its schema alone or with
// what was seen, and holds what the reference libraries found.
func TestRealRecordings(t *testing.T) {
	topics := 0
	for _, want := range corpustest.Expected(t) {
		var channels map[string]*channel
		for topic, w := range want.Topics {
			if w.Encoding != "json" {
				continue
			}
			if channels == nil {
				channels = readChannels(t, want.File)
			}
			topics++
			t.Run(fmt.Sprintf("%s %s", filepath.Base(want.File), topic), func(t *testing.T) {
				c := channels[topic]
				if uint64(len(c.messages)) != w.Count {
					t.Fatalf("%d messages, want %d", len(c.messages), w.Count)
				}
				checkLeaves(t, c, w.Leaves)
				checkLossless(t, decode.Schema{}, c.messages)
			})
		}
	}
	if topics == 0 {
		t.Error("no JSON channel is expected anywhere")
	}
}

func checkLeaves(t *testing.T, c *channel, want map[string]corpustest.Leaf) {
	t.Helper()
	p := compile(t, c.schema, decode.Options{})
	for _, m := range c.messages {
		if err := p.Observe(m); err != nil {
			t.Fatal(err)
		}
	}
	b := decode.NewBatch(p.Columns(), nil)
	for _, m := range c.messages {
		if err := p.Decode(m, b); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]corpustest.Leaf{}
	for i, column := range p.Columns() {
		if l := columnLeaf(b.Column(i)); l.N > 0 {
			got[column.Name] = l
		}
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("-want +got:\n%s\nwarnings: %s", diff, strings.Join(p.Warnings(), "\n"))
	}
}

// columnLeaf sums a column as EXPECTED.jsonl does.
func columnLeaf(v *decode.Vector) corpustest.Leaf {
	var l corpustest.Leaf
	for i := range v.Len() {
		if v.IsNull(i) {
			continue
		}
		l.N++
		switch x := cell(v, i).(type) {
		case int64:
			l.Kind, l.Sum = "num", l.Sum+float64(x)
		case double:
			l.Kind, l.Sum = "num", l.Sum+float64(x)
		case bool:
			l.Kind = "bool"
			if x {
				l.Sum++
			}
		case []any:
			l.Kind, l.Sum = "arr", l.Sum+float64(len(x))
		case string:
			l.Kind, l.Sum = "str", l.Sum+float64(len(x))
			if v.Type().Kind == decode.Timestamp {
				l.Kind, l.Sum = "time", l.Sum-float64(len(x))+float64(int64(binary.LittleEndian.Uint64(v.Fixed()[8*i:])))
			}
		}
	}
	return l
}
