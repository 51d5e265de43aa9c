package archive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// patience is how long a test waits for what should take a second.
const patience = 60 * time.Second

// eventually waits until the sessions have these titles.
func eventually(t *testing.T, a *Archive, what string, want ...string) {
	t.Helper()
	var got []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if got = titles(t, a); slices.Equal(got, want) {
			return
		}
	}
	t.Fatalf("%s: sessions %q, want %q", what, got, want)
}

// watching watches until the test ends.
func watching(t *testing.T, watch func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- watch(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestWatch(t *testing.T) {
	home := t.TempDir()
	there, coming := filepath.Join(home, "there"), filepath.Join(home, "a", "b", "coming")
	file := write(t, there, "x.plain", "one k1 a\n")
	a := openArchive(t, t.TempDir(), plain(there, coming))
	watching(t, a.Watch)
	eventually(t, a, "what was there", "one k1 a")
	appendTo(t, file, "two k1 b\n")
	eventually(t, a, "what a file grew by", "one k1 a", "two k1 b")
	write(t, there, "deep/er/y.plain", "three k1 c\n")
	eventually(t, a, "a new folder", "one k1 a", "three k1 c", "two k1 b")
	write(t, there, "deep/er/y.plain", "four k1 d\n")
	eventually(t, a, "a file written anew in it", "four k1 d", "one k1 a", "three k1 c", "two k1 b")
	write(t, coming, "z.plain", "five k1 e\n")
	eventually(t, a, "a place that comes", "five k1 e", "four k1 d", "one k1 a", "three k1 c", "two k1 b")
}

func TestTwoWatchAtOnce(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	file := write(t, dir, "x.plain", "one k1 a\n")
	first, second := openArchive(t, data, plain(dir)), openArchive(t, data, plain(dir))
	watching(t, first.Watch)
	watching(t, second.Watch)
	eventually(t, first, "what was there", "one k1 a")
	appendTo(t, file, "two k1 b\n")
	eventually(t, second, "what a file grew by", "one k1 a", "two k1 b")
	sound(t, first)
}

// Where the system has no events to give, folders are looked through.
func TestWatchWithoutEvents(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "x.plain", "one k1 a\n")
	a := openArchive(t, t.TempDir(), plain(dir))
	watching(t, func(ctx context.Context) error {
		w := newWatch(a)
		w.poll(errors.New("no space left on device"))
		w.run(ctx)
		return nil
	})
	eventually(t, a, "what was there", "one k1 a")
	appendTo(t, file, "two k1 b\n")
	eventually(t, a, "what a file grew by", "one k1 a", "two k1 b")
}

func TestChangesBesideADatabaseAreItsOwn(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "x.plain", "one k1 a\n")
	a := openArchive(t, t.TempDir(), plain(filepath.Join(dir, "x.plain")))
	watching(t, a.Watch)
	eventually(t, a, "what was there", "one k1 a")
	// The file changes without an event of its own being needed.
	write(t, dir, "new", "one k1 a\ntwo k1 b\n")
	if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "x.plain")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "x.plain-wal", "changes")
	eventually(t, a, "after a change of its log", "one k1 a", "two k1 b")
}
