package archive

import (
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
