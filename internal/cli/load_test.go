package cli

import (
	"testing"

	"tapedeck/internal/deck"
)

func TestLoadFailure(t *testing.T) {
	f := &fakeDeck{err: &deck.Error{Code: deck.CodeBadArgument, Message: "downsample -1 is negative"}}
	runWith(t, f, "", "load", "a.mcap", "--downsample", "-1").check(t, 2, "", "tapedeck: downsample -1 is negative\n")
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
		"TABLE  TOPIC  ROWS  COLUMNS  LEFT OUT\n"+
		"cam    /cam      5        3  data\n"+
		"imu    /imu   6000       40\n",
		"tapedeck: no table for /odd: no decoder\n")
}
