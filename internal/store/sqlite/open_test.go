package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
)

func TestTheFileIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes here")
	}
	path := filepath.Join(t.TempDir(), "a folder with ? and %41 # in its name", "s.db")
	s := openStore(t, path)
	appendOne(t, s, "1")
	for name, want := range map[string]os.FileMode{
		filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func appendOne(t *testing.T, s *Store, text string) {
	t.Helper()
	_, err := s.Append(t.Context(), store.Batch{Streams: []store.StreamRecords{{
		Ref: session.Ref{Harness: "claude-code", Key: "a"}, Records: []session.Record{{Key: text, Body: []byte(text)}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestForeignFilesAreLeftAlone(t *testing.T) {
	cases := map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"a newer store": {func(t *testing.T, path string) {
			s := openStore(t, path)
			s.write(t.Context(), func(c *conn) error { return c.script("PRAGMA user_version = 99") })
			s.Close()
		}, store.ErrNewer},
		"another program's database": {func(t *testing.T, path string) {
			c, err := openConn(t.Context(), dsn(path), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.script("CREATE TABLE theirs (x)"); err != nil {
				t.Fatal(err)
			}
		}, store.ErrUnavailable},
		"no database": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("text "), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		}, store.ErrDamaged},
		"a folder": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, store.ErrUnavailable},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			if s, err := Open(t.Context(), path, Options{}); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
				s.Close()
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestAFullDiskIsTold(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "s.db"))
	err := s.write(t.Context(), func(c *conn) error {
		if err := c.script("PRAGMA max_page_count = 1"); err != nil {
			return err
		}
		return c.script("CREATE TABLE more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i, randomblob(8192) FROM n")
	})
	if !errors.Is(err, store.ErrFull) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v, want ErrFull, and so ErrUnavailable", err)
	}
}

func TestManyOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			s, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := s.Info(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
}

// What was deleted is in no file any more, compressed or not.
func TestDeletedContentIsOverwritten(t *testing.T) {
	const secret = "the launch code is 4-8-15-16-23-42"
	path := filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, path)
	random := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 20_000) // does not compress, and so is found
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	ref := session.Ref{Harness: "claude-code", Key: "a"}
	_, err := s.Append(t.Context(), store.Batch{Streams: []store.StreamRecords{{Ref: ref, Records: []session.Record{
		{Key: "1", Body: []byte(secret)}, {Key: "2", Body: noise},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	pending, err := s.Pending(t.Context(), "d", 1)
	if err != nil {
		t.Fatal(err)
	}
	ps := benchSession(random, ref, 0)
	ps.Traces[0].Trace.UserPrompt = secret
	if err := s.Project(t.Context(), pending[0], "d", session.Projection{Sessions: []session.ProjectedSession{ps}}); err != nil {
		t.Fatal(err)
	}
	needles := map[string][]byte{"the text": []byte(secret), "the noise": noise[5000:5100]}
	for what, needle := range needles {
		if !onDisk(t, path, needle) {
			t.Errorf("%s can't be found while it is there", what)
		}
	}
	if _, err := s.Delete(t.Context(), ref.SessionID()); err != nil {
		t.Fatal(err)
	}
	for what, needle := range needles {
		if onDisk(t, path, needle) {
			t.Errorf("%s is on disk after it was deleted", what)
		}
	}
}

func onDisk(t *testing.T, path string, needle []byte) bool {
	t.Helper()
	for _, name := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Contains(content, needle) {
			return true
		}
	}
	return false
}

// Whoever reads records may ask the store other things between them, as often and
// as deep as it likes.
func TestReadingInsideOfReading(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "s.db"))
	appendOne(t, s, "1")
	var read func(depth int)
	read = func(depth int) {
		for _, err := range s.Records(t.Context(), session.Ref{Harness: "claude-code", Key: "a"}, session.Place{}) {
			if err != nil {
				t.Fatal(err)
			}
			if depth > 0 {
				read(depth - 1)
			}
		}
	}
	read(3 * idleReaders)
}

// A writer that waits for another gives up when its context ends.
func TestWaitingEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	first, second := openStore(t, path), openStore(t, path)
	err := first.write(t.Context(), func(*conn) error {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := second.Rederive(ctx, "")
			failed <- err
		}()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			return fmt.Errorf("it ended with %w", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
