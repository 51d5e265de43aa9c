package jsonmsg

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
)

// Columns of schemas alone, as get_schema shows them.
func TestDeclared(t *testing.T) {
	for _, tt := range []struct {
		name   string
		schema string // of the properties
		want   []string
	}{
		{"scalars in the order of the text",
			`"z":{"type":"integer"},"a":{"type":"number"},"s":{"type":"string","format":"date-time"},"b":{"type":"boolean"},"x":{"type":"string","contentEncoding":"base64"}`,
			[]string{"z BIGINT", "a DOUBLE", "s VARCHAR", "b BOOLEAN", "x BLOB"}},
		{"arrays and objects",
			`"l":{"type":"array","items":{"type":"number"}},"o":{"type":"object","properties":{"p":{"properties":{"q":{"type":"string"}}}}},"lo":{"items":{"type":"object","properties":{"k":{"type":"integer"}}}}`,
			[]string{"l DOUBLE[]", "o_p_q VARCHAR", `lo STRUCT(k BIGINT)[]`}},
		{"what the schema does not say is JSON text",
			`"a":true,"b":{},"c":{"type":"object"},"d":{"type":"array"},"e":{"type":"null"},"f":{"type":"thing"},"g":7,"h":{"additionalProperties":{"type":"number"}},"i":{"$ref":"other.json"}`,
			[]string{"a VARCHAR", "b VARCHAR", "c VARCHAR", "d VARCHAR[]", "e VARCHAR", "f VARCHAR", "g VARCHAR", "h VARCHAR", "i VARCHAR"}},
		{"null beside one type",
			`"a":{"type":["integer","null"]},"b":{"anyOf":[{"type":"number"},{"type":"null"}]},"c":{"oneOf":[{"type":"null"},{"type":"object","properties":{"d":{"type":"string"}}}]},"e":{"type":["null","array"],"items":{"type":["boolean","null"]}}`,
			[]string{"a BIGINT", "b DOUBLE", "c_d VARCHAR", "e BOOLEAN[]"}},
		{"several types are JSON text",
			`"a":{"type":["integer","string"]},"b":{"oneOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"type":"string"}]},"c":{"type":"array","items":{"type":["string","number"]}},"d":{"type":["boolean","string"]},"e":{"anyOf":[{"type":"boolean"},{"type":"number"}]}`,
			[]string{"a VARCHAR", "b VARCHAR", "c VARCHAR", "d VARCHAR", "e VARCHAR"}},
		{"types with one that holds both",
			`"a":{"type":["integer","number"]},"b":{"anyOf":[{"type":"string"},{"type":"string","contentEncoding":"base64"}]},"c":{"anyOf":[{"const":1},{"const":2.5}]}`,
			[]string{"a DOUBLE", "b VARCHAR", "c DOUBLE"}},
		{"alternatives of objects have the keys of all",
			`"a":{"oneOf":[{"type":"object","properties":{"k":{"const":"x"},"n":{"type":"integer"}}},{"type":"object","properties":{"k":{"const":"y"},"n":{"type":"number"},"m":{"type":"string"}}}]}`,
			[]string{"a_k VARCHAR", "a_n DOUBLE", "a_m VARCHAR"}},
		{"one alternative may be anything",
			`"a":{"anyOf":[{"type":"integer"},{}]},"b":{"anyOf":[{"type":"object","properties":{"x":{}}},{"type":["integer","boolean"]},{}]},"c":{"type":[["integer"],"string"]}`,
			[]string{"a VARCHAR", "b VARCHAR", "c VARCHAR"}},
		{"alternatives of arrays and of keys that are not named",
			`"a":{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"array","items":{"type":"number"}}]},"b":{"anyOf":[{"additionalProperties":{"type":"integer"}},{"additionalProperties":{"type":"number"}}]}`,
			[]string{"a DOUBLE[]", "b VARCHAR"}},
		{"schemas that narrow one another",
			`"a":{"allOf":[{"type":"array","items":{"type":"number"}},{"items":{"type":"integer"}}]},"b":{"type":"string","allOf":[{"contentEncoding":"base64"}]},"c":{"type":["string","integer"],"allOf":[{"type":"string"}]},"d":{"type":"string","allOf":[{"type":["string","integer"]}]},"e":{"type":"object","properties":{"x":{}},"allOf":[{"$ref":"#"}]}`,
			[]string{"a BIGINT[]", "b BLOB", "c VARCHAR", "d VARCHAR", "e VARCHAR"}},
		{"enums and constants",
			`"a":{"enum":["x","y",null]},"b":{"enum":[1,2]},"c":{"enum":["x",1]},"d":{"const":true},"g":{"const":{}},"h":{"const":[1]},"i":{"const":1.5},"e":{"type":"integer","enum":[0,1]},"f":{"oneOf":[{"const":0,"title":"OFF"},{"const":1,"title":"ON"}]}`,
			[]string{"a VARCHAR", "b BIGINT", "c VARCHAR", "d BOOLEAN", "g VARCHAR", "h VARCHAR[]", "i DOUBLE", "e BIGINT", "f BIGINT"}},
		{"tuples",
			`"a":{"prefixItems":[{"type":"integer"},{"type":"integer"}]},"b":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]},"c":{"type":"array","items":[{"type":"integer"},{"type":"number"}]},"d":{"prefixItems":[{"type":"integer"}],"items":{"type":"boolean"}},"e":{"prefixItems":[{"type":"boolean"}],"items":false}`,
			[]string{"a BIGINT[]", "b VARCHAR", "c DOUBLE[]", "d VARCHAR", "e BOOLEAN[]"}},
		{"allOf",
			`"a":{"allOf":[{"type":"object","properties":{"x":{"type":"number"}}},{"properties":{"x":{"type":"integer"},"y":{"type":"string"}}}]},"b":{"type":"string","allOf":[{"minLength":1}]},"c":{"allOf":[{"type":"string"},{"type":"integer"}]},"d":{"type":"object","properties":{"p":{"type":"integer"},"q":{"type":"integer"}},"oneOf":[{"required":["p"]},{"required":["q"]}]}`,
			[]string{"a_x BIGINT", "a_y VARCHAR", "b VARCHAR", "c VARCHAR", "d_p BIGINT", "d_q BIGINT"}},
		{"times and durations",
			`"a":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"b":{"properties":{"nanosec":{"type":"integer"},"sec":{"type":"integer"}}},"c":{"type":"object","title":"duration","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"scan_duration":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"d":{"type":"array","items":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}}}`,
			[]string{"a TIMESTAMP_NS", "b TIMESTAMP_NS", "c BIGINT", "scan_duration BIGINT", "d TIMESTAMP_NS[]"}},
		{"no times",
			`"a":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"},"x":{"type":"integer"}}},"b":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"number"}}},"c":{"type":"object","properties":{"sec":{"type":"integer"}}}`,
			[]string{"a_sec BIGINT", "a_nsec BIGINT", "a_x BIGINT", "b_sec BIGINT", "b_nsec DOUBLE", "c_sec BIGINT"}},
		{"a property that is written twice",
			`"a":{"type":"integer"},"b":{"type":"string"},"a":{"type":"number"}`,
			[]string{"a DOUBLE", "b VARCHAR"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, `{"type":"object","properties":{`+tt.schema+`}}`)
			if diff := cmp.Diff(table{Columns: tt.want}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		want         []string
	}{
		{"definitions", `{"type":"object","definitions":{"p":{"type":"object","properties":{"x":{"type":"number"}}}},"properties":{"a":{"$ref":"#/definitions/p"},"b":{"$ref":"#/definitions/p"}}}`,
			[]string{"a_x DOUBLE", "b_x DOUBLE"}},
		{"of the whole", `{"$ref":"#/$defs/M","$defs":{"M":{"type":"object","properties":{"a":{"type":"integer"}}}}}`,
			[]string{"a BIGINT"}},
		{"escapes and array elements", `{"properties":{"a":{"$ref":"#/$defs/x~1y~0z%20w"},"b":{"$ref":"#/anyOf/0/properties/c"},"d":{"$ref":"#/anyOf/9"},"e":{"$ref":"#nowhere"},"f":{"$ref":"#/%zz"}},"$defs":{"x/y~z w":{"type":"integer"}},"anyOf":[{"properties":{"c":{"type":"string"}}}]}`,
			[]string{"a BIGINT", "b VARCHAR", "d VARCHAR", "e VARCHAR", "f VARCHAR", "c VARCHAR"}},
		{"beside other keywords", `{"properties":{"a":{"$ref":"#/$defs/p","properties":{"y":{"type":"integer"}}}},"$defs":{"p":{"type":"object","properties":{"x":{"type":"number"}}}}}`,
			[]string{"a_y BIGINT", "a_x DOUBLE"}},
		{"recursive", `{"$ref":"#/$defs/node","$defs":{"node":{"properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}`,
			[]string{"name VARCHAR", "next VARCHAR", "children VARCHAR[]"}},
		{"recursive to the whole", `{"properties":{"a":{"type":"integer"},"sub":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}`,
			[]string{"a BIGINT", "sub VARCHAR"}},
		{"recursive in a circle", `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"}}},"b":{"properties":{"a":{"$ref":"#/$defs/a"},"n":{"type":"integer"}}}}}`,
			[]string{"a_b_a VARCHAR", "a_b_n BIGINT"}},
		{"recursive keys", `{"properties":{"m":{"$ref":"#/$defs/m"}},"$defs":{"m":{"type":"object","additionalProperties":{"$ref":"#/$defs/m"}}}}`,
			[]string{"m VARCHAR"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(table{Columns: tt.want}, load(t, tt.schema)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDescriptions(t *testing.T) {
	p := compile(t, jsonschema(`{"type":"object","properties":{
		"a":{"type":"number","title":"A","description":"Latitude\n  in degrees"},
		"frame_id":{"type":"string","title":"Frame Id"},
		"c":{"type":"string","title":"The mode","enum":["idle","run",null]},
		"d":{"description":"Covariance.","title":"x.Type","oneOf":[{"title":"UNKNOWN","const":0},{"title":"KNOWN","const":1}]},
		"e":{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]},
		"f":{"$ref":"#/$defs/f"},
		"g":{"anyOf":[{"enum":["a"]},{"type":"string"}]}
	},"$defs":{"f":{"type":"integer","description":"from its definition"}}}`), decode.Options{})
	var got []string
	for _, c := range p.Columns() {
		got = append(got, c.Description)
	}
	want := []string{
		"Latitude in degrees",
		"",
		"The mode (one of: idle, run)",
		"Covariance. (one of: 0 UNKNOWN, 1 KNOWN)",
		"(one of: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …)",
		"from its definition",
		"",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Messages that keep to their schema, and such that do not.
func TestDeclaredMessages(t *testing.T) {
	for _, tt := range []loadCase{
		{
			name:     "values of every kind",
			schema:   `{"type":"object","properties":{"i":{"type":"integer"},"n":{"type":"number"},"s":{"type":"string"},"b":{"type":"string","contentEncoding":"base64"},"l":{"type":"array","items":{"type":"number"}}}}`,
			messages: []string{`{"i":5.0,"n":5,"s":"x","b":"AAEC\/w==","l":[1,2.5]}`, `{"i":1e3,"n":null,"b":""}`},
			columns:  []string{"i BIGINT", "n DOUBLE", "s VARCHAR", "b BLOB", "l DOUBLE[]"},
			rows:     []string{`5 5.0 "x" "000102ff" [1.0,2.5]`, `1000 null null "" null`},
		},
		{
			name:     "an integer with a fraction",
			schema:   `{"properties":{"a":{"type":"integer"}}}`,
			messages: []string{`{"a":1.5}`, `{"a":2}`, `{"a":3.0}`},
			columns:  []string{"a DOUBLE"},
			rows:     []string{"1.5", "2.0", "3.0"},
			warnings: []string{"a: declared integer, found numbers with a fraction or an exponent: it is DOUBLE"},
		},
		{
			name:     "an integer beyond 64 bits",
			schema:   `{"properties":{"a":{"type":"integer"}}}`,
			messages: []string{`{"a":18446744073709551615}`, `{"a":3.0}`},
			columns:  []string{"a HUGEINT"},
			rows:     []string{"18446744073709551615", "3"},
			warnings: []string{"a: declared integer, found integers beyond 64 bits: it is HUGEINT"},
		},
		{
			name:     "a number that is text",
			schema:   `{"properties":{"o":{"properties":{"a":{"type":"number"}}},"b":{"type":"string"}}}`,
			messages: []string{`{"o":{"a":"x"},"b":1}`, `{"o":{"a":1.5},"b":"y"}`},
			columns:  []string{"o_a VARCHAR", "b VARCHAR"},
			rows:     []string{"\"`\\\"x\\\"`\" \"`1`\"", "\"`1.5`\" \"`\\\"y\\\"`\""},
			warnings: []string{"o.a: declared number, found string: it is JSON text", "b: declared string, found integers: it is JSON text"},
		},
		{
			name:     "times in nanoseconds that were declared as numbers",
			schema:   `{"properties":{"a":{"type":"number"}}}`,
			messages: []string{`{"a":1742544390882370101}`, `{"a":5}`},
			columns:  []string{"a BIGINT"},
			rows:     []string{"1742544390882370101", "5"},
			warnings: []string{"a: declared number, found integers that a DOUBLE does not hold exactly: it is BIGINT"},
		},
		{
			name:     "and fractions beside them",
			schema:   `{"properties":{"a":{"type":"number"}}}`,
			messages: []string{`{"a":1742544390882370101}`, `{"a":5.5}`},
			columns:  []string{"a VARCHAR"},
			rows:     []string{"\"`1742544390882370101`\"", "\"`5.5`\""},
			warnings: []string{"a: declared number, found integers that a DOUBLE does not hold exactly: it is JSON text"},
		},
		{
			name:     "an object that is a scalar",
			schema:   `{"properties":{"o":{"properties":{"a":{"type":"number"},"b":{"type":"string"}}},"z":{"type":"integer"}}}`,
			messages: []string{`{"o":7,"z":1}`, `{"o":{"a":1},"z":2}`},
			columns:  []string{"o VARCHAR", "z BIGINT"},
			rows:     []string{"\"`7`\" 1", "\"`{\\\"a\\\":1}`\" 2"},
			warnings: []string{"o: declared object, found integers: it is JSON text"},
		},
		{
			name:     "an array of mixed elements",
			schema:   `{"properties":{"t":{"type":"array","prefixItems":[{"type":"number"}]}}}`,
			messages: []string{`{"t":[1,"a"]}`},
			columns:  []string{"t VARCHAR"},
			rows:     []string{"\"`[1,\\\"a\\\"]`\""},
			warnings: []string{"t: declared an array of one kind, found elements of several (integers, string): it is JSON text"},
		},
		{
			name:     "text that is not base64",
			schema:   `{"properties":{"b":{"type":"string","contentEncoding":"base64"},"c":{"type":"string","contentEncoding":"base64"}}}`,
			messages: []string{`{"b":"AAEC","c":"AB=="}`, `{"b":"no!"}`, `{"b":1}`},
			columns:  []string{"b VARCHAR", "c VARCHAR"},
			rows:     []string{"\"`\\\"AAEC\\\"`\" \"AB==\"", "\"`\\\"no!\\\"`\" null", "\"`1`\" null"},
			warnings: []string{
				"b: declared base64 string, found integers, text that is not base64: it is JSON text",
				"c: declared base64 string, found text that is not base64: it is VARCHAR",
			},
		},
		{
			name:     "keys that are not declared",
			schema:   `{"properties":{"o":{"properties":{"a":{"type":"number"}},"additionalProperties":false},"z":{"type":"integer"}},"additionalProperties":{"type":"number"}}`,
			messages: []string{`{"extra":3,"o":{"b":"x","a":1},"z":1}`, `{"other":{"k":true}}`},
			columns:  []string{"o_a DOUBLE", "o_b VARCHAR", "z BIGINT", "extra DOUBLE", "other VARCHAR"},
			rows:     []string{`1.0 "x" 1 3.0 null`, "null null null null \"`{\\\"k\\\":true}`\""},
			warnings: []string{
				`message: keys that the schema does not declare became columns: "extra", "other"`,
				`o: keys that the schema does not declare became columns: "b"`,
				"other: declared number, found object: it is JSON text",
			},
		},
		{
			name:     "lists and objects under keys that are not declared",
			schema:   `{"additionalProperties":{"type":"object","properties":{"l":{"type":"array","items":{"type":"number"}}}}}`,
			messages: []string{`{"a":{"l":[1]}}`, `{"b":{"l":[2]}}`},
			columns:  []string{"a_l DOUBLE[]", "b_l DOUBLE[]"},
			rows:     []string{"[1.0] null", "null [2.0]"},
		},
		{
			name:     "an object of which the schema names no key",
			schema:   `{"properties":{"o":{"type":"object","additionalProperties":{"type":"object","properties":{"k":{"type":"number"}}}}}}`,
			messages: []string{`{"o":{"p":{"k":1},"q":{"k":2}}}`, `{"o":{}}`},
			columns:  []string{"o_p_k DOUBLE", "o_q_k DOUBLE"},
			rows:     []string{"1.0 2.0", "null null"},
		},
		{
			name:     "messages that are no object",
			schema:   `{"properties":{"a":{"type":"integer"}}}`,
			messages: []string{`[1]`, `{"a":1}`, `null`},
			columns:  []string{"a BIGINT", "value VARCHAR"},
			rows:     []string{"null \"`[1]`\"", "1 null", "null null"},
			warnings: []string{`message: declared object, found array too: column "value" holds it`},
		},
		{
			name:     "a schema of lists",
			schema:   `{"type":"array","items":{"type":"number"}}`,
			messages: []string{`[1]`, `null`},
			columns:  []string{"value DOUBLE[]"},
			rows:     []string{"[1.0]", "null"},
		},
		{
			name:     "and objects for it",
			schema:   `{"type":"array","items":{"type":"number"}}`,
			messages: []string{`[1]`, `{"a":1}`},
			columns:  []string{"a BIGINT", "value VARCHAR"},
			rows:     []string{"null \"`[1]`\"", "1 null"},
			warnings: []string{"message: declared array, found object too"},
		},
		{
			name:     "text for it",
			schema:   `{"type":"array","items":{"type":"number"}}`,
			messages: []string{`"x"`},
			columns:  []string{"value VARCHAR"},
			rows:     []string{"\"`\\\"x\\\"`\""},
			warnings: []string{"message: declared array, found string: it is JSON text"},
		},
		{
			name:     "recursion and unions are JSON text, strings in quotes",
			schema:   `{"properties":{"n":{"$ref":"#"},"u":{"type":["string","integer"]}}}`,
			messages: []string{`{"n":{"n":{},"u":1},"u":"x"}`, `{"n":"s","u":1}`},
			columns:  []string{"n VARCHAR", "u VARCHAR"},
			rows:     []string{"\"`{\\\"n\\\":{},\\\"u\\\":1}`\" \"`\\\"x\\\"`\"", "\"`\\\"s\\\"`\" \"`1`\""},
		},
	} {
		tt.run(t)
	}
}

func TestStamps(t *testing.T) {
	schema := `{"properties":{"t":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"duration":{"type":"object","properties":{"sec":{"type":"integer"},"nanosec":{"type":"integer"}}},"z":{"type":"integer"}}}`
	loadCase{
		name:   "held as nanoseconds",
		schema: schema,
		messages: []string{
			`{"t":{"sec":1698768000,"nsec":5},"duration":{"sec":-1,"nanosec":500000000},"z":1}`,
			`{"duration":{ "nanosec" : 0 , "sec" : 2 , "sec" : 3 },"t":{"nsec":1500000000,"sec":1.0}}`,
			`{"t":null,"t":{"sec":0,"nsec":0}}`,
		},
		columns: []string{"t TIMESTAMP_NS", "duration BIGINT", "z BIGINT"},
		rows:    []string{`"2023-10-31T16:00:00.000000005Z" "-500ms" 1`, `"1970-01-01T00:00:02.5Z" "3s" null`, `"1970-01-01T00:00:00Z" null null`},
	}.run(t)

	warning := "t: declared as sec and nsec, found an object that is no time in nanoseconds: it is columns of its keys"
	for _, tt := range []struct {
		name, value, columns, row string
		warnings                  []string
	}{
		{"a key is missing", `{"sec":1}`, "t_sec BIGINT, t_nsec BIGINT", "1 null null null", []string{warning}},
		{"no key at all", `{}`, "t_sec BIGINT, t_nsec BIGINT", "null null null null", []string{warning}},
		{"a key is null", `{"sec":1,"nsec":null}`, "t_sec BIGINT, t_nsec BIGINT", "1 null null null", []string{warning}},
		{"one key too many", `{"sec":1,"nsec":2,"x":3}`, "t_sec BIGINT, t_nsec BIGINT, t_x BIGINT", "1 2 3 null null",
			[]string{warning, `t: keys that the schema does not declare became columns: "x"`}},
		{"too far away", `{"sec":9223372036,"nsec":999999999}`, "t_sec BIGINT, t_nsec BIGINT", "9223372036 999999999 null null", []string{warning}},
		{"farther still", `{"sec":9223372036854775807,"nsec":0}`, "t_sec BIGINT, t_nsec BIGINT", "9223372036854775807 0 null null", []string{warning}},
		{"what DuckDB takes for infinity", `{"sec":9223372036,"nsec":854775807}`, "t_sec BIGINT, t_nsec BIGINT", "9223372036 854775807 null null", []string{warning}},
		{"a fraction", `{"sec":1.5,"nsec":2}`, "t_sec DOUBLE, t_nsec BIGINT", "1.5 2 null null",
			[]string{warning, "t.sec: declared integer, found numbers with a fraction or an exponent: it is DOUBLE"}},
		{"text", `"now"`, "t VARCHAR", "\"`\\\"now\\\"`\" null null", []string{"t: declared object, found string: it is JSON text"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, schema, `{"t":`+tt.value+`}`)
			want := table{Columns: append(strings.Split(tt.columns, ", "), "duration BIGINT", "z BIGINT"), Rows: []string{tt.row}, Warnings: tt.warnings}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A schema that can't be used costs nothing but what it says.
func TestUnusableSchemas(t *testing.T) {
	var bomb, wide strings.Builder
	for i := range 40 {
		fmt.Fprintf(&bomb, `"d%d":{"properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	for i := range decode.MaxColumns {
		fmt.Fprintf(&wide, `"p%d":{"type":"integer"},`, i)
	}
	const alone = "the columns come from the messages alone: "
	for _, tt := range []struct {
		name, schema, warning string
	}{
		{"empty", " ", alone + "the JSON schema is empty"},
		{"not JSON", "not json", alone + "the JSON schema can't be used: not valid JSON: byte 1: expected null, found 'o'"},
		{"cut off", `{"type":"object"`, alone + "the JSON schema can't be used: message ends early: byte 16: expected ',' or '}'"},
		{"a list", `[]`, alone + "the JSON schema can't be used: it is no JSON object"},
		{"false", `false`, alone + "the JSON schema can't be used: it is no JSON object"},
		{"true", `true`, alone + "the JSON schema does not say what a message is"},
		{"nothing said", `{}`, alone + "the JSON schema does not say what a message is"},
		{"only itself", `{"$ref":"#"}`, alone + "the JSON schema does not say what a message is"},
		{"too deep to read", strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600), alone + "the JSON schema can't be used: JSON lies too deep: byte 2560: more than 512 levels"},
		{"alternatives that nest without end", nested(`{"allOf":[`, "{}", "]}", 250), alone + "the JSON schema does not say what a message is"},
		{"definitions that double", `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + bomb.String() + `"d40":{}}}`, alone + "the JSON schema can't be used: its definitions multiply beyond what columns can be"},
		{"too many columns", `{"properties":{` + wide.String() + `"last":{}}}`, alone + "the JSON schema can't be used: it has 16386 fields, more than 16383"},
		{"a name without end", `{"properties":{"` + strings.Repeat("n", maxName+1) + `":{}}}`, alone + "the JSON schema can't be used: it makes names of more than 512 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, tt.schema, `{"a":1}`)
			want := table{Columns: []string{"a BIGINT"}, Rows: []string{"1"}, Warnings: []string{tt.warning}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	got := loadAs(t, decode.Schema{Encoding: "protobuf", Data: []byte{1}}, decode.Options{}, `{"a":1}`)
	want := table{Columns: []string{"a BIGINT"}, Rows: []string{"1"}, Warnings: []string{alone + `a schema of encoding "protobuf" says nothing of JSON`}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
