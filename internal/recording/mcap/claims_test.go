package mcap

import (
	"strings"
	"testing"
)

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		head  string
		ok    bool
		error string // part of it
	}{
		{magic + "\x01", true, ""},
		{magic, false, "only the 8 bytes"},
		{magic[:5], false, "only the first 5 bytes"},
		{"\x89MCAP0\n\x01\x15", false, "autocrlf"},
		{"\x89MCAP0\r\r\n\x01", false, "autocrlf"},
		{"\xef\xbf\xbdMCAP0\r\n\x01", false, "as text"},
		{"\x89MCAP1\r\n\x01", false, `version "1"`},
		{"", false, ""},
		{"hello", false, ""},
		{"\x28\xb5\x2f\xfd", false, ""},
	} {
		ok, err := claims([]byte(c.head))
		if ok != c.ok || (err == nil) != (c.error == "") || err != nil && !strings.Contains(err.Error(), c.error) {
			t.Errorf("%q: %v, %v; want %v, %q", c.head, ok, err, c.ok, c.error)
		}
	}
}
