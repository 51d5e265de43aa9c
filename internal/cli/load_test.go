package cli

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/deck"
)

func TestLoadFailure(t *testing.T) {
	f := &fakeDeck{err: &deck.Error{Code: deck.CodeBadArgument, Message: "downsample -1 is negative", Hint: "such as 10"}}
	runWith(t, f, "", "load", "a.mcap", "--downsample", "-1").check(t, 2, "", "tapedeck: --downsample -1 is negative\n  Hint: such as 10\n")
}

func TestLoadTable(t *testing.T) {
	f := &fakeDeck{loaded: &deck.LoadResult{
		File: "a.mcap",
		Tables: map[string]deck.LoadedTable{
			"imu": {Rows: 6000, Columns: 40, Topic: "/imu"},
			"cam": {Rows: 5, Columns: 3, Topic: "/cam", OmittedColumns: []string{"data"}},
		},
		Skipped: []deck.SkippedTopic{{Topic: "/odd", Reason: "no decoder"}},
	}}
	runWith(t, f, "", "load", "a.mcap").check(t, 0, ""+
		"TABLE  TOPIC   ROWS  COLUMNS  LEFT OUT\n"+
		"cam    /cam       5        3  data\n"+
		"imu    /imu   6,000       40\n",
		"tapedeck: no table for /odd: no decoder\n")
}

// TestLongListsAreBounded: a file may have thousands of topics that no decoder claims.
func TestLongListsAreBounded(t *testing.T) {
	var skipped []deck.SkippedTopic
	for i := range 1012 {
		skipped = append(skipped, deck.SkippedTopic{Topic: fmt.Sprint("/t", i), Reason: "no decoder"})
	}
	o := runWith(t, &fakeDeck{loaded: &deck.LoadResult{File: "a.mcap", Skipped: skipped}}, "", "load", "a.mcap")
	if n := strings.Count(o.errOut, "\n"); n != 11 || !strings.HasSuffix(o.errOut, "tapedeck: and 1,002 more like these\n") {
		t.Errorf("%d lines of stderr:\n%s", n, o.errOut)
	}
}
