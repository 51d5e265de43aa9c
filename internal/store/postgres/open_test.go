package postgres

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"tapedeck/internal/store"
)

const password = "correct-horse"

// fakeServer answers each connection with an error of this code.
func fakeServer(t *testing.T, code string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go refuse(conn, code)
		}
	}()
	return l.Addr().String()
}

func refuse(conn net.Conn, code string) {
	defer conn.Close()
	backend := pgproto3.NewBackend(conn, conn)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: code, Message: "refused"})
	_ = backend.Flush()
}

func TestServersThatRefuse(t *testing.T) {
	for code, want := range map[string]string{
		codePassword:      "correct the user and password",
		codeAuthorization: "pg_hba.conf",
		codeNoDatabase:    `there is no database "sessions"`,
		codePrivilege:     "GRANT CREATE ON DATABASE",
		codeTooMany:       "max_connections",
		codeStarting:      "try again",
		codeReadOnly:      "standby",
		"XX000":           "refuses",
	} {
		address := fakeServer(t, code)
		host, port, _ := net.SplitHostPort(address)
		for _, dsn := range []string{
			fmt.Sprintf("postgres://ada:%s@%s/sessions?sslmode=disable", password, address),
			fmt.Sprintf("host=%s port=%s user=ada password=%s dbname=sessions sslmode=disable", host, port, password),
		} {
			_, err := Open(t.Context(), dsn, nil)
			checkRefusal(t, err, want, "postgres://ada@"+address+"/sessions")
		}
	}
}

// checkRefusal checks an error of opening: its kind, its parts, and that the
// password is not in it.
func checkRefusal(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("the error is %v; want one of ErrUnavailable", err)
	}
	if strings.Contains(err.Error(), password) {
		t.Errorf("the error shows the password: %v", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = Open(t.Context(), "postgres://ada:"+password+"@"+l.Addr().String()+"/x", nil)
	checkRefusal(t, err, "no PostgreSQL answers at postgres://ada@"+l.Addr().String()+"/x", "host, port")
}

// Whatever a DSN is that can't be read, its password stays out of the error,
// also where a special character in it breaks the URL.
func TestMalformedDSN(t *testing.T) {
	for _, dsn := range []string{
		"postgres://ada:" + password + "@host:port/db",
		"postgres://ada:12/" + password + "@host/db",
		"postgres://ada:#" + password + "@127.0.0.1:1/db",
		"postgres://ada:12?" + password + "@host/db",
		"postgres://ada:%zz" + password + "@host/db",
		"postgres://ada:x@127.0.0.1:1/" + password + "@h",
		"password=" + password + " port=x",
		"password='" + password,
		password,
		"mysql://ada:" + password + "@127.0.0.1:1/db",
	} {
		_, err := Open(t.Context(), dsn, nil)
		checkRefusal(t, err)
	}
}

func TestLocation(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://ada:secret@db.example:6000/sessions?sslmode=disable":             "postgres://ada@db.example:6000/sessions",
		"postgresql://ada@[::1]/x":                                                   "postgres://ada@[::1]:5432/x",
		"user=ada password=secret host=/run/postgresql dbname=x":                     "postgres://ada@/x?host=%2Frun%2Fpostgresql&port=5432",
		"postgres://ada@h/x?password=secret&sslpassword=secret":                      "postgres://ada@h:5432/x",
		"host=db.example port=6000 user=ada password='se cret' dbname='my sessions'": "postgres://ada@db.example:6000/my%20sessions",
	} {
		config, err := parse(dsn)
		if err != nil {
			t.Errorf("parse(%q): %v", dsn, err)
			continue
		}
		if got := location(config.ConnConfig); got != want {
			t.Errorf("location of %q is %q, want %q", dsn, got, want)
		}
	}
}
