package ros

import (
	"strings"
	"testing"
)

func TestDescriptions(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"none":                 {"int32 a", ""},
		"above":                {"# one\n# two\nint32 a", "one two"},
		"behind":               {"int32 a # one", "one"},
		"above and behind":     {"# one\nint32 a # two", "one two"},
		"going on below":       {"int32 a # one\n        # two\nint32 b", "one two"},
		"of the file":          {"# license\n\nint32 a", ""},
		"lines drawn":          {"####\n# one\n#----\nint32 a", "one"},
		"constants by name":    {"int32 a\nint32 b\nint32 A_ON=1\nint32 A_OFF=0\nint32 B_ON=1", "A_ON=1, A_OFF=0"},
		"longest name":         {"int8 a_b\nint8 a\nint8 A_B_ON=1", "A_B_ON=1"},
		"constants by type":    {"byte OK=0\nbyte WARN=1\nuint8 level # how bad\nint32 b", "how bad; OK=0, WARN=1"},
		"type of several":      {"int8 ON=1\nint8 a\nint8 b", ""},
		"name of another type": {"int8 a\nfloat64 A_MAX=1", ""},
		"other integer type":   {"int8 a\nint32 b\nint32 A_ON=1", "A_ON=1"},
		"text constants":       {"string a\nstring A_ON=\"on\"", "A_ON=on"},
		"not UTF-8":            {"int32 a # temp \xb0C °", "temp \ufffdC °"},
		"white space":          {"int32 a #  one\t two", "one two"},
		"too long":             {"int32 a # " + strings.Repeat("é", 300), strings.Repeat("é", 200) + "…"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, ROS2(), "t/T", test.text)
			if got := p.Columns()[0].Description; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
