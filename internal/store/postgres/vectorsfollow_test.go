package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// watchedDocuments are documents that a test sees being asked.
type watchedDocuments struct {
	store.Documents
	asked    chan struct{} // TraceTexts begins; nil: nobody watches
	answer   chan struct{} // it may go on
	state    func(store.IndexState) store.IndexState
	followed int64 // what Followed says; 0: what is so
	drop     error // of DropGenerations
}

func (d *watchedDocuments) Followed(ctx context.Context) (int64, error) {
	if d.followed != 0 {
		return d.followed, nil
	}
	return d.Documents.Followed(ctx)
}

func (d *watchedDocuments) DropGenerations(ctx context.Context) error {
	if d.drop != nil {
		return d.drop
	}
	return d.Documents.DropGenerations(ctx)
}

func (d *watchedDocuments) TraceTexts(ctx context.Context, traceIDs []string) ([]store.TraceText, error) {
	if d.asked != nil {
		d.asked <- struct{}{}
		<-d.answer
	}
	return d.Documents.TraceTexts(ctx, traceIDs)
}

func (d *watchedDocuments) IndexState(ctx context.Context) (store.IndexState, error) {
	state, err := d.Documents.IndexState(ctx)
	if d.state != nil {
		state = d.state(state)
	}
	return state, err
}

// Searches do not wait until all changes are taken over.
func TestSearchWhileVectorsFollow(t *testing.T) {
	s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
	storetest.Tell(t, s, "a", []string{"apple", "pear"})
	d := &watchedDocuments{Documents: s}
	v := openVectors(t, postgrestest.NewDatabase(t), d)
	fill(t, v)
	storetest.Tell(t, s, "b", []string{"plum"})
	d.asked, d.answer = make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() { done <- v.Follow(context.Background()) }()
	<-d.asked
	hits, err := v.SearchVectors(t.Context(), 1, []float32{1, 0}, store.IndexFilter{}, 10)
	if err != nil || len(hits) != 2 {
		t.Errorf("%+v, %v; want the two that have vectors", hits, err)
	}
	close(d.answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
	d.asked = nil
	v.checkHeld(t, "then", held{texts: 2, missing: 1, vectors: 2})
}

// While documents are made again that were taken over before, there is nothing to
// follow, nor to wait for.
func TestVectorsAhead(t *testing.T) {
	s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
	storetest.Tell(t, s, "a", []string{"apple"})
	storetest.Tell(t, s, "b", []string{"plum"})
	d := &watchedDocuments{Documents: s}
	v := openVectors(t, postgrestest.NewDatabase(t), d)
	fill(t, v)
	asked := 0
	d.followed = 1
	d.state = func(state store.IndexState) store.IndexState {
		if asked++; asked > 10 {
			t.Fatal("it does not stop asking")
		}
		state.Followed, state.Behind = d.followed, 1
		return state
	}
	follow(t, v)
	v.checkHeld(t, "meanwhile", held{texts: 2, vectors: 2})
}

// What is deleted while documents are counted is no sign of a backup.
func TestDeletedWhileVectorsFollow(t *testing.T) {
	s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
	storetest.Tell(t, s, "a", []string{"apple"})
	storetest.Tell(t, s, "b", []string{"plum"})
	dsn := postgrestest.NewDatabase(t)
	other := openVectors(t, dsn, s)
	fill(t, other)
	d := &watchedDocuments{Documents: s}
	var log strings.Builder
	v, err := OpenVectors(context.Background(), dsn, d, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var once sync.Once
	d.state = func(state store.IndexState) store.IndexState {
		once.Do(func() {
			gone, err := s.Delete(t.Context(), toldSession("a"))
			if err == nil {
				err = other.Forget(t.Context(), gone)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		return state
	}
	follow(t, v)
	if log.Len() > 0 {
		t.Errorf("it says %s", log.String())
	}
	v.checkHeld(t, "then", held{texts: 1, vectors: 1})
}

// Where the vectors beside the documents can't be dropped, it is tried again.
func TestVectorsBesideStayForNow(t *testing.T) {
	s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
	storetest.Tell(t, s, "a", []string{"apple"})
	if _, err := s.Generation(t.Context(), "test", "m", 2); err != nil {
		t.Fatal(err)
	}
	d := &watchedDocuments{Documents: s, drop: errors.New("the disk is full")}
	v := openVectors(t, postgrestest.NewDatabase(t), d)
	fill(t, v)
	if err := v.Activate(t.Context(), 1); !errors.Is(err, d.drop) {
		t.Errorf("%v, want %v", err, d.drop)
	}
	if list, err := v.Generations(t.Context()); err != nil || list[0].Active {
		t.Errorf("%+v, %v; want one that is not active yet", list, err)
	}
	d.drop = nil
	if err := v.Activate(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if beside, err := s.Generations(t.Context()); err != nil || len(beside) > 0 {
		t.Errorf("%+v, %v; want none", beside, err)
	}
}

// Processes that use the vectors' database for the first time do so at once.
func TestVectorsMadeAtOnce(t *testing.T) {
	s := openSQLite(t, filepath.Join(t.TempDir(), "s.db"))
	dsn := postgrestest.NewDatabase(t)
	var processes sync.WaitGroup
	for range 4 {
		v := openVectors(t, dsn, s)
		processes.Go(func() {
			if err := v.Follow(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	processes.Wait()
}
