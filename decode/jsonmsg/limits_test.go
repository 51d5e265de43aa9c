package jsonmsg

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

func nested(open, inner, closing string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
}

// Structure that is too deep costs its message, whether it is read or skipped
// over, and neither the stack nor the columns suffer from what is within the
// limit.
func TestDepth(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		ok            bool
	}{
		{"lists within the limit", nested("[", "1", "]", maxDepth), true},
		{"lists beyond it", nested("[", "1", "]", maxDepth+1), false},
		{"objects within the limit", nested(`{"a":`, "1", "}", maxDepth), true},
		{"objects beyond it", nested(`{"a":`, "1", "}", maxDepth+1), false},
		{"many lists, never closed", strings.Repeat("[", 10_000), false},
		{"a million objects", nested(`{"a":`, "1", "}", 1_000_000), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := compile(t, decode.Schema{}, decode.Options{})
			err := p.Observe([]byte(tt.message))
			b := decode.NewBatch(p.Columns(), nil)
			again := p.Decode([]byte(tt.message), b)
			if tt.ok != (err == nil) || tt.ok != (again == nil) {
				t.Fatalf("Observe: %v, Decode: %v", err, again)
			}
			if !tt.ok && !errors.Is(again, errDepth) {
				t.Errorf("Decode: %v, want errDepth", again)
			}
			if tt.ok && len(p.Warnings()) != 1 {
				t.Errorf("Warnings() = %q, want one about JSON text", p.Warnings())
			}
		})
	}
}

// From the 32nd level on values are JSON text, whichever way they lie.
func TestLevels(t *testing.T) {
	inner := nested("[", "1", "]", 10)
	loadCase{
		messages: []string{nested(`{"k":`, inner, "}", maxLevels)},
		columns:  []string{strings.Repeat("k_", maxLevels-1) + "k VARCHAR"},
		rows:     []string{"\"`" + inner + "`\""},
		warnings: []string{strings.Repeat("k.", maxLevels-1) + "k: objects or arrays lie more than 32 deep: from here on they are JSON text"},
	}.run(t)
	schema := nested(`{"properties":{"k":`, `{"type":"array"}`, "}}", maxLevels)
	loadCase{
		schema:   schema,
		messages: []string{nested(`{"k":`, inner, "}", maxLevels)},
		columns:  []string{strings.Repeat("k_", maxLevels-1) + "k VARCHAR"},
		rows:     []string{"\"`" + inner + "`\""},
		warnings: []string{strings.Repeat("k.", maxLevels-1) + "k: objects or arrays lie more than 32 deep: from here on they are JSON text"},
	}.run(t)
}

// Keys that are data must not make columns without end.
func TestKeysThatAreData(t *testing.T) {
	const tooMany = "its objects have too many different keys to be columns: it is JSON text"
	ids := func(format string) []string {
		var messages []string
		for i := range maxNewKeys + 2 {
			messages = append(messages, fmt.Sprintf(format, i))
		}
		return messages
	}
	wide := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"f%d":%d`, i, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	for _, tt := range []struct {
		name, schema string
		messages     []string
		columns      int
		last         string // row, unless empty
		warnings     string
	}{
		{"in an object", ``, ids(`{"robots":{"id%d":1},"n":1}`), 2, "\"`{\\\"id1001\\\":1}`\" 1", "robots: " + tooMany},
		{"in a list", ``, ids(`{"robots":[{"id%d":1}],"n":1}`), 2, "[\"`{\\\"id1001\\\":1}`\"] 1", "robots[]: " + tooMany},
		{"in the message itself", ``, ids(`{"id%d":1}`), 1, "\"`{\\\"id1001\\\":1}`\"", "message: " + tooMany},
		{"beside declared ones", `{"properties":{"robots":{"properties":{"a":{"type":"integer"}}}}}`,
			ids(`{"robots":{"id%d":1}}`), 1, "", "robots: " + tooMany},
		{"of one wide object", ``, []string{wide(5000), wide(5000 + maxNewKeys)}, 6000, "", ""},
		{"of one that is as wide as can be", ``, []string{wide(maxPlaces - 3), `{"value":1}`, `7`}, maxPlaces - 1, "", ""},
		{"of one that is too wide", ``, []string{wide(decode.MaxColumns)}, 1, "", "message: " + tooMany},
		{"of many that are too wide together", ``, []string{`{"a":` + wide(9000) + `,"b":` + wide(9000) + `}`}, 9001, "", "b: " + tooMany},
		{"as long as a text", ``, []string{`{"o":{"` + strings.Repeat("k", maxName) + `":1},"p":1}`}, 2, "", "o: a key of it makes a name of more than 512 bytes: it is JSON text"},
		{"long together", ``, []string{nested(`{"`+strings.Repeat("k", 99)+`":`, "1", "}", 12)}, 1, "", strings.Repeat(strings.Repeat("k", 99)+".", 4) + strings.Repeat("k", 99) + ": a key of it makes a name of more than 512 bytes: it is JSON text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, tt.schema, tt.messages...)
			if len(got.Columns) != tt.columns {
				t.Errorf("%d columns, want %d", len(got.Columns), tt.columns)
			}
			if w := strings.Join(got.Warnings, "\n"); w != tt.warnings {
				t.Errorf("warnings %q, want %q", w, tt.warnings)
			}
			for i, r := range got.Rows {
				if strings.HasPrefix(r, "error") {
					t.Fatalf("row %d: %s", i, r)
				}
			}
			if last := got.Rows[len(got.Rows)-1]; tt.last != "" && last != tt.last {
				t.Errorf("last row %s, want %s", last, tt.last)
			}
		})
	}
}

// When an object turns to JSON text its places can be used by others again.
func TestPlacesAreGivenBack(t *testing.T) {
	p := compile(t, decode.Schema{}, decode.Options{})
	for _, m := range []string{`{"a":{"b":1,"c":[{"d":1}]},"e":1}`, `{"a":7,"e":"x"}`, `{"l":[1]}`, `{"l":["x"]}`} {
		if err := p.Observe([]byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := p.tree.places, p.tree.root.places()+p.tree.value.places(); got != want || want != 5 {
		t.Errorf("%d places counted, %d there, want 5", got, want)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var schema, message strings.Builder
	for i := range 500 {
		fmt.Fprintf(&schema, `,"f%d":{"type":"integer"}`, i)
		fmt.Fprintf(&message, `,"f%d":"x","g%d":1`, i, i)
	}
	got := load(t, `{"properties":{`+schema.String()[1:]+`}}`, "{"+message.String()[1:]+"}")
	if n := len(got.Warnings); n != maxWarnings+1 {
		t.Errorf("%d warnings, want %d", n, maxWarnings+1)
	}
	if last := got.Warnings[maxWarnings]; last != "401 more columns differ from their schema" {
		t.Errorf("the last one is %q", last)
	}
	if first := got.Warnings[0]; !strings.HasSuffix(first, `"g9", 490 more`) {
		t.Errorf("the first one is %q", first)
	}
}

// A few bytes must not become thousands of nulls each.
func TestSparseMessages(t *testing.T) {
	var keys strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&keys, `,"f%d":%d`, i, i)
	}
	wide := "{" + keys.String()[1:] + "}"
	for name, message := range map[string]string{
		"empty objects in a list": `{"l":[` + strings.Repeat("{},", 100_000) + `{}]}`,
		"nulls in a list":         `{"l":[` + strings.Repeat("null,", 100_000) + `null]}`,
		"one key over and over":   `{` + strings.Repeat(`"l":[{}],`, 100_000) + `"l":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := compile(t, decode.Schema{}, decode.Options{})
			for _, m := range []string{`{"l":[` + wide + `]}`, message} {
				if err := p.Observe([]byte(m)); err != nil {
					t.Fatal(err)
				}
			}
			b := decode.NewBatch(p.Columns(), nil)
			if err := p.Decode([]byte(message), b); !errors.Is(err, errSparse) {
				t.Errorf("Decode: %v, want errSparse", err)
			}
			b.DropRow()
			if err := p.Decode([]byte(`{"l":[{},{}]}`), b); err != nil {
				t.Errorf("a small message: %v", err)
			}
			decodetest.CheckBatch(t, b)
		})
	}
}

// One large string must not keep its memory for as long as the plan lives.
func TestLargeStringsAreLetGo(t *testing.T) {
	p := compile(t, decode.Schema{}, decode.Options{})
	large := []byte(`{"s":"\n` + strings.Repeat("x", maxScratch) + `"}`)
	if err := p.Observe(large); err != nil {
		t.Fatal(err)
	}
	b := decode.NewBatch(p.Columns(), nil)
	if err := p.Decode(large, b); err != nil {
		t.Fatal(err)
	}
	if got := len(between(b.Column(0), 0)); got != maxScratch+1 {
		t.Errorf("%d bytes of text, want %d", got, maxScratch+1)
	}
	if p.reader.scratch != nil {
		t.Errorf("%d bytes are kept", cap(p.reader.scratch))
	}
}

// Alternatives that list a value each were once added up in time that grew by
// the square.
func TestManyAlternatives(t *testing.T) {
	schema := `{"properties":{"k":{"anyOf":[` + strings.Repeat(`{"const":"idle"},`, 100_000) + `{"const":"run"}]}}}`
	began := time.Now()
	p := compile(t, jsonschema(schema), decode.Options{})
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a schema of %d bytes took %v", len(schema), took)
	}
	want := "(one of: " + strings.Repeat("idle, ", maxListed) + "…)"
	if got := p.Columns()[0].Description; got != want {
		t.Errorf("described as %q, want %q", got, want)
	}
}
