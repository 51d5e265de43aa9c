package archive

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAStreamThatCannotBeDerivedStopsNoOther(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "a.plain", "good k1 text\nbad k1 fault\nwell k1 text\n")
	a := openArchive(t, t.TempDir(), plain(dir))
	got := imported(t, a)
	if got.Sessions != 2 || len(got.Broken) != 1 || got.Broken[0].Key != "bad" || !got.Lossy() {
		t.Errorf("the import: %d sessions, broken %+v", got.Sessions, got.Broken)
	}
	if got := imported(t, a); len(got.Broken) != 0 {
		t.Error("a stream that did not change was tried again")
	}
	appendTo(t, path, "bad k2 more\n")
	if got := imported(t, a); len(got.Broken) != 1 {
		t.Errorf("a stream that changed: broken %+v", got.Broken)
	}
	again, err := a.Rederive(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if again.Streams != 2 || len(again.Broken) != 1 {
		t.Errorf("derived again: %+v", again)
	}
}

func TestStreamsOfUnknownHarnessesAreLeftAlone(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	write(t, dir, "a.other", "s k1 an older text\n")
	imported(t, openArchive(t, data, plainImporter{harness: "other", places: []string{dir}}))

	a := openArchive(t, data, plain(dir))
	write(t, dir, "a.plain", "s k1 text\n")
	if _, err := a.Rederive(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	imported(t, a)
	if diff := cmp.Diff([]string{"s k1 an older text", "s k1 text"}, titles(t, a)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRederiveOneSession(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.plain", "one k1 text\ntwo k1 text\n")
	a := openArchive(t, t.TempDir(), plain(dir))
	imported(t, a)
	got, err := a.Rederive(t.Context(), "one", nil)
	if err != nil || got.Streams != 1 || got.Sessions != 1 {
		t.Errorf("%+v (%v)", got, err)
	}
	_, err = a.Rederive(t.Context(), "three", nil)
	wantCode(t, "a session that is not there", err, CodeSessionNotFound)
}

// Who follows what is derived is told of every change, and of nothing else.
func TestWhoFollowsIsTold(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "a.plain", "one k1 text\ntwo k1 text\n")
	told := 0
	a := openArchive(t, t.TempDir(), plain(dir))
	var mu sync.Mutex
	a.derived = func() {
		mu.Lock()
		defer mu.Unlock()
		told++
	}
	want := func(what string, n int) {
		t.Helper()
		if told != n {
			t.Errorf("%s: told %d times, want %d", what, told, n)
		}
		told = 0
	}
	imported(t, a)
	want("two sessions", 2)
	imported(t, a)
	want("nothing new", 0)
	appendTo(t, path, "two k2 more\n")
	imported(t, a)
	want("one grew", 1)
	if _, err := a.Delete(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	want("one was deleted", 1)
}
