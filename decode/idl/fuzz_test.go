package idl

import (
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

func FuzzCompile(f *testing.F) {
	message := cdrtest.CDR(cdrLE).U32(1, 1, 1).F64(1.5).Message()
	for _, src := range []string{
		"struct T { long a; };",
		"===\nIDL: p/msg/T\nmodule p { module msg { struct T { @optional sequence<sequence<long, 3>> a[2]; }; }; };",
		"#include \"a.idl\"\n@mutable struct T : B { @id(3) @hashid(\"x\") string<8> a, b[2][3]; }; struct B { wchar c; };",
		"enum E { A, @value(3) B = 4 }; union U switch (E) { case A: case B: T a; default: octet b[2]; }; struct T { sequence<U> u; };",
		"const long N = ~(1 + 2 * 3 << 1) & 0xff; typedef double F[N % 7 + 1]; struct T { map<string, F> m; fixed<1, 2> x; };",
		"@bit_bound(8) bitmask M { @position(2) A, B }; bitset S : R { bitfield<3, long> a b; }; bitset R { bitfield<1>; }; struct T { M m; S s; };",
		"@verbatim(language=\"comment\", text=\"a\" \"\\x41\\u00e9 // b\") /* c */ struct T { // d\n @default(value='\\'') char a; };",
		"module T_Constants { const string S = \"a\" \"b\"; }; struct T { builtin_interfaces::msg::Time t; T_ x; }; interface T_ { };",
	} {
		f.Add("T", src, message)
	}
	f.Fuzz(func(t *testing.T, name, src string, message []byte) {
		for _, d := range []decode.Decoder{ROS2(), OMG()} {
			decodetest.CheckSchema(t, d, decode.Schema{Name: name, Data: []byte(src)}, message, nil, message)
		}
	})
}
