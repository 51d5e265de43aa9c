// Package postgrestest gives tests empty PostgreSQL databases, on the server that
// TAPEDECK_TEST_POSTGRES names (see scripts/postgres). Without the variable such
// tests are skipped, which `make test` takes for a failure.
package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// variable names the server.
const variable = "TAPEDECK_TEST_POSTGRES"

var databases atomic.Int64

// NewDatabase makes an empty database for the time of a test, and returns its DSN.
func NewDatabase(t testing.TB) string {
	t.Helper()
	server := os.Getenv(variable)
	if server == "" {
		t.Skip(variable + " is not set: run this by `make test`, or by go run ./scripts/postgres -- go test ./internal/store/...")
	}
	name := fmt.Sprintf("tapedeck_test_%d_%d", os.Getpid(), databases.Add(1))
	Run(t, server, "CREATE DATABASE "+name+" ENCODING 'UTF8' TEMPLATE template0")
	t.Cleanup(func() { Run(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	return with(t, server, func(u *url.URL) { u.Path = "/" + name }, " dbname="+name)
}

// Run runs statements on the database that a DSN names.
func Run(t testing.TB, dsn, statements string) {
	t.Helper()
	ctx := context.Background() // the test's ends before its cleanup
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatalf("the server of %s: %v", variable, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// WithUser is a DSN for another user.
func WithUser(t testing.TB, dsn, user, password string) string {
	t.Helper()
	return with(t, dsn, func(u *url.URL) { u.User = url.UserPassword(user, password) }, " user="+user+" password="+password)
}

// with changes a DSN, in the one form or the other.
func with(t testing.TB, dsn string, change func(*url.URL), pairs string) string {
	t.Helper()
	if !strings.Contains(dsn, "://") {
		return dsn + pairs
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatalf("%s is no URL", variable)
	}
	change(u)
	return u.String()
}
