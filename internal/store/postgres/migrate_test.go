package postgres

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"tapedeck/internal/store"
	"tapedeck/internal/store/postgres/postgrestest"
)

// Several programs that open an empty database at once make one schema.
func TestOpenAtOnce(t *testing.T) {
	dsn := postgrestest.NewDatabase(t)
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			s, err := Open(t.Context(), dsn, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if info, err := s.Info(t.Context()); err != nil || info.Schema != 3 {
				t.Errorf("schema %d, %v; want 3", info.Schema, err)
			}
		})
	}
	work.Wait()
}

func TestNewerSchema(t *testing.T) {
	dsn := postgrestest.NewDatabase(t)
	s := reopen(t, dsn)
	if _, err := s.pool.Exec(t.Context(), "INSERT INTO tapedeck.migration (version) VALUES (999)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dsn, nil); !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), "999") {
		t.Errorf("a schema of a newer program: %v, want ErrNewer", err)
	}
}

// Beside other tables, of the same names even, nothing is touched.
func TestOtherTables(t *testing.T) {
	dsn := postgrestest.NewDatabase(t)
	postgrestest.Run(t, dsn, "CREATE TABLE session (mine int); CREATE TABLE stream (mine int)")
	s := reopen(t, dsn)
	if _, err := s.Append(t.Context(), store.Batch{}); err != nil {
		t.Error(err)
	}
	postgrestest.Run(t, dsn, "INSERT INTO session VALUES (1); INSERT INTO stream VALUES (1)")
}

// A user without rights is told what is missing; a schema made for the user is
// enough.
func TestRights(t *testing.T) {
	dsn := postgrestest.NewDatabase(t)
	role := fmt.Sprintf("tapedeck_test_role_%d", os.Getpid())
	postgrestest.Run(t, dsn, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", role, password))
	t.Cleanup(func() { postgrestest.Run(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	as := postgrestest.WithUser(t, dsn, role, password)

	_, err := Open(t.Context(), as, nil)
	checkRefusal(t, err, "GRANT CREATE ON DATABASE", role)

	postgrestest.Run(t, dsn, "CREATE SCHEMA tapedeck AUTHORIZATION "+role)
	s := reopen(t, as)
	info, err := s.Info(t.Context())
	if err != nil || !strings.Contains(info.Location, role) || strings.Contains(info.Location, password) {
		t.Errorf("the location is %q, %v; want the user in it, not the password", info.Location, err)
	}
	if !strings.Contains(info.Server, "pgvector") {
		t.Errorf("the server %q does not say whether pgvector is there", info.Server)
	}
	s.Close()
}
