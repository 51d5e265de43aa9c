package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/archive"
	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func importedFiles() *archive.ImportResult {
	at := int64(77)
	return &archive.ImportResult{
		Files: []archive.FileResult{
			{Path: "/logs/a.jsonl", Harness: "claude-code", Status: archive.FileNew, Records: 1234, Known: 5},
			{Path: "/logs/b.jsonl", Harness: "claude-code", Status: archive.FileDamaged, Records: 1, LostTotal: 2, CutAt: &at,
				Lost: []archive.Loss{{Offset: 1000, Reason: "not valid JSON"}, {Offset: 2000, Reason: "nested\x1b too deeply"}}},
			{Path: "/logs/c.jsonl", Harness: "claude-code", Status: archive.FileGrown, Known: 7},
			{Path: "/logs/d.jsonl", Harness: "codex", Status: archive.FileNew, Deleted: 3, Unknown: map[string]int{"novelty": 2}},
			{Path: "/logs/e.txt", Status: archive.FileSkipped, Reason: "no importer knows it"},
			{Path: "/logs/f.jsonl", Harness: "codex", Status: archive.FileFailed, Reason: "permission denied"},
		},
		Totals:   archive.ImportTotals{Files: 905, Unchanged: 900, Skipped: 1, Failed: 1, Records: 1235, Lost: 2},
		Sessions: 3, TookS: 1.25,
		Broken: []archive.Broken{{Ref: session.Ref{Harness: "codex", Key: "k"}, SessionID: "id", Reason: "a fault"}},
	}
}

func TestImportTellsOfEachFile(t *testing.T) {
	f := &fakeArchive{imported: importedFiles()}
	o := runWithArchive(t, f.opened, "import", "--agent", "codex", "--again", "/logs")
	o.check(t, exitLoss, strings.TrimPrefix(`
AGENT        STATUS     NEW  KNOWN  FILE           NOTE
claude-code  new      1,234      5  /logs/a.jsonl
claude-code  damaged      1      0  /logs/b.jsonl  2 parts lost; its last record is not whole yet
codex        new          0      0  /logs/d.jsonl  3 records of deleted sessions left out; of unknown types: novelty
             skipped      0      0  /logs/e.txt    no importer knows it
codex        failed       0      0  /logs/f.jsonl  permission denied
`, "\n"), strings.TrimPrefix(`
tapedeck: warning: /logs/b.jsonl: at byte 1,000: not valid JSON
tapedeck: warning: /logs/b.jsonl: at byte 2,000: nested\x1b too deeply
tapedeck: warning: /logs/f.jsonl: permission denied
tapedeck: warning: session id of codex can't be derived, its records are kept: a fault
tapedeck: 1,235 new records in 905 files, 900 of them unchanged, 1 skipped; 3 sessions made or changed, 1.2 s
tapedeck: a part of the agents' files could not be read: 4 warnings above
`, "\n"))
	want := []any{archive.ImportRequest{Paths: []string{"/logs"}, Harness: "codex", Again: true}}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if !f.closed {
		t.Error("the archive was left open")
	}
}

func TestImportSaysWhereItLooked(t *testing.T) {
	f := &fakeArchive{imported: &archive.ImportResult{Places: []archive.Place{{Path: "/home/a/.claude/projects"}, {Path: "/home/a/.codex"}}}}
	runWithArchive(t, f.opened, "import").check(t, exitOK, "",
		"tapedeck: no logs of agents found; looked in /home/a/.claude/projects, /home/a/.codex\n")
}

func TestADryRunSaysSo(t *testing.T) {
	f := &fakeArchive{imported: &archive.ImportResult{DryRun: true, Totals: archive.ImportTotals{Files: 1, Records: 2}}}
	runWithArchive(t, f.opened, "import", "--dry-run").check(t, exitOK, "",
		"tapedeck: 2 records in 1 file; nothing was stored, as --dry-run says\n")
}

func TestErrorsOfTheArchive(t *testing.T) {
	for _, tt := range []struct {
		err  *archive.Error
		code int
		want string
	}{
		{&archive.Error{Code: archive.CodePath, Message: "/x is not there", Hint: "check the name"}, exitFailed,
			"tapedeck: /x is not there\n  Hint: check the name\n"},
		{&archive.Error{Code: archive.CodeArgument, Message: `harness "x": there is no importer of that name`, Allowed: []string{"codex", "pi"}}, exitUsage,
			"tapedeck: agent \"x\": there is no importer of that name\n  It can be: codex, pi\n"},
		{&archive.Error{Code: archive.CodeSessionAmbiguous, Message: "several sessions go by it", Candidates: []string{"a", "b"}, Hint: "give more; list_sessions shows them"}, exitFailed,
			"tapedeck: several sessions go by it\n  It may be: a, b\n  Hint: give more; tapedeck sessions ls shows them\n"},
	} {
		f := &fakeArchive{err: tt.err}
		runWithArchive(t, f.opened, "import").check(t, tt.code, "", tt.want)
	}
}

func TestAStoreThatDoesNotOpen(t *testing.T) {
	opened := func(context.Context, archiveOptions) (openedArchive, error) {
		return nil, fmt.Errorf("%w: connection refused", store.ErrUnavailable)
	}
	o := runWithArchive(t, opened, "import", "--postgres", "host=db")
	o.check(t, exitFailed, "", "tapedeck: the store can't be reached: connection refused\n"+
		"  Hint: check that the database runs and may be reached: --postgres, or --store-dir\n")
}
