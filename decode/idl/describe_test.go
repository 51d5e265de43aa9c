package idl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/decode"
	"tapedeck/decode/cdr"
)

func descriptions(root *cdr.Type) map[string]string {
	all := map[string]string{}
	for _, m := range root.Members {
		if m.Description != "" {
			all[m.Name] = m.Description
		}
	}
	return all
}

func TestDescriptions(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want map[string]string
	}{
		"comments before and behind": {`struct T { // of T
			// the first
			/* and more */
			long a; // of a
			long b; /**< of b */ long c;

			// of nothing

			/// of d
			@key // still of d
			long d;
			/** not of the brace */ }; // of T`,
			map[string]string{"a": "the first and more of a", "b": "of b", "d": "of d still of d"}},
		"annotations": {`struct T {
			@verbatim (language="comment", text=
			  "A line // no comment" "\n"
			  "and   another")
			@unit("m/s") @range(min=-10, max=10 * 2) @default(value=0.5) double a;
			@verbatim(language="c++", text="x") @unit(value="kg") @min(0) @default("(1, 2)") double b[2];
			@odd(text="x") @max(value=MAX(3)) double c; };`,
			map[string]string{
				"a": "A line // no comment and another; unit: m/s; range: -10 to 10*2; default: 0.5",
				"b": "unit: kg; range: from 0; default: (1, 2)",
				"c": "range: to MAX(3)",
			}},
		"bits": {`bitmask M { A, @position(4) B }; bitset S { bitfield<3> a; bitfield<2>; bitfield<1> b; };
			struct T { M m; /* has flags */ S s; };`,
			map[string]string{"m": "has flags; flags: A=0x1, B=0x10", "s": "bits: a 0-2, b 5-5"}},
		"constants": {`
			const octet OTHER = 1;
			module T_Constants {
				const octet STATUS_OK = OTHER + 1; const octet STATUS_CODE_LAST = 3; const string STATUS_CODE_NAME = "x"; const string NAME_A = "a # b";
				const char SIGN_X = 'x'; const double NO_MEMBERS = 3.5; const long BROKEN = 1 / 0; const uint8 LEVEL = 4;
				const long OF_TWO = 5; const short LEVELS_LOW = -3; const short NO_LIST = 3;
			};
			struct T { char sign; octet status; long status_code, other; string name; sequence<short> levels; };`,
			map[string]string{
				"sign":   "SIGN_X='x'",
				"status": "STATUS_OK=2, LEVEL=4", "status_code": "STATUS_CODE_LAST=3",
				"levels": "LEVELS_LOW=-3",
				"name":   `NAME_A="a # b"`,
			}},
		"constants behind a comment": {`module T_Constants { const long A_X = 1; }; struct T { long a; // of a
			};`, map[string]string{"a": "of a; A_X=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, descriptions(mustCompile(t, c.src))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDescriptionsInUnions(t *testing.T) {
	root := mustCompile(t, `union U switch (long) {
			// before the label
			case 1: @unit("m") long a; // behind
			case 2: long b; };
		struct T { U u; };`)
	want := map[string]string{"a": "before the label behind; unit: m"}
	if diff := cmp.Diff(want, descriptions(root.Members[0].Type)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDescriptionsStayShort(t *testing.T) {
	long := strings.Repeat("wörd ", 10_000)
	var constants strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&constants, "const long A%d = 1;", i)
	}
	for _, src := range []string{
		"struct T {\n // " + long + "\n long a; };",
		"struct T {\n" + strings.Repeat("// word\n", 10_000) + " long a; };",
		"struct T { @verbatim(language=\"comment\", text=\"" + long + "\") long a; };",
		"bitmask M {" + strings.Repeat("@position(1) AAAAAAAAAA, ", 10_000) + "}; struct T { M a; };",
		"module T_Constants {" + constants.String() + "}; struct T { long a; };",
	} {
		got := mustCompile(t, src).Members[0].Description
		if len(got) < 30 || len(got) > 2*decode.MaxDescription+10 {
			t.Errorf("a description of %d bytes: %.60q", len(got), got)
		}
	}
}
