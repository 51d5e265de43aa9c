package jsonmsg

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
)

// loadCase says what messages become.
type loadCase struct {
	name     string
	schema   string
	messages []string
	columns  []string
	rows     []string
	warnings []string
}

func (tt loadCase) run(t *testing.T) {
	t.Run(tt.name, func(t *testing.T) {
		want := table{Columns: tt.columns, Rows: tt.rows, Warnings: tt.warnings}
		if diff := cmp.Diff(want, load(t, tt.schema, tt.messages...)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestInferred(t *testing.T) {
	for _, tt := range []loadCase{
		{
			name:     "columns in order of first appearance",
			messages: []string{`{"b":true,"a":"x"}`, `{"c":1,"a":"y"}`},
			columns:  []string{"b BOOLEAN", "a VARCHAR", "c BIGINT"},
			rows:     []string{`true "x" null`, `null "y" 1`},
		},
		{
			name:     "objects are flattened, names that collide are numbered",
			messages: []string{`{"a_b":1,"a":{"b":2,"c":{"d":3}}}`, `{"a":null}`, `{"a":{}}`},
			columns:  []string{"a_b BIGINT", "a_b_2 BIGINT", "a_c_d BIGINT"},
			rows:     []string{"1 2 3", "null null null", "null null null"},
		},
		{
			name:     "a field that changes its kind",
			messages: []string{`{"v":1}`, `{"v":1.5}`, `{"v":"1"}`, `{"v":true}`, `{"v":{"x": 1}}`, `{"v":[1]}`, `{"v":null}`, `{}`},
			columns:  []string{"v VARCHAR"},
			rows:     []string{"\"`1`\"", "\"`1.5`\"", "\"`\\\"1\\\"`\"", "\"`true`\"", "\"`{\\\"x\\\": 1}`\"", "\"`[1]`\"", "null", "null"},
		},
		{
			name:     "an object that is a scalar elsewhere is JSON text as a whole",
			messages: []string{`{"v":{"x":1,"y":{"z":2}},"w":1}`, `{"v":3}`},
			columns:  []string{"v VARCHAR", "w BIGINT"},
			rows:     []string{"\"`{\\\"x\\\":1,\\\"y\\\":{\\\"z\\\":2}}`\" 1", "\"`3`\" null"},
		},
		{
			name:     "only null",
			messages: []string{`{"v":null}`},
			columns:  []string{"v VARCHAR"},
			rows:     []string{"null"},
		},
		{
			name:     "only objects without keys",
			messages: []string{`{"v":{}}`, `{"v":{ }}`, `{"v":null}`},
			columns:  []string{"v VARCHAR"},
			rows:     []string{"\"`{}`\"", "\"`{}`\"", "null"},
		},
		{
			name:     "only empty lists",
			messages: []string{`{"v":[]}`, `{"v":[null]}`},
			columns:  []string{"v VARCHAR[]"},
			rows:     []string{"[]", "[null]"},
		},
		{
			name:     "lists have elements of one type",
			messages: []string{`{"v":[1,2]}`, `{"v":[ ]}`, `{"v":[2.5,null]}`, `{}`},
			columns:  []string{"v DOUBLE[]"},
			rows:     []string{"[1.0,2.0]", "[]", "[2.5,null]", "null"},
		},
		{
			name:     "lists of several kinds are JSON text",
			messages: []string{`{"v":[1,"a"],"w":[[1],[true, 2]]}`, `{"v":[]}`},
			columns:  []string{"v VARCHAR", "w VARCHAR[]"},
			rows:     []string{"\"`[1,\\\"a\\\"]`\" [\"`[1]`\",\"`[true, 2]`\"]", "\"`[]`\" null"},
		},
		{
			name:     "lists of objects",
			messages: []string{`{"v":[{"a":1},{"b":[{"c":"x"}],"a":null},null,{}]}`, `{"v":[]}`},
			columns:  []string{`v STRUCT(a BIGINT, b STRUCT(c VARCHAR)[])[]`},
			rows:     []string{`[{"a":1,"b":null},{"a":null,"b":[{"c":"x"}]},null,{"a":null,"b":null}]`, "[]"},
		},
		{
			name:     "the last of two values of a key counts",
			messages: []string{`{"a":1,"o":{"x":1,"y":[1,2]},"b":3,"a":2,"o":{"x":5}}`, `{"l":[{"k":"a","k":"bc"},{"k":"d"}],"a":1,"a":null}`},
			columns:  []string{"a BIGINT", "o_x BIGINT", "o_y BIGINT[]", "b BIGINT", `l STRUCT(k VARCHAR)[]`},
			rows:     []string{"2 5 null 3 null", `null null null null [{"k":"bc"},{"k":"d"}]`},
		},
		{
			name:     "keys in another order",
			messages: []string{`{"a":1,"b":"x","c":true}`, `{"c":false,"a":2,"b":"y"}`, `{"b":"z","a":3}`, `{"a":4,"b":"w","c":true}`},
			columns:  []string{"a BIGINT", "b VARCHAR", "c BOOLEAN"},
			rows:     []string{`1 "x" true`, `2 "y" false`, `3 "z" null`, `4 "w" true`},
		},
		{
			name:     "keys that could be taken for something else",
			messages: []string{`{"":1,"a.b":2,"a":{"b":3},"A":4,"a\":1,\"b":5,"\u00e9":6,"\ud800":7,"\n":8}`, `{"é":9,"a":{"b":1},"b":0}`},
			columns:  []string{"_ BIGINT", "a.b BIGINT", "a_b BIGINT", "A BIGINT", `a":1,"b BIGINT`, "é BIGINT", "__2 BIGINT", "__3 BIGINT", "b BIGINT"},
			rows:     []string{"1 2 3 4 5 6 7 8 null", "null null 1 null null 9 null null 0"},
		},
		{
			name:     "strings",
			messages: []string{`{"s":"plain"}`, `{"s":"\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"}`, `{"s":"\ud800x\udc00\ud800\ud800"}`, `{"s":"日本 and more than eight bytes \u00e9 here"}`, `{"s":""}`},
			columns:  []string{"s VARCHAR"},
			rows:     []string{`"plain"`, `"\"\\/\b\f\n\r\tA😀"`, `"�x���"`, `"日本 and more than eight bytes é here"`, `""`},
		},
		{
			name:     "JSON text keeps what is written, but for lone surrogates",
			messages: []string{`{"v":[1,"\ud800 \\ud800 \ud83d\ude00"]}`},
			columns:  []string{"v VARCHAR"},
			rows:     []string{"\"`[1,\\\"\\\\ufffd \\\\\\\\ud800 \\\\ud83d\\\\ude00\\\"]`\""},
		},
		{
			name:     "white space",
			messages: []string{" {\r\n\t\"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : null , \"d\" : 1.5 } } \n"},
			columns:  []string{"a BIGINT[]", "b_c VARCHAR", "b_d DOUBLE"},
			rows:     []string{"[1,2] null 1.5"},
		},
		{
			name:     "{sec, nsec} without a schema is two columns",
			messages: []string{`{"stamp":{"sec":1,"nsec":2}}`},
			columns:  []string{"stamp_sec BIGINT", "stamp_nsec BIGINT"},
			rows:     []string{"1 2"},
		},
	} {
		tt.run(t)
	}
}

func TestMessagesThatAreNoObject(t *testing.T) {
	for _, tt := range []loadCase{
		{
			name:     "lists",
			messages: []string{`[1,2]`, `null`, `[]`},
			columns:  []string{"value BIGINT[]"},
			rows:     []string{"[1,2]", "null", "[]"},
		},
		{
			name:     "scalars of one kind",
			messages: []string{`4.5`, `-1`},
			columns:  []string{"value DOUBLE"},
			rows:     []string{"4.5", "-1.0"},
		},
		{
			name:     "null alone",
			messages: []string{`null`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{"null"},
		},
		{
			name:     "objects beside others",
			messages: []string{`{"value":1}`, `[1, 2]`, `"s"`, `null`, `{}`},
			columns:  []string{"value BIGINT", "value_2 VARCHAR"},
			rows:     []string{"1 null", "null \"`[1, 2]`\"", "null \"`\\\"s\\\"`\"", "null null", "null null"},
		},
		{
			name:     "null beside objects needs no column",
			messages: []string{`null`, `{"a":1}`},
			columns:  []string{"a BIGINT"},
			rows:     []string{"null", "1"},
		},
		{
			name:     "objects without keys need no column at all",
			messages: []string{`{}`, `null`},
			rows:     []string{"", ""},
		},
	} {
		tt.run(t)
	}
}

// Messages that are not JSON, each beside a sound one: they cost their own row.
func TestInvalidMessages(t *testing.T) {
	for message, want := range map[string]string{
		``:                    "message ends early: byte 0: expected a value",
		` `:                   "message ends early: byte 1: expected a value",
		`{`:                   "message ends early: byte 1: expected a key in quotes",
		`{"a"`:                "message ends early: byte 4: expected ':'",
		`{"a":`:               "message ends early: byte 5: expected a value",
		`{"a":1`:              "message ends early: byte 6: expected ',' or '}'",
		`{"a":1,`:             "message ends early: byte 7: expected a key in quotes",
		`{"a":1,}`:            "not valid JSON: byte 7: expected a key in quotes, found '}'",
		`{"a":1 "b":2}`:       `not valid JSON: byte 7: expected ',' or '}', found '"'`,
		`{a:1}`:               "not valid JSON: byte 1: expected a key in quotes, found 'a'",
		`{"a":NaN}`:           "not valid JSON: byte 5: expected a value, found NaN, which JSON has no number for",
		`{"a":-Infinity}`:     "not valid JSON: byte 6: expected a digit, found Infinity, which JSON has no number for",
		`{"a":nan}`:           "not valid JSON: byte 5: expected a value, found nan, which JSON has no number for",
		`{"b":[1,inf]}`:       "not valid JSON: byte 8: expected a value, found inf, which JSON has no number for",
		`{"a":+1}`:            "not valid JSON: byte 5: expected a value, found '+'",
		`{"a":01}`:            "not valid JSON: byte 5: expected no zero before other digits, found '0'",
		`{"a":1.}`:            "not valid JSON: byte 7: expected a digit, found '}'",
		`{"a":.5}`:            "not valid JSON: byte 5: expected a value, found '.'",
		`{"a":1e}`:            "not valid JSON: byte 7: expected a digit, found '}'",
		`{"a":0x1}`:           "not valid JSON: byte 6: expected ',' or '}', found 'x'",
		`{"a":tru}`:           "not valid JSON: byte 8: expected true, found '}'",
		`{"a":nul`:            "message ends early: byte 8: expected null",
		`{"a":"x`:             "message ends early: byte 7: expected the quote that ends a string",
		"{\"a\":\"\n\"}":      `not valid JSON: byte 6: expected no control character in a string, found '\n'`,
		`{"a":"\x"}`:          "not valid JSON: byte 7: expected an escape, found 'x'",
		`{"a":"\u12g4"}`:      "not valid JSON: byte 10: expected a hexadecimal digit, found 'g'",
		`{"a":"\`:             "message ends early: byte 7: expected an escape",
		`{"a":[1,]}`:          "not valid JSON: byte 8: expected a value, found ']'",
		`{"a":[1}`:            "not valid JSON: byte 7: expected ',' or ']', found '}'",
		`{"a":1}{"a":2}`:      "not valid JSON: byte 7: expected the end of the message, found '{'",
		"{\"a\":\"\xe9\"}":    "not valid JSON: byte 6: 0xe9 is not UTF-8",
		"{\"a\":1}\x00":       `not valid JSON: byte 7: expected the end of the message, found '\x00'`,
		`{"a":1,"new":[1,2}`:  "not valid JSON: byte 17: expected ',' or ']', found '}'",
		`{"a":{"b":"x","c":}`: "not valid JSON: byte 18: expected a value, found '}'",
	} {
		t.Run(message, func(t *testing.T) {
			got := load(t, "", `{"a":1}`, message, `{"a":2}`)
			if diff := cmp.Diff(table{Columns: []string{"a BIGINT"}, Rows: []string{"1", "error: " + want, "2"}}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestByteOrderMark(t *testing.T) {
	loadCase{
		messages: []string{"\ufeff{\"a\":1}", "\ufeff 2", "\ufeff"},
		columns:  []string{"a BIGINT", "value VARCHAR"},
		rows:     []string{"1 null", "null \"`2`\"", "error: message ends early: byte 3: expected a value"},
	}.run(t)
}

func TestFlattenDepth(t *testing.T) {
	got := loadAs(t, decode.Schema{}, decode.Options{FlattenDepth: 1, Reserved: []string{"t"}},
		`{"t":1,"a":{"b":{"c":1,"d":{"e":"x"}}}}`, `{"a":{"b":{"d":{"e":"y"},"d":{}}}}`, `{"a":{"b":null}}`, `{}`)
	want := table{
		Columns: []string{"t_2 BIGINT", `a_b STRUCT(c BIGINT, d STRUCT(e VARCHAR))`},
		Rows: []string{
			`1 {"c":1,"d":{"e":"x"}}`,
			`null {"c":null,"d":{"e":null}}`,
			`null null`,
			`null null`,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
