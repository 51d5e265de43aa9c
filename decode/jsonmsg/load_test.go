package jsonmsg

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// table is what messages become: a row of JSON a message, or its error.
type table struct {
	Columns  []string // name and SQL type
	Rows     []string
	Warnings []string
}

// load does as a loader does: all messages are observed, then decoded. An empty
// schema means that there is none.
func load(t *testing.T, schema string, messages ...string) table {
	t.Helper()
	return loadAs(t, jsonschema(schema), decode.Options{}, messages...)
}

func jsonschema(text string) decode.Schema {
	if text == "" {
		return decode.Schema{}
	}
	return decode.Schema{Name: "M", Encoding: "jsonschema", Data: []byte(text)}
}

func compile(t testing.TB, schema decode.Schema, opt decode.Options) *plan {
	t.Helper()
	p, err := New().Compile(schema, opt)
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return p.(*plan)
}

func loadAs(t *testing.T, schema decode.Schema, opt decode.Options, messages ...string) table {
	t.Helper()
	p := compile(t, schema, opt)
	for _, m := range messages {
		_ = p.Observe([]byte(m)) // what is wrong with it Decode says as well
	}
	got := table{Warnings: p.Warnings()}
	for _, c := range p.Columns() {
		got.Columns = append(got.Columns, c.Name+" "+c.Type.SQL())
	}
	b := decode.NewBatch(p.Columns(), nil)
	for _, m := range messages {
		if err := p.Decode([]byte(m), b); err != nil {
			b.DropRow()
			got.Rows = append(got.Rows, "error: "+err.Error())
		} else {
			got.Rows = append(got.Rows, row(b, b.Rows()-1))
		}
		decodetest.CheckBatch(t, b)
	}
	return got
}

// row returns a row as a JSON array.
func row(b *decode.Batch, i int) string {
	var cells []string
	for c := range b.Columns() {
		text, err := json.Marshal(cell(b.Column(c), i))
		if err != nil {
			text = []byte(err.Error())
		}
		cells = append(cells, string(text))
	}
	return strings.Join(cells, " ")
}

// cell returns value i of a vector: text that is JSON comes as jsonText, a
// struct as a map, an integer beyond 64 bits as a big one.
func cell(v *decode.Vector, i int) any {
	if v.IsNull(i) {
		return nil
	}
	switch v.Type().Kind {
	case decode.Bool:
		return v.Fixed()[i] != 0
	case decode.Int64:
		return int64(binary.LittleEndian.Uint64(v.Fixed()[8*i:]))
	case decode.Duration:
		return time.Duration(binary.LittleEndian.Uint64(v.Fixed()[8*i:])).String()
	case decode.Timestamp:
		return time.Unix(0, int64(binary.LittleEndian.Uint64(v.Fixed()[8*i:]))).UTC().Format(time.RFC3339Nano)
	case decode.HugeInt:
		high := big.NewInt(int64(binary.LittleEndian.Uint64(v.Fixed()[16*i+8:])))
		low := new(big.Int).SetUint64(binary.LittleEndian.Uint64(v.Fixed()[16*i:]))
		return high.Lsh(high, 64).Add(high, low)
	case decode.Float64:
		return double(math.Float64frombits(binary.LittleEndian.Uint64(v.Fixed()[8*i:])))
	case decode.String:
		return string(between(v, i))
	case decode.JSON:
		return jsonText(between(v, i))
	case decode.Bytes:
		return fmt.Sprintf("%x", between(v, i))
	case decode.List:
		list := []any{}
		for j := start(v, i); j < v.Ends()[i]; j++ {
			list = append(list, cell(v.Elem(), j))
		}
		return list
	case decode.Struct:
		fields := map[string]any{}
		for j, f := range v.Type().Fields {
			fields[f.Name] = cell(v.Field(j), i)
		}
		return fields
	}
	return fmt.Sprintf("no test for %s", v.Type().SQL())
}

func start(v *decode.Vector, i int) int {
	if i == 0 {
		return 0
	}
	return v.Ends()[i-1]
}

func between(v *decode.Vector, i int) []byte { return v.Bytes()[start(v, i):v.Ends()[i]] }

// jsonText is shown in backquotes, to tell it from a string.
type jsonText string

func (s jsonText) MarshalJSON() ([]byte, error) { return json.Marshal("`" + string(s) + "`") }

// double is shown with a point or exponent, to tell it from an integer.
type double float64

func (d double) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(float64(d))
	if err == nil && !strings.ContainsAny(string(text), ".e") {
		text = append(text, ".0"...)
	}
	return text, err
}

func TestDecoder(t *testing.T) {
	d := New()
	if d.Name() != "JsonDecoder" {
		t.Errorf("Name() = %q", d.Name())
	}
	for _, tt := range []struct {
		message, schema string
		want            bool
	}{
		{"json", "jsonschema", true},
		{"json", "", true},
		{"json", "protobuf", true},
		{"JSON", "jsonschema", false},
		{"", "jsonschema", false},
		{"cbor", "", false},
	} {
		if got := d.Claims(tt.message, tt.schema); got != tt.want {
			t.Errorf("Claims(%q, %q) = %t", tt.message, tt.schema, got)
		}
	}
}

// What a plan does between being compiled and having seen everything.
func TestWidening(t *testing.T) {
	p := compile(t, jsonschema(`{"type":"object","properties":{"a":{"type":"integer"}}}`), decode.Options{})
	if !p.Settled() {
		t.Error("a schema that names all kinds is not settled")
	}
	b := decode.NewBatch(p.Columns(), nil)
	if err := p.Decode([]byte(`{"a":1}`), b); err != nil {
		t.Fatal(err)
	}
	fork := p.Fork()
	for _, m := range []string{`{"a":1.5}`, `{"a":"x"}`, `{"b":1}`, `[1]`} {
		if err := p.Decode([]byte(m), b); !errors.Is(err, decode.ErrWiden) {
			t.Errorf("Decode(%s) = %v, want ErrWiden", m, err)
		}
		b.DropRow()
		decodetest.CheckBatch(t, b)
	}
	// A message that observing would not help with must not say ErrWiden.
	if err := p.Decode([]byte(`{"b":1,`), b); !errors.Is(err, decode.ErrTruncated) {
		t.Errorf("Decode of a message that breaks off = %v, want ErrTruncated", err)
	}
	b.DropRow()
	if err := p.Observe([]byte(`{"b":1,"c":{}`)); !errors.Is(err, decode.ErrTruncated) {
		t.Errorf("Observe of a message that breaks off = %v, want ErrTruncated", err)
	}
	if got := p.Columns(); len(got) != 1 {
		t.Errorf("a message that breaks off made columns: %v", got)
	}
	if err := p.Observe([]byte(`{"b":1}`)); err != nil {
		t.Fatal(err)
	}
	if got := len(p.Columns()); got != 2 {
		t.Errorf("%d columns after a new key, want 2", got)
	}
	if got := len(fork.Columns()); got != 1 {
		t.Errorf("%d columns in a fork made before, want 1", got)
	}
	if err := fork.Decode([]byte(`{"a":2}`), b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1", "2"}, []string{row(b, 0), row(b, 1)}); diff != "" {
		t.Error(diff)
	}
}

func TestSettled(t *testing.T) {
	for schema, want := range map[string]bool{
		``: false,
		`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["string","null"]}}}`:               true,
		`{"type":"object","properties":{"a":true}}`:                                                            false,
		`{"type":"object","properties":{"a":{"type":"array"}}}`:                                                false,
		`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"number"}}}}`:      false,
		`{"type":"object","properties":{"a":{"type":["string","integer"]}}}`:                                   true,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"array","items":{"const":"x"}}}}}`: true,
		`{"type":"object"}`:                          false,
		`{"type":"array","items":{"type":"number"}}`: true,
		`{}`:           false,
		`{"$ref":"#"}`: false,
		`{"$ref":"https://example.com/schema.json#/a"}`: false,
	} {
		if got := compile(t, jsonschema(schema), decode.Options{}).Settled(); got != want {
			t.Errorf("Settled() of %s = %t", schema, got)
		}
	}
}
