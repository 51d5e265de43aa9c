package archive

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsDeletedStaysAwayUnlessAskedFor(t *testing.T) {
	dir := t.TempDir()
	first := write(t, dir, "a.plain", "one k1 first\none k2 first\n")
	write(t, dir, "b.plain", "two k1 second\n")
	write(t, dir, "c.plain", "three k1 third\n")
	a := openArchive(t, t.TempDir(), plain(dir))
	imported(t, a)
	for _, id := range []string{"one", "two"} {
		gone, err := a.Delete(t.Context(), id)
		if err != nil || len(gone.Sessions) != 1 {
			t.Fatalf("deleting %s: %+v (%v)", id, gone, err)
		}
	}
	_, err := a.Delete(t.Context(), "one")
	wantCode(t, "deleting it again", err, CodeSessionNotFound)

	want := func(what string, names ...string) {
		t.Helper()
		if diff := cmp.Diff(names, titles(t, a)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	appendTo(t, first, "one k3 more of it\n")
	if got := imported(t, a); got.Totals.Deleted != 1 {
		t.Errorf("an import of more of it: %+v", got.Totals)
	}
	want("after an import", "three k1 third")

	again := func(r ImportRequest) {
		t.Helper()
		r.Again = true
		if _, err := a.Import(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
	}
	again(ImportRequest{Paths: []string{first}, DryRun: true})
	want("after a dry run", "three k1 third")
	again(ImportRequest{Paths: []string{first}})
	want("after the file was imported again", "one k1 first", "three k1 third")
	imported(t, a)
	want("after another import", "one k1 first", "three k1 third")
	again(ImportRequest{})
	want("after all was imported again", "one k1 first", "three k1 third", "two k1 second")
	if traces, err := a.Traces(t.Context(), "one", PageRequest{}); err != nil || traces.Total != 3 {
		t.Errorf("%d traces came back (%v)", traces.Total, err)
	}
}

// Who keeps something of sessions elsewhere is told which were deleted, and is no
// reason not to delete them.
func TestWhoKeepsSomethingElsewhereIsToldOfDeletions(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.plain", "one k1 first\ntwo k1 second\n")
	a := openArchive(t, t.TempDir(), plain(dir))
	imported(t, a)
	var told []string
	a.deleted = func(_ context.Context, ids []string) error {
		told = append(told, ids...)
		return errors.New("the database is down")
	}
	gone, err := a.Delete(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(gone.Sessions, told); diff != "" || len(told) != 1 {
		t.Errorf("(-deleted +told):\n%s", diff)
	}
}

// Shells put a separator behind the folder that they complete.
func TestAFolderMayEndInASeparator(t *testing.T) {
	a := openArchive(t, t.TempDir())
	if f, err := a.filter(ListRequest{Project: "/work/rover/"}); err != nil || f.Project != "/work/rover" {
		t.Errorf("%q, %v", f.Project, err)
	}
}
