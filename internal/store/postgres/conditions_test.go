package postgres

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConditions(t *testing.T) {
	var c conditions
	if got := c.sql(); got != "" {
		t.Errorf("no conditions are %q", got)
	}
	c.add("a = $", 1)
	more := c.clone()
	more.add("(b = $ OR c = $)", 2)
	more.add("NOT d")
	more.add("(e, f) < ($, $)", 3, 4)
	if got, want := more.sql(), " WHERE a = $1 AND (b = $2 OR c = $2) AND NOT d AND (e, f) < ($3, $4)"; got != want {
		t.Errorf("the clause is %q, want %q", got, want)
	}
	if diff := cmp.Diff([]any{1, 2, 3, 4}, more.args); diff != "" {
		t.Errorf("the arguments differ (-want +got):\n%s", diff)
	}
	if got, want := c.sql(), " WHERE a = $1"; got != want {
		t.Errorf("what was cloned is %q, want %q", got, want)
	}
}
