package archive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/store"
	"tapedeck/internal/transcript"
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

// breaking is a store that can't be reached the first time that something is
// appended.
type breaking struct {
	store.Store
	broken chan struct{} // closed when that has been
	once   *sync.Once
}

func (b breaking) Append(ctx context.Context, batch store.Batch) (n store.Appended, err error) {
	b.once.Do(func() {
		err = store.ErrUnavailable
		close(b.broken)
	})
	if err != nil {
		return n, err
	}
	return b.Store.Append(ctx, batch)
}

// A store that could not be reached for a while is no fault of the files that
// were being read.
func TestFilesAreReadAgainOnceTheStoreIsBack(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "x.plain", "one k1 a\n")
	waiting := write(t, dir, "y.plain", "two k1 b\n")
	if err := os.Chtimes(waiting, time.Unix(1, 0), time.Unix(1, 0)); err != nil { // read last
		t.Fatal(err)
	}
	s := breaking{openStore(t, t.TempDir()), make(chan struct{}), &sync.Once{}}
	importer := plain(dir)
	first := true
	importer.read = func(path string) error {
		if path != waiting || !first {
			return nil
		}
		first = false
		<-s.broken
		return context.Canceled
	}
	a, err := Open(t.Context(), Options{Store: s, Importers: []transcript.Importer{importer}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	w := newWatch(a)
	w.importAll(t.Context())
	w.importAll(t.Context())
	if got, want := titles(t, a), []string{"one k1 a", "two k1 b"}; !slices.Equal(got, want) {
		t.Errorf("sessions %q, want %q", got, want)
	}
}
