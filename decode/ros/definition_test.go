package ros

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The grammar of .msg files as people stretch it.
func TestLinesOfADefinition(t *testing.T) {
	text := strings.Join([]string{
		`string a # comment`, `string<=22 b "Hello # world!" # c`, `string<=3[<=2] c ['x', "y#"]`, `float64[<=3] d [1.0, 2]`,
		`float64 e 1.5`, `int32 f -3#x`, `uint8 g #[x]`, `string h 'it\'s # one'`, `string i it's # comment`, "\tint32\t j \t",
		`int32[4] k`, `wstring<=9 l "w"`, `string m "a=b"`, `string EMPTY=""`, `int32 X = 5 # five`, `string S="a # b" # c`,
		`string BARE=hello # c`, `byte OK=0`, `string<=5 T='x'`, `float32 PI=3.14`,
	}, "\r\n")
	sections, err := split(text)
	if err != nil {
		t.Fatal(err)
	}
	def, err := ros2.define(sections[0])
	if err != nil {
		t.Fatal(err)
	}
	var fields, constants []string
	for _, f := range def.fields {
		fields = append(fields, f.name)
	}
	for _, c := range def.constants {
		constants = append(constants, c.typ+" "+c.name+" "+c.value)
	}
	if diff := cmp.Diff(strings.Split("abcdefghijklm", ""), fields); diff != "" {
		t.Errorf("fields differ (-want +got):\n%s", diff)
	}
	want := []string{"string EMPTY ", "int32 X 5", "string S a # b", "string BARE hello", "byte OK 0", "string T x", "float32 PI 3.14"}
	if diff := cmp.Diff(want, constants); diff != "" {
		t.Errorf("constants differ (-want +got):\n%s", diff)
	}
	if b, c, k := def.fields[1].typ, def.fields[2].typ, def.fields[10].typ; b != (typeRef{base: "string"}) ||
		c != (typeRef{base: "string", list: sequence}) || k != (typeRef{base: "int32", list: array, count: 4}) {
		t.Errorf("types %v, %v and %v", b, c, k)
	}
}

func TestROS1StringConstantsGoToTheEndOfTheLine(t *testing.T) {
	def, err := ros1.define(section{lines: linesOf(`string S= a "b" # c`)})
	if err != nil || def.constants[0].value != `a "b" # c` {
		t.Errorf("got %v, %v", def.constants, err)
	}
}

func TestLinesThatAreNoDefinition(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"one word":          {"int32 a\n\nint32", `line 3: "int32" is neither a field nor a constant`},
		"parts of a field":  {"int32 a,b", `line 1: "a,b" is no name of a field`},
		"C++":               {"struct Foo {", "no definition of struct"},
		"number":            {"int32 1a", `"int32 1a" is neither`},
		"bracket":           {"int32[ a", `"int32[" is no type`},
		"brackets":          {"int32[][] a", `"int32[][]" is no type`},
		"negative length":   {"int32[-1] a", `"int32[-1]" is no type`},
		"endless length":    {"int32[99999999999] a", `is no type`},
		"bound of a number": {"int32<=3 a", `"int32<=3" is no type`},
		"slash":             {"a//b c", `"a//b" is no type`},
		"constant message":  {"a/B C=1", `constant C is of type "a/B"`},
		"behind separator":  {"int32 a\n====\nint32 b", `line 3: "int32 b" stands behind a separator`},
		"parts":             {"int32 a\n---\nint32 b", "in 2 parts, and t/T is none of the messages"},
		"many parts":        {"---\n---\n---", "it has 4 parts"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { wantSchemaError(t, ROS2(), "t/msg/T", test.text, test.want) })
	}
}

func TestErrorsQuoteLittle(t *testing.T) {
	_, err := compile(ROS2(), "t/T", "int32 "+strings.Repeat("é,", 1000))
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("error %v", err)
	}
}
