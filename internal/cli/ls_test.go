package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/deck"
)

var twoRecordings = &deck.RecordingList{
	Recordings: []deck.RecordingSummary{
		{File: "a.mcap", Path: "/d/a.mcap", SizeMB: 0.5, StartTime: "2025-06-03T09:00:00.000+00:00", DurationS: 60, MessageCount: 7808,
			Channels: []deck.ChannelSummary{{Topic: "/imu"}, {Topic: "/log"}}},
		{File: "long name.mcap", Path: "/d/long name.mcap", SizeMB: 12, MessageCount: 0},
	},
	Total: 5,
}

func TestLsFailure(t *testing.T) {
	f := &fakeDeck{err: &deck.Error{Code: deck.CodeBadTime, Message: `after "x" is no time`, Hint: "write ISO 8601"}}
	runWith(t, f, "", "ls", "--after", "x").check(t, 2, "", "tapedeck: after \"x\" is no time\n  Hint: write ISO 8601\n")
}

func TestLsAsksForWhatWasNamed(t *testing.T) {
	f := &fakeDeck{list: &deck.RecordingList{}}
	runWith(t, f, "", "ls", "dir", "--after", "a", "--before", "b", "--offset", "1", "--limit", "2")
	want := []any{deck.ListRequest{Path: "dir", After: "a", Before: "b", Offset: 1, Limit: 2}}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Errorf("operations differ (-want +got):\n%s", diff)
	}
}

func TestLsTable(t *testing.T) {
	runWith(t, &fakeDeck{list: twoRecordings}, "", "ls", "--offset", "2").check(t, 0, ""+
		"START (UTC)          SECONDS     SIZE  MESSAGES  TOPICS  FILE\n"+
		"2025-06-03 09:00:00     60.0   512 KB     7,808       2  a.mcap\n"+
		"                         0.0  12.0 MB         0       0  long name.mcap\n",
		"tapedeck: 2 of 5 recordings; go on with --offset 4\n")
}

func TestLsTopics(t *testing.T) {
	f := &fakeDeck{list: &deck.RecordingList{Recordings: twoRecordings.Recordings[:1], Total: 1}}
	runWith(t, f, "", "ls", "--topics").check(t, 0, ""+
		"START (UTC)          SECONDS    SIZE  MESSAGES  FILE    TOPICS\n"+
		"2025-06-03 09:00:00     60.0  512 KB     7,808  a.mcap  /imu, /log\n", "")
}

func TestLsOfNothing(t *testing.T) {
	runWith(t, &fakeDeck{list: &deck.RecordingList{}}, "", "ls").
		check(t, 0, "", "tapedeck: no recordings found: name a folder, or set --data-dir\n")
}

func TestLsTellsWhatItCouldNotRead(t *testing.T) {
	f := &fakeDeck{list: &deck.RecordingList{Recordings: []deck.RecordingSummary{}, Problems: []deck.Problem{{Path: "b.mcap", Reason: "not a recording"}}}}
	runWith(t, f, "", "ls", "--json").check(t, 3, `{
  "recordings": [],
  "total": 0,
  "problems": [
    {
      "path": "b.mcap",
      "reason": "not a recording"
    }
  ]
}
`, "tapedeck: warning: b.mcap: not a recording\ntapedeck: a part of the recordings could not be read: 1 entry\n")
}
