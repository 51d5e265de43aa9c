package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/session"
	"tapedeck/internal/store"
	"tapedeck/internal/store/postgres/postgrestest"
	"tapedeck/internal/store/sqlite"
	"tapedeck/internal/store/storetest"
)

// held is what a generation has.
type held struct{ texts, missing, vectors int64 }

func (v *Vectors) checkHeld(t *testing.T, what string, want held) {
	t.Helper()
	list, err := v.Generations(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %+v, %v; want one generation", what, list, err)
	}
	if got := (held{list[0].Texts, list[0].Missing, list[0].Vectors}); got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func fill(t *testing.T, v *Vectors) {
	t.Helper()
	g, err := v.Generation(t.Context(), "test", "m", 2)
	if err != nil {
		t.Fatal(err)
	}
	missing, err := v.Missing(t.Context(), g.ID, nil, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []store.HashVectors
	for _, m := range missing {
		vectors = append(vectors, store.HashVectors{Hash: m.Hash, Chunks: []store.ChunkVector{{End: len(m.Text), Vector: []float32{1, 0}}}})
	}
	if err := v.PutVectors(t.Context(), g.ID, vectors); err != nil {
		t.Fatal(err)
	}
}

func follow(t *testing.T, v *Vectors) {
	t.Helper()
	if err := v.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// toldSession is the identifier of a session that storetest.Tell told.
func toldSession(key string) string {
	return session.Ref{Harness: "claude-code", Key: key}.SessionID()
}

// What is deleted where the documents lie goes here too, even if nobody said so.
func TestVectorsOfDeletedSessions(t *testing.T) {
	s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
	storetest.Tell(t, s, "a", []string{"apple", "pear"})
	storetest.Tell(t, s, "b", []string{"pear", "plum"})
	v := openVectors(t, postgrestest.NewDatabase(t), s)
	fill(t, v)
	v.checkHeld(t, "at first", held{texts: 3, vectors: 3})
	if _, err := s.Delete(t.Context(), toldSession("a")); err != nil {
		t.Fatal(err)
	}
	state, err := s.IndexState(t.Context())
	if err == nil {
		err = s.PutDocuments(t.Context(), state.Latest, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	follow(t, v)
	v.checkHeld(t, "with one session", held{texts: 2, vectors: 2})
	if err := v.Forget(t.Context(), []string{toldSession("a"), toldSession("b")}); err != nil {
		t.Fatal(err)
	}
	v.checkHeld(t, "with both forgotten", held{})
}

// Stores that keep their vectors in one database do not see each other's.
func TestVectorsOfSeveralStores(t *testing.T) {
	dsn := postgrestest.NewDatabase(t)
	for i := range 2 {
		s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
		storetest.Tell(t, s, "a", []string{"apple", fmt.Sprint("number ", i)})
		v := openVectors(t, dsn, s)
		fill(t, v)
		v.checkHeld(t, fmt.Sprint("store ", i), held{texts: 2, vectors: 2})
		hits, err := v.SearchVectors(t.Context(), 1, []float32{1, 0}, store.IndexFilter{}, 10)
		if err != nil || len(hits) != 2 {
			t.Errorf("store %d: %+v, %v; want its own two", i, hits, err)
		}
	}
}

// A store that was put back to an earlier state, and went on from there, has changes
// with numbers that others had. Vectors of texts that it still has are kept.
func TestVectorsOfABackup(t *testing.T) {
	for name, more := range map[string][]string{"fewer changes": {"plum"}, "as many changes": {"plum", "fig"}, "more changes": {"plum", "fig", "quince", "kiwi"}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			dsn := postgrestest.NewDatabase(t)
			open := func() *sqlite.Store {
				s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s := open()
			storetest.Tell(t, s, "a", []string{"apple", "pear"})
			s.Close()
			backup, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s = open()
			storetest.Tell(t, s, "b", []string{"nut"})
			storetest.Tell(t, s, "c", []string{"date", "grape"})
			v := openVectors(t, dsn, s)
			fill(t, v)
			v.checkHeld(t, "before", held{texts: 5, vectors: 5})
			s.Close()

			if err := os.WriteFile(path, backup, 0o600); err != nil {
				t.Fatal(err)
			}
			s = open()
			defer s.Close()
			for i, text := range more {
				storetest.Tell(t, s, fmt.Sprint("d", i), []string{text, text + " tree", text + " stone"})
			}
			v = openVectors(t, dsn, s)
			follow(t, v)
			v.checkHeld(t, "after", held{texts: 2, missing: int64(3 * len(more)), vectors: 2})
		})
	}
}

// A database that does not answer is told when it is asked, and used as soon as it
// does.
func TestVectorsLater(t *testing.T) {
	dsn := postgrestest.NewDatabase(t)
	s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
	storetest.Tell(t, s, "a", []string{"apple"})
	if _, err := OpenVectors(t.Context(), "postgres://ann:"+password+"@[/vectors", s, nil); !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), password) {
		t.Errorf("a DSN that is none: %v, want ErrUnavailable without the password", err)
	}
	role := fmt.Sprintf("tapedeck_test_vectors_%d", os.Getpid())
	v := openVectors(t, postgrestest.WithUser(t, dsn, role, password), s)
	for name, call := range map[string]func() error{
		"follow":      func() error { return v.Follow(t.Context()) },
		"forget":      func() error { return v.Forget(t.Context(), nil) },
		"generation":  func() error { _, err := v.Generation(t.Context(), "test", "m", 2); return err },
		"generations": func() error { _, err := v.Generations(t.Context()); return err },
		"activate":    func() error { return v.Activate(t.Context(), 1) },
		"missing":     func() error { _, err := v.Missing(t.Context(), 1, nil, 1); return err },
		"put":         func() error { return v.PutVectors(t.Context(), 1, nil) },
		"search": func() error {
			_, err := v.SearchVectors(t.Context(), 1, []float32{1, 0}, store.IndexFilter{}, 1)
			return err
		},
	} {
		if err := call(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "correct the user and password") || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v, want ErrUnavailable that says what to correct", name, err)
		}
	}
	postgrestest.Run(t, dsn, fmt.Sprintf("CREATE ROLE %s LOGIN SUPERUSER PASSWORD '%s'", role, password))
	t.Cleanup(func() { postgrestest.Run(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	fill(t, v)
	v.checkHeld(t, "when it answers", held{texts: 1, vectors: 1})
}
