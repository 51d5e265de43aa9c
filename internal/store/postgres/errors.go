package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tapedeck/internal/store"
)

// Codes of errors, from the PostgreSQL manual's appendix A.
const (
	codeSerialization  = "40001"
	codeDeadlock       = "40P01"
	codePassword       = "28P01"
	codeAuthorization  = "28000"
	codeNoDatabase     = "3D000"
	codePrivilege      = "42501"
	codeTooMany        = "53300"
	codeStarting       = "57P03"
	codeAdminShutdown  = "57P01"
	codeReadOnly       = "25006"
	codeNotInstalled   = "0A000" // of an extension
	codeNoFile         = "58P01"
	classConnection    = "08"
	classOutOfResource = "53"
)

// unavailable says what to do about an error of opening the database.
func unavailable(c *pgx.ConnConfig, err error) error {
	if errors.Is(err, store.ErrNewer) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, advice(c, err), oneLine{err})
}

// oneLine is an error in one line: pgx tells each address that it tried in one.
type oneLine struct{ error }

func (o oneLine) Error() string { return strings.Join(strings.Fields(o.error.Error()), " ") }
func (o oneLine) Unwrap() error { return o.error }

// advice is what was found wrong, and what to do.
func advice(c *pgx.ConnConfig, err error) string {
	where := location(c)
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code {
		case codePassword, codeAuthorization:
			return fmt.Sprintf("%s does not let %q in: correct the user and password of the DSN, or pg_hba.conf", where, c.User)
		case codeNoDatabase:
			return fmt.Sprintf("there is no database %q at %s: make it with CREATE DATABASE, or correct the DSN", c.Database, where)
		case codePrivilege:
			return fmt.Sprintf("%q may not make a schema at %s: GRANT CREATE ON DATABASE to it once, or have the owner open it first", c.User, where)
		case codeTooMany:
			return where + " has no connection left: raise max_connections, or close other programs"
		case codeStarting, codeAdminShutdown:
			return where + " is starting or stopping: try again"
		case codeReadOnly:
			return where + " is read only, a standby perhaps: name the primary server"
		}
		return where + " refuses"
	}
	var dial *net.OpError
	if connecting := new(pgconn.ConnectError); errors.As(err, &connecting) || errors.As(err, &dial) {
		return fmt.Sprintf("no PostgreSQL answers at %s: start it, or correct host, port and sslmode of the DSN", where)
	}
	return where + " is not fit"
}

// lost adds store.ErrUnavailable to an error that means that the server is gone.
func lost(err error) error {
	if err == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch class := refused.Code[:min(2, len(refused.Code))]; {
		case class == classConnection, class == classOutOfResource, refused.Code == codeAdminShutdown, refused.Code == codeStarting:
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		return err
	}
	if brokenOff(err) {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// brokenOff reports whether an error means that there is no connection, or none
// any more: a server that crashes says nothing.
func brokenOff(err error) bool {
	var network net.Error
	if connecting := new(pgconn.ConnectError); errors.As(err, &connecting) || errors.As(err, &network) {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err)
}

// again reports whether a transaction failed only because of others at the same
// time.
func again(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (refused.Code == codeSerialization || refused.Code == codeDeadlock)
}
