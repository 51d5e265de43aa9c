package idl

import (
	"testing"

	"tapedeck/decode/cdr"
)

func TestTypes(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"integers": {
			"struct T { short a; unsigned short b; long c; unsigned long d; long long e; unsigned long long f; };",
			"{a i16, b u16, c i32, d u32, e i64, f u64}"},
		"integers by width": {
			"struct T { int8 a; uint8 b; int16 c; uint16 d; int32 e; uint32 f; int64 g; uint64 h; };",
			"{a i8, b u8, c i16, d u16, e i32, f u32, g i64, h u64}"},
		"other basic types": {
			"struct T { boolean a; octet b; char c; wchar d; float e; double f; long double g; };",
			"{a bool, b byte, c char, d wchar, e f32, f f64, g f128}"},
		"texts with and without bound": {
			"const long N = 4; struct T { string a; string<8> b; wstring c; wstring<N * 2> d; string<(16 >> 1)> e; };",
			"{a string, b string, c wstring, d wstring, e string}"},
		"sequences": {
			"struct T { sequence<long> a; sequence<octet, 4294967295> b; sequence<sequence<string<3>, 8>> c; };",
			"{a seq i32, b seq byte, c seq seq string}"},
		"arrays":              {"struct T { double a[9], b[2][3], c; sequence<long> d[2]; };", "{a [9]f64, b [6]f64, c f64, d [2]seq i32}"},
		"a map":               {"struct T { map<string, long> a; map<long, double, 4> b; };", "{a seq {key string, value i32}, b seq {key i32, value f64}}"},
		"a member named map":  {"struct map_s { long a; }; struct T { map_s map; long default; long module; };", "{map {a i32}, default i32, module i32}"},
		"a type named map":    {"struct map { long a; }; struct T { map a; };", "{a {a i32}}"},
		"a type named Object": {"struct Object { long a; }; struct T { Object a; };", "{a {a i32}}"},
		"an escaped keyword":  {"struct _long { octet a; }; struct T { _long _string; };", "{string {a byte}}"},
		"an empty struct":     {"struct E {}; struct T { E e; long a; };", "{e {}, a i32}"},
		"the member of ROS for none": {
			"struct T { uint8 structure_needs_at_least_one_member; };", "{structure_needs_at_least_one_member u8}"},

		"typedefs": {
			"typedef double F9[9], F; typedef F9 G; typedef sequence<G, 3> H; struct T { F a; G b; H c; F9 d[2]; };",
			"{a f64, b [9]f64, c seq [9]f64, d [2][9]f64}"},
		"a union as root": {"union T switch (octet) { case 1: long a; };", "{value switch byte {a i32 [1]}}"},
		"names in modules that Fast DDS leaves out": {
			"enum p::q::E { A, B }; typedef p::q::E p::F; struct p::q::S { p::F f; p::q::E e; }; union p::U switch (p::q::E) { case 1: p::q::S s; }; struct T { p::U u; };",
			"{u switch enum32(A=0 B=1) {s {f enum32(A=0 B=1), e enum32(A=0 B=1)} [1]}}"},
		"dimensions where Fast DDS puts them": {
			"typedef long[2][3] A; struct T { sequence<octet[4], 5> a; A b; map<short, A> c; A d[2]; double e @external [2]; };",
			"{a seq [4]byte, b [6]i32, c seq {key i16, value [6]i32}, d [2][6]i32, e [2]f64}"},
		"a typedef as root":  {"typedef S R; struct S { long a; }; typedef R T;", "{a i32}"},
		"used before":        {"struct T { sequence<S> a; }; struct S { long b; };", "{a seq {b i32}}"},
		"declared before":    {"struct S; union U; struct T { sequence<S> a; }; struct S { long b; }; struct S;", "{a seq {b i32}}"},
		"defined twice":      {"struct S { long b; }; struct S { // same\n long  b; }; struct T { S a; };", "{a {b i32}}"},
		"holds itself":       {"struct T { long a; sequence<T> children; };", "{a i32, children seq ^T}"},
		"hold each other":    {"typedef sequence<T> Ts; struct S { Ts ts; }; struct T { S s; };", "{s {ts seq ^T}}"},
		"inherited members":  {"struct A { long a; }; struct B : A { long b; }; typedef B C; struct T : C { long c; };", "{a i32, b i32, c i32}"},
		"base in a module":   {"module m { struct A { long a; }; }; struct T : m::A { };", "{a i32}"},
		"what is not needed": {"interface I; struct X { fixed a; Unknown b; any c[1/0]; I d; }; struct T { long a; };", "{a i32}"},
		"passed over": {
			"import ::m; typeid ::m \"a\"; native N; valuetype V { public long a; factory f(); };\n" +
				"@annotation odd { long value default 1; };\nstruct T { long a; };",
			"{a i32}"},
		"no semicolon behind braces": {"module m { struct S { long a; } enum E { A } } struct T { m::S s; }", "{s {a i32}}"},

		"enums": {
			"enum E { A, B = 5, @value(-3) C, D, }; @bit_bound(8) enum F { X }; @bit_bound(9) enum G { Y }; struct T { E e; F f; G g; };",
			"{e enum32(A=0 B=5 C=-3 D=-2), f enum8(X=0), g enum16(Y=0)}"},
		"enumerators in expressions": {
			"module m { enum E { A = 3, B }; }; const long N = m::B; struct T { long a[m::E::A], b[m::A], c[N]; };",
			"{a [3]i32, b [3]i32, c [4]i32}"},
		"enums with the same enumerator": {"enum E { A }; enum F { X, A }; struct T { E e; F f; };", "{e enum32(A=0), f enum32(X=0 A=1)}"},
		"bitmasks": {
			"bitmask M { A, @position(20) B }; @bit_bound(8) bitmask N { C }; @bit_bound(64) bitmask O { D }; struct T { M m; N n; O o; };",
			"{m u32, n u8, o u64}"},
		"bitsets": {
			"bitset A { bitfield<3> a; bitfield<4> b c; }; bitset B : A { bitfield<5>; bitfield<1, boolean> d; }; struct T { A a; B b; };",
			"{a u16, b u32}"},

		"a union of an enum": {
			"module m { enum E { A, B, C }; union U switch (E) { case A: long a; case m::B: case E::C: string b; default: octet c; }; }; struct T { m::U u; };",
			"{u switch enum32(A=0 B=1 C=2) {a i32 [0], b string [1 2], c byte [] default}}"},
		"a union of an integer": {
			"typedef short S; const short N = 7; union U switch (S) { case -1: case N + 1: long a; case 0x10: default: double b[2]; }; struct T { U u; };",
			"{u switch i16 {a i32 [-1 8], b [2]f64 [16] default}}"},
		"a union of a character": {
			"union U switch (char) { case 'a': case '\\n': long a; case '\\x41': long b; case L'\\u0042': long c; }; struct T { U u; };",
			"{u switch char {a i32 [97 10], b i32 [65], c i32 [66]}}"},
		"a union of a boolean": {"union U switch (boolean) { case TRUE: long a; case FALSE: long b; }; struct T { U u; };", "{u switch bool {a i32 [1], b i32 [0]}}"},
		"a union of 64 bits":   {"union U switch (uint64) { case 0xffffffffffffffff: long a; }; struct T { U u; };", "{u switch u64 {a i32 [-1]}}"},
		"a union in itself":    {"union U switch (long) { case 1: sequence<U> a; }; struct T { U u; };", "{u switch i32 {a seq ^U [1]}}"},
		"annotations in a union": {
			"union U switch (@key long) { @id(4) case 1: @external long a; case 2: @id(9) long b; case 3: @optional long c; }; struct T { U u; };",
			"{u switch i32 {a i32 #4 [1], b i32 #9 [2], c i32 #10 [3]}}"},

		"optional members": {
			"struct T { @optional long a; @optional(FALSE) long b; @optional(value=TRUE) @key long c; @Optional @unit(\"m\") sequence<@external long> d; };",
			"{a? i32, b i32, c? i32, d? seq i32}"},
		"ids":                {"struct T { long a; @id(10) long b; long c; @id(0x20) long d; };", "{a i32, b i32 #10, c i32 #11, d i32 #32}"},
		"ids of bases":       {"struct A { @id(5) long a; }; struct T : A { long b; };", "{a i32 #5, b i32 #6}"},
		"ids from the name":  {"@autoid(HASH) struct T { long color; @id(1) long a; };", "{color i32 #262528368, a i32}"},
		"ids from any name":  {"struct T { @hashid long color; @hashid(\"color\") long a; @autoid long b; };", "{color i32 #262528368, a i32 #262528368, b i32 #262528369}"},
		"ids in their order": {"@autoid(SEQUENTIAL) struct T { long color; };", "{color i32}"},

		"times": {
			"module builtin_interfaces { module msg { struct Time { int32 sec; uint32 nanosec; }; struct Duration { long sec; unsigned long nanosec; }; }; };\n" +
				"struct T { builtin_interfaces::msg::Time a; sequence<builtin_interfaces::msg::Duration> b; };",
			"{a time, b seq duration}"},
		"times of DDS": {
			"module builtin_interfaces { module msg { module dds_ { struct Time_ { long sec; unsigned long nanosec; }; }; }; };\n" +
				"struct T { builtin_interfaces::msg::dds_::Time_ a; };",
			"{a time}"},
		"times of Foxglove": {
			"module foxglove { struct Time { uint32 sec; uint32 nsec; }; struct Duration { int32 sec; uint32 nsec; }; struct Log { Time a; Duration b; }; }; typedef foxglove::Log T;",
			"{a time, b duration}"},
		"times that are missing": {
			"struct T { builtin_interfaces::msg::Time a; ::builtin_interfaces::msg::Duration b; std_msgs::msg::Header c; builtin_interfaces::msg::dds_::Time_ d; };",
			"{a time, b duration, c {stamp time, frame_id string}, d time}"},
		"times of another shape": {
			"module builtin_interfaces { module msg { struct Time { int32 sec; uint32 nanosec; uint32 clock; }; }; };\n" +
				"struct T { builtin_interfaces::msg::Time a; };",
			"{a {sec i32, nanosec u32, clock u32}}"},
		"times of others": {"struct Time { int32 sec; uint32 nanosec; }; struct T { Time a; };", "{a {sec i32, nanosec u32}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sketch(mustCompile(t, c.src)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestATimeAsTheWholeMessageKeepsItsMembers(t *testing.T) {
	src := "module builtin_interfaces { module msg { struct Time { int32 sec; uint32 nanosec; }; }; };"
	root, err := compile(ROS2(), "builtin_interfaces/msg/Time", src)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sketch(root), "{sec i32, nanosec u32}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestExtensibility(t *testing.T) {
	const plain = "struct T { long a; };"
	for name, c := range map[string]struct {
		src       string
		ros2, omg cdr.Extensibility
	}{
		"not said":          {plain, cdr.Final, cdr.Unsaid},
		"final":             {"@final " + plain, cdr.Final, cdr.Final},
		"appendable":        {"@appendable " + plain, cdr.Appendable, cdr.Appendable},
		"mutable":           {"@nested @mutable " + plain, cdr.Mutable, cdr.Mutable},
		"as a parameter":    {"@extensibility(FINAL) " + plain, cdr.Final, cdr.Final},
		"by name":           {"@extensibility(value = MUTABLE) " + plain, cdr.Mutable, cdr.Mutable},
		"in older spelling": {"@Extensibility(MUTABLE_EXTENSIBILITY) " + plain, cdr.Mutable, cdr.Mutable},
		"before XTypes 1.2": {"@Extensibility(EXTENSIBLE_EXTENSIBILITY) " + plain, cdr.Appendable, cdr.Appendable},
		"scoped":            {"@extensibility(ExtensibilityKind::FINAL) " + plain, cdr.Final, cdr.Final},
	} {
		t.Run(name, func(t *testing.T) {
			ros2, err := compile(ROS2(), "T", c.src)
			if err != nil {
				t.Fatal(err)
			}
			omg := mustCompile(t, c.src)
			if ros2.Extensibility != c.ros2 || omg.Extensibility != c.omg {
				t.Errorf("got %d and %d, want %d and %d", ros2.Extensibility, omg.Extensibility, c.ros2, c.omg)
			}
		})
	}
}

func TestScopes(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"inner before outer":       {"struct S { long a; }; module m { struct S { octet b; }; struct R { S s; ::S t; }; }; typedef m::R T;", "{s {b byte}, t {a i32}}"},
		"reopened module":          {"module m { struct S { long a; }; }; module n { }; module m { struct R { S s; }; }; typedef m::R T;", "{s {a i32}}"},
		"sibling by the outer one": {"module p { module m { struct S { long a; }; }; module n { struct R { m::S s; }; }; }; typedef p::n::R T;", "{s {a i32}}"},
		// Strictly, msg inside of b would hide the module msg of a.
		"whole names are looked for": {"module a { module msg { struct S { long a; }; }; module b { module msg { struct R { msg::S s; }; }; }; }; typedef a::b::msg::R T;", "{s {a i32}}"},
		"constants":                  {"const long N = 2; module m { const long N = 3; struct R { long a[N], b[::N], c[m::N]; }; }; typedef m::R T;", "{a [3]i32, b [2]i32, c [3]i32}"},
		"types before enumerators":   {"enum E { S }; struct S { long a; }; enum F { S }; struct T { S s; };", "{s {a i32}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sketch(mustCompile(t, c.src)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
