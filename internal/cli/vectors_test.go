package cli

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/sample"
	"tapedeck/internal/store/postgres/postgrestest"
)

// vectorsIn counts the vectors in a database, those of the first generation.
func vectorsIn(t *testing.T, dsn string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var schema string
	if err := conn.QueryRow(t.Context(), "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tapedeck_vectors_%'").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+schema+".vector_1").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Sessions may be in the embedded store and their vectors in PostgreSQL.
func TestVectorsElsewhere(t *testing.T) {
	dsn, logs, dir := postgrestest.NewDatabase(t), t.TempDir(), t.TempDir()
	if _, err := sample.WriteSessions(logs); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) outcome {
		t.Helper()
		o := runWithArchive(t, openArchive, append(args, "--store-dir", dir)...)
		if o.code != exitOK {
			t.Fatalf("%q: exit code %d, stderr %q", args, o.code, o.errOut)
		}
		return o
	}
	run("import", logs)
	run("search", "index", "--vector-store-target", dsn)
	before := vectorsIn(t, dsn)
	if o := run("search", "flaky upload race", "--json", "--mode", "semantic", "--vector-store-target", dsn); before == 0 ||
		!strings.Contains(o.out, "Fix the flaky upload test") || !strings.Contains(o.out, `"mode": "semantic"`) {
		t.Errorf("of %d vectors: %s %s", before, o.out, o.errOut)
	}
	id := strings.Fields(run("search", "flaky upload race", "-q", "--vector-store-target", dsn).out)[0]

	if o := run("search", "flaky upload race", "--vector-store-target", "postgres://ann:secret@127.0.0.1:1/vectors"); !strings.Contains(o.out, "Fix the flaky upload test") ||
		!strings.Contains(o.errOut+o.out, "no PostgreSQL answers") || strings.Contains(o.errOut+o.out, "secret") {
		t.Errorf("while the database is down: %s %s; want what words find, and the reason", o.out, o.errOut)
	}
	run("sessions", "rm", id, "--yes", "--vector-store-target", dsn)
	after := vectorsIn(t, dsn)
	if after >= before {
		t.Errorf("%d vectors before and %d after a session was deleted", before, after)
	}

	id = strings.Fields(run("search", "tests", "-q", "--vector-store-target", dsn).out)[0]
	if o := run("sessions", "rm", id, "--yes", "--vector-store-target", "postgres://ann:secret@127.0.0.1:1/vectors"); !strings.Contains(o.errOut, "goes later") {
		t.Errorf("%q; want that vectors go later", o.errOut)
	}
	run("search", "index", "--vector-store-target", dsn)
	if last := vectorsIn(t, dsn); last >= after {
		t.Errorf("%d vectors before and %d after a session was deleted while the database was down", after, last)
	}
}
