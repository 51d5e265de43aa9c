package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tapedeck/internal/store"
)

// Oldest server that has what is used here.
const (
	oldestVersion = "15"
	oldestNumber  = 15_00_00 // as server_version_num
)

// Limits of a connection.
const (
	connectTimeout = 10 * time.Second
	maxConnections = 8
)

// A database is where to connect to.
type database struct {
	pool     *pgxpool.Pool
	log      *slog.Logger
	config   *pgx.ConnConfig
	location string // without the password
}

// newDatabase reads a DSN. Nothing is connected to yet.
func newDatabase(ctx context.Context, dsn string, log *slog.Logger) (*database, error) {
	if log == nil {
		log = slog.Default()
	}
	config, err := parse(dsn)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, unavailable(config.ConnConfig, err)
	}
	return &database{pool: pool, log: log, config: config.ConnConfig, location: location(config.ConnConfig)}, nil
}

// Close ends all connections.
func (d *database) Close() error {
	d.pool.Close()
	return nil
}

// errDSN is returned for a DSN that can't be read. It has no detail: any part of
// a malformed one may be a piece of the password.
var errDSN = errors.New("the DSN can't be read: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE or " +
	"host=… port=… user=… password=… dbname=…; in a URL, write special characters of the password as %XX")

func parse(dsn string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, errDSN)
	}
	c := config.ConnConfig
	if strings.Contains(c.Database, "@") && strings.Contains(dsn, "://") { // a password with a "/" in it
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, errDSN)
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "tapedeck"
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	return config, nil
}

// location is where a connection leads, without the password.
func location(c *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", User: url.User(c.User), Path: "/" + c.Database}
	if strings.HasPrefix(c.Host, "/") { // a folder of Unix sockets
		u.RawQuery = url.Values{"host": {c.Host}, "port": {strconv.Itoa(int(c.Port))}}.Encode()
	} else {
		u.Host = net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	}
	return u.String()
}

// checkServer describes the server, or says why it is not fit.
func (d *database) checkServer(ctx context.Context) (string, error) {
	var is serverFacts
	err := d.pool.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
		current_setting('server_encoding'), (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')`).
		Scan(&is.version, &is.number, &is.encoding, &is.vector)
	if err != nil {
		return "", err
	}
	return is.describe()
}

// serverFacts are what a server says of itself.
type serverFacts struct {
	version  string // "17.2 (Debian 17.2-1)"
	number   int    // 17_00_02
	encoding string // of the database
	vector   *string
}

// describe describes a server that is fit, or says why it is not.
func (f serverFacts) describe() (string, error) {
	version, _, _ := strings.Cut(f.version, " ")
	if f.number < oldestNumber {
		return "", fmt.Errorf("the server is PostgreSQL %s: %s or newer is needed", version, oldestVersion)
	}
	if f.encoding != "UTF8" {
		return "", fmt.Errorf("the database is encoded in %s: it must be UTF8; make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", f.encoding)
	}
	if f.vector == nil {
		return "PostgreSQL " + version + " without pgvector", nil
	}
	return "PostgreSQL " + version + " with pgvector " + *f.vector, nil
}
