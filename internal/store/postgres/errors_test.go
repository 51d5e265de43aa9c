package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tapedeck/internal/store"
)

func TestLost(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		lost bool
	}{
		"none":              {nil, false},
		"server stops":      {&pgconn.PgError{Code: codeAdminShutdown}, true},
		"connection broken": {&pgconn.PgError{Code: "08006"}, true},
		"disk full":         {&pgconn.PgError{Code: "53100"}, true},
		"network":           {&net.OpError{Op: "read", Err: errors.New("reset")}, true},
		"cut off":           {fmt.Errorf("receiving: %w", io.ErrUnexpectedEOF), true},
		"closed":            {fmt.Errorf("begin: %w", pgconn.ErrConnClosed), true},
		"unique key":        {&pgconn.PgError{Code: "23505"}, false},
		"not found":         {store.ErrNotFound, false},
		"cancelled":         {fmt.Errorf("wait: %w", context.Canceled), false},
		"too late":          {context.DeadlineExceeded, false},
	} {
		got := lost(c.err)
		if errors.Is(got, store.ErrUnavailable) != c.lost || !errors.Is(got, c.err) {
			t.Errorf("%s: %v; lost is %v", name, got, c.lost)
		}
	}
}

// What failed because of others is tried again, a few times.
func TestTriedAgain(t *testing.T) {
	s := openStore(t)
	for _, c := range []struct {
		code       string
		fails, ran int
	}{
		{codeSerialization, 2, 3}, {codeDeadlock, 1, 2}, {codeDeadlock, 99, attempts}, {"23505", 1, 1},
	} {
		ran := 0
		err := s.write(t.Context(), func(pgx.Tx) error {
			if ran++; ran <= c.fails {
				return &pgconn.PgError{Code: c.code}
			}
			return nil
		})
		if ran != c.ran || (err == nil) != (c.ran > c.fails) {
			t.Errorf("%s that fails %d times ran %d times, want %d: %v", c.code, c.fails, ran, c.ran, err)
		}
	}
}

func TestServersThatAreNotFit(t *testing.T) {
	vector := "0.8.0"
	for name, c := range map[string]struct {
		facts serverFacts
		want  string
		fit   bool
	}{
		"old":            {serverFacts{"14.11 (Debian)", 14_00_11, "UTF8", &vector}, "the server is PostgreSQL 14.11: 15 or newer", false},
		"other encoding": {serverFacts{"17.2", 17_00_02, "SQL_ASCII", nil}, "it must be UTF8", false},
		"fit":            {serverFacts{"15.0 (Debian 15.0-1)", 15_00_00, "UTF8", &vector}, "PostgreSQL 15.0 with pgvector 0.8.0", true},
		"no vectors":     {serverFacts{"17.2", 17_00_02, "UTF8", nil}, "PostgreSQL 17.2 without pgvector", true},
	} {
		got, err := c.facts.describe()
		if err != nil {
			got = err.Error()
		}
		if (err == nil) != c.fit || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}
