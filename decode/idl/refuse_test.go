package idl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/decode"
)

func TestTextsThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want string
	}{
		"empty":                        {"", `the type "T" is missing: the definition has no struct`},
		"only the type's name":         {"T", `line 1: expected a definition (module, struct, union, enum, typedef, const ...), found "T"`},
		"ends in a struct":             {"struct T {\n long a;\n doub", `line 3: expected the name of a member, found the end of the text`},
		"ends in a module":             {"module m { struct T { long a; };", `expected "}", found the end of the text`},
		"ends in an annotation":        {"@verbatim(text=\"a\" struct T { long a; };", `expected ")", found the end of the text`},
		"ends in an unknown one":       {"struct T { @odd({1, 2 long a; };", `found the end of the text`},
		"ends in a comment":            {"/* struct T { long a; };", `line 1: a comment that begins here has no end; expected */`},
		"ends in a string":             {"const string S = \"abc;\nstruct T { long a; };", `line 1: a literal has no end; expected " before the line ends`},
		"no semicolon":                 {"struct T { long a\n long b; };", `line 2: expected ";", found "long"`},
		"no name":                      {"struct T { long; };", `expected the name of a member, found ";"`},
		"a stray brace":                {"struct T { long a; }; };", `found "}"`},
		"a strange character":          {"struct T { long a; } §", `unexpected character '§'`},
		"unknown escape":               {`const string S = "\q"; struct T { long a; };`, `unknown escape \q`},
		"two characters":               {`const char C = 'ab'; struct T { long a; };`, `expected one character`},
		"unsigned of nothing":          {"struct T { unsigned a; };", `expected "short" or "long" after "unsigned", found "a"`},
		"a string as a type":           {`struct T { "string" a; };`, `expected a type, found the string "string"`},
		"unknown type":                 {"struct T { Foo a; };", `T: member a: line 1: "Foo" is not defined`},
		"forward only":                 {"struct F; struct T { F a; };", `F is declared in line 1 and never defined`},
		"a module as a type":           {"module F {}; struct T { F a; };", `expected a type, found F`},
		"a constant as a type":         {"const long F = 1; struct T { F a; };", `expected a type, found F`},
		"a module and a struct":        {"struct m { long a; }; module m {}; struct T { long a; };", `module m: line 1 uses this name for something else`},
		"two definitions":              {"struct F { long a; };\nstruct F { long b; };\nstruct T { F a; };", `F is defined in line 1 and differently in line 2`},
		"two definitions of root":      {"struct T { long a; };\nstruct T { long b; };", `T is defined in line 1 and differently in line 2`},
		"a mutable union as root":      {"@mutable union T switch (long) { case 1: long a; };", `expected T to be a struct or a union that is not mutable`},
		"an enum as root":              {"enum T { A };", `expected T to be a struct`},
		"fixed":                        {"struct T { fixed<5, 2> a; };", `type "fixed" can't be decoded`},
		"any":                          {"struct T { any a; };", `type "any" can't be decoded`},
		"an interface":                 {"local interface F { void f(in long a); }; struct T { F a; };", `F is of kind "interface", which can't be decoded`},
		"an exception":                 {"exception F { long a; }; struct T { F a; };", `F is of kind "exception"`},
		"typedef of itself":            {"typedef F F; struct T { F a; };", `F is defined by itself`},
		"typedefs of each other":       {"typedef sequence<G> F; typedef F G[2]; struct T { F a; };", `is defined by itself`},
		"constant of itself":           {"const long A = B + 1; const long B = A; struct T { long a[A]; };", `is defined by itself`},
		"enumerator of itself":         {"enum E { @value(B) A, B }; struct T { E a; };", `E is defined by itself`},
		"bases of each other":          {"struct T : S { long a; }; struct S : T { long b; };", `inherits from itself`},
		"base is no struct":            {"enum S { A }; struct T : S { long a; };", `expected a struct to inherit from, found S`},
		"base is unknown":              {"struct T : S { long a; };", `"S" is not defined`},
		"bitset of itself":             {"bitset B : B { bitfield<1> a; }; struct T { B a; };", `B is defined by itself`},
		"holds itself whole":           {"struct T { long a; T b; };", `T holds itself`},
		"array of no elements":         {"struct T { long a[0]; };", `expected array dimensions from 1`},
		"array of less":                {"struct T { long a[2 - 3]; };", `found -1`},
		"array beyond all messages":    {"struct T { octet a[65536][65536]; };", `product is at most 2147483647`},
		"array beyond an int64":        {"struct T { octet a[4294967296][4294967296][4294967296]; };", `product is at most`},
		"array of a float":             {"struct T { long a[1.5]; };", `expected an integer of 64 bits, found 1.5`},
		"array of a string":            {`struct T { long a["3"]; };`, `expected an integer of 64 bits`},
		"array of an unknown constant": {"struct T { long a[N]; };", `"N" is not defined`},
		"array of a type":              {"struct T { long a[T]; };", `expected the name of a constant, found T`},
		"division by zero":             {"struct T { long a[1 / 0]; };", `division by zero`},
		"remainder of zero":            {"const long Z = 0; struct T { long a[1 % Z]; };", `division by zero`},
		"float remainder":              {"struct T { long a[3.0 % 2]; };", `operator "%" can't be applied`},
		"string minus string":          {`struct T { long a["a" - "b"]; };`, `operator "-" can't be applied`},
		"a far shift":                  {"struct T { long a[1 << 4000000000]; };", `expected a shift by 0 to 128 bits`},
		"a shift to the left of zero":  {"struct T { long a[1 << -1]; };", `expected a shift by 0 to 128 bits`},
		"result beyond all integers":   {"struct T { long a[(1 << 120) * (1 << 120)]; };", `the result of "*" is out of range`},
		"literal beyond 64 bits":       {"struct T { long a[0x1ffffffffffffffff]; };", `expected an integer of at most 64 bits`},
		"no octal":                     {"struct T { long a[09]; };", `expected an integer of at most 64 bits, found "09"`},
		"no number":                    {"struct T { long a[1e]; };", `expected a number, found "1e"`},
		"no expression":                {"struct T { long a[]; };", `expected a value or the name of a constant, found "]"`},
		"label of another":             {"union U switch (long) { case 1: long a; case 2: case 1: long b; }; struct T { U u; };", `the label of member b, 1,`},
		"label is no integer":          {"union U switch (long) { case 1.5: long a; }; struct T { U u; };", `expected an integer`},
		"no label":                     {"union U switch (long) { long a; }; struct T { U u; };", `expected "case" or "default", found "long"`},
		"two members behind a label":   {"union U switch (long) { case 1: long a, b; }; struct T { U u; };", `expected one member behind the labels of a union, found 2`},
		"switch of a float":            {"union U switch (double) { case 1: long a; }; struct T { U u; };", `no discriminator that is a number`},
		"enum too wide":                {"@bit_bound(33) enum E { A }; struct T { E e; };", `expected @bit_bound from 1 to 32 for E, found 33`},
		"enum value too large":         {"enum E { A = 4294967296 }; struct T { E e; };", `expected A of E to be from`},
		"flag beyond the bound":        {"@bit_bound(8) bitmask M { @position(8) A }; struct T { M m; };", `expected A of M to be from 0 to 7, found 8`},
		"bitset too wide":              {"bitset B { bitfield<60> a; bitfield<5> b; }; struct T { B b; };", `expected a bitset of 1 to 64 bits`},
		"unknown extensibility":        {"@extensibility(ODD) struct T { long a; };", `expected @extensibility(FINAL), (APPENDABLE) or (MUTABLE), found "odd"`},
		"unknown autoid":               {"@autoid(ODD) struct T { long a; };", `expected @autoid(SEQUENTIAL) or @autoid(HASH), found "odd"`},
		"id too large":                 {"struct T { @id(0x10000000) long a; };", `expected a member id from 0 to 268435455`},
		"name is another type's":       {"module m { struct S { long a; }; struct R { long a; }; };", `the type "T" is missing; the definition has m::S, m::R`},
		"name is of two types":         {"module m { struct T { long a; }; }; module n { struct T { long a; }; };", `the type "T" may be any of m::T, n::T`},
	} {
		t.Run(name, func(t *testing.T) { refuse(t, OMG(), "T", c.src, c.want) })
	}
}

func TestTextsThatWouldTakeTooMuch(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		src  string
		want string
	}{
		"length":         {strings.Repeat(" ", maxSource+1), "bytes; at most"},
		"words":          {"struct T { long a" + strings.Repeat(",a", maxTokens), "line 1: the definition has more than 262144 words and signs"},
		"modules":        {strings.Repeat("module m { ", 50_000), "expected at most 100 levels of nesting"},
		"sequences":      {"struct T { " + strings.Repeat("sequence<", 50_000), "expected at most 100 levels of nesting"},
		"parentheses":    {"struct T { long a[" + strings.Repeat("(", 100_000), "expected an expression of at most 256 operands"},
		"signs":          {"struct T { long a[" + strings.Repeat("-", 100_000), "expected an expression of at most 256 operands"},
		"operands":       {"struct T { long a[" + strings.Repeat("1+", 100_000) + "1]; };", "expected an expression of at most 256 operands"},
		"digits":         {"struct T { long a[" + strings.Repeat("9", 1_000_000) + "]; };", "expected a number of at most 400 digits"},
		"typedefs":       {"struct T { T0 a; };" + many(10_000, "typedef sequence<T%[2]d> T%[1]d;") + "typedef long T10000;", "lies behind more than 100 other definitions"},
		"deep sequences": {"typedef long T0;" + many(300, "typedef sequence<T%[1]d> T%[2]d;") + "struct T {" + many(300, "T%[1]d m%[1]d;") + "};", "deep in one another"},
		"constants":      {"struct T { long a[C0]; };" + many(10_000, "const long C%[1]d = C%[2]d;") + "const long C10000 = 1;", "lies behind more than 100 other definitions"},
		"doubled text":   {`const string C0 = "0123456789abcdef"; struct T { long a[C90]; };` + many(90, "const string C%[2]d = C%[1]d + C%[1]d;"), "a string constant is longer than"},
		"squares":        {"const long C0 = 3; struct T { long a[C90]; };" + many(90, "const long C%[2]d = C%[1]d * C%[1]d;"), `the result of "*" is out of range`},
		"bases":          {"struct T : S0 { long a; };" + many(10_000, "struct S%[1]d : S%[2]d { long a%[1]d; };") + "struct S10000 { long a; };", "more than 100 structs"},
		"structs":        {"struct T { S0 a; };" + many(10_000, "struct S%[1]d { S%[2]d a; };") + "struct S10000 { long a; };", "deep in one another"},
		"doubled structs": {"struct T { S0 a; };" + many(60, "struct S%[1]d { S%[2]d a; S%[2]d b; };") + "struct S60 { long a; };",
			"it becomes more than 16384 columns"},
		"doubled maps": {"struct T { M0 a; };" + many(40, "typedef map<M%[2]d, M%[2]d> M%[1]d;") + "typedef long M40;", "it becomes more than"},
		"inherited members": {"struct B {" + many(1000, "long b%[1]d;") + "};" + many(100, "struct S%[1]d : B { };") + "struct T {" + many(100, "S%[1]d m%[1]d;") + "};",
			"the types of a message have more than 65536 members"},
	} {
		t.Run(name, func(t *testing.T) { refuse(t, OMG(), "T", c.src, c.want) })
	}
}

// A long definition that is repeated in short was once compared in full each
// time.
func TestRepeatedDefinitions(t *testing.T) {
	short := "struct T{long a;};"
	src := "struct T {" + strings.Repeat(" \n", maxSource/4) + "long a; };" + strings.Repeat(short, 24_000)
	began := time.Now()
	if _, err := OMG().Compile(decode.Schema{Name: "T", Data: []byte(src)}, decode.Options{}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a text of %d bytes took %v", len(src), took)
	}
}
