package jsonmsg

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// Columns of every kind, and the values that they hold: all others must widen them.
func TestValuesThatDoNotFit(t *testing.T) {
	values := []string{`true`, `1`, `-9223372036854775809`, `5.0`, `1.5`, `1e400`, `9007199254740993`, `"text"`, `"AAEC"`, `"no base64"`, `{}`, `{"k":1}`, `{"sec":1,"nsec":2}`, `[]`, `[1]`, `["x"]`}
	property := func(schema string) string { return `{"properties":{"a":` + schema + `}}` }
	for _, tt := range []struct {
		name, schema, sample string
		fit                  []string
	}{
		{"nothing", ``, `null`, nil},
		{"empty object", ``, `{}`, []string{`{}`}},
		{"boolean", property(`{"type":"boolean"}`), ``, []string{`true`}},
		{"integer", property(`{"type":"integer"}`), ``, []string{`1`, `5.0`, `9007199254740993`}},
		{"integer seen", ``, `7`, []string{`1`, `9007199254740993`}},
		{"huge integer seen", ``, `18446744073709551615`, []string{`1`, `-9223372036854775809`, `9007199254740993`}},
		{"number", property(`{"type":"number"}`), ``, []string{`1`, `5.0`, `1.5`}},
		{"string", property(`{"type":"string"}`), ``, []string{`"text"`, `"AAEC"`, `"no base64"`}},
		{"base64", property(`{"type":"string","contentEncoding":"base64"}`), ``, []string{`"text"`, `"AAEC"`}},
		{"time", property(`{"properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}}`), ``, []string{`{"sec":1,"nsec":2}`}},
		{"list", ``, `[1]`, []string{`[]`, `[1]`}},
		{"list of nothing", ``, `[]`, []string{`[]`}},
		{"object", ``, `{"k":1}`, []string{`{}`, `{"k":1}`}},
		{"JSON text", property(`{"type":["string","boolean"]}`), ``, values},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := compile(t, jsonschema(tt.schema), decode.Options{})
			if tt.sample != "" {
				if err := p.Observe([]byte(`{"a":` + tt.sample + `}`)); err != nil {
					t.Fatal(err)
				}
			}
			b := decode.NewBatch(p.Columns(), nil)
			var fit []string
			for _, v := range values {
				err := p.Decode([]byte(`{"a":`+v+`}`), b)
				switch {
				case err == nil:
					fit = append(fit, v)
				case !errors.Is(err, decode.ErrWiden):
					t.Errorf("%s: %v", v, err)
				}
				b.DropRow()
				decodetest.CheckBatch(t, b)
			}
			if diff := cmp.Diff(tt.fit, fit); diff != "" {
				t.Errorf("values that fit, -want +got:\n%s", diff)
			}
			for _, broken := range []string{``, `1x`, `tr`, `"a`, `"\x"`, `{"k"`, `{"k":`, `{"k":1`, `{"k":1,`, `{"k"1}`, `{k`, `[`, `[1`, `[1,`, `[1 2`, `-`, `nul`} {
				err := p.Decode([]byte(`{"a":`+broken), b)
				if !errors.Is(err, decode.ErrTruncated) && !errors.Is(err, errSyntax) {
					t.Errorf("%s: %v, want a complaint about the JSON", broken, err)
				}
				b.DropRow()
				decodetest.CheckBatch(t, b)
			}
		})
	}
}

// A loader observes a sample and decodes on as long as nothing says ErrWiden. If
// nothing ever does, observing the rest must not have changed the columns; and
// what was decoded must be whole.
func TestSampleThatSuffices(t *testing.T) {
	sufficed := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var messages [][]byte
		for range 12 {
			messages = append(messages, []byte(randomObject(rng, 3, 0)))
		}
		p := compile(t, decode.Schema{}, decode.Options{})
		for _, m := range messages[:8] {
			if err := p.Observe(m); err != nil {
				t.Fatal(err)
			}
		}
		before := columnList(p)
		b := decode.NewBatch(p.Columns(), nil)
		if slices.ContainsFunc(messages, func(m []byte) bool { return p.Decode(m, b) != nil }) {
			continue
		}
		sufficed++
		for i, m := range messages {
			if got := p.reader.restore(b, i); !same(parse(m), got) {
				t.Fatalf("seed %d: %s came back as %v", seed, m, got)
			}
		}
		for _, m := range messages {
			if err := p.Observe(m); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(before, columnList(p)); diff != "" {
			t.Fatalf("seed %d: columns before and after observing the rest:\n%s", seed, diff)
		}
	}
	if sufficed < 100 {
		t.Errorf("the sample sufficed only %d times", sufficed)
	}
}

func columnList(p *plan) string {
	var b strings.Builder
	for _, c := range p.Columns() {
		fmt.Fprintf(&b, "%s %s\n", c.Name, c.Type.SQL())
	}
	return b.String()
}
