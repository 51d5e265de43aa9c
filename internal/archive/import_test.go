package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tapedeck/internal/sample"
	"tapedeck/internal/transcript/registry"
)

func TestImportTellsWhatBecameOfEachFile(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, t.TempDir(), plainImporter{harness: "plain", read: func(path string) error {
		if strings.HasSuffix(path, "broken.plain") {
			return &fs.PathError{Op: "read", Path: path, Err: errors.New("the disk failed")}
		}
		return nil
	}})
	write(t, dir, "broken.plain", "s1 k1 text\n")
	write(t, dir, "damaged.plain", "s2 k1 text\nx\ns2 k2 odd text\n")
	write(t, dir, "fault.plain", "s3 k1 text\ns3 k2 panic\n")
	growing := write(t, dir, "growing.plain", "s4 k1 text\ns4 k2 cut o")
	write(t, dir, "sub/notes.txt", "nobody's")
	write(t, dir, "node_modules/other.plain", "s5 k1 text\n")
	outside := write(t, t.TempDir(), "outside.plain", "s6 k1 text\n")
	if err := os.Symlink(outside, filepath.Join(dir, "link.plain")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "sub", "loop")); err != nil {
		t.Fatal(err)
	}

	at := int64(11)
	got := imported(t, a, dir)
	check(t, "the first import", got, ImportTotals{Files: 4, Skipped: 1, Failed: 2, Records: 5, Lost: 1, Unknown: 1}, map[string]FileResult{
		"broken.plain":  {Harness: "plain", Status: FileFailed, Reason: "the disk failed", Records: 1},
		"damaged.plain": {Harness: "plain", Status: FileDamaged, Records: 2, LostTotal: 1, Lost: []Loss{{11, "not three words"}}, Unknown: map[string]int{"odd": 1}},
		"fault.plain":   {Harness: "plain", Status: FileFailed, Reason: "the importer of plain panicked: a fault of the importer", Records: 1},
		"growing.plain": {Harness: "plain", Status: FileNew, Records: 1, CutAt: &at},
		"sub/notes.txt": {Status: FileSkipped, Reason: "not a log of Plain plain"},
	})
	if !got.Lossy() || got.Sessions != 4 {
		t.Errorf("lossy %v, %d sessions", got.Lossy(), got.Sessions)
	}

	appendTo(t, growing, "ff\ns4 k3 text\n")
	check(t, "the second import", imported(t, a, dir), ImportTotals{Files: 4, Unchanged: 1, Skipped: 1, Failed: 2, Records: 2, Known: 2}, map[string]FileResult{
		"broken.plain":  {Harness: "plain", Status: FileFailed, Reason: "the disk failed", Known: 1},
		"fault.plain":   {Harness: "plain", Status: FileFailed, Reason: "the importer of plain panicked: a fault of the importer", Known: 1},
		"growing.plain": {Harness: "plain", Status: FileGrown, Records: 2},
		"sub/notes.txt": {Status: FileSkipped, Reason: "not a log of Plain plain"},
	})
}

// check compares a result, but for what varies with the machine.
func check(t *testing.T, what string, got *ImportResult, totals ImportTotals, files map[string]FileResult) {
	t.Helper()
	if diff := cmp.Diff(totals, got.Totals, cmpopts.IgnoreFields(ImportTotals{}, "Bytes")); diff != "" {
		t.Errorf("%s: totals (-want +got):\n%s", what, diff)
	}
	root := got.Places[0].Path
	found := map[string]FileResult{}
	for _, f := range got.Files {
		name, err := filepath.Rel(root, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = f
	}
	if diff := cmp.Diff(files, found, cmpopts.IgnoreFields(FileResult{}, "Bytes", "Path"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: files (-want +got):\n%s", what, diff)
	}
}

func TestAnUnchangedFileIsNotRead(t *testing.T) {
	dir, reads := t.TempDir(), 0
	path := write(t, dir, "a.plain", "s k1 text\n")
	a := openArchive(t, t.TempDir(), plainImporter{harness: "plain", places: []string{dir, "/not/there"}, read: func(string) error {
		reads++
		return nil
	}})
	for range 3 {
		imported(t, a)
	}
	if reads != 1 {
		t.Errorf("the file was read %d times", reads)
	}
	write(t, dir, "a.plain", "s k9 written anew\n")
	got := imported(t, a)
	if reads != 2 || got.Totals.Records != 1 || got.Files[0].Path != path {
		t.Errorf("a file that was written anew: read %d times, %+v", reads, got)
	}
	want := []Place{{Harness: "plain", Path: dir, Found: true, Files: 1}, {Harness: "plain", Path: "/not/there"}}
	if diff := cmp.Diff(want, got.Places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestWhatIsBesideADatabaseCounts(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.plain", "s k1 text\n")
	write(t, dir, "a.plain-shm", "")
	wal := write(t, dir, "a.plain-wal", "one change")
	a := openArchive(t, t.TempDir(), plain(dir))
	imported(t, a)
	if got := imported(t, a); got.Totals.Unchanged != 1 {
		t.Errorf("the second time: %+v", got.Totals)
	}
	appendTo(t, wal, "and another")
	for _, path := range []string{dir, filepath.Join(dir, "a.plain")} {
		if got := imported(t, a, path); got.Totals.Unchanged != 0 {
			t.Errorf("after a change in the write-ahead log, by %s: %+v", path, got.Totals)
		}
		appendTo(t, wal, "and another")
	}
}

func TestPathsThatCannotBeImported(t *testing.T) {
	a := openArchive(t, t.TempDir(), plain())
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0); err != nil {
		t.Fatal(err)
	}
	paths := []string{filepath.Join(dir, "gone"), pipe}
	if os.Getuid() != 0 { // who may read everything
		paths = append(paths, locked)
		if got := imported(t, a, dir); got.Totals.Failed != 1 || !got.Lossy() {
			t.Errorf("a folder that can't be read among others: %+v", got)
		}
	}
	for _, path := range paths {
		_, err := a.Import(t.Context(), ImportRequest{Paths: []string{dir, path}}, nil)
		if e := wantCode(t, path, err, CodePath); !strings.Contains(e.Message, path) {
			t.Errorf("the message %q does not name %s", e.Message, path)
		}
	}
	_, err := a.Import(t.Context(), ImportRequest{Harness: "plane"}, nil)
	if e := wantCode(t, "an unknown harness", err, CodeArgument); !cmp.Equal(e.Allowed, []string{"plain"}) {
		t.Errorf("allowed: %v", e.Allowed)
	}
}

func TestADryRunStoresNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.plain", "s k1 text\nx\ns k2 text\n")
	a := openArchive(t, t.TempDir(), plain(dir))
	got, err := a.Import(t.Context(), ImportRequest{DryRun: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !got.DryRun || got.Totals.Records != 2 || got.Totals.Lost != 1 {
		t.Errorf("the dry run: %+v", got.Totals)
	}
	if info, err := a.Info(t.Context()); err != nil || info.Records != 0 {
		t.Errorf("%d records are stored (%v)", info.Records, err)
	}
	if got := imported(t, a); got.Totals.Records != 2 {
		t.Errorf("the import after it: %+v", got.Totals)
	}
}

func TestImportIsCancelled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.plain", "s k1 text\n")
	ctx, cancel := context.WithCancel(t.Context())
	a := openArchive(t, t.TempDir(), plainImporter{harness: "plain", places: []string{dir}, read: func(string) error {
		cancel()
		return context.Canceled
	}})
	_, err := a.Import(ctx, ImportRequest{}, nil)
	wantCode(t, "a cancelled import", err, CodeCancelled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap its cause", err)
	}
}

func TestImportTellsHowFarItIs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.plain", strings.Repeat("s k text\n", 1000))
	write(t, dir, "b.plain", strings.Repeat("s k text\n", 1000))
	a := openArchive(t, t.TempDir(), plain(dir))
	var last, total uint64
	_, err := a.Import(t.Context(), ImportRequest{}, func(done, of uint64, what string) {
		if !strings.HasSuffix(what, ".plain") {
			return
		}
		if done < last || done > of {
			t.Errorf("%d of %d after %d", done, of, last)
		}
		last, total = done, of
	})
	if err != nil || last == 0 || total != 18000 {
		t.Errorf("%d of %d bytes (%v)", last, total, err)
	}
}

// A record larger than a batch, among small ones.
func TestLargeRecordsAreTaken(t *testing.T) {
	dir := t.TempDir()
	large := strings.Repeat("x", 2*batchBytes)
	write(t, dir, "a.plain", "s k1 a\ns k2 "+large+"\ns k3 b\ns k4 "+large+"\ns k5 "+large+"\ns k6 c\n")
	a := openArchive(t, t.TempDir(), plain(dir))
	if got := imported(t, a); got.Totals.Records != 6 {
		t.Errorf("%+v", got.Totals)
	}
	if result, err := a.Check(t.Context()); err != nil || !result.Sound {
		t.Errorf("the store is not sound: %+v (%v)", result, err)
	}
}

// The name of a file that is still empty does not decide whose it is.
func TestWhatComesIntoAnEmptyFileDecidesWhoseItIs(t *testing.T) {
	logs, err := sample.WriteSessions(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(logs, func(path string) bool { return strings.Contains(path, "rollout-") })
	text, err := os.ReadFile(logs[at])
	if err != nil {
		t.Fatal(err)
	}
	a, dir := openArchive(t, t.TempDir(), registry.All()...), t.TempDir()
	const name = "0197c0de-0000-4000-8000-000000000001.jsonl" // as Claude Code names its files
	path := write(t, dir, name, "")
	imported(t, a, path)
	write(t, dir, name, string(text))
	got := imported(t, a, path)
	list, err := a.ListSessions(t.Context(), ListRequest{})
	if err != nil || list.Total != 1 || list.Sessions[0].Harness != "codex" {
		t.Errorf("%+v, %v, %+v", list, err, got)
	}
}

// Only the parent's records may tell which call started a sub-agent.
func TestASubagentKnowsTheCallThatStartedIt(t *testing.T) {
	dir := t.TempDir()
	if _, err := sample.WriteSessions(dir); err != nil {
		t.Fatal(err)
	}
	a := openArchive(t, t.TempDir(), registry.All()...)
	imported(t, a, dir)
	list, err := a.ListSessions(t.Context(), ListRequest{Subagents: true})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Sessions, func(s SessionItem) bool { return s.Parent != nil })
	child, err := a.Session(t.Context(), list.Sessions[at].ID)
	if err != nil {
		t.Fatal(err)
	}
	span, err := a.Span(t.Context(), SpanRequest{TraceID: child.Parent.TraceID, SpanID: child.Parent.SpanID})
	if err != nil || span.Span.Name != "Task" || span.Span.SessionID != child.Parent.SessionID {
		t.Errorf("started by %+v: %+v (%v)", child.Parent, span, err)
	}
}
