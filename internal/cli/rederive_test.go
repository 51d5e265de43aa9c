package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
)

func TestRederive(t *testing.T) {
	f := &fakeArchive{rederived: &archive.RederiveResult{Streams: 2, Sessions: 3, TookS: 2}}
	runWithArchive(t, f.opened, "rederive", "3f2a91c4").check(t, exitOK, "", "tapedeck: 3 sessions derived, 2.0 s\n")
	if diff := cmp.Diff([]any{"3f2a91c4"}, f.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

func TestRederiveTellsWhatFailed(t *testing.T) {
	f := &fakeArchive{rederived: &archive.RederiveResult{Broken: []archive.Broken{{SessionID: "id", Reason: "a fault"}}}}
	f.rederived.Broken[0].Harness = "codex"
	runWithArchive(t, f.opened, "rederive").check(t, exitLoss, "",
		"tapedeck: warning: session id of codex can't be derived, its records are kept: a fault\n"+
			"tapedeck: 0 sessions derived, 0.0 s\ntapedeck: a part of the agents' files could not be read: 1 session\n")
}
