package query

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLex(t *testing.T) {
	for _, test := range []struct {
		sql  string
		want []string
	}{
		{"", nil},
		{"select a1,b", []string{"select", "a1", ",", "b"}},
		{"a--b\nc", []string{"a", "c"}},
		{"a/*b/*c*/d*/e", []string{"a", "e"}},
		{"a/*b", []string{"a"}},
		{"'it''s' x", []string{"'it''s'", "x"}},
		{`E'it\'s' x`, []string{`E'it\'s'`, "x"}},
		{`e 'x'`, []string{"e", "'x'"}},
		{`"a""b" x`, []string{`"a""b"`, "x"}},
		{"'open", []string{"'open"}},
		{"$$a;b$$ x", []string{"$$a;b$$", "x"}},
		{"$t$a$$b$t$ x", []string{"$t$a$$b$t$", "x"}},
		{"$1 x", []string{"$", "1", "x"}},
		{"a\u00a0b\u200bc", []string{"a", "b", "c"}},
		{"größe+1", []string{"größe", "+", "1"}},
	} {
		var got []string
		for _, token := range lex(test.sql) {
			got = append(got, test.sql[token.start:token.end])
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: %s", test.sql, diff)
		}
	}
}

func TestBare(t *testing.T) {
	for sql, want := range map[string]string{
		"": "", ";;": "", " ; SELECT ';' ; -- end\n;": "SELECT ';'", "SELECT 1 -- x": "SELECT 1",
	} {
		if got := bare(sql); got != want {
			t.Errorf("%q: got %q, want %q", sql, got, want)
		}
	}
}
